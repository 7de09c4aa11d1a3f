package source

import (
	"context"
	"errors"
	"fmt"
	"image"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"uncial/impl/client/durable"
	"uncial/impl/client/picture"
	"uncial/impl/client/tool"
	"uncial/internal/contract/imagefile"
)

// Resolutions at which pages are rendered, in pixels per inch.
const (
	// textResolution is for pages that are not mainly an image: the service recommends 300 or more.
	textResolution = 300
	// maxResolution is the largest that helps reading; images are rendered at their own up to here.
	maxResolution = 600
	minResolution = 72
	// mainShare is the minimum share of the page that an image must cover to decide about the resolution.
	mainShare = 0.5
	// wholeShare is the minimum share of each side that a single image must cover to be the page. Scanners leave rounding errors.
	wholeShare = 0.98
	// renderQuality is the quality of the JPEG that replaces a PNG of more than 20 MiB.
	renderQuality = 92
	pointsPerInch = 72.0
)

// pdfPages returns the pages of a PDF. Errors: it is encrypted or damaged, it has no pages, or poppler-utils is missing.
func pdfPages(ctx context.Context, folder string, f *file, whole *Page) ([]*Page, error) {
	path, err := filepath.Abs(f.path)
	if err != nil {
		return nil, err
	}
	about, err := pdfInfo(ctx, folder, path)
	if err != nil {
		return nil, err
	}
	count, _ := strconv.Atoi(about["Pages"])
	switch {
	case count < 1:
		return nil, errNoPages
	case count > maxPages:
		return nil, fmt.Errorf("the PDF has %d pages; at most %d are allowed", count, maxPages)
	}
	pages := make([]*Page, count)
	for i := range pages {
		pages[i] = whole.part(i+1, count, &pdfPage{file: f, path: path, number: i + 1})
	}
	return pages, nil
}

var errNoPages = errors.New("the PDF has no pages")

// pdfInfo returns what pdfinfo prints, by name. The names of single pages have one space between their words.
func pdfInfo(ctx context.Context, folder, path string, options ...string) (map[string]string, error) {
	out, err := tool.Run(ctx, folder, "pdfinfo", append(options, path)...)
	if err != nil {
		return nil, explainPDF(err)
	}
	about := map[string]string{}
	for line := range strings.Lines(string(out)) {
		name, value, _ := strings.Cut(line, ":")
		about[strings.Join(strings.Fields(name), " ")] = strings.TrimSpace(value)
	}
	return about, nil
}

// explainPDF says what to do about an error of poppler.
func explainPDF(err error) error {
	var missing *tool.MissingError
	switch {
	case errors.As(err, &missing), errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	case strings.Contains(err.Error(), "Incorrect password"):
		return errors.New("the PDF is encrypted; decrypt it first, for example with: qpdf --decrypt")
	case strings.Contains(err.Error(), "can not be after the last page (0)"): // pdfinfo, about a PDF without pages
		return errNoPages
	}
	return fmt.Errorf("the PDF cannot be read: %w", err)
}

type pdfPage struct {
	*file
	path   string // absolute
	number int
}

// content is the digest of the PDF with the number of the page.
func (p *pdfPage) content(ctx context.Context) (string, error) {
	digest, err := p.sum(ctx)
	return fmt.Sprintf("%s#page=%d", digest, p.number), err
}

// load returns the only image of the page untouched, or renders the page.
func (p *pdfPage) load(ctx context.Context, folder string) (*Image, error) {
	n := strconv.Itoa(p.number)
	about, err := pdfInfo(ctx, folder, p.path, "-f", n, "-l", n)
	if err != nil {
		return nil, err
	}
	paper := paperOf(about, n)
	out, err := tool.Run(ctx, folder, "pdfimages", "-list", "-f", n, "-l", n, p.path)
	if err != nil {
		return nil, explainPDF(err)
	}
	images := parseImages(string(out))
	if len(images) == 1 && images[0].isPage(paper) {
		if stored, err := p.untouched(ctx, folder, images[0]); err != nil || stored != nil {
			return stored, err
		}
	}
	return p.render(ctx, folder, paper, images)
}

