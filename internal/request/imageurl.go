package request

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

const (
	maxDataURL = 27_963_000 // characters: 20 MiB in base64 and a media type; openapi.yaml has it as maxLength
	maxMedia   = 255        // characters between "data:" and ";base64,"; openapi.yaml has it in the pattern
	dataScheme = "data:"
	dataMarker = ";base64,"
	maxHeader  = len(dataScheme) + maxMedia + len(dataMarker)
)

// imageURL receives the URL of an image as it arrives: a web address as text, or a data: URL (RFC 2397), whose data is
// decoded at once.
type imageURL struct {
	text        cutText        // all of a web address; of a data: URL what precedes the data
	headerEnded bool           // text has a comma, which ends the header of a data: URL
	data        *base64Decoder // nil unless text is the header of a data: URL with base64
	decoder     base64Decoder
	length      int // characters
}

// imageURL reads the string at the top-level name and returns its text without the data. A web address, which is usual and
// short, needs no entry in p.urls, unless the name is repeated.
func (p *parser) imageURL(name string) (string, error) {
	u := p.urls[name]
	if u == nil {
		if !p.beginsDataURL() {
			if text, ok := p.shortString(); ok {
				return text, nil
			}
		}
		u = &imageURL{decoder: base64Decoder{bodyBytes: p.length, reservation: p.reservation}}
		if p.urls == nil {
			p.urls = map[string]*imageURL{}
		}
		p.urls[name] = u
	} else { // a repeated name: the buffer is used again, so that a hostile body cannot have many
		u.decoder.reset()
		*u = imageURL{decoder: u.decoder}
	}
	err := p.characters(u.write)
	return u.text.String(), err
}

// beginsDataURL reports whether the string that is next begins with the scheme, spelled without escapes and buffered.
func (p *parser) beginsDataURL() bool {
	text := p.buffer[p.start+1 : p.end]
	return isDataURL(string(text[:min(len(text), len(dataScheme))]))
}

// write takes the next characters: into the header up to the first comma, then to the decoder or, if there is none, into
// the text.
func (u *imageURL) write(b []byte) {
	u.length += len(b)
	if room := maxHeader - len(u.text.kept); !u.headerEnded && room > 0 {
		header := b[:min(len(b), room)]
		comma := bytes.IndexByte(header, ',')
		if comma >= 0 {
			header = header[:comma+1]
		}
		u.text.write(header)
		if comma >= 0 {
			u.endHeader()
		}
		b = b[len(header):]
	}
	if u.data != nil {
		u.data.write(b)
	} else {
		u.text.write(b)
	}
}

// endHeader decides at the first comma whether data follows. The media type does not count: servers look at the content.
func (u *imageURL) endHeader() {
	u.headerEnded = true
	text := u.text.String()
	if isDataURL(text) && strings.EqualFold(text[max(0, len(text)-len(dataMarker)):], dataMarker) {
		u.data = &u.decoder
	}
}

// isDataURL reports whether the text begins with the scheme, in any case (RFC 3986, section 3.1).
func isDataURL(text string) bool {
	return len(text) >= len(dataScheme) && strings.EqualFold(text[:len(dataScheme)], dataScheme)
}

// problem says what is wrong with the URL and what would be right, "" if it is valid. Nothing may be written after it.
func (u *imageURL) problem() string {
	text := u.text.String()
	switch {
	case !isDataURL(text):
		return webURLProblem(text)
	case u.length > maxDataURL:
		return "must be at most 27,963,000 characters, enough for an image of 20 MiB"
	case u.data == nil:
		return "must be data:<media type>;base64,<data> if it is a data: URL"
	case strings.ContainsFunc(text, notInURL):
		return "must have a media type of visible ASCII characters before ;base64"
	default:
		return u.data.finish()
	}
}

// imageURLProblem is problem for a URL that arrived as a whole.
func imageURLProblem(text string) string {
	var u imageURL
	u.write([]byte(text))
	return u.problem()
}

// name identifies an inline image by its content, so that equal requests stay equal and others differ. It has the form of
// a reference to a part of the same message (RFC 2392). No client can send it: cid is not a scheme that the contract
// accepts.
func (u *imageURL) name() string {
	h := sha256.New()
	h.Write(u.text.kept)
	h.Write(u.data.image)
	return "cid:" + hex.EncodeToString(h.Sum(nil))
}

// imagesKey is the key of the inline images in the context of a request. They live as long as the request.
type imagesKey struct{}

// WithImages returns a context with inline images, by the names that replace their URLs. Operation.Check calls it; tests of a
// server may call it instead of sending a body.
func WithImages(ctx context.Context, images map[string][]byte) context.Context {
	if len(images) == 0 {
		return ctx
	}
	return context.WithValue(ctx, imagesKey{}, images)
}

// InlineImage returns the image that the request in ctx carried in a data: URL, by the name that replaces the URL. ok
// is false for any other URL. The image is not copied; it has at most MaxBody*3/4 bytes, and its content is not checked.
func InlineImage(ctx context.Context, imageURL string) (image []byte, ok bool) {
	images, _ := ctx.Value(imagesKey{}).(map[string][]byte)
	image, ok = images[imageURL]
	return image, ok
}
