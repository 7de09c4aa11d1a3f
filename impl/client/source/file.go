package source

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"uncial/impl/client/durable"
	"uncial/impl/client/picture"
	"uncial/internal/contract/imagefile"
)

// extensions are the names of files that are taken from folders. Files that are named on the command line may have any.
var extensions = []string{
	".jpg", ".jpeg", ".png", ".tif", ".tiff", ".bmp", ".webp", ".jp2", ".j2k", ".jpf", ".jpx", ".j2c", ".pdf",
}

const maxDepth = 32

// folder returns the pages of the files in a folder, in natural order, those of each folder together. Left out are hidden
// files, links to a parent folder, whose pages would be read and charged twice, and what earlier runs wrote. It is an error if
// there is no page.
func (r *Reader) folder(ctx context.Context, root string) ([]*Page, error) {
	w := walk{Reader: r, root: root}
	if err := w.folder(ctx, root); err != nil {
		return nil, err
	}
	if len(w.pages) == 0 {
		if w.folders > 0 && !r.Recursive {
			return nil, fmt.Errorf("no images in this folder; add --recursive to read its subfolders (%d)", w.folders)
		}
		return nil, errors.New("no images in this folder; expected JPEG, PNG, TIFF, BMP, WebP, JPEG 2000 or PDF files")
	}
	return w.pages, nil
}

type walk struct {
	*Reader
	root    string
	above   []os.FileInfo // the folder being read, and those that lead to it
	folders int           // below root, read or not
	pages   []*Page
}

// folder adds the pages of one folder and, if w is recursive, of those below it.
func (w *walk) folder(ctx context.Context, dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return durable.WithoutPath(err)
	}
	own, err := os.Stat(dir)
	if err != nil {
		return durable.WithoutPath(err)
	}
	w.above = append(w.above, own)
	defer func() { w.above = w.above[:len(w.above)-1] }()
	slices.SortStableFunc(entries, func(a, b os.DirEntry) int { return compareNatural(a.Name(), b.Name()) })
	for _, entry := range entries {
		path := filepath.Join(dir, entry.Name())
		about, err := os.Stat(path) // follows links
		isImage := slices.Contains(extensions, strings.ToLower(filepath.Ext(path)))
		switch {
		case strings.HasPrefix(entry.Name(), "."):
			err = nil
		case err == nil && about.IsDir():
			err = w.subfolder(ctx, path, about)
		case isImage && w.IsOutput != nil && w.IsOutput(path):
			err = nil
		case isImage:
			err = w.file(ctx, path)
		default:
			err = nil // a broken link to something else
		}
		if err != nil {
			return err
		}
	}
	return ctx.Err()
}