// untouched returns the only image of the page, or nil if it cannot be extracted or the page shows it turned.
func (p *pdfPage) untouched(ctx context.Context, folder string, only pdfImage) (*Image, error) {
	stored, err := p.extract(ctx, folder, only)
	if err != nil || stored == nil {
		return nil, err
	}
	if isTurned, err := p.isTurned(ctx, folder, stored); err != nil || isTurned {
		return nil, err
	}
	return stored, nil
}

// isTurned reports whether the page shows its image upside down or mirrored: some scanners write such images and have the page
// turn them. The list of images does not say so.
func (p *pdfPage) isTurned(ctx context.Context, folder string, stored *Image) (bool, error) {
	n := strconv.Itoa(p.number)
	if _, err := tool.Run(ctx, folder, "pdftoppm", "-png", "-cropbox", "-scale-to", strconv.Itoa(picture.ComparedSide), "-f", n, "-l", n, "-singlefile", p.path, "small"); err != nil {
		return false, explainPDF(err)
	}
	shown, err := decodeFile(filepath.Join(folder, "small.png"))
	if err != nil {
		return false, err
	}
	own, err := decodeFile(stored.Path)
	if err != nil {
		return false, nil //nolint:nilerr // the service says what is wrong with the image
	}
	return picture.IsTurned(own, shown), nil
}

// decodeFile returns the image of a file, upright as its orientation says.
func decodeFile(path string) (image.Image, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, durable.WithoutPath(err)
	}
	return picture.Decode(data, 0, 0)
}

func (p *pdfPage) picture(ctx context.Context, folder string) ([]byte, error) {
	return readPicture(p.load(ctx, folder))
}

// paper is the size of a page in points, and by how many degrees viewers turn it.
type paper struct {
	width, height float64
	rotation      int
}

// paperOf reads the size of page n from the output of pdfinfo: "Page 3 size: 595 x 842 pts (A4)", "Page 3 rot: 0".
func paperOf(about map[string]string, n string) (s paper) {
	if fields := strings.Fields(about["Page "+n+" size"]); len(fields) >= 3 {
		s.width, _ = strconv.ParseFloat(fields[0], 64)
		s.height, _ = strconv.ParseFloat(fields[2], 64)
	}
	s.rotation, _ = strconv.Atoi(about["Page "+n+" rot"])
	return s
}

// pdfImage is a row of the output of pdfimages -list.
type pdfImage struct {
	kind, color, encoding string
	width, height         int
	xPPI, yPPI            float64
}

// parseImages reads the output of pdfimages -list: two lines of headings, then one line for each image.
func parseImages(list string) (images []pdfImage) {
	for line := range strings.Lines(list) {
		f := strings.Fields(line)
		// Images without an object have "[inline]" in one column instead of two.
		ppi := 12
		if len(f) > 10 && f[10] == "[inline]" {
			ppi = 11
		}
		if len(f) < ppi+2 {
			continue
		}
		if _, err := strconv.Atoi(f[0]); err != nil {
			continue
		}
		image := pdfImage{kind: f[2], color: f[5], encoding: f[8]}
		image.width, _ = strconv.Atoi(f[3])
		image.height, _ = strconv.Atoi(f[4])
		image.xPPI, _ = strconv.ParseFloat(f[ppi], 64)
		image.yPPI, _ = strconv.ParseFloat(f[ppi+1], 64)
		images = append(images, image)
	}
	return images
}

// share returns which parts of the width and height of the page the image covers.
func (i pdfImage) share(s paper) (horizontal, vertical float64) {
	if i.xPPI <= 0 || i.yPPI <= 0 || s.width <= 0 || s.height <= 0 {
		return 0, 0
	}
	return float64(i.width) / i.xPPI * pointsPerInch / s.width, float64(i.height) / i.yPPI * pointsPerInch / s.height
}

