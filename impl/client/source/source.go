// Package source turns the arguments of the command line into pages: files, folders, standard input, URLs, IIIF manifests and
// collections, PDFs and TIFFs of many pages. Each page can say what it shows, as a digest or a URL, and be made ready to be
// sent. It sends nothing to the service. Start with Reader.Expand; file.go, pdf.go and web.go have the kinds of pages,
// manifest.go those of IIIF.
package source

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"uncial/impl/client/durable"
	"uncial/impl/client/iiif"
	"uncial/impl/client/picture"
	"uncial/impl/fetch"
	"uncial/impl/volume"
)

// Page is one image of the command line.
type Page struct {
	// Position is the place of the page in its source, such as "sub/page.tif" below a folder, "book.pdf#page=3" or the id of a
	// canvas. It does not change when other pages or sources are added, or the folder is moved. With the content it identifies the
	// page.
	Position string
	// Locator is where the source has the page: an absolute path, a URL or the id of a canvas. It does not depend on the other
	// sources. Unique among the pages of a run: a source that is given twice has numbers.
	Locator string
	// Source names the page in messages.
	Source string
	// Stem is the base name for the page's files; Label is the name that people see.
	Stem, Label string
	// Canvas is the canvas that the image fills. Zero if there is none, or if it consists of several images.
	Canvas volume.Canvas
	// Host is the IIIF server that takes one request at a time; "" for any other source.
	Host string
	origin
}

// origin is where a page comes from.
type origin interface {
	// content identifies what the page shows: the digest of a file, or a URL.
	content(ctx context.Context) (string, error)
	// load makes the page ready to be sent. It may write to the folder, which the caller removes.
	load(ctx context.Context, folder string) (*Image, error)
	// picture returns the image file that the service reads, fetched here if it is on the web. It may write to the folder.
	picture(ctx context.Context, folder string) ([]byte, error)
}

// Image is a page that can be sent.
type Image struct {
	// URL is the address that the service fetches. "" if the image is in a file.
	URL string
	picture.Prepared
}

// Content identifies what the page shows: by the digest of a file, or by a URL. It returns the errors of Load.
func (p *Page) Content(ctx context.Context) (string, error) { return p.content(ctx) }

// Load makes the page ready to be sent; it may write to the folder. Errors do not name the page. IsAbsent tells which mean that
// there is no image.
func (p *Page) Load(ctx context.Context, folder string) (*Image, error) { return p.load(ctx, folder) }

// Picture returns the image file that the service reads, and fetches it if it is on the web. It may write to the folder, which
// the caller removes. It returns the errors of Load.
func (p *Page) Picture(ctx context.Context, folder string) ([]byte, error) {
	return p.picture(ctx, folder)
}

// IsAbsent reports whether an error of Content or Load means that the page has no image.
func IsAbsent(err error) bool { return errors.Is(err, fs.ErrNotExist) || errors.Is(err, errGone) }

// Set is the pages that the command line names.
type Set struct {
	// Title of the manifest, or the name of the first source. Never empty.
	Title string
	// Manifest is the URL of the only source, if that is a manifest.
	Manifest string
	Pages    []*Page
	// Failures are sources without pages, in their order. None of them is a missing file, which is a page that is absent.
	Failures []Failure
}

// Failure is a source without pages.
type Failure struct {
	Source string
	Err    error
}

// maxPages bounds the pages of a run: twenty volumes of a large dictionary. The journal holds all of them in memory.
const maxPages = 100_000

// Reader expands sources.
type Reader struct {
	// Recursive reads the folders below a folder too.
	Recursive bool
	// IsOutput, if not nil, reports whether an earlier run wrote a file. Such files are not pages of a folder.
	IsOutput func(path string) bool
	// FetchHere fetches images here instead of letting the service fetch them.
	FetchHere bool
	// Web fetches the URLs on the command line: manifests and, with FetchHere, images.
	Web *fetch.Fetcher
	// Linked fetches what manifests and collections name, whose authors must not reach the user's network.
	Linked *fetch.Fetcher
	// Stdin is read for the source "-".
	Stdin io.Reader
	// Temporary is a folder for what must be stored while the command runs.
	Temporary string
	// Timeout bounds the fetch of a manifest, repeats included. 0: no bound.
	Timeout time.Duration
	// Waiting, if not nil, is called when the fetch of a URL has failed and will be repeated after a pause. Calls may be
	// concurrent.
	Waiting func(url string, failed error, pause time.Duration)
}

