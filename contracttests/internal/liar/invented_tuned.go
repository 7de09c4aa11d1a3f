package liar

import (
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf16"
	"unicode/utf8"
)

// tunedDefects are those of a list, written like inventedDefects, that the cases were made with. Those that another table has, and those
// that cannot show on the mock, are left out.
func tunedDefects() []row {
	return slices.Concat(tunedImages(), tunedContents(), tunedKeys(), tunedNegotiation(), tunedCalendar(), tunedShapes(), tunedLeaks(), tunedServed())
}

// serverError is a 500 without a reason.
func serverError(_ *call, a *reply) {
	a.header.Del("WWW-Authenticate")
	a.status, a.body = http.StatusInternalServerError, encode(object{"success": false, "error": "The service could not complete the request.", "code": "SERVER_ERROR", "message": "internal error"})
}

// invalid is a 400 about a field.
func invalid(field, why string) change {
	return func(_ *call, a *reply) {
		a.header.Del("WWW-Authenticate")
		a.status, a.body = http.StatusBadRequest, encode(object{"success": false, "error": "The request is not valid.", "code": "INVALID_REQUEST", "message": field + ": " + why, "details": object{field: why}})
	}
}

func tunedImages() []row {
	return []row{
		{"refuses BMP whose rows go from the top down", everyImage, refuseImage("height out of range", func(p *picture) bool { return p.format == "BMP" && p.at(25) >= 0x80 })},
		{"multiplies the largest width by the largest height and the pages", everyImage, refuseImage("the image has more than 100 megapixels", func(p *picture) bool {
			width, height, all := 0, 0, p.directories()
			for _, tags := range all {
				width, height = max(width, int(tags[256])), max(height, int(tags[257]))
			}
			return len(all) > 1 && width*height*len(all) > 100_000_000
		})},
		{"fails on sides of more than 32,735 pixels", everyImage, on(both(extracted, asking(func(c *call) bool {
			p := pictureOf(c)
			return p != nil && max(p.width, p.height) > 32_735
		})), serverError)},
		{"fails on slivers", everyImage, on(both(extracted, asking(func(c *call) bool {
			p := pictureOf(c)
			return p != nil && p.width > 0 && min(p.width, p.height) < 3 && max(p.width, p.height) > 2
		})), serverError)},
	}
}

func tunedContents() []row {
	fourBytes := regexp.MustCompile(`[\x{10000}-\x{10ffff}]`)
	surrogates := func(s string) string {
		return fourBytes.ReplaceAllStringFunc(s, func(c string) string {
			var b strings.Builder
			for _, u := range utf16.Encode([]rune(c)) {
				fmt.Fprintf(&b, "&#x%04X;", u)
			}
			return b.String()
		})
	}
	return []row{
		{"writes letters of four bytes in XML as halves of surrogate pairs", "extract/200/special-characters", chain(document("alto", surrogates), document("page", surrogates), document("hocr", surrogates))},
	}
}

func tunedKeys() []row {
	refusedKey := both(status(http.StatusUnauthorized), asking(func(c *call) bool { return c.key() != "" }))
	return []row{
		{"cuts the key at the first comma", "status/401/malformed-key", instead(status(http.StatusUnauthorized), func(honest server, c *call, a *reply) *reply {
			key, _, cut := strings.Cut(c.key(), ",")
			if !cut || len(c.request.Header["Authorization"]) != 1 || !strings.HasPrefix(c.authorization(), "Bearer ") {
				return a
			}
			return honest(c.as(key))
		})},
		{"accepts an expired key for GET /status only", "status/401/expired", instead(both(status(http.StatusUnauthorized), asking(func(c *call) bool { return c.isStatus() && strings.HasPrefix(c.key(), "ocr_test_expired") })), asOther)},
		{"answers 400 to keys that cannot be one of its own", "status/401/unknown-key", on(both(refusedKey, asking(func(c *call) bool {
			return len(c.key()) > 128 || strings.ContainsAny(c.key(), "/+=")
		})), invalid("Authorization", "malformed key"))},
		{"takes an empty key for that of a demonstration", "status/401/no-key", instead(both(status(http.StatusUnauthorized), asking(func(c *call) bool {
			return strings.EqualFold(strings.TrimSpace(c.authorization()), "bearer")
		})), asOther)},
	}
}

func tunedNegotiation() []row {
	return []row{
		{"answers 406 if no JSON is accepted", "status/401/negotiation", on(both(failed, asking(func(c *call) bool {
			accept := c.request.Header.Get("Accept")
			return accept != "" && (strings.Contains(accept, "json;q=0") || !strings.Contains(accept, "json") && !strings.Contains(accept, "*/*"))
		})), func(_ *call, a *reply) { a.status, a.body = http.StatusNotAcceptable, nil })},
		{"counts the length of errors in characters", eachRule, on(failed, func(_ *call, a *reply) { a.body = a.body[:utf8.RuneCount(a.body)] })},
		{"takes the body of a 404 or 405 for the next request", notFound, leftUnread(http.StatusNotFound, http.StatusMethodNotAllowed)},
	}
}

