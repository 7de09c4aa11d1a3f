package request_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"net/url"
	"strings"
	"testing"

	"uncial/gen"
	"uncial/internal/request"
)

// FuzzOperation_Check sends any body: it is valid if encoding/json reads the same request, or it has problems whose text
// reveals nothing internal.
func FuzzOperation_Check(f *testing.F) {
	for _, seed := range []string{
		`{"imageUrl":"https://images.example.org/page-001.tif","language":"de-Latf","enhance":true,"format":"alto"}`,
		`{}`, `[]`, `null`, ``, `{"imageUrl":"data:image/png;base64,iVBORw0K"}`, `{"a":{"b":[1,2.5e-3,{"c":null}]},"a":1}`,
		`{"imageUrl":"https://example.org/\u0061\ud83d\ude00"}`, `{"imageUrl":"http:\/\/[::1]:80\/","language":"en","enhance":false}`,
		"\ufeff{}", "{\"\xff\":1}", `{"enhance":1e400}`, `{"":""}`, `{"~/":0}`, strings.Repeat(`[`, 40), `{"imageUrl":"\ud800"}`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, body string) {
		details, valid := check(extraction(body))
		if details == nil {
			var got gen.ExtractionRequest
			text, err := io.ReadAll(valid.Body)
			if err := errors.Join(err, json.Unmarshal(text, &got)); err != nil {
				t.Fatal(err)
			}
			image, _ := request.InlineImage(valid.Context(), got.ImageURL)
			sameRequest(t, body, got, image)
			return
		}
		for field, problem := range details {
			if field == "" || problem == "" {
				t.Fatalf("a problem without a name or a reason: %q", details)
			}
			revealsNothing(t, problem)
		}
	})
}

// sameRequest compares what the server gets with what encoding/json and encoding/base64 read.
func sameRequest(t *testing.T, body string, got gen.ExtractionRequest, image []byte) {
	t.Helper()
	var want gen.ExtractionRequest
	if err := json.Unmarshal([]byte(body), &want); err != nil {
		t.Fatalf("encoding/json refuses what is valid here: %v", err)
	}
	if isDataURL(want.ImageURL) {
		if data := mustDecode(t, want.ImageURL); !bytes.Equal(data, image) {
			t.Fatalf("the image is %q for %q", image, want.ImageURL)
		}
		want.ImageURL = got.ImageURL
	}
	a, errA := json.Marshal(want)
	b, errB := json.Marshal(got)
	if err := errors.Join(errA, errB); err != nil || string(a) != string(b) {
		t.Fatalf("the server gets %s where encoding/json reads %s (%v)", b, a, err)
	}
}

// revealsNothing looks for words of the libraries that are used.
func revealsNothing(t *testing.T, problem string) {
	t.Helper()
	for _, word := range []string{"#/components", "match schema", "openapi3", "json.", "map[string]", "interface {}", "strconv", "goroutine", ".go:"} {
		if strings.Contains(problem, word) {
			t.Fatalf("%q is in %s", word, problem)
		}
	}
}

func isDataURL(url string) bool { return len(url) > 5 && strings.EqualFold(url[:5], "data:") }

// mustDecode decodes a valid data: URL with encoding/base64.
func mustDecode(t *testing.T, image string) []byte {
	t.Helper()
	_, text, _ := strings.Cut(image, ",")
	text, err := url.PathUnescape(text)
	text = strings.NewReplacer("-", "+", "_", "/", "=", "", "\r", "", "\n", "").Replace(text)
	data, errData := base64.RawStdEncoding.Strict().DecodeString(text)
	if err := errors.Join(err, errData); err != nil || len(data) == 0 {
		t.Fatalf("%q is valid: %v", image, err)
	}
	return data
}

// FuzzImageURL compares the rule for URLs with net/url and encoding/base64: what is valid has a host, no user and nothing
// that another parser could read differently, or data that decodes.
func FuzzImageURL(f *testing.F) {
	for _, seed := range []string{
		"https://example.org/a.jpg", "http://[::1]:80/", "https://a@b/", "data:image/png;base64,iVBORw0K", "https:\\\\x", "HTTP://x",
		"https://x/%zz", "https://x:99999/", "https://\u0430/", "//x", "https://x/?a#b", "data:;base64,AA==", "data:;base64,A%2B/_\n", "data:;base64,A%2BAA\r\n",
		"data:;base64,ABC", "data:,plain", "data:;base64,%2B%2F%3D",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, image string) {
		problems, _ := check(extraction(imageBody(t, image)))
		if problems != nil {
			return
		}
		if isDataURL(image) {
			mustDecode(t, image)
			return
		}
		u, err := url.Parse(image)
		if err != nil || u.User != nil || u.Hostname() == "" || u.Scheme != "http" && u.Scheme != "https" {
			t.Fatalf("%q is valid and is %+v, %v", image, u, err)
		}
		if strings.ContainsFunc(image, func(r rune) bool { return r <= ' ' || r > '~' || r == '\\' }) {
			t.Fatalf("%q is valid with its characters", image)
		}
	})
}
