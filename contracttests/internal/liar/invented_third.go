package liar

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// thirdDefects are a third set, written like inventedDefects. testdata/invented-third.tsv has all of them, with the sentences that they
// break, and what the suite caught of them at that time. Those that another table has, and those that cannot show on the mock, are only
// there.
func thirdDefects() []row {
	return slices.Concat(thirdImages(), thirdContents(), thirdKeys(), thirdNegotiation(), thirdRepeats(), thirdWindows(), thirdShapes(), thirdLeaks(), thirdServed())
}

func thirdImages() []row {
	const most, said = 100 * 1024 * 1024, 100_000_000
	return []row{
		{"jpeg-with-app0-or-app1-only", everyImage, refuseImage("is not an image of a supported format", func(p *picture) bool {
			return p.format == "JPEG" && p.data[3] != 0xe0 && p.data[3] != 0xe1
		})},
		{"binary-megapixels", everyOther, rewrite(func(c *call) {
			p := pictureOf(c)
			if p == nil {
				return
			}
			pixels := p.width * p.height
			if all := p.directories(); len(all) > 1 {
				pixels = 0
				for _, tags := range all {
					pixels += int(tags[256]) * int(tags[257])
				}
			}
			if pixels > said && pixels <= most {
				c.body = edited(c.body, func(o object) { o["imageUrl"] = "https://mock.invalid/printed" })
			}
		})},
		{"declared-type-must-be-of-an-image", everyImage, refuseImage("must be an image", func(p *picture) bool {
			declared, _, _ := strings.Cut(strings.ToLower(p.header)[len("data:"):], ";")
			return declared != "" && !strings.HasPrefix(declared, "image/")
		})},
		{"least-side-of-3", everyImage, refuseImage("the image is too small", func(p *picture) bool { return p.width > 0 && min(p.width, p.height) < 3 })},
	}
}

func thirdContents() []row {
	item := regexp.MustCompile(`(?s)<MetadataItem.*?</MetadataItem>`)
	readBy := regexp.MustCompile(` ?readBy \{[^}]*\}`)
	confidences := regexp.MustCompile(`(<TextEquiv index="[1-9]" conf=")([^"]*)`)
	weights := regexp.MustCompile(`(<del class="alt" title="x_wconf )(\d+)`)
	return []row{
		{"models-in-the-first-file-only", severalPages, document("page", func(s string) string {
			parts := strings.Split(s, "<PcGts")
			for i := 2; i < len(parts); i++ {
				parts[i] = strings.ReplaceAll(readBy.ReplaceAllString(item.ReplaceAllString(parts[i], ""), ""), ` custom=""`, "")
			}
			return strings.Join(parts, "<PcGts")
		})},
		{"other-readings-add-up-to-one", "extract/200/every-page-in-every-format", chain(
			document("page", func(s string) string { return normalised(s, "</Word>", confidences, 1) }),
			document("hocr", func(s string) string { return normalised(s, "</ins>", weights, 100) }),
		)},
	}
}

// normalised divides the numbers of a pattern by their sum in each part of a document, so that they add up to whole.
func normalised(s, between string, number *regexp.Regexp, whole float64) string {
	parts := strings.Split(s, between)
	for i, part := range parts {
		sum := 0.0
		for _, m := range number.FindAllStringSubmatch(part, -1) {
			v, _ := strconv.ParseFloat(m[2], 64)
			sum += v
		}
		parts[i] = number.ReplaceAllStringFunc(part, func(found string) string {
			m := number.FindStringSubmatch(found)
			v, _ := strconv.ParseFloat(m[2], 64)
			return m[1] + strconv.FormatFloat(float64(int(v/sum*whole*100))/100, 'f', -1, 64)
		})
	}
	return strings.Join(parts, between)
}

func thirdKeys() []row {
	const largest = 28 << 20
	return []row{
		{"token-beyond-ascii-is-500", "status/401/malformed-key", on(both(status(http.StatusUnauthorized), asking(func(c *call) bool {
			return strings.ContainsFunc(c.authorization(), func(r rune) bool { return r > 0x7f })
		})), serverError)},
		{"invalid-token-in-www-authenticate", "status/401/unknown-key", on(both(status(http.StatusUnauthorized), asking(func(c *call) bool { return c.authorization() != "" })), header("WWW-Authenticate", `Bearer error="invalid_token"`))},
		{"length-before-key", "extract/401/before-everything", on(both(both(extraction, status(http.StatusUnauthorized)), asking(func(c *call) bool { return c.request.ContentLength > largest })), invalid("body", "is too large"))},
	}
}

func thirdNegotiation() []row {
	return []row{
		{"body-of-a-401-is-not-drained", "extract/401/unknown-key", leftUnread(http.StatusUnauthorized)},
		{"method-override-to-get", wrongMethod, rewrite(func(c *call) {
			if c.request.Method == http.MethodPost && c.request.Header.Get("X-Http-Method-Override") == http.MethodGet {
				c.request.Method, c.body = http.MethodGet, nil
				c.request.Header.Del("Content-Type")
			}
		})},
	}
}