// leftUnread takes the body of a request that was refused with a status for the next request of its connection.
func leftUnread(statuses ...int) lie {
	return func(honest server) server {
		var spoilt sync.Map // connections
		return func(c *call) *reply {
			if _, is := spoilt.LoadAndDelete(c.request.RemoteAddr); is {
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

func tunedCalendar() []row {
	berlin := time.FixedZone("", 3600)
	return []row{
		{"begins months in its own time zone", "extract/402/empty", nextReset(func(_, reset time.Time) time.Time {
			return time.Date(reset.Year(), reset.Month(), 1, 0, 0, 0, 0, berlin).UTC()
		})},
		{"reports the allowance of the account for a capped key", "extract/402/capped", on(both(reported, asking(func(c *call) bool { return strings.HasPrefix(c.key(), "ocr_test_capped") })), set("pointsTotal", 10_000))},
		{"reports the limit of one plan as that of all", statusRecord, on(always, func(_ *call, a *reply) {
			if a.header.Get("RateLimit-Policy") != "" {
				a.header.Set("RateLimit-Policy", `"account";q=60;w=60`)
			}
		})},
	}
}

func tunedShapes() []row {
	embedded := []string{"[::ffff:", "[64:ff9b:"}
	return []row{
		{"accepts a body of GET /status in chunks", "status/400/takes-nothing", rewrite(func(c *call) {
			if c.isStatus() && slices.Contains(c.request.TransferEncoding, "chunked") {
				c.body = nil
			}
		})},
		{"accepts an Idempotency-Key beyond ASCII", eachRule, rewrite(func(c *call) {
			if key := c.idempotencyKey(); c.isExtract() && strings.ContainsFunc(key, func(r rune) bool { return r > 0x7f }) && !strings.ContainsFunc(key, func(r rune) bool { return r < '!' || r == 0x7f }) {
				c.request.Header.Set("Idempotency-Key", strings.Map(func(r rune) rune {
					if r > 0x7e {
						return 'x'
					}
					return r
				}, key))
			}
		})},
		{"connects to IPv4 addresses within IPv6", refusedAddress, on(both(extraction, status(http.StatusBadRequest)), func(c *call, a *reply) {
			u := strings.ToLower(c.field("imageUrl"))
			if slices.ContainsFunc(embedded, func(prefix string) bool { return strings.Contains(u, "//"+prefix) }) {
				inside("fetch", func(f object) {
					if f["reason"] == "refused-address" {
						f["reason"], f["retryable"], f["retryAfter"] = "unreachable", true, 60
					}
				})(c, a)
			}
		})},
	}
}

func tunedLeaks() []row {
	return []row{
		{"answers 304 if nothing has changed", "status/200/always-json", on(reported, func(c *call, a *reply) {
			tag := `"` + jsonNumber(int64(len(a.body))).String() + `"`
			if a.header.Set("ETag", tag); c.request.Header.Get("If-None-Match") == tag {
				a.status, a.body = http.StatusNotModified, nil
			}
		})},
		inDocument("alto", "names models in ALTO by the path of their files", "extract/200/reader-in-alto", `(<processingStepSettings>[^<]*model=)(\S+)`, `$1/var/lib/uncial/models/$2.onnx`),
		{"adds the details of earlier errors", "extract/400/shape-costs-nothing", func(honest server) server {
			var mu sync.Mutex
			earlier := object{}
			return on(both(extraction, status(http.StatusBadRequest)), edit(func(o object) {
				mu.Lock()
				defer mu.Unlock()
				if own, ok := o["details"].(object); ok {
					all := maps.Clone(earlier)
					maps.Copy(all, own)
					o["details"], earlier = all, own
				}
			}))(honest)
		}},
		{"fails on paths that are not text", notFound, on(both(status(http.StatusNotFound), asking(func(c *call) bool {
			p := c.request.URL.Path
			return strings.Contains(p, "\x00") || !utf8.ValidString(p)
		})), func(_ *call, a *reply) {
			a.status, a.body = http.StatusInternalServerError, []byte("<pre>goroutine 7 [running]: /srv/uncial/router.go:88</pre>")
			a.header.Set("Content-Type", "text/html")
		})},
		{"fails on paths that are not UTF-8", notFound, on(both(status(http.StatusNotFound), asking(func(c *call) bool { return !utf8.ValidString(c.request.URL.Path) })), serverError)},
	}
}

func tunedServed() []row {
	isDocument := asking(func(c *call) bool { return c.request.URL.Path == "/openapi.yaml" })
	codes := regexp.MustCompile(`(?m)^( +)'(\d{3})':`)
	return []row{
		{"writes statuses in its contract without quotation marks", servedCase, on(isDocument, raw(func(s string) string { return codes.ReplaceAllString(s, "$1$2:") }))},
		{"sends its contract compressed without saying so", servedCase, on(isDocument, compress)},
		{"leaves headers out of its contract", servedCase, redraft(func(_ *call, doc map[string]any) {
			headers := doc["components"].(map[string]any)["responses"].(map[string]any)["Status"].(map[string]any)["headers"].(map[string]any)
			delete(headers, "RateLimit")
			delete(headers, "RateLimit-Policy")
		}, "/openapi.yaml", "/openapi.json")},
		{"serves its operations at the root as well", "elsewhere/404/outside", func(honest server) server {
			return func(c *call) *reply {
				a := honest(c)
				if p := c.request.URL.Path; p == "/status" || p == "/extract" {
					other := c.with(c.body)
					other.request.URL = &url.URL{Scheme: c.request.URL.Scheme, Host: c.request.URL.Host, Path: "/api/v1" + p}
					return honest(other)
				}
				return a
			}
		}},
	}
}
