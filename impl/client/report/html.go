package report

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"image"
	_ "image/jpeg" // Page.Image returns JPEG or PNG
	_ "image/png"
	"io"
	"math"

	"golang.org/x/text/runes"
	"golang.org/x/text/transform"

	"uncial/gen"
	"uncial/impl/client/picture"
	"uncial/impl/volume"
	"uncial/internal/document"
)

//go:embed report.html
var source string

var layout = template.Must(template.New("report").Parse(source))

const (
	// maxPictured bounds the pages with pictures: the worst ones. Each takes up to a second and 200 KB.
	maxPictured = 100
	// maxPlaces bounds the pictures of weak places on one page.
	maxPlaces = 12
	// overviewSide is the longer side of the picture of a page, in pixels: its layout is visible.
	overviewSide = 480
	// placeSide is the longer side of the picture of a weak place, in pixels.
	placeSide = 900
	// placeMargin is the paper around a weak place, in pixels of the page at 300 DPI: half a line.
	placeMargin = 24
	// overviewJPEG and placeJPEG are qualities, 1 to 100: overviews show where something is, places must be legible.
	overviewJPEG   = 60
	placeJPEG      = 75
	percentDecimal = 10 // one decimal of a percentage
)

type htmlPage struct {
	*Page
	Percent  string // "97.3 %"; "" without confidence
	Overview template.URL
	Places   []htmlPlace
	More     int    // weak places without a picture
	Problem  string // why there is no picture

	doc *document.Document // loaded once
}

type htmlPlace struct {
	Picture template.URL
	Percent string
	Reason  string
}

// reasons maps the contract's names of reasons to text for people.
var reasons = map[string]string{
	"low-confidence": "words that are likely to be misread", "unfamiliar-handwriting": "handwriting that the models can barely read",
	"unread-ink": "looks like writing and was not read", "doubtful-order": "lines or columns may be in the wrong order",
}

// WriteHTML writes the report as one HTML file. Pictures of the worst pages are in it; those of images on the web are fetched
// for it, one after the other.
func (r *Report) WriteHTML(ctx context.Context, to io.Writer) error {
	view := struct {
		*Report
		Shown    []htmlPage
		Pictured int
	}{Report: r, Pictured: maxPictured}
	pictured := 0
	for i := range r.Pages {
		p := htmlPage{Page: &r.Pages[i]}
		if p.Confidence != nil {
			p.Percent = percent(*p.Confidence)
		}
		if p.State.IsRead() && pictured < maxPictured {
			pictured++
			p.addPictures(ctx)
		} else {
			p.More = len(p.Weak)
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		view.Shown = append(view.Shown, p)
	}
	text := transform.NewWriter(to, runes.ReplaceIllFormed()) // file names need not be UTF-8
	if err := layout.Execute(text, view); err != nil {
		return err
	}
	return text.Close()
}

// addPictures adds the picture of the page and those of its weak places. A picture that cannot be made is left out.
func (p *htmlPage) addPictures(ctx context.Context) {
	images := map[int64]loaded{}
	for _, place := range p.Weak {
		if len(p.Places) == maxPlaces {
			p.More++
			continue
		}
		cut, err := p.place(ctx, images, place)
		if err != nil {
			p.Problem = err.Error()
			p.More++
			continue
		}
		p.Places = append(p.Places, htmlPlace{cut, percent(place.Confidence), sentence(place.Reason)})
	}
	first, err := p.upright(ctx, images, 1)
	if err != nil {
		p.Problem = err.Error()
		return
	}
	if overview, err := picture.Encode(first, overviewSide, overviewJPEG); err == nil {
		p.Overview = dataURL(overview)
	}
}

// loaded is a decoded page, or the reason why it could not be loaded.
type loaded struct {
	image image.Image
	err   error
}

// upright returns page n (from 1) of the image. It is loaded once, even if that fails: its server may be slow to refuse.
func (p *htmlPage) upright(ctx context.Context, images map[int64]loaded, n int64) (image.Image, error) {
	if known, ok := images[n]; ok {
		return known.image, known.err
	}
	var page loaded
	file, err := p.page.Image(ctx, int(n)-1, 0)
	if page.err = err; err == nil {
		page.image, _, page.err = image.Decode(bytes.NewReader(file.Data))
	}
	images[n] = page
	return page.image, page.err
}

// place cuts a weak place out of its page. Its box is in pixels of the master, and the image may be smaller.
func (p *htmlPage) place(ctx context.Context, images map[int64]loaded, place gen.WeakPlace) (template.URL, error) {
	page, err := p.upright(ctx, images, place.Page)
	if err != nil {
		return "", err
	}
	if p.doc == nil {
		if p.doc, err = p.page.Document(); err != nil {
			return "", err
		}
	}
	if place.Page < 1 || int(place.Page) > len(p.doc.Pages) {
		return "", fmt.Errorf("there is no page %d", place.Page)
	}
	sheet := p.doc.Pages[place.Page-1]
	x, y := float64(page.Bounds().Dx())/float64(sheet.Width), float64(page.Bounds().Dy())/float64(sheet.Height)
	box := document.Box{
		X: int(float64(place.Box.X) * x), Y: int(float64(place.Box.Y) * y),
		W: int(math.Ceil(float64(place.Box.Width) * x)), H: int(math.Ceil(float64(place.Box.Height) * y)),
	}
	cut, err := picture.Cut(page, box, placeMargin, placeSide, placeJPEG)
	if err != nil {
		return "", err
	}
	return dataURL(cut), nil
}

// sentence returns the words for a reason, or the reason itself if a later contract added it.
func sentence(reason string) string {
	if text, ok := reasons[reason]; ok {
		return text
	}
	return reason
}

// dataURL returns an image as a URL. It is made from our own JPEG, which template.URL requires.
func dataURL(img *volume.Image) template.URL {
	return template.URL("data:" + img.Media + ";base64," + base64.StdEncoding.EncodeToString(img.Data)) //nolint:gosec // see above
}

func percent(fraction float64) string {
	return fmt.Sprintf("%.1f %%", math.Round(fraction*100*percentDecimal)/percentDecimal)
}
