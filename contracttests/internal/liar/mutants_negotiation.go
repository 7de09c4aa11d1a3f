package liar

import (
	"net/http"
	"slices"
	"strings"
)

// negotiationMutants spoil an error for requests with one unusual header, version or connection. Errors and ways to spoil them
// take turns.
func negotiationMutants() (all []row) {
	errors, ways := answersOf(), waysToSpoil()
	for i, t := range requestTriggers() {
		for j := range 2 {
			e, way := pick(errors, 3*i+7*j), pick(ways, i+5*j)
			all = append(all, mutant(e.name+": "+way.name+" for "+t.name, on(both(e.of, callIs(func(c *call) bool { return t.of(c.request) })), way.of)))
		}
	}
	return all
}

// requestTriggers are what servers and their frameworks react to.
func requestTriggers() []named[func(r *http.Request) bool] {
	type trigger = named[func(r *http.Request) bool]
	has := func(name string) func(r *http.Request) bool {
		return func(r *http.Request) bool { return r.Header.Get(name) != "" }
	}
	says := func(name, part string) func(r *http.Request) bool {
		return func(r *http.Request) bool { return strings.Contains(strings.ToLower(r.Header.Get(name)), part) }
	}
	all := []trigger{
		{"clients that prefer XML", says("Accept", "xml")},
		{"clients that prefer plain text", says("Accept", "text/plain")},
		{"browsers that ask for HTML", says("Accept", "text/html")},
		{"clients that accept only images", says("Accept", "image/")},
		{"clients that prefer CSV", says("Accept", "csv")},
		{"clients that accept problem+json", says("Accept", "problem+json")},
		{"clients that refuse JSON", says("Accept", "json;q=0")},
		{"clients with a vendor's type in Accept", says("Accept", "vnd.")},
		{"clients that speak German", says("Accept-Language", "de")},
		{"clients that speak French", says("Accept-Language", "fr")},
		{"clients of any language", says("Accept-Language", "*")},
		{"clients that read Arabic", says("Accept-Language", "ar")},
		{"clients that offer gzip", says("Accept-Encoding", "gzip")},
		{"clients that offer br", says("Accept-Encoding", "br")},
		{"clients that offer zstd", says("Accept-Encoding", "zstd")},
		{"clients that offer deflate", says("Accept-Encoding", "deflate")},
		{"clients that refuse identity", says("Accept-Encoding", "identity;q=0")},
		{"clients with Accept-Charset", has("Accept-Charset")},
		{"web pages of another origin", says("Origin", "https://")},
		{"sandboxed web pages", says("Origin", "null")},
		{"a browser's User-Agent", says("User-Agent", "mozilla")},
		{"the User-Agent of curl", says("User-Agent", "curl/")},
		{"a search engine's User-Agent", says("User-Agent", "bot")},
		{"clients without a User-Agent", func(r *http.Request) bool { return r.UserAgent() == "" }},
		{"requests with Expect", has("Expect")},
		{"a Content-Type with a charset", says("Content-Type", "charset")},
		{"a Content-Type with a boundary", says("Content-Type", "boundary")},
		{"a Content-Type in capitals", func(r *http.Request) bool {
			return strings.HasPrefix(r.Header.Get("Content-Type"), "APPLICATION/JSON")
		}},
		{"HTTP/1.0", func(r *http.Request) bool { return r.ProtoMajor == 1 && r.ProtoMinor == 0 }},
		{"connections that will be closed", func(r *http.Request) bool { return r.Close }},
		{"requests that offer an upgrade", has("Upgrade")},
		{"requests with TE", has("Te")},
		{"requests sent in chunks", func(r *http.Request) bool { return len(r.TransferEncoding) > 0 }},
		{"requests by XMLHttpRequest", has("X-Requested-With")},
		{"requests with Cache-Control", has("Cache-Control")},
		{"requests with Pragma", has("Pragma")},
		{"conditional requests", has("If-None-Match")},
		{"requests with If-Match", has("If-Match")},
		{"requests with If-Modified-Since", has("If-Modified-Since")},
		{"requests for a range", has("Range")},
		{"requests with X-Forwarded-For", has("X-Forwarded-For")},
		{"requests with X-Forwarded-Proto", has("X-Forwarded-Proto")},
		{"requests with X-Forwarded-Host", has("X-Forwarded-Host")},
		{"requests with Forwarded", has("Forwarded")},
		{"requests with Via", has("Via")},
		{"requests with a Referer", has("Referer")},
		{"requests with a cookie", has("Cookie")},
		{"requests with X-HTTP-Method-Override", has("X-Http-Method-Override")},
		{"requests with Max-Forwards", has("Max-Forwards")},
		{"page loads of a browser", says("Sec-Fetch-Mode", "navigate")},
		{"requests with a trace context", has("Traceparent")},
		{"requests with DNT", has("Dnt")},
		{"requests with X-Request-Id", has("X-Request-Id")},
		{"requests with Content-Language", has("Content-Language")},
		{"requests with Priority", has("Priority")},
	}
	return all
}

// waysToSpoil are what such reactions do to an answer.
func waysToSpoil() []named[change] {
	page := raw(func(string) string { return "<!doctype html><title>Error</title><p>Something went wrong." })
	empty := raw(func(string) string { return "" })
	type way = named[change]
	sequence := func(changes ...change) change {
		return func(c *call, a *reply) {
			for _, f := range changes {
				f(c, a)
			}
		}
	}
	return []way{
		{"answers in HTML", sequence(page, header("Content-Type", "text/html; charset=utf-8"))},
		{"answers 406", recode(406)},
		{"answers 403", recode(403)},
		{"answers 415", recode(415)},
		{"answers 417", recode(417)},
		{"answers 426", recode(426)},
		{"answers 505", recode(505)},
		{"answers 304 without a body", sequence(recode(304), empty)},
		{"answers 200", recode(200)},
		{"redirects", sequence(recode(302), header("Location", "/login"))},
		{"answers in plain text", sequence(edit(func(object) {}), raw(func(b string) string { return strings.Trim(b, "{}\n") }), header("Content-Type", "text/plain"))},
		{"names the type application/problem+json", header("Content-Type", "application/problem+json")},
		{"leaves out the body", empty},
		{"leaves out X-Request-Id", header("X-Request-Id", "")},
		{"leaves out Cache-Control", header("Cache-Control", "")},
		{"leaves out Link", header("Link", "")},
		{"leaves out the code", drop("code")},
		{"leaves out the message", drop("message")},
		{"leaves out success", drop("success")},
		{"translates the code", set("code", "UNGÜLTIG")},
		{"compresses without saying so", compress},
		{"wraps the error in an object", raw(func(b string) string { return `{"error":` + b + `}` })},
		{"wraps the error in a call", raw(func(b string) string { return "callback(" + b + ")" })},
		{"answers in UTF-16", raw(func(b string) string {
			return strings.Join(slices.Concat([]string{"\xff\xfe"}, strings.Split(b, "")), "\x00")
		})},
	}
}
