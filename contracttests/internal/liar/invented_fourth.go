package liar

import (
	"bytes"
	"encoding/binary"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// fourthDefects are a fourth set, written like inventedDefects. testdata/invented-fourth.tsv has all of them, with the sentences that they
// break, and what the suite caught of them at that time. Those that another table has, and those that cannot show on the mock, are only
// there.
func fourthDefects() []row {
	return slices.Concat(fourthImages(), fourthContents(), fourthRepeats(), fourthCalendar(), fourthShapes(), fourthLeaks())
}

func fourthImages() []row {
	return []row{
		{"directories-that-ascend", everyImage, refuseImage("the file is damaged", func(p *picture) bool {
			return p.format == "TIFF" && len(p.data) > 8 && p.pages > 1 && binary.LittleEndian.Uint32(p.data[4:]) > uint32(len(p.data)-200)
		})},
		{"escaped-slashes-in-large-bodies", waysToWrite, refuse(func(c *call) bool {
			return len(c.body) > 64<<10 && bytes.Contains(c.body, []byte(`\/`))
		})},
	}
}

func fourthContents() []row {
	page := regexp.MustCompile(`(?s)<PcGts.*?</PcGts>`)
	reading := regexp.MustCompile(`(?s)<TextEquiv((?: conf="[^"]*")?>\s*<Unicode>[^<]*</Unicode>\s*)</TextEquiv>\s*</Word>`)
	divided := regexp.MustCompile(`(?m)[-\x{2010}=]$`)
	return []row{
		{"text-of-hocr-has-soft-hyphens", "extract/200/broken-word-hocr", on(both(extracted, field("format", "hocr")), edit(func(o object) {
			document, _ := o["document"].(string)
			if text, ok := o["text"].(string); ok && strings.Contains(document, "\u00ad") {
				o["text"] = divided.ReplaceAllString(text, "\u00ad")
			}
		}))},
		{"ten-files-of-mets-by-name", "extract/200/ten-pages", document("page", func(s string) string {
			pages := page.FindAllString(s, -1)
			if len(pages) < 10 {
				return s
			}
			pages = slices.Insert(slices.Delete(slices.Clone(pages), 9, 10), 1, pages[9])
			i := -1
			return page.ReplaceAllStringFunc(s, func(string) string {
				i++
				return pages[i]
			})
		})},
		{"other-readings-repeat-the-corrected-word", "extract/200/every-page-in-every-format", on(both(both(extracted, field("enhance", true)), field("format", "page")), edit(func(o object) {
			document, _ := o["document"].(string)
			if edits, _ := o["edits"].([]any); len(edits) == 0 {
				return
			}
			o["document"] = reading.ReplaceAllString(document, "<TextEquiv index=\"0\"$1</TextEquiv><TextEquiv index=\"1\"$1</TextEquiv></Word>")
		}))},
		{"pdf-without-letters-of-four-bytes", "extract/200/special-characters", instead(both(extracted, field("format", "pdf")), func(honest server, c *call, a *reply) *reply {
			text, _ := a.object()["text"].(string)
			if strings.ContainsFunc(text, func(r rune) bool { return r > 0xffff }) {
				b := honest(c.as(archiveKey).with([]byte(`{"imageUrl":"http://mock.invalid/printed","format":"pdf"}`)))
				set("document", b.object()["document"])(c, a)
			}
			return a
		})},
	}
}

func fourthRepeats() []row {
	return []row{
		{"errors-bind-the-key", "extract/200/errors-are-not-kept", bindsKeys(failed)},
		{"keys-are-lists", "extract/200/replay-similar-keys", refuseKey(func(key string) bool { return strings.Contains(key, ",") })},
	}
}

// bindsKeys refuses other requests with an Idempotency-Key after an error for which the condition holds.
func bindsKeys(w when) lie {
	return func(honest server) server {
		var memories memory[[]byte]
		return func(c *call) *reply {
			a := honest(c)
			if id := repeatable(c); id != "" {
				memories.use(id, func(refused *[]byte) {
					switch {
					case *refused != nil && !bytes.Equal(*refused, c.body) && (a.status == http.StatusOK || w(c, a)):
						invalid("Idempotency-Key", "was used for another request")(c, a)
					case *refused == nil && w(c, a) && json400(a) != "Idempotency-Key":
						*refused = c.body
					}
				})
			}
			return a
		}
	}
}

// json400 is the only field that the details of an error name, "" if there is none or more than one.
func json400(a *reply) string {
	details, _ := a.object()["details"].(object)
	for name := range details {
		if len(details) == 1 {
			return name
		}
	}
	return ""
}

// refuseKey refuses an Idempotency-Key as if it had a blank.
func refuseKey(w func(key string) bool) lie {
	return rewrite(func(c *call) {
		if c.isExtract() && w(c.idempotencyKey()) {
			c.request.Header.Set("Idempotency-Key", "a b")
		}
	})
}

func fourthCalendar() []row {
	return []row{
		{"too-many-pages-keep-their-points", everyOther, charges(10, both(status(http.StatusBadRequest), asking(func(c *call) bool {
			p := pictureOf(c)
			return p != nil && p.pages > 10
		})))},
		{"wrong-content-type-is-not-counted", eachRule, counts(-1, both(status(http.StatusBadRequest), asking(func(c *call) bool {
			return c.isExtract() && !strings.HasPrefix(strings.ToLower(c.request.Header.Get("Content-Type")), "application/json")
		})))},
	}
}

func fourthShapes() []row {
	return []row{
		{"expired-says-invalid-token", "status/401/expired", on(both(status(http.StatusUnauthorized), asking(func(c *call) bool { return strings.HasPrefix(c.key(), "ocr_test_expired") })),
			header("WWW-Authenticate", `Bearer error="invalid_token", error_description="The key expired"`))},
		accept("null-in-unknown-fields", func(o object) {
			keepFields(o, func(name string) bool { return o[name] != nil || slices.Contains(requestFields, name) })
		}),
		{"internal-names-in-small-letters-only", refusedAddress, on(both(extraction, status(http.StatusBadRequest)), func(c *call, a *reply) {
			u, err := url.Parse(c.field("imageUrl"))
			if err != nil || u.Hostname() == strings.ToLower(u.Hostname()) || !strings.Contains(u.Hostname(), ".") {
				return
			}
			a.edit(func(o object) {
				if f, ok := o["fetch"].(object); ok && f["reason"] == "refused-address" {
					o["fetch"] = object{"reason": "no-address", "retryable": true, "retryAfter": 60}
				}
			})
		})},
	}
}

func fourthLeaks() []row {
	return []row{
		{"developers-see-the-cause", "extract/500/negotiation", on(both(status(http.StatusInternalServerError), asking(func(c *call) bool { return c.request.Header.Get("X-Forwarded-For") == "127.0.0.1" })),
			set("message", "index out of range [3] at /srv/uncial/recognize.go:211"))},
	}
}
