package cases

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"uncial/contracttests/internal/model"
)

// httpRows send what servers must refuse before they look at path and key. HTTP libraries answer most of it by themselves, in a
// form of their own.
var httpRows = []row{
	{
		name: "elsewhere/417/unknown-expectation", needs: []string{model.NeedConnection},
		explanation: "An Expect other than 100-continue gets a 417 in the form of every error, whatever the path, the method and the key.",
		build: func(s *session) (asks []ask) {
			for i, q := range s.places() {
				expect := []string{"200-ok", "x", "later=5", "200-OK"}[i%4]
				asks = append(asks, s.refused(q, http.StatusExpectationFailed, "HTTP/1.1", "Expect: "+expect).wrong("Expect"))
			}
			return asks
		},
	}, {
		// Checking only the last coding is not enough: the server would have to decode those before it as well.
		name: "elsewhere/501/unknown-transfer-coding", needs: []string{model.NeedConnection},
		explanation: "A Transfer-Encoding other than chunked, alone or before chunked, gets a 501 in the form of every error.",
		build: func(s *session) (asks []ask) {
			for _, q := range s.places() {
				for _, coding := range []string{"gzip", "foo, chunked", "gzip, chunked", "foo", "deflate, chunked", "xchunked", "identity"} {
					refused := s.written(q, strings.HasSuffix(coding, "chunked"), "HTTP/1.1", "Transfer-Encoding: "+coding).wrong("Transfer-Encoding")
					refused.Refusal = http.StatusNotImplemented
					asks = append(asks, refused)
				}
			}
			return asks
		},
	}, {
		name: "elsewhere/505/other-versions", needs: []string{model.NeedConnection},
		explanation: "A request line with another major version of HTTP gets a 505 in the form of every error.",
		build: func(s *session) (asks []ask) {
			for i, q := range s.places() {
				asks = append(asks, s.refused(q, http.StatusHTTPVersionNotSupported, []string{"HTTP/3.0", "HTTP/2.0", "HTTP/0.9", "HTTP/5.1"}[i%4]))
			}
			return asks
		},
	}, {
		// Servers that close the connection with unread bytes reset it, and the answer is lost.
		name: "elsewhere/431/long-headers", needs: []string{model.NeedConnection},
		explanation: "Headers that are far too long get a 431 in the form of every error, and not a broken connection.",
		build: func(s *session) (asks []ask) {
			for i, q := range s.places()[:3] {
				line := []string{"X-Long: ", "Authorization: Bearer ", "Cookie: a="}[i] + strings.Repeat("x", longHeader)
				asks = append(asks, s.refused(q, http.StatusRequestHeaderFieldsTooLarge, "HTTP/1.1", line))
			}
			return asks
		},
	}, {
		name: "elsewhere/400/not-http", needs: []string{model.NeedConnection},
		explanation: "Anything that is not HTTP gets a 400 in the form of every error.",
		build: func(s *session) (asks []ask) {
			for i, q := range s.places() {
				asks = append(asks, s.refused(q, http.StatusBadRequest, []string{"HTTP/x", "HTTP/1", "http/1.1", "HTTP/1.10"}[i%4]),
					s.refused(q, http.StatusBadRequest, "HTTP/1.1", []string{": no name", "a name: x", "no colon", "X-Odd: \x00", "Host: another.invalid"}[i%5]))
			}
			hello := get("/status").sentBy(nobody)
			hello.Text, hello.Refusal = "hello\r\n\r\n", http.StatusBadRequest
			return append(asks, hello)
		},
	}, {
		// Covers header names in any letter case, spaces around values, addresses with a host, and later minor versions (RFC 9110,
		// sections 2.5 and 5.1; RFC 9112, sections 3.2.2 and 5).
		name: "status/200/ways-to-write-it", needs: []string{model.NeedConnection}, extractions: 4,
		explanation: "The server treats a request the same in every spelling that HTTP permits.",
		build:       waysToWriteHTTP,
	}, {
		name: "elsewhere/404/outside", check: checkOutside,
		explanation: "The operations are under the base path and nowhere else.",
	},
}

