package liar

import (
	"encoding/base64"
	"maps"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

// inventedLeaks reveal to callers, or leave in caches, what they must not know.
func inventedLeaks() []row {
	names := map[string]string{"imageUrl": "ExtractionRequest.ImageURL", "language": "ExtractionRequest.Language", "format": "ExtractionRequest.Format"}
	return []row{
		{"request-id-from-key", "status/200/record", replaceWhen(both(always, not(status(http.StatusUnauthorized))), func(honest server, c *call, a *reply) *reply {
			if k := c.key(); k != "" && c.status(honest).status != http.StatusUnauthorized {
				a.header.Set("X-Request-Id", base64.RawURLEncoding.EncodeToString([]byte(k[:min(18, len(k))])))
			}
			return a
		})},
		{"loopback-port-oracle", refusedAddress, on(both(isExtraction, status(http.StatusBadRequest)), func(c *call, a *reply) {
			u, err := url.Parse(c.field("imageUrl"))
			if err != nil || !slices.Contains([]string{"127.0.0.1", "::1", "localhost"}, strings.ToLower(u.Hostname())) || !slices.Contains([]string{"", "80", "443"}, u.Port()) {
				return
			}
			a.edit(func(o object) {
				fetch, ok := o["fetch"].(object)
				if !ok || fetch["reason"] != "refused-address" {
					return
				}
				const why = "dial tcp 127.0.0.1:80: connect: connection refused"
				o["fetch"] = object{"reason": "unreachable", "retryable": true, "retryAfter": 1}
				o["message"], o["details"] = why, object{"imageUrl": why}
			})
		})},
		{"model-name-is-path", enhanceCase, on(both(isResult, field("enhance", true)), edit(func(o object) {
			reader, _ := o["reader"].(object)
			models, _ := reader["models"].([]any)
			for _, m := range models {
				m, _ := m.(object)
				name, _ := m["name"].(string)
				path := "/var/lib/uncial/models/" + name + ".traineddata"
				m["name"] = path
				if d, ok := o["document"].(string); ok {
					o["document"] = strings.NewReplacer("model="+name+" ", "model="+path+" ", `type="model" value="`+name+`"`, `type="model" value="`+path+`"`,
						`content="`+name+" sha256", `content="`+path+" sha256").Replace(d)
				}
			}
		}))},
		{"shared-addresses-tried", refusedAddress, triesAddresses("100.64.0.0/10")},
		{"link-from-forwarded-host", "status/200/always-json", on(always, func(c *call, a *reply) {
			if host := c.request.Header.Get("X-Forwarded-Host"); host != "" {
				scheme := c.request.Header.Get("X-Forwarded-Proto")
				if scheme == "" {
					scheme = "http"
				}
				a.header.Set("Link", "<"+scheme+"://"+host+`/openapi.yaml>; rel="service-desc"`)
			}
		})},
		{"repeat-cacheable-for-a-day", replayCase, repeats(apply(header("Cache-Control", "private, max-age=86400")))},
		{"model-path-in-hocr", "extract/200/reader-in-hocr", document("hocr", matching(`(<meta name="uncial.model\d+" content=")(\S+) `, `${1}/usr/share/tesseract-ocr/5/tessdata/$2.traineddata `))},
		{"cause-in-details-of-500", "extract/500/key", on(status(500), set("details", object{"cause": "recognize.go:212: leptonica: pixReadMem failed"}))},
		{"names-of-structures-in-details", eachRule, on(both(isExtraction, status(http.StatusBadRequest)), func(c *call, a *reply) {
			sent := c.fields()
			a.edit(func(o object) {
				all, _ := o["details"].(object)
				for field, name := range names {
					if _, isText := sent[field].(string); isText && all[field] != nil {
						all[name] = all[field]
						delete(all, field)
					}
				}
			})
		})},
		{"developers-see-the-cause", "extract/500/negotiation", on(both(status(http.StatusInternalServerError), callIs(func(c *call) bool { return c.request.Header.Get("X-Forwarded-For") == "127.0.0.1" })),
			set("message", "index out of range [3] at /srv/uncial/recognize.go:211"))},
		{"server-timing-of-failures", serverFails, on(status(http.StatusInternalServerError), header("Server-Timing", `recognize;desc="onnxruntime: cannot open /opt/uncial/models/early_print.onnx";dur=12`))},
		{"addresses-of-benchmarks-tried", refusedAddress, triesAddresses("198.18.0.0/15")},
		{"answers 304 if nothing has changed", "status/200/always-json", on(isStatusRecord, func(c *call, a *reply) {
			tag := `"` + jsonNumber(int64(len(a.body))).String() + `"`
			if a.header.Set("ETag", tag); c.request.Header.Get("If-None-Match") == tag {
				a.status, a.body = http.StatusNotModified, nil
			}
		})},
		inDocument("alto", "names models in ALTO by the path of their files", "extract/200/reader-in-alto", `(<processingStepSettings>[^<]*model=)(\S+)`, `$1/var/lib/uncial/models/$2.onnx`),
		{"adds the details of earlier errors", "extract/400/shape-costs-nothing", func(honest server) server {
			var mu sync.Mutex
			earlier := object{}
			return on(both(isExtraction, status(http.StatusBadRequest)), edit(func(o object) {
				mu.Lock()
				defer mu.Unlock()
				if own, ok := o["details"].(object); ok {
					all := maps.Clone(earlier)
					maps.Copy(all, own)
					o["details"], earlier = all, own
				}
			}))(honest)
		}},
		{"fails on paths that are not text", notFound, on(both(status(http.StatusNotFound), callIs(func(c *call) bool {
			p := c.request.URL.Path
			return strings.Contains(p, "\x00") || !utf8.ValidString(p)
		})), func(_ *call, a *reply) {
			a.status, a.body = http.StatusInternalServerError, []byte("<pre>goroutine 7 [running]: /srv/uncial/router.go:88</pre>")
			a.header.Set("Content-Type", "text/html")
		})},
		{"fails on paths that are not UTF-8", notFound, on(both(status(http.StatusNotFound), callIs(func(c *call) bool { return !utf8.ValidString(c.request.URL.Path) })), serverError)},
	}
}

// triesAddresses answers as if the server had connected to addresses of a range, which it must refuse.
func triesAddresses(of string) lie {
	private := netip.MustParsePrefix(of)
	return on(both(isExtraction, status(http.StatusBadRequest)), func(c *call, a *reply) {
		u, err := url.Parse(c.field("imageUrl"))
		if err != nil {
			return
		}
		if at, err := netip.ParseAddr(u.Hostname()); err == nil && private.Contains(at) {
			const why = "the server could not be reached"
			a.edit(func(o object) {
				o["fetch"], o["message"], o["details"] = object{"reason": "unreachable", "retryable": true, "retryAfter": 5}, "imageUrl: "+why, object{"imageUrl": why}
			})
		}
	})
}
