package edge_test

import (
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"uncial/internal/edge"
)

const smallBody = `{"imageUrl":"https://images.example.org/page-001.tif","language":"de-Latf","enhance":true,"format":"alto"}`

// inlineBody is a request with an inline image of 20 MiB, the largest that is allowed.
func inlineBody() string {
	return `{"imageUrl":"data:image/png;base64,` + strings.Repeat("iVBORw0K", 20<<20/6) + `","language":"en"}`
}

// BenchmarkHandler measures the front end: the server behind it answers at once.
func BenchmarkHandler(b *testing.B) {
	inline := inlineBody()
	for name, body := range map[string]string{
		"small body":                          smallBody,
		"inline image of 20 MiB":              inline,
		"inline image with escaped slashes":   strings.ReplaceAll(inline, "0K", `\/`),
		"inline image with a hostile type":    `{"imageUrl":"data:` + strings.Repeat("a;", 14<<20) + `"}`,
		"web address of 27 MB":                `{"imageUrl":"https://example.org/` + strings.Repeat("a", 27<<20) + `"}`,
		"language of 27 MB":                   `{"imageUrl":"https://example.org/","language":"` + strings.Repeat("a-", 13<<20) + `"}`,
		"a thousand values":                   `{"imageUrl":[` + strings.Repeat(`"a",`, 990) + `1]}`,
		"many repeated fields":                `{` + strings.Repeat(`"a":1,"b":[[[[]]]],`, 150) + `"c":1}`,
		"many unknown fields":                 `{` + unknownFields(990) + `"c":1}`,
		"27 MB of a string that never closes": `{"imageUrl":"` + strings.Repeat("a", 27<<20),
		"27 MB of brackets":                   strings.Repeat("[", 27<<20),
	} {
		b.Run(name, func(b *testing.B) { benchmarkBody(b, body) })
	}
}

func unknownFields(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `"x%d":1,`, i)
	}
	return b.String()
}

func benchmarkBody(b *testing.B, body string) {
	b.Helper()
	d := mustNew(b, func(o *edge.Options) { o.Logger = slog.New(slog.DiscardHandler) })
	b.ReportAllocs()
	for b.Loop() {
		d.gate.remaining = 60
		r := extraction(body)
		d.ServeHTTP(httptest.NewRecorder(), r)
	}
}

// BenchmarkBareHandler is what a request costs if a handler only answers: compare "small body".
func BenchmarkBareHandler(b *testing.B) {
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		_, _ = io.WriteString(w, `{"success":true}`)
	})
	b.ReportAllocs()
	for b.Loop() {
		h.ServeHTTP(httptest.NewRecorder(), extraction(smallBody))
	}
}
