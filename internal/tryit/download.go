package tryit

import (
	"encoding/json"
	"mime"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"uncial/internal/format"
	"uncial/internal/version"
)

// download is how a format is saved as a file.
type download struct{ Format, Label, suffix, mediaType string }

// downloads has the files of a reading, the answer of the API first. A test compares it with the formats of the contract.
var downloads = []download{
	{"json", "JSON", ".json", "application/json"},
	{"text", "Text", ".txt", "text/plain; charset=utf-8"},
	{"hocr", "hOCR", ".hocr", "application/xhtml+xml"},
	{"alto", "ALTO", ".alto.xml", "application/xml"},
	{"page", "PAGE-XML", ".page.xml", "application/xml"},
	{"pdf", "PDF", ".pdf", "application/pdf"},
	{"tsv", "TSV", ".tsv", "text/tab-separated-values; charset=utf-8"},
}

// previewSuffix ends the name of a page's preview, as in "1.jpg".
const previewSuffix = ".jpg"

// ServePart answers with a part of the reading: the preview of a page, such as "1.jpg", or a format, such as "alto", as a file
// to save. It reports false, and answers nothing, if there is no such part.
func (r *Reading) ServePart(w http.ResponseWriter, part string) bool {
	if number, ok := strings.CutSuffix(part, previewSuffix); ok {
		n, err := strconv.Atoi(number)
		if err != nil || n < 1 || n > len(r.Document.Pages) || r.Document.Pages[n-1].Preview == nil {
			return false
		}
		send(w, "image/jpeg", r.Document.Pages[n-1].Preview)
		return true
	}
	i := slices.IndexFunc(downloads, func(d download) bool { return d.Format == part })
	if i < 0 {
		return false
	}
	body, err := r.write(part)
	if err != nil {
		return false
	}
	d := downloads[i]
	w.Header().Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": r.name() + d.suffix}))
	send(w, d.mediaType, body)
	return true
}

// send writes a body with headers that forbid sniffing its type and running scripts.
func send(w http.ResponseWriter, mediaType string, body []byte) {
	h := w.Header()
	h.Set("Content-Type", mediaType)
	h.Set("Content-Length", strconv.Itoa(len(body)))
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Content-Security-Policy", "default-src 'none'; sandbox")
	_, _ = w.Write(body) // fails only if the client has left
}

// write returns the reading in a format, by its name in the contract. "json" is the answer of the API.
func (r *Reading) write(name string) ([]byte, error) {
	if name == "json" {
		return json.MarshalIndent(r.Answer, "", "  ")
	}
	meta := format.Meta{Image: format.ImageName(r.Request.ImageURL), Created: r.Read, Version: version.Version}
	text, err := format.Write(name, r.Document, meta)
	return []byte(text), err
}

// name is the file name of the image without its suffix.
func (r *Reading) name() string {
	name := format.ImageName(r.Request.ImageURL)
	if dot := strings.LastIndexByte(name, '.'); dot > 0 {
		name = name[:dot]
	}
	if name == "" {
		return "page"
	}
	return name
}
