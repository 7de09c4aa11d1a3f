// Package groundtruth reads transcribed pages as archives export them: PAGE XML (2009 to 2019) and ALTO (2 to 4), as written by
// eScriptorium, Transkribus and kraken, next to the images. It is for training; package format writes the service's own ALTO
// and PAGE-XML.
//
// It neither opens images (the sandboxed worker does) nor cuts lines. Start with Find.
package groundtruth

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Point is a point of a page, in pixels of its image.
type Point struct{ X, Y float64 }

// Line is a transcribed line. The baseline has at least two points, from left to right; the polygon has at least three.
type Line struct {
	Text     string
	Baseline []Point
	Polygon  []Point
}

// Page is a transcribed page.
type Page struct {
	XML   string // path of the transcription
	Image string // path of the image
	// Width and Height are the size of the image as the transcription states it, 0 if it does not. Coordinates are in pixels of
	// an image of this size.
	Width, Height float64
	Lines         []Line
}

// Skipped is a file or line that cannot be used.
type Skipped struct {
	Path   string
	Reason string
}

const (
	maxXML   = 64 << 20 // bytes of a transcription
	maxFiles = 200_000  // files of a folder
	maxLines = 20_000   // lines of a page
)

// errNoPages means that a folder has no usable page; the error that it is joined to says why.
var errNoPages = errors.New("no transcribed page found")

// Find returns the transcribed pages of a folder and its subfolders, sorted by path, and what was skipped. A file ending in
// .xml that is neither PAGE nor ALTO is ignored. A folder without a single page with a line is an error.
func Find(folder string) ([]Page, []Skipped, error) {
	images, transcriptions, err := list(folder)
	if err != nil {
		return nil, nil, err
	}
	var (
		pages   []Page
		skipped []Skipped
	)
	for _, path := range transcriptions {
		page, without, err := read(folder, path, images)
		switch {
		case errors.Is(err, errOther):
		case err != nil:
			skipped = append(skipped, Skipped{path, err.Error()})
		default:
			pages = append(pages, page)
			if without > 0 {
				skipped = append(skipped, Skipped{path, fmt.Sprintf("lines without text, baseline or polygon: %d", without)})
			}
		}
	}
	if len(pages) == 0 {
		return nil, skipped, fmt.Errorf("%w in %s: %s", errNoPages, folder, why(images, transcriptions, skipped))
	}
	return pages, skipped, nil
}

// why says briefly why a folder has no usable page.
func why(images map[string][]string, transcriptions []string, skipped []Skipped) string {
	switch {
	case len(transcriptions) == 0:
		return "it has no .xml files; export PAGE or ALTO with images"
	case len(images) == 0:
		return "it has no images; export them together with the transcriptions"
	case len(skipped) > 0:
		return fmt.Sprintf("%s: %s", skipped[0].Path, skipped[0].Reason)
	}
	return "its .xml files are neither PAGE nor ALTO"
}

// list returns the paths of the images by their names in lower case, without folder and with or without extension, and the
// paths of all .xml files, sorted.
func list(folder string) (images map[string][]string, transcriptions []string, err error) {
	images = map[string][]string{}
	n := 0
	err = filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			return nil
		}
		if n++; n > maxFiles {
			return fmt.Errorf("%s has more than %d files", folder, maxFiles)
		}
		name := strings.ToLower(entry.Name())
		switch extension := filepath.Ext(name); extension {
		case ".xml":
			transcriptions = append(transcriptions, path)
		case ".jpg", ".jpeg", ".png", ".tif", ".tiff", ".webp", ".bmp":
			for _, key := range []string{name, strings.TrimSuffix(name, extension)} {
				images[key] = append(images[key], path)
			}
		}
		return nil
	})
	slices.Sort(transcriptions)
	return images, transcriptions, err
}

// read reads one transcription and finds its image in the folder. without counts its lines that cannot be used.
func read(folder, path string, images map[string][]string) (page Page, without int, err error) {
	data, err := readFile(path)
	if err != nil {
		return Page{}, 0, err
	}
	page, all, err := parse(data)
	if err != nil {
		return Page{}, 0, err
	}
	page.XML = path
	for _, l := range all {
		if strings.TrimSpace(l.Text) == "" || len(l.Baseline) < 2 || len(l.Polygon) < 3 {
			without++
			continue
		}
		page.Lines = append(page.Lines, l)
	}
	if len(page.Lines) == 0 {
		return Page{}, 0, errors.New("no line has text, a baseline and a polygon")
	}
	if page.Image, err = imageOf(folder, path, page.Image, images); err != nil {
		return Page{}, 0, err
	}
	return page, without, nil
}

// readFile reads a file of up to maxXML bytes.
func readFile(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if info.Size() > maxXML {
		return nil, fmt.Errorf("it has %d bytes; at most %d are read", info.Size(), maxXML)
	}
	return os.ReadFile(path)
}

// imageOf finds the image that a transcription names, or else the one of the transcription's own name. In exports of several
// documents, images of different documents have the same name, so the nearest image counts: one in the transcription's folder
// comes before one in a subfolder of it, and that before one in the parent folder, and so on up to the folder of the export.
func imageOf(folder, path, named string, images map[string][]string) (string, error) {
	named = filepath.Base(strings.ReplaceAll(named, `\`, "/"))
	beside := filepath.Join(filepath.Dir(path), named)
	if info, err := os.Stat(beside); err == nil && info.Mode().IsRegular() {
		return beside, nil
	}
	stem := strings.ToLower(strings.TrimSuffix(filepath.Base(path), filepath.Ext(path)))
	for dir := filepath.Dir(path); ; dir = filepath.Dir(dir) {
		isTop := dir == filepath.Clean(folder)
		for _, key := range []string{strings.ToLower(named), stem} {
			switch near := nearest(dir, isTop, images[key]); len(near) {
			case 0:
			case 1:
				return near[0], nil
			default:
				return "", fmt.Errorf("two images could be its image %q: %s and %s; remove one, or put each transcription next to its image", named, near[0], near[1])
			}
		}
		if isTop {
			return "", fmt.Errorf("its image %q is not in the folder", named)
		}
	}
}

// nearest returns the images in a folder or, if it has none itself, those in its subfolders. isTop says that the folder is that
// of the export: every image is in it or in a subfolder.
func nearest(dir string, isTop bool, images []string) []string {
	var in, below []string
	for _, image := range images {
		if filepath.Dir(image) == dir {
			in = append(in, image)
		}
		if isTop || strings.HasPrefix(image, dir+string(filepath.Separator)) {
			below = append(below, image)
		}
	}
	if len(in) > 0 {
		return in
	}
	return below
}
