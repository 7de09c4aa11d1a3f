package liar

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/json"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"
)

// combinedDefects show only in long requests and answers, in certain states of an account, or with certain combinations of
// options.
func combinedDefects() []row {
	return slices.Concat(longDefects(), signDefects(), alternativeDefects(), stateDefects(), lastMomentDefects(), revealingDefects(), fileDefects())
}

// The cases about long requests and answers, and about combinations.
const (
	longPage   = "extract/200/many-words"
	tenPages   = "extract/200/ten-pages"
	signsPage  = "extract/200/special-characters"
	fadedPage  = "extract/200/faded-page"
	longBody   = "extract/400/each-rule-in-a-long-body"
	results    = "extract/200/negotiation"
	everyState = "extract/401/in-every-state"
	together   = "extract/200/combinations"
)

// longBytes is more than short requests and answers have, and less than long ones.
const longBytes = 64 << 10

func longDefects() []row {
	isLong := func(c *call, a *reply) bool { return isResult(c, a) && len(a.body) > longBytes }
	return []row{
		{"sends only 64 KiB of a document", tenPages, document("", func(s string) string { return s[:min(len(s), longBytes)] })},
		inDocument("alto", "makes ids in ALTO of numbers without a separator", longPage, `ID="p(\d+)_b(\d+)_l(\d+)_w(\d+)"`, `ID="w$1$2$3$4"`),
		inDocument("tsv", "starts the numbers of words in TSV again after nine", longPage, `(?m)^(5\t\d+\t\d+\t\d+\t\d+\t)1(\d)\t`, `$1$2`+"\t"),
		{"drops blank pages between others", tenPages, on(isResult, text(replacing("\f\f", "\f")))},
		{"names models in alphabetical order", tenPages, on(isResult, inside("reader", func(o object) {
			all, _ := o["models"].([]any)
			slices.SortFunc(all, func(a, b any) int {
				x, _ := a.(object)["name"].(string)
				y, _ := b.(object)["name"].(string)
				return cmp.Compare(x, y)
			})
		}))},
		{"compresses long answers unasked", tenPages, on(both(isLong, callIs(func(c *call) bool { return c.request.Header.Get("Accept-Encoding") == "" })), compress, header("Content-Encoding", "gzip"))},
		{"cuts long answers off when it compresses them", results, on(both(isLong, callIs(func(c *call) bool { return c.request.Header.Get("Accept-Encoding") == "gzip" })),
			text(func(s string) string { return s[:len(s)/2] }), compress, header("Content-Encoding", "gzip"))},
		{"sends the bare text to clients that prefer it", results, on(both(isResult, callIs(func(c *call) bool { return c.request.Header.Get("Accept") == "text/plain" })), func(_ *call, a *reply) {
			s, _ := a.object()["text"].(string)
			a.body = []byte(s)
			a.header.Set("Content-Type", "text/plain; charset=utf-8")
		})},
		{"answers ranges of results", results, on(both(isResult, callIs(func(c *call) bool { return c.request.Header.Get("Range") == "bytes=0-3" })), recode(http.StatusPartialContent))},
		{"ignores unknown fields behind 64 KiB", longBody, body(func(b []byte) []byte {
			if len(b) < longBytes || !json.Valid(b) {
				return b
			}
			return edited(b, func(o object) {
				for name := range o {
					if !slices.Contains([]string{"imageUrl", "language", "enhance", "format"}, name) {
						delete(o, name)
					}
				}
			})
		})},
		{"ignores what follows the JSON of a long body", longBody, body(func(b []byte) []byte {
			var first json.RawMessage
			if len(b) < longBytes || json.NewDecoder(bytes.NewReader(b)).Decode(&first) != nil {
				return b
			}
			return first
		})},
		{"refuses parameters in data: URLs of more than 64 KiB", everyImage, refuseImage("must be a data: URL with base64", func(p *picture) bool {
			_, parameters, _ := strings.Cut(p.header, ";")
			return len(p.encoded) > longBytes && !strings.EqualFold(parameters, "base64")
		})},
		{"writes points beyond 99,999 with an exponent", statusRecord, on(isStatusRecord, raw(replacing(":1000000", ":1e6")))},
	}
}

