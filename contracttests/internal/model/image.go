package model

import (
	"encoding/base64"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"net/url"
	"strings"
	"sync"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"
)

// Images that a target cannot replace: the suite's own printed page, and the same with its base64 percent-encoded.
const (
	OwnImage        = "own"
	OwnEscapedImage = "own-escaped"
	// Overlapping is the slowest image of the target, so that concurrent requests overlap on the server.
	Overlapping = "overlapping"
)

// KnownText is what the suite's own printed image says.
const KnownText = "Uncial reads this line."

// otherText is what the suite's second image says.
const otherText = "Another page, another text."

// ImageURL returns the target's URL for the scenario, else the suite's own data: URL, "" if there is neither.
func (t Target) ImageURL(scenario string) string {
	if u := t.Images[scenario]; u != "" {
		return u
	}
	return ownImages()[scenario]
}

// ownImages are data: URLs, which need no server.
var ownImages = sync.OnceValue(func() map[string]string {
	dataURL := func(data []byte) string { return "data:image/png;base64," + base64.StdEncoding.EncodeToString(data) }
	known := PagePNG(KnownText)
	return map[string]string{
		ImagePrinted: dataURL(known), ImageKnown: dataURL(known), OwnImage: dataURL(known),
		// "+", "/" and "=" as careful writers of URLs escape them (RFC 3986, section 2.1).
		OwnEscapedImage: "data:image/png;base64," + url.QueryEscape(base64.StdEncoding.EncodeToString(known)),
		ImageOther:      dataURL(PagePNG(otherText)),
		ImageBlank:      dataURL(PagePNG("")),
		ImageNotAnImage: dataURL([]byte("This is a text, whatever its type says.")),
		// ".invalid" is reserved for names that do not exist (RFC 6761, section 6.4).
		ImageUnfetchable: "https://contract.invalid/page.png",
	}
})

// Own describes what a server must recognize in one of the suite's own images.
type Own struct {
	Text          string
	Width, Height int // pixels of the upright page
	Words         []OwnWord
}

// OwnWord is a word of an image and where its ink is, in pixels of the upright page. No two words of an image are equal.
type OwnWord struct {
	Text string
	Ink  image.Rectangle
}

// OwnOf describes the image of a job if the suite has made it and knows its content. Simulated targets do not look at it.
func (t Target) OwnOf(j *Job) (own Own, ok bool) {
	switch {
	case t.Simulated:
		return own, false
	case j.Own != nil:
		return *j.Own, true
	case t.Images[j.Image] != "":
		return own, false
	}
	own, ok = ownPages()[j.Image]
	return own, ok
}

// ownPages are what the suite's own images show, by scenario.
var ownPages = sync.OnceValue(func() map[string]Own {
	_, known := Draw(KnownText)
	_, other := Draw(otherText)
	_, blank := Draw("")
	return map[string]Own{ImagePrinted: known, ImageKnown: known, OwnImage: known, OwnEscapedImage: known, ImageOther: other, ImageBlank: blank}
})

// The size of PagePNG, in pixels.
const (
	pageWidth  = 900
	pageHeight = 160
)

// MockImages are the image scenarios of uncial-mock.
func MockImages() map[string]string {
	images := map[string]string{
		ImagePrinted: "printed", ImageOther: "handwritten", ImageBlank: "blank", ImageUnfetchable: "400", ImageBusy: "fetch-busy", ImageNotAnImage: "not-an-image",
		ImageError: "500", ImageSlow: "slow-100", ImageStuck: "slow-10000", ImageFaint: "low-confidence", ImagePages: "multi-page",
		ImageEnhance: "printed/difficult", ImageBroken: "broken-word", ImageWeak: "weak", ImageIllustrated: "illustrated",
		ImageSigns: "signs", ImageLong: "long", ImageTenPages: "ten-pages", ImageFaded: "faded", ImageReset: "reset", ImageCut: "cut", ImageLength: "length", ImageOverload: "busy",
	}
	for _, reason := range FetchReasons() {
		images[ImageFetch+reason] = "fetch-" + reason
	}
	for scenario, path := range images {
		images[scenario] = "https://mock.invalid/" + path
	}
	return images
}

// PagePNG draws a small page with one line of clear print, or an empty page, and encodes it as PNG. Targets that really
// read images need it.
func PagePNG(text string) []byte {
	img, _ := Draw(text)
	var b strings.Builder
	if err := png.Encode(&b, img); err != nil {
		panic(err) // a strings.Builder never fails
	}
	return []byte(b.String())
}

// Draw draws the page of PagePNG and returns it with the places of its words, in pixels.
func Draw(text string) (*image.Gray, Own) {
	own := Own{Text: text, Width: pageWidth, Height: pageHeight}
	img := image.NewGray(image.Rect(0, 0, pageWidth, pageHeight))
	draw.Draw(img, img.Bounds(), image.White, image.Point{}, draw.Src)
	d := font.Drawer{Dst: img, Src: image.NewUniform(color.Black), Face: mustFace(), Dot: fixed.P(60, 100)}
	for i, word := range strings.Fields(text) {
		if i > 0 {
			d.DrawString(" ")
		}
		ink, _ := d.BoundString(word)
		own.Words = append(own.Words, OwnWord{word, image.Rect(ink.Min.X.Floor(), ink.Min.Y.Floor(), ink.Max.X.Ceil(), ink.Max.Y.Ceil())})
		d.DrawString(word)
	}
	return img, own
}

// Sizes of DrawLines, in pixels.
const (
	linesWidth = 2400
	lineHeight = 100
)

// DrawLines draws a page with lines of clear print, 100 pixels apart.
func DrawLines(lines []string) *image.Gray {
	img := image.NewGray(image.Rect(0, 0, linesWidth, (len(lines)+2)*lineHeight))
	draw.Draw(img, img.Bounds(), image.White, image.Point{}, draw.Src)
	d := font.Drawer{Dst: img, Src: image.NewUniform(color.Black), Face: mustFace()}
	for i, line := range lines {
		d.Dot = fixed.P(60, (i+2)*lineHeight)
		d.DrawString(line)
	}
	return img
}

// mustFace is for one goroutine. 14 points at 300 dpi is the size of ordinary print.
func mustFace() font.Face {
	face, err := opentype.NewFace(typeface(), &opentype.FaceOptions{Size: 14, DPI: 300})
	if err != nil {
		panic(err) // the options are constant
	}
	return face
}

// typeface is parsed once. It is Go's own, which needs no file.
var typeface = sync.OnceValue(func() *opentype.Font {
	f, err := opentype.Parse(goregular.TTF)
	if err != nil {
		panic(err) // the typeface is compiled in
	}
	return f
})
