package liar

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"slices"
	"strings"
)

func protocolLies() []Defect {
	d := func(name, explanation string, l lie) Defect {
		return Defect{Name: name, Area: "protocol", Explanation: explanation, lie: l}
	}
	return []Defect{
		d("content-type-text", "Answers are sent as plain text.", header(always, "Content-Type", "text/plain; charset=utf-8")),
		d("content-type-problem", "Errors are sent as problem+json.", header(failed, "Content-Type", "application/problem+json")),
		d("content-type-charset", "Answers claim another charset.", header(always, "Content-Type", "application/json; charset=iso-8859-1")),
		d("request-id-missing", "Answers have no X-Request-Id.", header(always, "X-Request-Id", "")),
		d("request-id-missing-on-errors", "Errors have no X-Request-Id.", header(failed, "X-Request-Id", "")),
		d("request-id-constant", "All answers have the same X-Request-Id.", header(always, "X-Request-Id", "0000")),
		d("request-id-of-refused-keys", "Requests that are refused for their key share an X-Request-Id.", header(status(401), "X-Request-Id", "UNKNOWN")),
		d("request-id-by-request", "The X-Request-Id is a digest of the request.", after(always, func(c *call, a *reply) {
			sum := sha256.Sum256(slices.Concat([]byte(c.request.Method+c.request.URL.String()+c.request.Header.Get("Authorization")), c.body))
			a.header.Set("X-Request-Id", hex.EncodeToString(sum[:]))
		})),
		d("request-id-with-blank", "The X-Request-Id has a blank in it.", header(always, "X-Request-Id", "request 17")),
		d("request-id-twice", "The X-Request-Id stands twice.", after(always, func(_ *call, a *reply) { a.header.Add("X-Request-Id", "second") })),
		d("cacheable", "Answers may be stored for a minute.", header(always, "Cache-Control", "private, max-age=60")),
		d("cache-control-missing-on-401", "A 401 says nothing of caches.", header(status(401), "Cache-Control", "")),
		d("link-missing", "Answers do not say where the document is.", header(always, "Link", "")),
		d("link-to-nowhere", "Link leads to where nothing is.", header(always, "Link", `</docs/openapi.yaml>; rel="service-desc"`)),
		d("document-of-another-version", "The document that is served is not the one that holds.", after(func(c *call, _ *reply) bool {
			return c.request.URL.Path == "/openapi.yaml"
		}, func(_ *call, a *reply) { a.replace("maxLength: 255", "maxLength: 64") })),
		d("rate-limit-missing", "Answers have no RateLimit.", header(always, "RateLimit", "")),
		d("rate-limit-missing-on-400", "A 400 has no RateLimit.", header(status(400), "RateLimit", "")),
		d("rate-limit-of-old", "RateLimit is written as in an older draft.", header(status(200), "RateLimit", "limit=60, remaining=59, reset=42")),
		d("policy-missing", "Answers have no RateLimit-Policy.", header(always, "RateLimit-Policy", "")),
		d("policy-of-an-hour", "The policy tells of a window of an hour.", after(always, func(_ *call, a *reply) { swap(a, "RateLimit-Policy", "w=60", "w=3600") })),
		d("rate-limit-on-401", "A 401 tells of the rate limit of an account.", header(status(401), "RateLimit", `"account";r=59;t=42`)),
		d("no-www-authenticate", "A 401 does not say how to authenticate.", header(status(401), "WWW-Authenticate", "")),
		d("www-authenticate-basic", "A 401 asks for Basic.", header(status(401), "WWW-Authenticate", `Basic realm="uncial"`)),
		d("www-authenticate-on-402", "A 402 asks to authenticate.", header(status(402), "WWW-Authenticate", "Bearer")),
		d("no-retry-after", "A 429 does not say when to try again.", header(status(429), "Retry-After", "")),
		d("retry-after-as-date", "A 429 says when to try again as a date.", header(status(429), "Retry-After", "Thu, 15 Jan 2026 12:01:00 GMT")),
		d("retry-after-0", "A 429 says to try again at once.", header(status(429), "Retry-After", "0")),
		d("retry-after-on-400", "A 400 says when to try again.", header(status(400), "Retry-After", "5")),
		d("no-allow", "A 405 does not say which methods there are.", header(status(405), "Allow", "")),
		d("allow-too-much", "A 405 names methods that there are not.", header(status(405), "Allow", "GET, POST, HEAD")),
		d("allow-the-other", "A 405 names the method of the other path.", after(status(405), func(_ *call, a *reply) {
			other := map[string]string{"GET": "POST", "POST": "GET"}[a.header.Get("Allow")]
			a.header.Set("Allow", other)
		})),
		d("not-found-in-html", "A 404 is a page of HTML.", after(status(404), func(_ *call, a *reply) {
			a.header.Set("Content-Type", "text/html")
			a.body = []byte("<html><body>404 page not found</body></html>")
		})),
		d("not-found-in-text", "A 404 is a line of text.", after(status(404), func(_ *call, a *reply) {
			a.header.Set("Content-Type", "text/plain")
			a.body = []byte("404 page not found\n")
		})),
		d("method-as-404", "A wrong method is a 404.", after(status(405), func(_ *call, a *reply) {
			a.status = 404
			a.header.Del("Allow")
		})),
		d("head-answered", "HEAD is answered like GET.", func(honest server) server {
			return func(c *call) *reply {
				a := honest(c)
				if a.status == 405 && c.request.Method == http.MethodHead && strings.HasSuffix(c.request.URL.Path, "/status") {
					get := c.with(nil)
					get.request.Method = http.MethodGet
					a = honest(get)
					a.body = nil
				}
				return a
			}
		}),
		d("put-does-it", "PUT extracts like POST.", other(http.MethodPut, http.MethodPost)),
		d("trailing-slash-redirects", "A path with a slash at its end redirects.", after(status(404), func(c *call, a *reply) {
			if path := c.request.URL.Path; strings.HasSuffix(path, "/") {
				a.status = 301
				a.header.Set("Location", strings.TrimSuffix(path, "/"))
			}
		})),
		d("paths-in-any-case", "Paths are found in any case of letters.", before(func(c *call) { c.request.URL.Path = strings.ToLower(c.request.URL.Path) })),
		d("extract-created", "An extraction is a 201.", recode(extracted, 201)),
		d("invalid-as-422", "A malformed request is a 422.", recode(status(400), 422)),
		d("unauthorized-as-403", "A wrong key is a 403.", recode(status(401), 403)),
		d("unpaid-as-403", "Missing points are a 403.", recode(status(402), 403)),
		d("limited-as-503", "A used-up window is a 503.", recode(status(429), 503)),
		d("failure-as-503", "A failure is a 503.", recode(status(500), 503)),
		d("errors-as-200", "Errors are a 200 whose success is false.", recode(status(400, 402), 200)),
		d("status-no-content", "The status is a 204.", after(told, func(_ *call, a *reply) { a.status, a.body = 204, nil })),
		d("gzip-unasked", "Answers are compressed although nobody offered to read that.", after(extracted, func(_ *call, a *reply) {
			var b bytes.Buffer
			w := gzip.NewWriter(&b)
			_, _ = w.Write(a.body) // a buffer never fails
			_ = w.Close()
			a.body = b.Bytes()
			a.header.Set("Content-Encoding", "gzip")
		})),
		d("date-of-1970", "The Date is that of a clock that was never set.", header(always, "Date", "Thu, 01 Jan 1970 00:00:00 GMT")),
		d("date-in-another-form", "The Date is not written as HTTP asks.", header(always, "Date", "2026-01-15T12:00:00Z")),
		d("not-modified", "A conditional question for the status is a 304.", after(told, func(c *call, a *reply) {
			if c.request.Header.Get("If-None-Match") != "" {
				a.status, a.body = 304, nil
			}
		})),
		d("html-for-browsers", "A client that would rather have HTML gets it.", after(told, func(c *call, a *reply) {
			if strings.HasPrefix(c.request.Header.Get("Accept"), "text/html") {
				a.header.Set("Content-Type", "text/html")
				a.body = []byte("<html><body><pre>" + string(a.body) + "</pre></body></html>")
			}
		})),
	}
}

func swap(a *reply, name, old, replacement string) {
	if v := a.header.Get(name); v != "" {
		a.header.Set(name, strings.Replace(v, old, replacement, 1))
	}
}

// other answers one method as if it were another, where the honest server does not know it.
func other(method, as string) lie {
	return func(honest server) server {
		return func(c *call) *reply {
			a := honest(c)
			if a.status == 405 && c.request.Method == method {
				alike := c.with(c.body)
				alike.request.Method = as
				a = honest(alike)
			}
			return a
		}
	}
}