// signDefects spoil the characters that markup, tables and encodings treat in their own way.
func signDefects() []row {
	return []row{
		{"doubles quotation marks in TSV", signsPage, document("tsv", replacing(`"`, `""`))},
		inDocument("alto", "escapes words in ALTO twice", signsPage, `&amp;`, `&amp;amp;`),
		inDocument("page", "writes typographic quotation marks in PAGE-XML as straight ones", signsPage, `[“”]`, `&quot;`),
		inDocument("hocr", "drops combining characters in hOCR", signsPage, `\p{Mn}`, ``),
		{"writes letters of four bytes as question marks", signsPage, on(isResult, raw(matching(`[\x{10000}-\x{10ffff}]`, `?`)))},
		{"writes the long s as a round one", signsPage, on(isResult, raw(replacing("ſ", "s")))},
		{"takes markup out of texts", signsPage, on(isResult, text(matching(`</?\w+>`, ``)))},
		{"takes a backslash in TSV for an escape", signsPage, document("tsv", replacing(`\n`, " "))},
	}
}

// alternativeDefects write other readings of doubtful words wrongly.
func alternativeDefects() []row {
	two := regexp.MustCompile(`(<ALTERNATIVE[^>]*>[^<]*</ALTERNATIVE>)(\s*)(<ALTERNATIVE[^>]*>[^<]*</ALTERNATIVE>)`)
	return []row{
		inDocument("hocr", "leaves other readings out of hOCR", fadedPage, `(?s)<span class="alternatives">\s*<ins[^>]*>([^<]*)</ins>.*?</span>`, `$1`),
		{"swaps the first other readings in ALTO", fadedPage, document("alto", func(s string) string { return two.ReplaceAllString(s, `$3$2$1`) })},
		inDocument("page", "counts the ranks of other readings in PAGE-XML from 1", fadedPage, `<TextEquiv index="0"`, `<TextEquiv index="1"`),
		inDocument("page", "is surer of another reading than of the word in PAGE-XML", fadedPage, `(index="1" conf=")[^"]*`, `${1}0.99`),
		inDocument("hocr", "is surer of another reading than of the word in hOCR", fadedPage, `(<del class="alt" title="x_wconf )\d+`, `${1}99`),
		inDocument("alto", "repeats the word among its other readings in ALTO", fadedPage, `(CONTENT="([^"]*)"[^>]*>\s*<ALTERNATIVE)>[^<]*`, `$1>$2`),
		inDocument("hocr", "marks other readings in hOCR as ins", fadedPage, `(<del class="alt"[^>]*>[^<]*)</del>`, `$1</del><ins class="alt">x</ins>`),
		inDocument("tsv", "writes a divided word in TSV with a soft hyphen", "extract/200/every-page-in-every-format", `(?m)-$`, "\u00ad"),
		inDocument("tsv", "lists pictures in TSV as blocks", "extract/200/every-page-in-every-format", `(?m)^(2\t1\t)1(\t.*)$`, "${1}1$2\n${1}2$2"),
		{"splits weak places into words", fadedPage, on(isResult, edit(splitPlaces))},
		{"writes the lines of weak places from the last to the first", "extract/200/weak-faint-page", on(isResult, edit(func(o object) {
			all, _ := o["weak"].([]any)
			for _, w := range all {
				if w, ok := w.(object); ok {
					lines := strings.Split(stringOf(w["text"]), "\n")
					if slices.Reverse(lines); len(lines) > 1 {
						w["text"] = strings.Join(lines, "\n")
					}
				}
			}
		}))},
		{"lists only 20 weak places", fadedPage, on(isResult, edit(func(o object) {
			if all, _ := o["weak"].([]any); len(all) > 20 {
				o["weak"] = all[:20]
			}
		}))},
		inDocument("hocr", "names the default language in Latin hOCR", together, `lang="la"`, `lang="en"`),
		{"does not enhance German tables", together, fields(func(o object) {
			if o["format"] == "tsv" && o["language"] != "en" {
				delete(o, "enhance")
			}
		})},
	}
}

// stringOf is a value as a string, "" if it is something else.
func stringOf(v any) string {
	s, _ := v.(string)
	return s
}

