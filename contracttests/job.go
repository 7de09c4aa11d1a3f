package contracttests

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
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

// job is what a good request asks for. The zero values of the last three leave their field out.
type job struct {
	image    string // scenario
	language string
	format   string
	enhance  *bool
}

var yes, no = true, false

// body is the request's JSON, its fields in the order of the document.
func (j *job) body(t Target) []byte {
	members := j.members(t)
	var b bytes.Buffer
	b.WriteByte('{')
	for i, m := range members {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, "%s:%s", mustJSON(m.name), m.value)
	}
	b.WriteByte('}')
	return b.Bytes()
}

// member is one name and value of a JSON object.
type member struct {
	name  string
	value json.RawMessage
}

func (j *job) members(t Target) []member {
	members := []member{{"imageUrl", mustJSON(t.imageURL(j.image))}}
	if j.language != "" {
		members = append(members, member{"language", mustJSON(j.language)})
	}
	if j.enhance != nil {
		members = append(members, member{"enhance", mustJSON(*j.enhance)})
	}
	if j.format != "" {
		members = append(members, member{"format", mustJSON(j.format)})
	}
	return members
}

func (j *job) enhances() bool { return j.enhance != nil && *j.enhance }

func (j *job) carriesDocument() bool {
	return j.format != "" && j.format != "json" && j.format != "text"
}

// KnownText is what the suite's own printed image says.
const KnownText = "Uncial reads this line."

const otherText = "Another page, another text."

// imageURL is the URL of an image: the target's, or one of the suite's own.
func (t Target) imageURL(scenario string) string {
	if u := t.Images[scenario]; u != "" {
		return u
	}
	return ownImages()[scenario]
}

// ownImages are images that need no server, as data: URLs.
var ownImages = sync.OnceValue(func() map[string]string {
	known := dataURL(PagePNG(KnownText))
	return map[string]string{
		ImagePrinted:    known,
		ImageKnown:      known,
		ownImage:        known,
		ownEscapedImage: escapedDataURL(PagePNG(KnownText)),
		ImageOther:      dataURL(PagePNG(otherText)),
		ImageBlank:      dataURL(PagePNG("")),
		ImageNotAnImage: dataURL([]byte("This is a text, whatever its type says.")),
		// ".invalid" is reserved for names that do not exist (RFC 6761, section 6.4).
		ImageUnfetchable: "https://contract.invalid/page.png",
	}
})

func dataURL(data []byte) string {
	return "data:image/png;base64," + base64.StdEncoding.EncodeToString(data)
}

// escapedDataURL has "+", "/" and "=" as careful writers of URLs write them (RFC 3986, section 2.1).
func escapedDataURL(data []byte) string {
	return "data:image/png;base64," + url.QueryEscape(base64.StdEncoding.EncodeToString(data))
}

// PagePNG is a small page with one line of clear print, or none, as a PNG: an image for targets that truly read.
func PagePNG(text string) []byte {
	img := image.NewGray(image.Rect(0, 0, 900, 160))
	draw.Draw(img, img.Bounds(), image.White, image.Point{}, draw.Src)
	if text != "" {
		d := font.Drawer{Dst: img, Src: image.NewUniform(color.Black), Face: newFace(), Dot: fixed.P(60, 100)}
		d.DrawString(text)
	}
	var b strings.Builder
	if err := png.Encode(&b, img); err != nil {
		panic(err) // a strings.Builder never fails
	}
	return []byte(b.String())
}

// typeface is Go's own.
var typeface = sync.OnceValue(func() *opentype.Font {
	f, err := opentype.Parse(goregular.TTF)
	if err != nil {
		panic(err) // the typeface is part of the program
	}
	return f
})

// newFace is the typeface at 14 points and 300 dots an inch. A face serves one goroutine.
func newFace() font.Face {
	face, err := opentype.NewFace(typeface(), &opentype.FaceOptions{Size: 14, DPI: 300})
	if err != nil {
		panic(err)
	}
	return face
}
