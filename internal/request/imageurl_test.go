package request_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"uncial/gen"
	"uncial/internal/request"
)

func imageBody(tb testing.TB, url string) string {
	tb.Helper()
	body, err := json.Marshal(map[string]string{"imageUrl": url})
	require.NoError(tb, err)
	return string(body)
}

func TestOperation_Check_AcceptsImageURLs(t *testing.T) {
	t.Parallel()
	for _, url := range []string{
		"https://example.org/a.jpg",
		"HTTPS://EXAMPLE.ORG/A.JPG",
		"http://example.org",
		"http://example.org:8080/a%20b.jpg?x=[1]&y='z'#page=2",
		"http://127.0.0.1/a.jpg",
		"http://[2001:db8::1]:8080/a.jpg",
		"http://under_score.example.org./a",
		"http://xn--bcher-kva.example/",
		"https://example.org/" + strings.Repeat("a", 8192-20),
		"data:image/png;base64,iVBORw0K",
		"data:;base64,iVBORw==",
		"DATA:image/png;charset=x;BASE64,iVBORw0=",
		"data:image/png;base64,iVBORw0",
		"data:image/png;base64,AA-_",
		"data:image/png;base64,AA%2B%2f%41A%3D%3D",
		"data:image/png;base64,iVBO\r\nRw0=\n",
	} {
		got, _ := check(extraction(imageBody(t, url)))
		assert.Empty(t, got, url)
	}
}

func misfit(at int) string {
	return fmt.Sprintf("must have base64 data (RFC 4648); character %d of the data is invalid", at)
}

// Reasons that several URLs share.
const (
	absolute  = "must be an absolute URL that begins with https:, http: or data:"
	host      = "must have a host that is a name in ASCII or an IP address"
	noHost    = "must have a host: https://host/path"
	malformed = "is not a URL (RFC 3986); look for a stray % or a malformed host or port"
	port      = "must have a port from 1 to 65535, or none"
	form      = "must be data:<media type>;base64,<data> if it is a data: URL"
	noData    = "must have data after ;base64,"
	cutOff    = "must have complete base64 data (RFC 4648); its end is invalid, perhaps because it was cut off"
)

// urlProblems are what is wrong with each URL of an image.
var urlProblems = map[string]string{
	"":                                "must not be empty; must be the URL of an image",
	"example.org/a.jpg":               absolute,
	"//example.org/a.jpg":             absolute,
	"/etc/passwd":                     absolute,
	" https://example.org/":           absolute,
	"file:///etc/passwd":              absolute,
	"ftp://example.org/":              absolute,
	"javascript:alert(1)":             absolute,
	"httpss://example.org/":           absolute,
	"https:":                          noHost,
	"https:example.org":               noHost,
	"https:/example.org":              noHost,
	`https:\\example.org`:             noHost,
	"https://":                        host,
	"https:///a.jpg":                  host,
	"https://./a.jpg":                 host,
	"https://:80/":                    host,
	"https://exa+mple.org/":           host,
	"https://[fe80::1%25eth0]/":       host,
	"https://[1.2.3.4]/":              malformed,
	"https://ex%41mple.org/":          malformed,
	"https://[::1/":                   malformed,
	"https://example.org:x/":          malformed,
	"https://example.org/%":           malformed,
	"https://example.org/%zz":         malformed,
	"https://example.org/?%zz":        "is not a URL (RFC 3986); look for a stray %",
	"https://example.org/#%z":         malformed,
	"https://example.org:/":           port,
	"https://example.org:0/":          port,
	"https://example.org:65536/":      port,
	"https://user@example.org/":       "must not contain a user name or a password",
	"https://user:word@example.org/":  "must not contain a user name or a password",
	"https://example.org/a b":         `must not contain the character ' '; percent-encode it (RFC 3986)`,
	"https://example.org/a\n":         `must not contain the character '\n'; percent-encode it (RFC 3986)`,
	"https://example.org/\x00":        `must not contain the character '\x00'; percent-encode it (RFC 3986)`,
	"https://example.org/é":           `must not contain the character '\u00e9'; percent-encode it (RFC 3986)`,
	"https://bücher.example/":         `must have a host name in ASCII; write "xn--bcher-kva.example"`,
	"https://a..ü.de/":                host,
	`https://example.org\@other.org/`: `must not contain the character '\\'; percent-encode it (RFC 3986)`,
	"https://example.org/" + strings.Repeat("é", 8192-20): `must not contain the character '\u00e9'; percent-encode it (RFC 3986)`,
	"https://example.org/" + strings.Repeat("é", 8192-19): "must be at most 8,192 characters unless it is a data: URL",
	"https://example.org/" + strings.Repeat("a", 8192-19): "must be at most 8,192 characters unless it is a data: URL",
	"data:":                      form,
	"data:image/png,abc":         form,
	"data:image/png;base64":      form,
	"data:image/png;base65,AAAA": form,
	"data:" + strings.Repeat("a", 300) + ";base64,AAAA":             form,
	"data:im age/png;base64,AAAA":                                   "must have a media type of visible ASCII characters before ;base64",
	"data:image/png;base64,":                                        noData,
	"data:image/png;base64,\r\n":                                    noData,
	"data:image/png;base64,==":                                      noData,
	"data:image/png;base64,AAAAA":                                   cutOff,
	"data:image/png;base64,AAA==":                                   cutOff,
	"data:image/png;base64,AAAA=":                                   cutOff,
	"data:image/png;base64,AB==":                                    cutOff,
	"data:image/png;base64,AA/":                                     cutOff,
	"data:image/png;base64,AA_=":                                    cutOff,
	"data:image/png;base64,===":                                     misfit(3),
	"data:image/png;base64,AA==AAA=":                                misfit(5),
	"data:image/png;base64,AA==+A==":                                misfit(5),
	"data:image/png;base64,A-+A":                                    misfit(3),
	"data:image/png;base64,AA A":                                    misfit(3),
	"data:image/png;base64,AA.A":                                    misfit(3),
	"data:image/png;base64,AAé":                                     misfit(3),
	"data:image/png;base64,AAA%":                                    misfit(4),
	"data:image/png;base64,AAA%4":                                   misfit(4),
	"data:image/png;base64,AAA%zz":                                  misfit(4),
	"data:image/png;base64,AAA%00":                                  misfit(4),
	"data:image/png;base64," + strings.Repeat("AAAA", 27_963_000/4): "must be at most 27,963,000 characters, enough for an image of 20 MiB",
}