// splitPlaces makes two places of one with two words, each with the half of its box.
func splitPlaces(o object) {
	all, _ := o["weak"].([]any)
	for i, w := range all {
		place, _ := w.(object)
		words, box := strings.Fields(stringOf(place["text"])), object{}
		if len(words) != 2 || place["reason"] != "low-confidence" {
			continue
		}
		maps.Copy(box, place["box"].(object))
		half := number(box, "width") * int64(len(words[0])) / int64(len(words[0])+len(words[1]))
		second := maps.Clone(place)
		place["text"], second["text"] = words[0], words[1]
		second["box"] = object{"x": jsonNumber(number(box, "x") + half), "y": box["y"], "width": jsonNumber(number(box, "width") - half), "height": box["height"]}
		box["width"] = jsonNumber(half)
		place["box"] = box
		all = slices.Insert(all, i+1, any(second))
		o["weak"] = all[:min(len(all), 50)]
		return
	}
}

// stateDefects check less, or in another order, after certain answers.
func stateDefects() []row {
	behind := func(code int) lie {
		return remember(everyone, func(last *int, honest server, c *call, a *reply) {
			if c.isAPI() && a.status == http.StatusUnauthorized && *last == code {
				*a = *answerForOther(honest, c, a)
			}
			if *last = a.status; a.status == http.StatusUnauthorized {
				*last = code
			}
		})
	}
	isEmpty := callIs(func(c *call) bool { return strings.HasPrefix(c.key(), "ocr_test_empty") })
	busy := `{"imageUrl":"https://mock.invalid/busy"}`
	return []row{
		{"compares only 72 characters of a key", "status/401/unknown-key", func(honest server) server {
			var known memory[string]
			return func(c *call) *reply {
				const prefixLength = 72
				a, key := honest(c), c.key()
				if len(key) < prefixLength || !c.isAPI() {
					return a
				}
				known.use(key[:prefixLength], func(whole *string) {
					if a.status < 400 {
						*whole = key
					} else if a.status == http.StatusUnauthorized && *whole != "" {
						a = honest(c.withKey(*whole))
					}
				})
				return a
			}
		}},
		{"does not check keys after a 402", everyState, behind(http.StatusPaymentRequired)},
		{"does not check keys after a 429", everyState, behind(http.StatusTooManyRequests)},
		{"does not check keys after a 404", everyState, behind(http.StatusNotFound)},
		{"checks the points before the rate limit", "extract/429/before-402", replaceWhen(both(isEmpty, status(http.StatusTooManyRequests)), func(honest server, c *call, a *reply) *reply {
			b := honest(c.withKey(emptyKey))
			b.takeWindow(a)
			return b
		})},
		{"checks its capacity before the shape of a request", "extract/400/before-500", replaceWhen(both(status(http.StatusBadRequest), callIs(func(c *call) bool { return strings.HasSuffix(c.field("imageUrl"), "/busy") })),
			func(honest server, c *call, a *reply) *reply {
				b := c.withKey(okKey).ask(honest, http.MethodPost, extractPath, []byte(busy))
				b.takeWindow(a)
				return b
			})},
		{"keeps the Idempotency-Key of an unknown path", "extract/200/errors-are-not-kept", remember(func(c *call) string { return c.idempotencyKey() }, func(lost *bool, _ server, c *call, a *reply) {
			*lost = *lost || a.status == http.StatusNotFound
			if *lost && isResult(c, a) {
				const why = "was used for another request"
				a.status, a.body = http.StatusBadRequest, encode(object{"success": false, "error": "The request is not valid.", "code": "INVALID_REQUEST", "message": "Idempotency-Key: " + why, "details": object{"Idempotency-Key": why}})
			}
		})},
	}
}

