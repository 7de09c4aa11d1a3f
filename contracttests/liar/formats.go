package liar

import (
	"encoding/base64"
	"encoding/json"
	"html"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"
)

func formatLies() []Defect {
	d := func(name, explanation string, l lie) Defect {
		return Defect{Name: name, Area: "formats", Explanation: explanation, lie: l}
	}
	return []Defect{
		d("document-missing", "The document is left out.", remove(extracted, "document")),
		d("document-for-json", "The format json comes with a document.", after(extracted, func(c *call, a *reply) {
			if f := c.asksFor("format"); f == "" || f == "json" {
				a.edit(func(o map[string]any) { o["document"] = o["text"].(string) + " " })
			}
		})),
		d("document-for-text", "The format text comes with a document.", after(extracted, func(c *call, a *reply) {
			if c.asksFor("format") == "text" {
				a.edit(func(o map[string]any) { o["document"] = o["text"].(string) + " " })
			}
		})),
		d("document-in-base64", "The document is sent in base64.", document("", func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) })),
		d("alto-for-page", "ALTO is sent where PAGE-XML was asked for.", instead("page", "alto")),
		d("hocr-for-alto", "hOCR is sent where ALTO was asked for.", instead("alto", "hocr")),
		d("alto-3", "ALTO is in the namespace of version 3.", document("alto", replacing("ns-v4#", "ns-v3#"))),
		d("page-2013", "PAGE-XML is in the namespace of 2013.", document("page", replacing("2019-07-15", "2013-07-15"))),
		d("xml-cut-off", "XML documents are cut off.", document("", func(s string) string {
			if strings.HasPrefix(s, "<") {
				return s[:len(s)*3/4]
			}
			return s
		})),
		d("xml-not-escaped", "Words in XML are not escaped.", document("", func(s string) string { return html.UnescapeString(strings.Replace(s, "</", " & </", 1)) })),
		d("ids-twice", "Ids in XML stand twice.", document("", regexpReplace(`_w\d+"`, `_w1"`))),
		d("ids-missing", "Blocks in ALTO have no id.", document("alto", regexpReplace(`<TextBlock ID="[^"]*"`, `<TextBlock`))),
		d("boxes-outside", "Boxes lie outside of their page.", document("alto", regexpReplace(`<String ID="([^"]*)" HPOS="(\d)`, `<String ID="$1" HPOS="9$2`))),
		d("box-negative", "A box begins left of its page.", document("alto", regexpReplace(`<String ID="([^"]*)" HPOS="`, `<String ID="$1" HPOS="-`))),
		d("box-without-area", "Boxes of words have no width.", document("alto", regexpReplace(`(<String [^>]*)WIDTH="\d+"`, `${1}WIDTH="0"`))),
		d("hocr-box-as-size", "hOCR gives width and height where the far corner belongs.", document("hocr", regexpReplace(`(ocrx_word[^>]*bbox \d+ \d+) \d+ \d+`, `$1 40 20`))),
		d("word-outside-its-line", "Words of PAGE-XML lie outside of their line.", document("page", regexpReplace(`(<Word[^>]*>\s*<Coords points="\d+),\d+`, `$1,0`))),
		d("boxes-off-by-one", "Boxes of hOCR differ from those of the other formats by a pixel.", document("hocr", func(s string) string {
			m := regexp.MustCompile(`(ocrx_word[^>]*bbox \d+ \d+ \d+ )(\d+)`)
			return m.ReplaceAllStringFunc(s, func(t string) string {
				parts := m.FindStringSubmatch(t)
				bottom, _ := strconv.Atoi(parts[2])
				return parts[1] + strconv.Itoa(bottom-1)
			})
		})),
		d("page-size-swapped", "Width and height of the page are swapped in ALTO.", document("alto", regexpReplace(`WIDTH="2480" HEIGHT="3508"`, `WIDTH="3508" HEIGHT="2480"`))),
		d("words-lost", "A document lacks a word of the text.", document("hocr", func(s string) string {
			return regexp.MustCompile(`(?s)<span class="ocrx_word".*?</span>`).ReplaceAllStringFunc(s, once(func(string) string { return "" }))
		})),
		d("words-doubled", "A document has a word twice.", document("tsv", func(s string) string {
			lines := strings.Split(strings.TrimSuffix(s, "\n"), "\n")
			return strings.Join(append(lines, lines[len(lines)-1]), "\n") + "\n"
		})),
		d("words-in-another-order", "The words of TSV are sorted.", document("tsv", func(s string) string {
			lines := strings.Split(strings.TrimSuffix(s, "\n"), "\n")
			if n := len(lines); n > 3 {
				lines[n-1], lines[n-2] = lines[n-2], lines[n-1]
			}
			return strings.Join(lines, "\n") + "\n"
		})),
		d("tsv-without-header", "TSV has no line with the names of its columns.", document("tsv", func(s string) string { _, rest, _ := strings.Cut(s, "\n"); return rest })),
		d("tsv-without-levels", "TSV has words only.", document("tsv", regexpReplace(`(?m)^[1-4]\t.*\n`, ``))),
		d("tsv-with-commas", "TSV is separated by commas.", document("tsv", replacing("\t", ","))),
		d("tsv-confidence-as-fraction", "TSV tells confidences between 0 and 1.", document("tsv", regexpReplace(`\t(\d\d)\.(\d+)\t`, "\t0.$1\t"))),
		d("hocr-without-confidence", "Words in hOCR have no confidence.", document("hocr", regexpReplace(`; x_wconf \d+`, ``))),
		d("hocr-without-system", "hOCR does not say what wrote it.", document("hocr", regexpReplace(`<meta name="ocr-system"[^>]*>`, ``))),
		d("alto-confidence-in-percent", "ALTO tells confidences in percent.", document("alto", regexpReplace(`WC="0\.(\d\d)\d*"`, `WC="$1"`))),
		d("alto-in-inches", "ALTO measures in 1/1200 of an inch.", document("alto", replacing("<MeasurementUnit>pixel<", "<MeasurementUnit>inch1200<"))),
		d("page-without-created", "PAGE-XML does not say when it was made.", document("page", regexpReplace(`<Created>[^<]*</Created>`, ``))),
		d("page-line-text-differs", "Lines of PAGE-XML have another text than their words.", document("page", func(s string) string {
			i := strings.LastIndex(s, "</Unicode>")
			if i < 0 {
				return s
			}
			return s[:i] + "." + s[i:]
		})),
		d("page-order-reversed", "The reading order of PAGE-XML is reversed.", document("page", func(s string) string {
			all := regexp.MustCompile(`regionRef="([^"]*)"`).FindAllStringSubmatch(s, -1)
			n := len(all)
			return regexp.MustCompile(`regionRef="[^"]*"`).ReplaceAllStringFunc(s, func(string) string {
				n--
				return `regionRef="` + all[n][1] + `"`
			})
		})),
		d("second-page-lost", "A document has only the first page of several.", document("alto", regexpReplace(`(?s)<Page ID="p[2-9]".*?</Page>`, ``))),
		d("pages-joined-by-line-feeds", "The texts of several pages are joined by line feeds.", textOf(replacing("\f", "\n"))),
		d("text-ends-with-line-feed", "The text ends with a line feed.", textOf(func(s string) string { return s + "\n" })),
		d("text-with-crlf", "Lines are separated as on Windows.", textOf(replacing("\n", "\r\n"))),
		d("text-in-one-line", "The lines of the text are joined.", textOf(replacing("\n", " "))),
		d("text-escaped-for-html", "The text is escaped for HTML.", textOf(html.EscapeString)),
		d("text-in-capitals", "The text is in capitals.", textOf(strings.ToUpper)),
		d("text-cut-off", "Long texts are cut off.", textOf(func(s string) string { return s[:min(len(s), 60)] })),
		d("text-encoded-twice", "The text was encoded twice.", textOf(func(s string) string {
			var b strings.Builder
			for _, c := range []byte(s) {
				b.WriteRune(rune(c))
			}
			return b.String()
		})),
		d("text-modernised", "The text is not what the document says.", textOf(replacing("the", "ye"))),
		d("text-of-the-request-before", "An answer has the text of the request before.", func(honest server) server {
			var mu sync.Mutex
			var last any
			return after(extracted, func(_ *call, a *reply) {
				mu.Lock()
				defer mu.Unlock()
				a.edit(func(o map[string]any) {
					now := o["text"]
					if last != nil {
						o["text"] = last
					}
					last = now
				})
			})(honest)
		}),
		d("texts-mixed-up-at-once", "Requests at the same time get each other's text.", func(honest server) server {
			var mu sync.Mutex
			running := 0
			return func(c *call) *reply {
				if !c.extracts() {
					return honest(c)
				}
				mu.Lock()
				running++
				busy := running > 1
				mu.Unlock()
				a := honest(c)
				if busy && a.status == 200 && c.idempotencyKey() == "" {
					a.edit(func(o map[string]any) { o["text"] = "another page" })
				}
				mu.Lock()
				running--
				mu.Unlock()
				return a
			}
		}),
		d("same-text-for-all", "All pages get the same text.", func(honest server) server {
			var mu sync.Mutex
			texts := map[string]any{}
			return after(func(c *call, a *reply) bool { return extracted(c, a) && object(a.body)["document"] == nil }, func(_ *call, a *reply) {
				mu.Lock()
				defer mu.Unlock()
				a.edit(func(o map[string]any) {
					if texts["all"] == nil && o["text"] != "" {
						texts["all"] = o["text"]
					}
					if o["text"] != "" {
						o["text"] = texts["all"]
					}
				})
			})(honest)
		}),
		d("blank-page-has-text", "A blank page has a text.", fields(extracted, func(o map[string]any) {
			if o["text"] == "" {
				o["text"] = "[no text found]"
			}
		})),
		d("blank-page-is-certain", "A blank page has the confidence 1.", fields(extracted, func(o map[string]any) {
			if o["text"] == "" {
				o["confidence"] = 1
			}
		})),
		d("blank-page-as-400", "A blank page is a 400.", func(honest server) server {
			return func(c *call) *reply {
				a := honest(c)
				if extracted(c, a) && object(a.body)["text"] == "" {
					a.status = 400
				}
				return a
			}
		}),
		d("confidence-of-the-format", "The confidence depends on the format.", after(extracted, func(c *call, a *reply) {
			if c.asksFor("format") == "hocr" {
				a.edit(func(o map[string]any) {
					n, _ := o["confidence"].(json.Number)
					f, _ := n.Float64()
					o["confidence"] = f / 2
				})
			}
		})),
		d("confidence-rounded-up", "The confidence is rounded up to a whole number.", fields(extracted, func(o map[string]any) {
			if n, _ := o["confidence"].(json.Number); n != "0" {
				o["confidence"] = 1
			}
		})),
		d("confidence-of-errors", "The confidence is the share of characters that are wrong.", fields(extracted, func(o map[string]any) {
			n, _ := o["confidence"].(json.Number)
			if f, _ := n.Float64(); f > 0 {
				o["confidence"] = 1 - f
			}
		})),
		d("enhanced-always", "Every result says that it was enhanced.", set(extracted, "enhanced", true)),
		d("enhanced-never", "No result says that it was enhanced.", fields(extracted, func(o map[string]any) {
			o["enhanced"] = false
			delete(o, "edits")
		})),
		d("enhances-unasked", "Pages are enhanced unless one asks not to.", asks(func(o map[string]any) {
			if _, ok := o["enhance"]; !ok {
				o["enhance"] = true
			}
		})),
		d("enhances-nothing", "Where enhancement was asked for the text stays as it was.", func(honest server) server {
			return func(c *call) *reply {
				a := honest(c)
				if !extracted(c, a) || c.asks()["enhance"] != true || c.idempotencyKey() != "" {
					return a
				}
				o := c.asks()
				o["enhance"] = false
				plain := honest(c.with(encode(o)).as("ocr_test_archive_liar"))
				text, doc := object(plain.body)["text"], object(plain.body)["document"]
				a.edit(func(o map[string]any) {
					delete(o, "edits")
					if o["text"] = text; doc != nil {
						o["document"] = doc
					}
				})
				return a
			}
		}),
		d("edits-unasked", "There are edits without enhancement.", fields(extracted, func(o map[string]any) { o["edits"] = []any{} })),
		d("edits-from-page-0", "Edits count pages from 0.", edits(func(e map[string]any) { e["page"] = number(e, "page") - 1 })),
		d("edits-turned-round", "Edits name the words before and after the wrong way round.", edits(func(e map[string]any) { e["before"], e["after"] = e["after"], e["before"] })),
		d("edits-off-the-page", "The boxes of edits lie off the page.", edits(func(e map[string]any) {
			if b, ok := e["box"].(map[string]any); ok {
				b["x"] = 30000
			}
		})),
		d("language-always-en", "The language is always told as en.", set(extracted, "language", "en")),
		d("language-as-asked", "The language is told as it was asked for, not as it was used.", after(extracted, func(c *call, a *reply) {
			if l := c.asksFor("language"); l != "" {
				a.edit(func(o map[string]any) { o["language"] = l })
			}
		})),
		d("language-by-name", "The language is told by its name.", set(extracted, "language", "english")),
		d("language-default-de", "Without a language pages are read as German.", asks(func(o map[string]any) {
			if _, ok := o["language"]; !ok {
				o["language"] = "de"
			}
		})),
	}
}

