package liar

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"slices"
	"strings"
)

const (
	notFound    = "elsewhere/404/unknown-paths"
	wrongMethod = "elsewhere/405/wrong-methods"
	servedCase  = "elsewhere/document"
	alwaysJSON  = "status/200/always-json"
)

// pathDefects answer unknown paths wrongly, or link to the wrong contract.
func pathDefects() []row {
	return []row{
		// RFC 8631: service-desc leads to the description of this service, and to no other host, where another version may
		// be.
		{"links to another path than that of the document", servedCase, on(always, header("Link", `</docs/openapi.yaml>; rel="service-desc"`))},
		{"links to another host", servedCase, on(always, header("Link", `<https://docs.example.org/openapi.yaml>; rel="service-desc"`))},
		// The embedded document of another build.
		{"serves a document that is not the contract", servedCase, on(isContractAsYAML, func(_ *call, a *reply) {
			a.replace("maxLength: 255", "maxLength: 64")
		})},
		// The default answers of Go's mux, nginx and most frameworks.
		{"answers 404 in HTML", notFound, on(status(404), header("Content-Type", "text/html"), raw(func(string) string { return "<html><body>404 page not found</body></html>" }))},
		{"answers 404 in plain text", notFound, on(status(404), header("Content-Type", "text/plain"), raw(func(string) string { return "404 page not found\n" }))},
		{"leaves Link out of a 404", notFound, on(status(404), header("Link", ""))},
		// Routers redirect or normalize paths by default; the contract knows two paths and no others.
		{"redirects a path that ends in a slash", notFound, on(both(status(404), callIs(func(c *call) bool { return strings.HasSuffix(c.request.URL.Path, "/") })), recode(301), header("Location", "/api/v1/status"))},
		{"ignores letter case in paths", notFound, path(strings.ToLower)},
		{"finds paths that only begin like a known one", notFound, path(matching("^/api/v1/extract.*", extractPath))},
		{"finds a path with two slashes", notFound, path(replacing("//", "/"))},
		// A route that is matched with its query.
		{"answers 404 to a known path with a query", "status/400/takes-nothing", on(both(status(400), callIs(func(c *call) bool { return c.request.URL.RawQuery != "" })), recode(404))},
	}
}

// methodDefects answer wrong methods wrongly.
func methodDefects() []row {
	other := map[string]string{"GET": "POST", "POST": "GET"}
	return []row{
		// RFC 9110, section 15.5.6: a 405 lists the methods of its path, in the case that methods have.
		{"leaves Allow out of a 405", wrongMethod, on(status(405), header("Allow", ""))},
		{"lists methods in Allow that the path does not have", wrongMethod, on(status(405), header("Allow", "GET, POST, HEAD"))},
		{"lists the method of the other path in Allow", wrongMethod, on(status(405), func(_ *call, a *reply) { a.header.Set("Allow", other[a.header.Get("Allow")]) })},
		{"writes Allow in lower case", wrongMethod, on(status(405), func(_ *call, a *reply) { a.header.Set("Allow", strings.ToLower(a.header.Get("Allow"))) })},
		{"leaves details out of a 405", wrongMethod, on(status(405), drop("details"))},
		// The answers of nethttp-middleware.
		{"answers 404 to a wrong method", wrongMethod, on(status(405), recode(404), header("Allow", ""))},
		// A CORS middleware answers OPTIONS for every path.
		{"answers 200 to OPTIONS", wrongMethod, on(both(status(405), method("OPTIONS")), recode(200))},
		// RFC 9110, section 15.6.2, has 501 for servers that know a method nowhere; the contract has 405 for all methods.
		{"answers 501 to an unknown method", wrongMethod, on(both(status(405), callIs(func(c *call) bool { return strings.HasPrefix(c.request.Method, "X") })), recode(501), header("Allow", ""))},
		{"answers 501 to the methods of WebDAV", wrongMethod, on(both(status(405), callIs(func(c *call) bool {
			return slices.Contains([]string{"PROPFIND", "PROPPATCH", "MKCOL", "COPY", "MOVE", "LOCK", "UNLOCK"}, c.request.Method)
		})), recode(501), header("Allow", ""), raw(func(string) string { return "" }))},
		{"answers QUERY like POST", wrongMethod, replaceWhen(both(status(405), method("QUERY")), answerToMethod("POST"))},
		// RFC 9110, section 9.3.8; the echo shows the key to scripts in a browser.
		{"echoes the request of a TRACE", wrongMethod, on(both(status(405), method("TRACE")), recode(200), header("Content-Type", "message/http"), func(c *call, a *reply) {
			a.body = []byte("TRACE " + c.request.URL.Path + "\r\nAuthorization: " + c.authorization() + "\r\n")
		})},
		// Go's mux serves HEAD by the handler of GET. The contract lists the methods that exist.
		{"answers HEAD like GET", wrongMethod, replaceWhen(both(status(405), method("HEAD")), answerToMethod("GET"))},
		{"extracts with PUT", wrongMethod, replaceWhen(both(status(405), method("PUT")), answerToMethod("POST"))},
		{"reports the status with POST", wrongMethod, replaceWhen(both(status(405), method("POST")), answerToMethod("GET"))},
		// RFC 9110, section 9.1: methods are case-sensitive.
		{"ignores letter case in methods", wrongMethod, rewrite(func(c *call) { c.request.Method = strings.ToUpper(c.request.Method) })},
	}
}

