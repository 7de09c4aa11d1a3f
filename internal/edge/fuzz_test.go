package edge_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"uncial/gen"
	"uncial/internal/edge"
	"uncial/internal/request"
)

// FuzzHandler_body holds the door against any body: it answers 200 where encoding/json reads the same request, or a 400
// that is valid against the document and tells nothing of what is inside.
func FuzzHandler_body(f *testing.F) {
	for _, seed := range []string{
		smallBody, `{}`, `[]`, `null`, ``, `{"imageUrl":"data:image/png;base64,iVBORw0K"}`, `{"a":{"b":[1,2.5e-3,{"c":null}]},"a":1}`,
		`{"imageUrl":"https://example.org/\u0061\ud83d\ude00"}`, `{"imageUrl":"http:\/\/[::1]:80\/","language":"en","enhance":false}`,
		"\ufeff{}", "{\"\xff\":1}", `{"enhance":1e400}`, `{"":""}`, `{"~/":0}`, strings.Repeat(`[`, 40), `{"imageUrl":"\ud800"}`,
	} {
		f.Add(seed)
	}
	var got *gen.ExtractionRequest
	var inline []byte
	d := mustNew(f, nil)
	d.server.extract = func(ctx context.Context, req gen.ExtractRequestObject) (gen.ExtractResponseObject, error) {
		got = req.Body
		inline, _ = request.InlineImage(ctx, req.Body.ImageURL)
		var ok gen.Extract200JSONResponse
		ok.Body = gen.ExtractionResult{Success: true, PointsUsed: 10}
		return ok, nil
	}
	f.Fuzz(func(t *testing.T, body string) {
		d.gate.remaining = 60
		r, rec := extraction(body), httptest.NewRecorder()
		d.ServeHTTP(rec, r)
		d.log.Reset()
		if err := validAnswer(r, rec); err != nil {
			t.Fatal(err)
		}
		switch rec.Code {
		case http.StatusOK:
			sameRequest(t, body, got, inline)
		case http.StatusBadRequest:
			tellsNothing(t, rec.Body.String())
		default:
			t.Fatalf("status %d", rec.Code)
		}
	})
}

// sameRequest compares what the server got with what encoding/json and encoding/base64 read.
func sameRequest(t *testing.T, body string, got *gen.ExtractionRequest, inline []byte) {
	t.Helper()
	var want gen.ExtractionRequest
	if err := json.Unmarshal([]byte(body), &want); err != nil {
		t.Fatalf("encoding/json refuses what the front end accepts: %v", err)
	}
	if isDataURL(want.ImageURL) {
		if image := mustDecode(t, want.ImageURL); !bytes.Equal(image, inline) {
			t.Fatalf("the server got the image %q for %q", inline, want.ImageURL)
		}
		want.ImageURL = got.ImageURL
	}
	a, errA := json.Marshal(want)
	b, errB := json.Marshal(got)
	if err := errors.Join(errA, errB); err != nil || string(a) != string(b) {
		t.Fatalf("the server got %s where encoding/json reads %s (%v)", b, a, err)
	}
}

func isDataURL(url string) bool { return len(url) > 5 && strings.EqualFold(url[:5], "data:") }

// tellsNothing looks for the words of the libraries inside.
func tellsNothing(t *testing.T, answer string) {
	t.Helper()
	for _, word := range []string{"#/components", "match schema", "openapi3", "json.", "map[string]", "interface {}", "strconv", "goroutine", ".go:"} {
		if strings.Contains(answer, word) {
			t.Fatalf("%q stands in %s", word, answer)
		}
	}
}

// FuzzHandler_imageURL holds the rule of URLs against net/url: what the door takes has a host, no user and nothing that
// another parser could read differently.
func FuzzHandler_imageURL(f *testing.F) {
	for _, seed := range []string{
		"https://example.org/a.jpg", "http://[::1]:80/", "https://a@b/", "data:image/png;base64,iVBORw0K", "https:\\\\x", "HTTP://x",
		"https://x/%zz", "https://x:99999/", "https://\u0430/", "//x", "https://x/?a#b", "data:;base64,AA==", "data:;base64,A%2B/_\n", "data:;base64,A%2BAA\r\n",
		"data:;base64,ABC",
	} {
		f.Add(seed)
	}
	d := mustNew(f, nil)
	f.Fuzz(func(t *testing.T, image string) {
		body, err := json.Marshal(map[string]string{"imageUrl": image})
		if err != nil {
			t.Fatal(err)
		}
		d.gate.remaining = 60
		rec := httptest.NewRecorder()
		d.ServeHTTP(rec, extraction(string(body)))
		d.log.Reset()
		if rec.Code != http.StatusOK {
			return
		}
		if isDataURL(image) {
			mustDecode(t, image)
			return
		}
		u, err := url.Parse(image)
		if err != nil || u.User != nil || u.Hostname() == "" || u.Scheme != "http" && u.Scheme != "https" {
			t.Fatalf("%q is taken and is %+v, %v", image, u, err)
		}
		if strings.ContainsFunc(image, func(r rune) bool { return r <= ' ' || r > '~' || r == '\\' }) {
			t.Fatalf("%q is taken with its characters", image)
		}
	})
}

// mustDecode decodes a data: URL that the front end accepts, with encoding/base64.
func mustDecode(t *testing.T, image string) []byte {
	t.Helper()
	_, text, _ := strings.Cut(image, ",")
	text, err := url.PathUnescape(text)
	text = strings.NewReplacer("-", "+", "_", "/", "=", "", "\r", "", "\n", "").Replace(text)
	if err != nil {
		t.Fatalf("%q is accepted: %v", image, err)
	}
	data, err := base64.RawStdEncoding.Strict().DecodeString(text)
	if err != nil || len(data) == 0 {
		t.Fatalf("%q is accepted: %v", image, err)
	}
	return data
}

// FuzzHandler_request holds the door against any request line and headers: there is always an answer in the envelope.
func FuzzHandler_request(f *testing.F) {
	f.Add("GET", "/api/v1/status", "Bearer "+goodKey, "", "")
	f.Add("POST", "/api/v1/extract?x=1", "bearer  x=", "application/json; charset=utf-8", "k")
	f.Add("OPTIONS", "*", "", "text/plain", "\x00")
	d := mustNew(f, func(o *edge.Options) { o.CORSOrigins = []string{"*"} })
	f.Fuzz(func(t *testing.T, method, target, authorization, contentType, key string) {
		u, err := url.ParseRequestURI(target)
		if err != nil || method == "" {
			t.Skip("net/http refuses it before the door")
		}
		d.gate.remaining = 60
		r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader("{}"))
		r.Method, r.URL = method, u
		r.Header = http.Header{"Authorization": {authorization}, "Content-Type": {contentType}, "Idempotency-Key": {key}, "Origin": {key}}
		rec := httptest.NewRecorder()
		d.ServeHTTP(rec, r)
		d.log.Reset()
		if err := validAnswer(r, rec); err != nil {
			t.Fatal(err)
		}
		if rec.Code >= 400 && (rec.Header().Get("Content-Type") != "application/json" || !json.Valid(rec.Body.Bytes())) {
			t.Fatalf("%d in another form: %s", rec.Code, rec.Body)
		}
	})
}