// waysToWriteHTTP writes a status request, and an extraction whose only fault is its body.
func waysToWriteHTTP(s *session) (asks []ask) {
	asks = append(asks, s.written(status(), false, "HTTP/1.9"), s.written(status(), false, "HTTP/1.2"))
	wrong := invalid()
	for _, write := range []func(name, value string) string{
		func(name, value string) string { return strings.ToUpper(name) + ": " + value },
		func(name, value string) string { return strings.ToLower(name) + ":" + value },
		func(name, value string) string { return swapCase(name) + ":\t " + value + " \t" },
	} {
		for _, q := range []ask{status(), wrong} {
			q = s.written(q, false, "HTTP/1.1", "Connection: close")
			head, rest, _ := strings.Cut(q.Text, "\r\n\r\n")
			lines := strings.Split(head, "\r\n")
			for i, line := range lines[1:] {
				name, value, _ := strings.Cut(line, ": ")
				lines[i+1] = write(name, value)
			}
			q.Text = strings.Join(lines, "\r\n") + "\r\n\r\n" + rest
			asks = append(asks, q)
		}
	}
	chunked := s.written(wrong, true, "HTTP/1.1", "Transfer-Encoding: Chunked", "Content-Type: application/json")
	asks = append(asks, chunked)
	whole := s.written(status(), false, "HTTP/1.1")
	base, _ := url.Parse(s.BaseURL) // requests have been sent to it
	whole.Text = strings.Replace(whole.Text, " /", " http://"+base.Host+"/", 1)
	return append(asks, whole)
}

// checkOutside asks for the operations at paths outside the base path. A gateway may answer anything there, but an answer in
// the form of this contract must be a 404.
func checkOutside(ctx context.Context, s *session) error {
	root, isUsual := strings.CutSuffix(s.BaseURL, "/api/v1")
	if !isUsual {
		return &skip{"the base URL does not end in /api/v1"}
	}
	a, err := s.account(ctx, model.KeyOK, 0, 0)
	if err != nil {
		return err
	}
	for _, path := range []string{"", "/v1", "/api", "/api/v2", "/api/v0", "/api/latest", "/API/V1", "/api/v1/api/v1", "/api//v1", "/v1/api"} {
		for _, q := range []ask{status(), body(`{}`), status().sentBy(nobody)} {
			r := s.request(q, &senders{accounts: map[who]*model.Account{first: a}})
			r.Complete(s.Target)
			r.Absolute, r.Account = root+path+r.Path, nil
			x, err := s.Exchange(ctx, r)
			if err != nil {
				return err
			}
			var answered struct {
				Plan, Code *string
			}
			if json.Unmarshal(x.Body, &answered) == nil && (answered.Plan != nil || answered.Code != nil) && x.Status != http.StatusNotFound {
				return fail(x, "%s is outside the base path; the answer must be 404, not %d", r.Absolute, x.Status)
			}
		}
	}
	return nil
}

// longHeader is longer than any server accepts, in bytes.
const longHeader = 2 << 20

// places are requests to every kind of path, with a key and without. Those with a key are free and do not count.
func (s *session) places() []ask {
	return []ask{status(), body(`{}`).sentBy(nobody), get("/nowhere"), outsideContract(http.MethodPut, "/extract"), status().sentBy(nobody), outsideContract(http.MethodDelete, "/status").sentBy(nobody), get("/nowhere").sentBy(nobody)}
}

// refused is written, without chunks, for a request that the server must refuse with the status.
func (s *session) refused(a ask, status int, version string, lines ...string) ask {
	a = s.written(a, false, version, lines...)
	a.Refusal = status
	return a
}

// written writes a request with another version or additional header lines, and with its body in chunks if isChunked is set.
func (s *session) written(a ask, isChunked bool, version string, lines ...string) ask {
	a.Complete(s.Target)
	if a.who != nobody {
		lines = append([]string{"Authorization: Bearer " + model.KeyVariable}, lines...)
	}
	text := string(a.Body)
	if isChunked { // the body is complete for servers that know the coding
		text = "1\r\n{\r\n1\r\n}\r\n0\r\n\r\n"
	} else if a.Body != nil {
		lines = append(lines, "Content-Type: application/json", fmt.Sprint("Content-Length: ", len(a.Body)))
	}
	base, _ := url.Parse(s.BaseURL) // requests have been sent to it
	a.Text = fmt.Sprintf("%s %s %s\r\nHost: %s\r\n", a.Method, base.Path+a.Path, version, base.Host) + strings.Join(append(lines, "", ""), "\r\n") + text
	return a
}
