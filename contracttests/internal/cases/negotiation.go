package cases

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"uncial/contracttests/internal/model"
)

// variation is one thing about a request that must not change its answer.
type variation func(a ask) ask

// sends is the variation that sends a header. An empty value leaves out the User-Agent.
func sends(name string, values ...string) (all []variation) {
	for _, v := range values {
		all = append(all, func(a ask) ask { return a.header(name, v) })
	}
	return all
}

// dimensions are the ways in which requests vary. Each request takes one value of each, so that few requests cover all values.
// Codings other than gzip are named but not offered, because their answers could not be read.
func dimensions() [][]variation {
	return [][]variation{
		sends("Accept", "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8", "application/xml", "text/plain", "image/png, image/*;q=0.5", "text/csv", "application/problem+json",
			"application/json;q=0, text/html", "application/vnd.uncial.v2+json", "*/*;q=0", "application/json; charset=iso-8859-1"),
		sends("Accept-Language", "de", "fr-CH, fr;q=0.9", "*", "ar", "ja, en;q=0.1", "es-419"),
		sends("Accept-Encoding", "gzip", "br;q=0", "zstd;q=0, br;q=0", "deflate;q=0", "gzip, identity;q=0", "*", "gzip;q=0", "*;q=0, identity", "identity, gzip;q=0.000", "GZIP;q=0.001", ""),
		sends("Accept-Charset", "iso-8859-1", "utf-16"),
		sends("Origin", "https://pages.example.org", "null", "http://localhost:3000"),
		sends("User-Agent", "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0", "curl/8.5.0", "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)", "", "python-requests/2.31", "kube-probe/1.30"),
		{
			func(a ask) ask { a.OldHTTP = true; return a }, func(a ask) ask { a.Close = true; return a }, func(a ask) ask { a.Chunked = a.mayHaveBody(); return a },
			func(a ask) ask {
				return a.header("Connection", "Upgrade, HTTP2-Settings").header("Upgrade", "h2c").header("Http2-Settings", "AAMAAABkAAQAAP__")
			},
			func(a ask) ask { return a.header("Connection", "Upgrade").header("Upgrade", "websocket") }, func(a ask) ask { return a.header("Te", "trailers") },
			expecting("100-continue"), expecting("100-Continue"),
		},
		slices.Concat(sends("Cache-Control", "no-cache", "max-age=0, only-if-cached"), sends("Pragma", "no-cache")),
		slices.Concat(sends("If-None-Match", "*", `"33a64df5"`), sends("If-Match", `"33a64df5"`), sends("If-Modified-Since", "Fri, 01 Jan 2038 00:00:00 GMT"), sends("If-Unmodified-Since", "Thu, 01 Jan 1970 00:00:00 GMT"), sends("Range", "bytes=0-3", "bytes=999999-")),
		slices.Concat(sends("X-Forwarded-Proto", "http", "https"), sends("X-Forwarded-Host", "ocr.example.org"), sends("Forwarded", "proto=http;host=ocr.example.org"), sends("Via", "1.1 proxy.example.org")),
		slices.Concat(sends("X-Requested-With", "XMLHttpRequest"), sends("Sec-Fetch-Mode", "navigate", "cors"), sends("Upgrade-Insecure-Requests", "1"), sends("Dnt", "1"), sends("Save-Data", "on"), sends("Priority", "u=1, i")),
		slices.Concat(sends("Referer", "https://pages.example.org/"), sends("Cookie", "theme=dark; lang=de"), sends("Max-Forwards", "0"), sends("Content-Language", "de"), sends("From", "reader@example.org")),
		slices.Concat(sends("X-Http-Method-Override", "DELETE"), sends("X-Method-Override", "GET"), sends("Traceparent", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"), sends("X-Request-Id", "two words"), sends("X-Forwarded-For", "203.0.113.9", "127.0.0.1", "::1, 10.0.0.1")),
	}
}

// expecting is the variation that waits with a body for a 100. The expectation may be written in any letter case (RFC 9110,
// section 10.1.1).
func expecting(value string) variation {
	return func(a ask) ask {
		if a.mayHaveBody() {
			return a.header("Expect", value)
		}
		return a
	}
}

// contentTypes are spellings of the one type that bodies have.
func contentTypes() []variation {
	return sends("Content-Type", "application/json; charset=utf-8", `application/json;charset="UTF-8"`, "APPLICATION/JSON")
}

// mayHaveBody reports whether the request sends a body that can be sent in another way.
func (a ask) mayHaveBody() bool { return a.Body != nil || a.Job != nil }

// negotiated are variations of a request that together hold every value of every dimension. withAnyType includes a Content-Type
// that is wrong, for answers that are decided before it is looked at.
func negotiated(base ask, withAnyType bool) (all []ask) {
	dims := dimensions()
	if base.mayHaveBody() {
		types := contentTypes()
		if withAnyType {
			for _, wrong := range sends("Content-Type", "application/json; boundary=x", "text/plain") {
				types = append(types, func(a ask) ask { // a window that resets meanwhile lets it through
					a = wrong(a)
					a.Wrong = []string{"Content-Type"}
					return a
				})
			}
		}
		dims = append(dims, types)
	}
	longest := 0
	for _, d := range dims {
		longest = max(longest, len(d))
	}
	for i := range longest {
		a := base
		a.Header = maps.Clone(a.Header)
		for k, d := range dims {
			one := d[(i+k)%len(d)]
			a = one(a)
			alone := one(base)
			a.parts = append(a.parts, part{alone.difference(base), alone})
		}
		// HTTP/1.0 has no 100 Continue, so Expect must not be sent.
		if a.OldHTTP {
			delete(a.Header, "Expect")
		}
		all = append(all, a)
	}
	return all
}

// difference describes how a request with one variation differs from the one without.
func (a ask) difference(base ask) string {
	var all []string
	for _, name := range slices.Sorted(maps.Keys(a.Header)) {
		if !slices.Equal(a.Header[name], base.Header[name]) {
			all = append(all, fmt.Sprintf("%s: %s", name, strings.Join(a.Header[name], ", ")))
		}
	}
	switch {
	case a.OldHTTP:
		all = append(all, "HTTP/1.0")
	case a.Close:
		all = append(all, "Connection: close")
	case a.Chunked && !base.Chunked:
		all = append(all, "a body in chunks")
	}
	return strings.Join(all, " and ")
}

// negotiationRows provoke each error under every negotiation. The envelope and the status never change.
func negotiationRows() (rows []row) {
	put := outsideContract(http.MethodPut, "/extract")
	nowhere := outsideContract(http.MethodPost, "/nowhere")
	for _, e := range []struct {
		name, account string
		base          ask
		anyType       bool
	}{
		{"extract/400", "", invalid(), false},
		{"extract/401", "", read(printed).sentBy(nobody), true},
		{"extract/402", model.KeyEmpty, read(printed), false},
		{"extract/500", model.KeyError, read(printed), false},
		{"status/400", "", status().query("verbose=1").wrong("verbose"), false},
		{"status/401", "", status().sentBy(nobody), false},
		{"status/500", model.KeyError, status(), false},
		{"elsewhere/404", "", nowhere.sentBy(nobody), true},
		{"elsewhere/405", "", put.sentBy(nobody), true},
	} {
		rows = append(rows, row{
			name: e.name + "/negotiation", account: e.account, asks: negotiated(e.base, e.anyType),
			explanation: "Whatever type, language, coding, origin, client, version of HTTP or connection the request names, the error keeps its status and its form.",
		})
	}
	return append(rows, row{
		// Servers answer some clients with the bare text or document, compress long answers, or answer ranges.
		name: "extract/200/negotiation", points: 10 * maxNegotiated, extractions: maxNegotiated, build: negotiatedResults,
		explanation: "Whatever type, language, coding, origin, client, version of HTTP or connection the request names, the result is the same.",
	}, row{
		name: "extract/429/negotiation", account: model.KeyRateLimited, extractions: maxExtractions, check: checkLimitNegotiation,
		explanation: "Whatever type, language, coding, origin, client, version of HTTP or connection the request names, a 429 keeps its status and its form.",
	})
}

// negotiatedResults asks for every format under every negotiation. A long page is among them, because short answers are seldom
// compressed.
func negotiatedResults(s *session) (asks []ask) {
	for i, q := range negotiated(read(printed), false) {
		asks = append(asks, q.format(everyFormat[i%len(everyFormat)]))
	}
	if s.ImageURL(model.ImageTenPages) != "" {
		for _, coding := range []string{"gzip", "identity", "*"} {
			asks = append(asks, read(model.ImageTenPages).format("alto").header("Accept-Encoding", coding))
		}
	}
	return asks
}

// checkLimitNegotiation sends every header that asks for another form of answer while the account is limited: the 429 is JSON
// all the same.
func checkLimitNegotiation(ctx context.Context, s *session) error {
	a, err := s.exhausted(ctx, model.KeyRateLimited, false)
	if err != nil {
		return err
	}
	for _, q := range negotiated(body(`{}`, "imageUrl").rushed(), true) {
		if _, err := s.sendAs(ctx, a, q); err != nil {
			return s.blamePart(ctx, q, &senders{accounts: map[who]*model.Account{first: a}}, err)
		}
	}
	return nil
}