// lastMomentDefects go wrong where windows, months and years end.
func lastMomentDefects() []row {
	isCapped := callIs(func(c *call) bool { return strings.HasPrefix(c.key(), "ocr_test_capped") })
	return []row{
		{"tells clients to retry at once in the last second", usedUp, on(status(http.StatusTooManyRequests), retryAfter(func(seconds int64) string {
			if seconds <= 1 {
				return "0"
			}
			return jsonNumber(seconds).String()
		}))},
		{"starts caps again a day late in March", "clock/capped-year", replaceWhen(both(always, isCapped), func(honest server, c *call, a *reply) *reply {
			if at := c.now(honest); at.Month() == time.March && at.Day() == 1 {
				shift(a, 10)
			}
			return a
		})},
		{"forgets after an hour which request an Idempotency-Key belongs to", clockReplay, editByHistory(repeatable, func(first *struct {
			body []byte
			at   time.Time
		}, honest server, c *call,
		) {
			if now := c.now(honest); first.body == nil {
				first.body, first.at = c.body, now
			} else if now.Sub(first.at) >= time.Hour && now.Sub(first.at) < 24*time.Hour {
				c.body = first.body
			}
		})},
		{"starts a window with each month", "clock/window-across-months", replaceWhen(always, func(honest server, c *call, a *reply) *reply {
			if at := c.now(honest); at.Day() == 1 && at.Hour()+at.Minute() == 0 {
				addLeft(a, 1)
			}
			return a
		})},
	}
}

// revealingDefects reveal the software or people behind a server, and send its contract with a wrong type.
func revealingDefects() []row {
	return []row{
		{"names the owner of an account", noPoints, on(status(http.StatusPaymentRequired), set("message", "the account of archive@example.org has too few points"))},
		{"names the number of an account", noPoints, on(status(http.StatusPaymentRequired), set("message", "account 4711 has too few points"))},
		{"names its container in errors", serverFails, on(status(http.StatusInternalServerError), set("message", "internal error in uncial-7d9f8c6b54-x2x9q"))},
		{"sends its contract as HTML", servedCase, on(isContractAsYAML, header("Content-Type", "text/html; charset=utf-8"))},
		{"sends an older contract in JSON to browsers", servedCase, redraft(func(c *call, doc map[string]any) {
			if strings.HasPrefix(c.request.Header.Get("User-Agent"), "Mozilla") {
				doc["info"].(map[string]any)["version"] = "1.0.0"
			}
		}, "/openapi.json")},
	}
}

// fileDefects refuse files as some tools write them, or measure them wrongly.
func fileDefects() []row {
	return []row{
		{"refuses TIFF with the high bytes first", everyImage, refuseImage("the file is not an image", func(p *picture) bool { return bytes.HasPrefix(p.data, []byte("MM\x00*")) })},
		{"refuses LZW in TIFF with the high bytes first", everyImage, refuseImage("the file is not an image", func(p *picture) bool {
			return bytes.HasPrefix(p.data, []byte("MM\x00*")) && p.tag(0x103) == 5 // Compression: LZW
		})},
		{"refuses JPEG with restart markers", everyImage, refuseImage("the file is not an image", func(p *picture) bool {
			return p.format == "JPEG" && p.has("\xff\xdd\x00\x04")
		})},
		{"refuses WebP with metadata", everyImage, refuseImage("the file is not an image", func(p *picture) bool {
			return bytes.Contains(p.data[:min(len(p.data), 4096)], []byte("EXIF")) && p.format == "WebP"
		})},
		{"does not turn pages whose Exif has the low bytes first", "extract/200/every-turned-image", on(isResult, func(c *call, a *reply) {
			if p := pictureOf(c); p != nil && p.exifOrientation() > 4 && c.field("format") != "alto" && bytes.Contains(p.data[:256], []byte("Exif\x00\x00II")) {
				a.replace("2480", "2481")
			}
		})},
		{"refuses JPEG with fill bytes", everyImage, refuseImage("the JPEG is cut short", func(p *picture) bool { return bytes.HasPrefix(p.data, []byte("\xff\xd8\xff\xff")) })},
		{"refuses BMP with a gap in front of its pixels", everyImage, refuseImage("the BMP is cut short", func(p *picture) bool {
			return p.format == "BMP" && len(p.data) > 54 && binary.LittleEndian.Uint32(p.data[10:]) == 64 && binary.LittleEndian.Uint32(p.data[14:]) == 40
		})},
		{"swaps the sides of pages in hOCR that Exif turns", "extract/200/every-turned-image", on(both(isResult, field("format", "hocr")), func(c *call, a *reply) {
			if p := pictureOf(c); p != nil && p.exifOrientation() > 4 {
				a.edit(func(o object) {
					s, _ := o["document"].(string)
					o["document"] = strings.ReplaceAll(s, "bbox 0 0 2480 3508", "bbox 0 0 3508 3508")
				})
			}
		})},
	}
}
