package tryit

import (
	"bytes"
	_ "embed" // samples.tmpl
	"encoding/json"
	"strconv"
	"strings"
	"sync"
	"text/template"
)

//go:embed samples.tmpl
var samplesText string

var samples = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("samples").Funcs(template.FuncMap{
		"shell":  func(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" },
		"quote":  strconv.Quote,
		"python": encode, // string literals of JSON are valid in Python
	}).Parse(samplesText))
})

// sample is a call of the API in one programming language.
type sample struct{ Language, Code string }

// call is what the samples show.
type call struct {
	URL  string // of the server
	Key  string // a key to write out, "" to take it from the environment
	Web  string // JSON of the whole request if the image has a web address
	Head string // JSON of the request up to the bytes of an inline image
	Tail string // and after them
	File string // name of the file with the image
}

// samples returns the call that produced the reading. key is a key to write out; "" stands for the environment variable
// UNCIAL_KEY, so that nobody pastes a secret into a program.
func (r *Reading) samples(url, key string) ([]sample, error) {
	c := call{URL: url, Key: key, File: "page" + fileSuffixes[r.MediaType]}
	request := map[string]any{"imageUrl": r.Request.ImageURL, "language": r.Request.Language}
	if r.Request.Enhance {
		request["enhance"] = true
	}
	text, err := encode(request)
	if err != nil {
		return nil, err
	}
	if r.Request.ImageURL != "" {
		c.Web = text
	} else {
		c.Head, c.Tail, _ = strings.Cut(text, `"imageUrl":"`)
		c.Head += `"imageUrl":"data:` + r.MediaType + `;base64,`
	}
	var list []sample
	for _, language := range []string{"curl", "Python", "Go", "TypeScript"} {
		var code bytes.Buffer
		if err := samples().ExecuteTemplate(&code, language, c); err != nil {
			return nil, err
		}
		list = append(list, sample{language, strings.TrimSpace(code.String())})
	}
	return list, nil
}

// fileSuffixes of the media types that browsers give to image files.
var fileSuffixes = map[string]string{
	"image/jpeg": ".jpg", "image/png": ".png", "image/tiff": ".tif", "image/bmp": ".bmp", "image/webp": ".webp",
}

// encode returns JSON for use in source code, without the escapes for HTML.
func encode(v any) (string, error) {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return strings.TrimSpace(b.String()), err
}