func thirdRepeats() []row {
	type latest struct {
		order     []string
		forgotten map[string]int // how often
	}
	return []row{
		{"fingerprint-of-8192-characters", "extract/400/replay-of-a-similar-request", recall(repeatable, func(first *[]byte, _ server, c *call) {
			const most = 8192
			cut := func(b []byte) string {
				o := parse(b)
				s, _ := o["imageUrl"].(string)
				if o != nil {
					o["imageUrl"] = s[:min(len(s), most)]
				}
				return string(encode(o))
			}
			if *first == nil {
				*first = c.body
			} else if json.Valid(c.body) && cut(c.body) == cut(*first) {
				c.body = *first
			}
		})},
		{"stored-after-it-was-sent", "extract/200/caller-hung-up", func(honest server) server {
			var lost memory[int]
			return func(c *call) *reply {
				id := repeatable(c)
				if id == "" {
					return honest(c)
				}
				key := c.idempotencyKey()
				other := c.with(c.body)
				lost.use(id, func(n *int) {
					if *n > 0 {
						other.request.Header.Set("Idempotency-Key", fmt.Sprint(key, "-", *n))
					}
				})
				alive := other.request.Context()
				other.request = other.request.WithContext(context.WithoutCancel(alive)) // it was charged
				a := honest(other)
				if a.status == http.StatusOK && alive.Err() != nil {
					lost.use(id, func(n *int) { *n++ })
				}
				return a
			}
		}},
		{"keys-of-128-characters", "extract/200/replay-similar-keys", rewrite(func(c *call) {
			if key := c.idempotencyKey(); c.isExtract() && len(key) > 128 && len(key) < 256 {
				c.request.Header.Set("Idempotency-Key", key[:128])
			}
		})},
		{"32-latest-answers", "extract/200/replay-after-traffic", func(honest server) server {
			var memories memory[latest]
			return func(c *call) *reply {
				key, other := c.idempotencyKey(), c.with(c.body)
				if !c.isExtract() || key == "" {
					return honest(c)
				}
				memories.use(c.key(), func(m *latest) {
					if n := m.forgotten[key]; n > 0 && len(key) < 250 {
						other.request.Header.Set("Idempotency-Key", fmt.Sprint(key, "-", n))
					}
				})
				a := honest(other)
				memories.use(c.key(), func(m *latest) {
					if a.status != http.StatusOK || slices.Contains(m.order, key) {
						return
					}
					if m.order = append(m.order, key); len(m.order) > 32 {
						if m.forgotten == nil {
							m.forgotten = map[string]int{}
						}
						m.forgotten[m.order[0]]++
						m.order = m.order[1:]
					}
				})
				return a
			}
		}},
		{"running-conflict-is-carried-out", "extract/400/replay-of-another-request-at-once", func(honest server) server {
			var running firstRunning
			return func(c *call) *reply {
				id := repeatable(c)
				if id == "" {
					return honest(c)
				}
				first, isFirst := running.begin(id, c.body)
				defer running.end(id)
				if !isFirst && !bytes.Equal(first, c.body) {
					return honest(c.unkeyed())
				}
				return honest(c)
			}
		}},
	}
}

// thirdShapes take bodies that are not UTF-8. The honest server refuses the replacement character as well, so that it is left out.
func thirdShapes() []row {
	return []row{
		{"replaces-what-is-not-utf-8", eachRule, body(func(b []byte) []byte {
			if bytes.Contains(b, []byte(`"data:image/png;name=`)) {
				return bytes.ToValidUTF8(b, nil)
			}
			return b
		})},
	}
}

func thirdWindows() []row {
	type seen struct {
		left  int64
		reset time.Time
	}
	return []row{
		{"windows-rolled-over-by-post", clockWindow, remember(account, func(m *seen, honest server, c *call, a *reply) {
			left, seconds, ok := window(a)
			at := c.now(honest)
			switch {
			case !ok || at.IsZero():
			case c.isExtract():
				m.left, m.reset = left, at.Add(time.Duration(seconds)*time.Second)
			case c.isStatus() && !m.reset.IsZero() && !at.Before(m.reset):
				setWindow(a, m.left, 0)
				a.edit(func(o object) {
					if r, ok := o["rateLimit"].(object); ok {
						r["reset"] = jsonNumber(m.reset.Unix())
					}
				})
			}
		})},
	}
}

func thirdLeaks() []row {
	names := map[string]string{"imageUrl": "ExtractionRequest.ImageURL", "language": "ExtractionRequest.Language", "format": "ExtractionRequest.Format"}
	return []row{
		{"names-of-structures-in-details", eachRule, on(both(extraction, status(http.StatusBadRequest)), func(c *call, a *reply) {
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
	}
}

func thirdServed() []row {
	return []row{
		{"enum-without-quotes", servedCase, redraft(func(_ *call, doc map[string]any) {
			doc["components"].(map[string]any)["headers"].(map[string]any)["IdempotencyReplayed"].(map[string]any)["schema"].(map[string]any)["enum"] = []any{true}
		}, "/openapi.yaml", "/openapi.json")},
		{"version-of-the-program", servedCase, chain(
			redraft(func(_ *call, doc map[string]any) { doc["info"].(map[string]any)["version"] = "1.4.0" }, "/openapi.yaml", "/openapi.json"),
			on(extracted, inside("reader", func(o object) { o["version"] = "1.4.0" })),
		)},
	}
}
