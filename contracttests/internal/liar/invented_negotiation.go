package liar

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

// inventedNegotiation spoil errors for some headers.
func inventedNegotiation() []row {
	return []row{
		{"problem-json", "extract/400/negotiation", on(func(c *call, a *reply) bool {
			return a.status >= 400 && a.status < 500 && strings.Contains(strings.ToLower(strings.Join(c.request.Header["Accept"], ",")), "application/problem+json")
		}, func(_ *call, a *reply) {
			o := a.object()
			a.header.Set("Content-Type", "application/problem+json")
			a.body = encode(object{"type": "about:blank", "title": o["error"], "status": a.status, "detail": o["message"]})
		})},
		{"expect-before-key", "extract/401/negotiation", on(func(c *call, a *reply) bool {
			return c.isExtract() && a.status == http.StatusUnauthorized && strings.EqualFold(c.request.Header.Get("Expect"), "100-continue")
		}, func(_ *call, a *reply) { *a = reply{http.StatusExpectationFailed, http.Header{}, nil} })},
		{"next-reset-localised", "extract/402/negotiation", on(func(c *call, a *reply) bool {
			first, _, _ := strings.Cut(strings.ToLower(c.request.Header.Get("Accept-Language")), ",")
			primary, _, _ := strings.Cut(strings.TrimSpace(strings.ReplaceAll(first, ";", "-")), "-")
			return c.isExtract() && a.status == http.StatusPaymentRequired && slices.Contains([]string{"de", "fr", "it"}, primary)
		}, edit(func(o object) {
			if s, ok := o["nextReset"].(string); ok {
				o["nextReset"] = strings.Replace(s, "Z", "+01:00", 1)
			}
		}))},
		{"request-id-of-connection", "status/401/cookies", func(honest server) server {
			var ids sync.Map // by connection
			return func(c *call) *reply {
				a := honest(c)
				if id := a.header.Get("X-Request-Id"); id != "" {
					first, _ := ids.LoadOrStore(c.request.RemoteAddr, id)
					a.header.Set("X-Request-Id", first.(string))
				}
				return a
			}
		}},
		{"paths-are-cleaned", notFound, on(status(http.StatusNotFound), func(c *call, a *reply) {
			path := c.request.URL.Path
			if strings.Contains(path, "//") || strings.Contains(path, "/./") || strings.Contains(path, "/../") {
				*a = reply{http.StatusMovedPermanently, http.Header{"Location": {"/api/v1/status"}, "Content-Type": {"text/html; charset=utf-8"}}, []byte(`<a href="/api/v1/status">Moved Permanently</a>.`)}
			}
		})},
		{"no-german-404", "elsewhere/404/negotiation", on(both(status(404, 405), callIs(func(c *call) bool {
			return strings.HasPrefix(strings.ToLower(c.request.Header.Get("Accept-Language")), "de")
		})), set("error", ""))},
		{"chunks-in-old-http", "status/401/negotiation", on(both(isError, callIs(func(c *call) bool { return c.request.ProtoMajor == 1 && c.request.ProtoMinor == 0 })), func(_ *call, a *reply) {
			a.header.Set("Transfer-Encoding", "chunked")
			a.body = fmt.Appendf(nil, "%x\r\n%s\r\n0\r\n\r\n", len(a.body), a.body)
		})},
		{"body-of-a-401-is-not-drained", "extract/401/unknown-key", leftUnread(http.StatusUnauthorized)},
		{"method-override-to-get", wrongMethod, rewrite(func(c *call) {
			if c.request.Method == http.MethodPost && c.request.Header.Get("X-Http-Method-Override") == http.MethodGet {
				c.request.Method, c.body = http.MethodGet, nil
				c.request.Header.Del("Content-Type")
			}
		})},
		{"expect-in-one-letter-case", "extract/200/negotiation", on(both(always, callIs(func(c *call) bool {
			v := c.request.Header.Get("Expect")
			return v != "100-continue" && strings.EqualFold(v, "100-continue")
		})), func(_ *call, a *reply) {
			const why = "must be 100-continue"
			a.status, a.body = http.StatusExpectationFailed, encode(object{"success": false, "error": "The request is not valid.", "code": "INVALID_REQUEST", "message": "Expect: " + why, "details": object{"Expect": why}})
		})},
		{"answers 406 if no JSON is accepted", "status/401/negotiation", on(both(isError, callIs(func(c *call) bool {
			accept := c.request.Header.Get("Accept")
			return accept != "" && (strings.Contains(accept, "json;q=0") || !strings.Contains(accept, "json") && !strings.Contains(accept, "*/*"))
		})), func(_ *call, a *reply) { a.status, a.body = http.StatusNotAcceptable, nil })},
		{"counts the length of errors in characters", eachRule, on(isError, func(_ *call, a *reply) { a.body = a.body[:utf8.RuneCount(a.body)] })},
		{"takes the body of a 404 or 405 for the next request", notFound, leftUnread(http.StatusNotFound, http.StatusMethodNotAllowed)},
	}
}

// leftUnread takes the body of a request that was refused with a status for the next request of its connection.
func leftUnread(statuses ...int) lie {
	return func(honest server) server {
		var spoilt sync.Map // connections
		return func(c *call) *reply {
			if _, isSpoilt := spoilt.LoadAndDelete(c.request.RemoteAddr); isSpoilt {
				return &reply{http.StatusBadRequest, http.Header{"Content-Type": {"text/plain"}, "Connection": {"close"}}, []byte("Bad Request")}
			}
			a := honest(c)
			if slices.Contains(statuses, a.status) && len(c.body) > 0 && !c.request.Close {
				spoilt.Store(c.request.RemoteAddr, true)
			}
			return a
		}
	}
}