// subfolder counts a folder, and reads it if w is recursive.
func (w *walk) subfolder(ctx context.Context, path string, about os.FileInfo) error {
	if slices.ContainsFunc(w.above, func(a os.FileInfo) bool { return os.SameFile(a, about) }) {
		return nil
	}
	w.folders++
	if !w.Recursive || len(w.above) > maxDepth {
		return nil
	}
	if err := w.folder(ctx, path); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// file adds the pages of a file. One broken PDF must not hide the other files.
func (w *walk) file(ctx context.Context, path string) error {
	position, err := filepath.Rel(w.root, path)
	if err != nil {
		return err
	}
	position = filepath.ToSlash(position)
	more, err := w.Reader.file(ctx, path, position, path)
	if err != nil {
		more = []*Page{{Position: position, Locator: locatorOf(path, path), Source: path, Stem: stem(path), Label: filepath.Base(path), origin: broken{err}}}
	}
	if w.pages = append(w.pages, more...); len(w.pages) > maxPages {
		return fmt.Errorf("more than %d pages", maxPages)
	}
	return nil
}

// broken is a page whose file cannot be read.
type broken struct{ err error }

func (b broken) content(context.Context) (string, error)         { return "", b.err }
func (b broken) load(context.Context, string) (*Image, error)    { return nil, b.err }
func (b broken) picture(context.Context, string) ([]byte, error) { return nil, b.err }

// readPicture returns the content of an image file that was loaded.
func readPicture(image *Image, err error) ([]byte, error) {
	if err != nil {
		return nil, err
	}
	data, err := os.ReadFile(image.Path)
	return data, durable.WithoutPath(err)
}

// file returns the pages of a file: several for a PDF, a manifest, or a TIFF that is too large for one request. A file that is
// missing, cannot be opened or is not an image is a page too, which fails when its turn comes.
func (r *Reader) file(ctx context.Context, path, position, shown string) ([]*Page, error) {
	one := &Page{Position: position, Locator: locatorOf(path, shown), Source: shown, Stem: stem(position), Label: filepath.Base(position)}
	info, err := picture.Inspect(path)
	if err == nil && info.Kind == picture.Other {
		err = notImage(path)
	}
	if err != nil {
		one.origin = broken{err}
		return []*Page{one}, nil //nolint:nilerr // the page has the error
	}
	f := &file{path: path, info: info}
	switch {
	case info.Kind == picture.PDF:
		return pdfPages(ctx, r.Temporary, f, one)
	case info.Kind == picture.JSON:
		body, err := readAll(path, maxManifest)
		if err != nil {
			return nil, err
		}
		_, pages, err := r.manifest(ctx, shown, body)
		return pages, err
	case info.NeedsCopy() && len(info.Frames) > 1:
		return tiffPages(f, one), nil
	}
	one.origin = &filePage{file: f}
	return []*Page{one}, nil
}

// locatorOf returns the absolute path of a file, "-" for standard input.
func locatorOf(path, shown string) string {
	absolute, err := filepath.Abs(path)
	if err != nil || shown == "-" {
		return shown
	}
	return absolute
}

// tiffPages returns a page for each image of a TIFF that is too large, or has too many pages, for one request.
func tiffPages(f *file, whole *Page) []*Page {
	pages := make([]*Page, len(f.info.Frames))
	for i, frame := range f.info.Frames {
		pages[i] = whole.part(i+1, len(f.info.Frames), &filePage{file: f, frame: &frame})
	}
	return pages
}

// part returns page number n of count of a file.
func (p *Page) part(n, count int, from origin) *Page {
	digits := len(fmt.Sprint(count))
	return &Page{
		Position: fmt.Sprintf("%s#page=%d", p.Position, n), Locator: fmt.Sprintf("%s#page=%d", p.Locator, n), Source: fmt.Sprintf("%s#page=%d", p.Source, n),
		Stem: fmt.Sprintf("%s-%0*d", p.Stem, digits, n), Label: fmt.Sprint(n), origin: from,
	}
}

// file is a file on this machine, which may have several pages.
type file struct {
	path string
	info *picture.Info

	once   sync.Once
	digest string
	err    error
}

// sum returns the digest of the content. The file is read once for all of its pages.
func (f *file) sum(ctx context.Context) (string, error) {
	f.once.Do(func() {
		from, err := os.Open(f.path)
		if err != nil {
			f.err = durable.WithoutPath(err)
			return
		}
		defer func() { _ = from.Close() }()
		h := sha256.New()
		if _, err := io.Copy(h, &untilDone{ctx, from}); err != nil {
			f.err = durable.WithoutPath(err)
			return
		}
		f.digest = "sha256:" + hex.EncodeToString(h.Sum(nil))
	})
	return f.digest, f.err
}

// untilDone reads until a context ends.
type untilDone struct {
	ctx  context.Context //nolint:containedctx // io.Reader has no other place for it
	from io.Reader
}

func (u *untilDone) Read(p []byte) (int, error) {
	if err := u.ctx.Err(); err != nil {
		return 0, err
	}
	return u.from.Read(p)
}

// filePage is an image file, or one image of a TIFF.
type filePage struct {
	*file
	frame *picture.Frame // nil: the whole file
}

// content is the digest of the file, which stays the same when the file is moved. A page of a TIFF adds its number, because all
// pages share the file.
func (p *filePage) content(ctx context.Context) (string, error) {
	digest, err := p.sum(ctx)
	if p.frame != nil {
		digest = fmt.Sprintf("%s#%d", digest, p.frame.Index)
	}
	return digest, err
}

// load returns the file itself if the service accepts it. Files that are not images are refused here, since sending them is
// useless.
func (p *filePage) load(ctx context.Context, folder string) (*Image, error) {
	info, err := picture.Inspect(p.path) // it may have changed since the command began
	if err != nil {
		return nil, err
	}
	switch {
	case info.Kind == picture.Other:
		return nil, notImage(p.path)
	case p.frame == nil && !info.NeedsCopy():
		return &Image{Prepared: picture.Prepared{Path: p.path}}, nil
	}
	frame := 0
	if p.frame != nil {
		frame = p.frame.Index
	} else if len(info.Frames) > 0 {
		frame = info.Frames[0].Index
	}
	prepared, err := picture.Copy(ctx, folder, p.path, info.Kind, frame)
	if err != nil {
		return nil, err
	}
	return &Image{Prepared: *prepared}, nil
}

func (p *filePage) picture(ctx context.Context, folder string) ([]byte, error) {
	return readPicture(p.load(ctx, folder))
}

// notImage returns an error that names the actual kind of the file.
func notImage(path string) error {
	head, err := readHead(path)
	if err == nil {
		_, err = imagefile.Identify(head)
	}
	return err
}

// readHead reads the first bytes of a file, enough to identify it.
func readHead(path string) ([]byte, error) {
	const headLength = 512
	f, err := os.Open(path)
	if err != nil {
		return nil, durable.WithoutPath(err)
	}
	defer func() { _ = f.Close() }()
	return io.ReadAll(io.LimitReader(f, headLength))
}

// readAll reads a file of at most limit bytes.
func readAll(path string, limit int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, durable.WithoutPath(err)
	}
	defer func() { _ = f.Close() }()
	body, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && int64(len(body)) > limit {
		return nil, fmt.Errorf("the file is larger than %d MiB", limit>>20)
	}
	return body, err
}