// Expand returns all pages that the arguments name, in order. Its errors are ctx's error and those of the folder for temporary
// files; sources that cannot be expanded are Failures.
func (r *Reader) Expand(ctx context.Context, arguments []string) (*Set, error) {
	set := &Set{}
	for _, argument := range arguments {
		pages, title, err := r.expand(ctx, set, argument)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			set.Failures = append(set.Failures, Failure{shown(argument), err})
			continue
		}
		if set.Title == "" {
			set.Title = title
		}
		set.Pages = append(set.Pages, pages...)
		if len(set.Pages) > maxPages {
			return nil, fmt.Errorf("more than %d pages; give fewer sources at once", maxPages)
		}
	}
	if len(arguments) > 1 {
		set.Manifest = ""
	}
	if set.Title == "" {
		set.Title = "volume"
	}
	numberRepeats(set.Pages)
	return set, nil
}

// expand returns the pages of one argument, and its title.
func (r *Reader) expand(ctx context.Context, set *Set, argument string) ([]*Page, string, error) {
	switch {
	case argument == "":
		return nil, "", errors.New("the argument is empty; give a file, a folder, an http:, https: or data: URL, or -")
	case argument == "-":
		path, err := r.storeStdin()
		if err != nil {
			return nil, "", err
		}
		pages, err := r.file(ctx, path, "stdin", "-")
		return pages, "stdin", err
	case isURL(argument) && isManifestURL(argument):
		doc, pages, err := r.manifest(ctx, argument, nil)
		if err != nil {
			return nil, "", err
		}
		if !doc.IsCollection {
			set.Manifest = argument
		}
		return pages, titleOf(doc, argument), nil
	case isURL(argument):
		return []*Page{r.webPage(argument, r.argumentFetcher)}, urlName(argument), nil
	}
	about, err := os.Stat(argument)
	if scheme := otherScheme.FindStringSubmatch(argument); err != nil && scheme != nil {
		return nil, "", fmt.Errorf("the scheme %s is not supported; give a file, a folder, or an http:, https: or data: URL", scheme[1])
	}
	if err == nil && about.IsDir() {
		pages, err := r.folder(ctx, argument)
		absolute, _ := filepath.Abs(argument)
		return pages, filepath.Base(absolute), err
	}
	pages, err := r.file(ctx, argument, filepath.Base(argument), argument)
	return pages, stem(argument), err
}

// titleOf is the label of a manifest, or its name.
func titleOf(doc *iiif.Document, url string) string {
	if doc.Label != "" {
		return doc.Label
	}
	return urlName(url)
}

// maxStdin bounds the input from standard input, in bytes.
const maxStdin = 4 << 30

// storeStdin copies standard input to a file, since its pages are read more than once.
func (r *Reader) storeStdin() (path string, err error) {
	file, err := os.CreateTemp(r.Temporary, "stdin-")
	if err != nil {
		return "", durable.Explain("a temporary file", err)
	}
	n, err := io.Copy(file, io.LimitReader(r.Stdin, maxStdin+1))
	err = errors.Join(err, file.Close())
	switch {
	case err != nil:
		return "", durable.Explain("a temporary file", err)
	case n > maxStdin:
		return "", fmt.Errorf("more than %d GiB", maxStdin>>30)
	case n == 0:
		return "", errors.New("standard input is empty")
	}
	return file.Name(), nil
}

// numberRepeats makes the positions and locators of pages that are given twice unique.
func numberRepeats(pages []*Page) {
	seen := map[string]int{}
	for _, p := range pages {
		seen[p.Locator]++
		if n := seen[p.Locator]; n > 1 {
			p.Position, p.Locator = fmt.Sprintf("%s (%d)", p.Position, n), fmt.Sprintf("%s (%d)", p.Locator, n)
		}
	}
}

// stem returns the name of a file without folder and extension.
func stem(path string) string {
	base := strings.TrimLeft(filepath.Base(path), ".")
	if s := strings.TrimSuffix(base, filepath.Ext(base)); s != "" {
		return s
	}
	return "image"
}