// negotiationDefects let headers of the request change the answer.
func negotiationDefects() []row {
	return []row{
		// A middleware for old proxies. With it a GET could spend points.
		{"obeys X-HTTP-Method-Override", alwaysJSON, rewrite(func(c *call) {
			if m := c.request.Header.Get("X-Http-Method-Override"); m != "" {
				c.request.Method = m
			}
		})},
		// Status records are true at one moment only: neither parts nor validators make sense for them.
		{"answers a conditional request for the status with 304", alwaysJSON, on(both(isStatusRecord, offers("If-None-Match", "")), recode(304), raw(func(string) string { return "" }))},
		{"answers a range of the status with 206", alwaysJSON, on(both(isStatusRecord, offers("Range", "")), recode(206), raw(func(s string) string { return s[:4] }))},
		// Content negotiation: the contract has one type.
		{"sends HTML to clients that prefer it", alwaysJSON, on(both(isStatusRecord, offers("Accept", "text/html")), header("Content-Type", "text/html"), raw(func(s string) string { return "<pre>" + s + "</pre>" }))},
		// RFC 9110, section 8.4: a coding is named where it is applied, and section 12.5.3: it is applied where it was
		// offered.
		{"compresses answers without a Content-Encoding", alwaysJSON, on(both(always, offers("Accept-Encoding", "gzip")), compress)},
		{"compresses answers for clients that refuse gzip", alwaysJSON, on(both(always, offers("Accept-Encoding", "gzip;q=0")), compress, header("Content-Encoding", "gzip"))},
		// Many clients send a Content-Type with every request.
		{"refuses a Content-Type without a body on the status", alwaysJSON, rewrite(func(c *call) {
			if c.isStatus() && c.request.Header.Get("Content-Type") != "" && len(c.body) == 0 {
				c.request.URL.RawQuery = "Content-Type=x"
			}
		})},
		{"compresses results that no client offered to decompress", "extract/200/least-request", on(isResult, compress, header("Content-Encoding", "gzip"))},
		{"answers 406 to an extraction that prefers another type", "extract/200/ways-to-write-it", on(both(isResult, callIs(func(c *call) bool {
			accept := c.request.Header.Get("Accept")
			return accept != "" && !strings.Contains(accept, "json") && !strings.Contains(accept, "*/*")
		})), recode(406))},
	}
}

// requestIDDefects send ids that do not tell requests apart.
func requestIDDefects() []row {
	return []row{
		// An id that several exchanges share identifies none of them in the log.
		{"always sends the same X-Request-Id", "status/200/record", on(always, header("X-Request-Id", "0000"))},
		{"sends the same X-Request-Id with every 401", "status/401/no-key", on(status(401), header("X-Request-Id", "UNKNOWN"))},
		{"copies the caller's X-Request-Id unchecked", alwaysJSON, on(always, func(c *call, a *reply) {
			if id := c.request.Header.Get("X-Request-Id"); id != "" {
				a.header.Set("X-Request-Id", id)
			}
		})},
		// A digest repeats whenever the request does.
		{"derives X-Request-Id from the request", "status/200/record", on(always, func(c *call, a *reply) {
			sum := sha256.Sum256(slices.Concat([]byte(c.request.Method+c.request.URL.String()+c.authorization()), c.body))
			a.header.Set("X-Request-Id", hex.EncodeToString(sum[:]))
		})},
		// An id of the clock, or of a variable without a lock.
		{"sends the same X-Request-Id with concurrent requests", "extract/200/at-once", overlapping(everyone, isExtraction, apply(header("X-Request-Id", "shared")))},
	}
}

// path changes the paths of requests on their way.
func path(f func(string) string) lie {
	return rewrite(func(c *call) { c.request.URL.Path = f(c.request.URL.Path) })
}

// offers holds for requests whose header begins with the prefix.
func offers(name, prefix string) when {
	return func(c *call, _ *reply) bool {
		values := c.request.Header[http.CanonicalHeaderKey(name)]
		return len(values) > 0 && strings.HasPrefix(values[0], prefix)
	}
}