// isPage reports whether the image is all that the page shows, in colours that need no conversion. A page may show only a part
// of a larger image, such as half of an opening.
func (i pdfImage) isPage(s paper) bool {
	horizontal, vertical := i.share(s)
	return i.kind == "image" && s.rotation == 0 && min(horizontal, vertical) >= wholeShare && max(horizontal, vertical) <= 1/wholeShare &&
		(i.color == "gray" || i.color == "rgb" || i.color == "icc" || i.color == "index")
}

// extract writes the image unchanged from the PDF: a JPEG byte for byte, any other one with the same pixels. The service cannot
// read JPEG 2000, of which it gets a copy. It returns nil if the image cannot be extracted.
func (p *pdfPage) extract(ctx context.Context, folder string, image pdfImage) (*Image, error) {
	option, extension := "-png", "png"
	switch image.encoding {
	case "jpeg":
		option, extension = "-j", "jpg"
	case "jpx":
		option, extension = "-jp2", "jp2"
	}
	n := strconv.Itoa(p.number)
	if _, err := tool.Run(ctx, folder, "pdfimages", option, "-f", n, "-l", n, p.path, "page"); err != nil {
		return nil, explainPDF(err)
	}
	found, err := fs.Glob(os.DirFS(folder), "page-*."+extension) // the folder's own name may have brackets
	if err != nil || len(found) != 1 {
		return nil, nil //nolint:nilnil // see above
	}
	return (&filePage{file: &file{path: filepath.Join(folder, found[0])}}).load(ctx, folder)
}

// render draws the page at the resolution of its main image, as PNG or, if that is too large for the service, as JPEG.
func (p *pdfPage) render(ctx context.Context, folder string, s paper, images []pdfImage) (*Image, error) {
	resolution := resolutionOf(s, images)
	const tries = 6 // each after the first has 9/16 of the pixels
	for range tries {
		for _, form := range [][]string{{"-png", "png"}, {"-jpeg", "jpg", "-jpegopt", fmt.Sprintf("quality=%d", renderQuality)}} {
			n := strconv.Itoa(p.number)
			options := append([]string{form[0], "-cropbox", "-r", strconv.Itoa(resolution), "-f", n, "-l", n, "-singlefile"}, form[2:]...)
			if _, err := tool.Run(ctx, folder, "pdftoppm", append(options, p.path, "page")...); err != nil {
				return nil, explainPDF(err)
			}
			path := filepath.Join(folder, "page."+form[1])
			about, err := os.Stat(path)
			if err != nil {
				return nil, fmt.Errorf("the PDF cannot be read: page %d was not drawn", p.number)
			}
			if about.Size() <= imagefile.MaxBytes {
				return &Image{Prepared: picture.Prepared{Path: path}}, nil
			}
		}
		resolution = max(minResolution, resolution*3/4)
	}
	return nil, fmt.Errorf("page %d is larger than %d MiB at %d pixels per inch", p.number, imagefile.MaxBytes>>20, minResolution)
}

// resolutionOf returns the resolution for a page: that of the image that covers most of it, within the limits of the service.
func resolutionOf(s paper, images []pdfImage) int {
	resolution, largest := textResolution, mainShare
	for _, image := range images {
		horizontal, vertical := image.share(s)
		if area := horizontal * vertical; area >= largest && (image.kind == "image" || image.kind == "stencil") {
			resolution, largest = int(math.Round(max(image.xPPI, image.yPPI))), area
		}
	}
	resolution = min(max(resolution, minResolution), maxResolution)
	if s.width <= 0 || s.height <= 0 {
		return resolution
	}
	width, height := s.width/pointsPerInch, s.height/pointsPerInch
	fits := min(math.Sqrt(imagefile.MaxPixels/(width*height)), imagefile.MaxSide/max(width, height))
	return max(1, min(resolution, int(fits*0.99))) // drawing rounds up
}