// document changes documents, of one format or of all.
func document(format string, change func(string) string) lie {
	return after(extracted, func(c *call, a *reply) {
		if format != "" && c.asksFor("format") != format {
			return
		}
		a.edit(func(o map[string]any) {
			if s, ok := o["document"].(string); ok {
				o["document"] = change(s)
			}
		})
	})
}

// instead answers one format where another was asked for.
func instead(asked, given string) lie {
	return asks(func(o map[string]any) {
		if o["format"] == asked {
			o["format"] = given
		}
	})
}

// textOf changes texts.
func textOf(change func(string) string) lie {
	return fields(extracted, func(o map[string]any) {
		if s, ok := o["text"].(string); ok {
			if s = change(s); utf8.ValidString(s) {
				o["text"] = s
			}
		}
	})
}

func edits(change func(e map[string]any)) lie {
	return fields(extracted, func(o map[string]any) {
		all, _ := o["edits"].([]any)
		for _, e := range all {
			if e, ok := e.(map[string]any); ok {
				change(e)
			}
		}
	})
}

func replacing(old, replacement string) func(string) string {
	return func(s string) string { return strings.ReplaceAll(s, old, replacement) }
}

func regexpReplace(pattern, replacement string) func(string) string {
	return func(s string) string { return regexp.MustCompile(pattern).ReplaceAllString(s, replacement) }
}

// once applies a change to the first match alone.
func once(change func(string) string) func(string) string {
	done := false
	return func(s string) string {
		if done {
			return s
		}
		done = true
		return change(s)
	}
}