func TestOperation_Check_RefusesImageURLs(t *testing.T) {
	t.Parallel()
	for url, want := range urlProblems {
		got, _ := check(extraction(imageBody(t, url)))
		assert.Equal(t, details("imageUrl", want), got, "%.100s", url)
	}
}

// mustInline checks a request with an inline image, and returns the name that the server gets for it and its bytes.
func mustInline(tb testing.TB, url string) (name string, data []byte) {
	tb.Helper()
	problems, valid := check(extraction(imageBody(tb, url)))
	require.Empty(tb, problems, "%.100s", url)
	var body gen.ExtractionRequest
	require.NoError(tb, json.NewDecoder(valid.Body).Decode(&body))
	data, ok := request.InlineImage(valid.Context(), body.ImageURL)
	require.True(tb, ok, body.ImageURL)
	return body.ImageURL, data
}

func TestInlineImage(t *testing.T) {
	t.Parallel()
	data := []byte("\xfb\xff\xfe\x00 the bytes of an image")
	standard := base64.StdEncoding.EncodeToString(data)
	first, _ := mustInline(t, "data:image/png;base64,"+standard)
	for name, text := range map[string]string{
		"in the alphabet for URLs": base64.URLEncoding.EncodeToString(data),
		"without padding":          base64.RawStdEncoding.EncodeToString(data),
		"percent-encoded":          strings.NewReplacer("+", "%2b", "/", "%2F", "=", "%3D").Replace(standard),
		"in lines":                 standard[:8] + "\r\n" + standard[8:] + "\n",
	} {
		again, got := mustInline(t, "data:image/png;base64,"+text)
		assert.Equal(t, data, got, name)
		assert.Equal(t, first, again, "%s: the same image has the same name", name)
	}
	for name, url := range map[string]string{
		"another image":      "data:image/png;base64," + base64.StdEncoding.EncodeToString(data[1:]),
		"another media type": "data:image/jpeg;base64," + standard,
	} {
		other, _ := mustInline(t, url)
		assert.NotEqual(t, first, other, name)
	}
	_, ok := request.InlineImage(t.Context(), first)
	assert.False(t, ok, "an image belongs to its request")
}

func TestInlineImage_OfEverySize(t *testing.T) {
	t.Parallel()
	for size := 1; size < 200_000; size = size*2 + 1 {
		data := bytes.Repeat([]byte{0xfb, 7, 0xff, 1, 2}, size/5+1)[:size]
		_, got := mustInline(t, "data:;base64,"+base64.RawStdEncoding.EncodeToString(data))
		assert.Equal(t, data, got, size)
	}
}

// The largest image that the contract allows, 20 MiB, fits into a body.
func TestInlineImage_OfTheLargestSize(t *testing.T) {
	t.Parallel()
	data := bytes.Repeat([]byte{1, 2, 3, 4}, 20<<20/4)
	_, got := mustInline(t, "data:image/png;base64,"+base64.StdEncoding.EncodeToString(data))
	assert.True(t, bytes.Equal(data, got))
}
