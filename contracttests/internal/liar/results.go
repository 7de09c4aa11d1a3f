package liar

import (
	"html"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"
)

const (
	minimalRequest  = "extract/200/least-request"
	readerCase      = "extract/200/reader"
	blankPage       = "extract/200/blank-page"
	twoImages       = "extract/200/two-images"
	sameInAll       = "extract/200/same-in-all-formats"
	severalPages    = "extract/200/several-pages"
	formatsEnhanced = "extract/200/formats-enhanced"
	formatHOCR      = "extract/200/format-hocr"
	enhanceCase     = "extract/200/enhance"
	undCase         = "extract/200/und"
)

// textDefects answer with a text that is not that of the page.
func textDefects() []row {
	texts := func(does, caughtBy string, f func(string) string) row {
		return row{does, caughtBy, on(isResult, text(f))}
	}
	return []row{
		// Lines are separated, not ended, by a line feed; pages by a form feed.
		texts("ends the text with a line feed", formatHOCR, func(s string) string { return s + "\n" }),
		texts("ends the text with a form feed", severalPages, matching(`(?s)^(.+)$`, "$1\f")),
		texts("joins the texts of pages by line feeds", severalPages, replacing("\f", "\n")),
		texts("separates lines by CR LF", formatHOCR, replacing("\n", "\r\n")),
		texts("separates lines by U+2028", formatHOCR, replacing("\n", "\u2028")),
		texts("joins the lines of the text", formatHOCR, replacing("\n", " ")),
		// The text is plain text whatever the format of the document is.
		texts("escapes the text for HTML", formatHOCR, html.EscapeString),
		texts("sends the text in capitals", formatHOCR, strings.ToUpper),
		// A column or a log that is too short.
		texts("cuts long texts off", sameInAll, func(s string) string { return s[:min(len(s), 60)] }),
		// UTF-8 taken for Latin-1 and encoded again.
		texts("encodes the text twice", languagesCase, encodeTwice),
		// Texts are in Unicode normalization form C, as ground truth is.
		texts("decomposes the characters of the text", languagesCase, norm.NFD.String),
		texts("sends apostrophes as a private character", formatHOCR, replacing("'", "\ue000")),
		texts("changes words of the text", formatHOCR, replacing("the", "ye")),
		// A worker whose answers are off by one request.
		{"answers with the text of the request before", twoImages, remember(everyone, func(last *any, _ server, c *call, a *reply) {
			if !isResult(c, a) {
				return
			}
			now := a.object()["text"]
			if *last != nil {
				set("text", *last)(c, a)
			}
			*last = now
		})},
		// A cache by something that all requests share.
		{"answers every page with the text of the first", severalPages, remember(everyone, func(first *any, _ server, c *call, a *reply) {
			o := a.object()
			if !isResult(c, a) || o["document"] != nil || o["text"] == "" {
				return
			}
			if *first == nil {
				*first = o["text"]
			}
			set("text", *first)(c, a)
		})},
		{"mixes up the texts of concurrent requests", "extract/200/at-once", overlapping(everyone, both(isResult, not(isKeyed)), apply(set("text", "another page")))},
		// A format may change the document, never the text.
		{"answers a fixed text for handwriting", sameInAll, on(both(isResult, callIs(func(c *call) bool {
			return c.field("format") == "text" && strings.Contains(c.field("imageUrl"), "handwritten")
		})), set("text", "illegible"))},
		// A blank page is a result: empty text, confidence 0, charged.
		{"sends a text for a blank page", blankPage, on(isBlank, set("text", "[no text found]"))},
		{"sends null for the text of a blank page", blankPage, on(isBlank, set("text", nil))},
		{"answers 400 to a blank page", blankPage, on(isBlank, recode(400))},
	}
}

// otherLanguage names a language other than the detected one.
func otherLanguage(o object) {
	if o["language"] == "la" {
		o["language"] = "it"
		return
	}
	o["language"] = "la"
}

// encodeTwice takes the bytes of UTF-8 for characters.
func encodeTwice(s string) string {
	var b strings.Builder
	for _, c := range []byte(s) {
		b.WriteRune(rune(c))
	}
	return b.String()
}

// resultDefects answer with a wrong confidence, language, cost or time.
func resultDefects() []row {
	confidence := func(f func(n float64) float64) change {
		return edit(func(o object) { o["confidence"] = f(confidence(o)) })
	}
	written := both(isResult, not(isBlank))
	return []row{
		// A fraction between 0 and 1 that follows the confidence of the words.
		{"reports the confidence in percent", minimalRequest, on(isResult, confidence(func(n float64) float64 { return n * 100 }))},
		{"reports the confidence 1 for a blank page", blankPage, on(isBlank, set("confidence", 1))},
		{"halves the confidence for hocr", sameInAll, on(both(isResult, field("format", "hocr")), confidence(func(n float64) float64 { return n / 2 }))},
		{"rounds the confidence up to 1", "extract/200/faint-page", on(written, set("confidence", 1))},
		{"reports the share of wrong characters as the confidence", inlineImage, on(written, confidence(func(n float64) float64 { return 1 - n }))},
		{"reports the confidence 0.99 for every text", "extract/200/faint-page", on(written, set("confidence", 0.99))},
		{"reports a confidence over 1 for an enhanced page", enhanceCase, on(both(written, field("enhance", true)), set("confidence", 1.02))},
		{"reports that a blank page cost nothing", blankPage, on(isBlank, set("pointsUsed", 0))},
		// Whole milliseconds.
		{"always reports the processing time 0", "extract/200/slow-image", on(isResult, set("processingTime", 0))},
		{"reports the processing time in microseconds", "extract/200/slow-image", on(isResult, edit(func(o object) { o["processingTime"] = number(o, "processingTime") * 1000 }))},
		// The tag that was used: the one asked for in its canonical case, or what its region fell back to.
		{"always reports the language en", languagesCase, on(isResult, set("language", "en"))},
		// The caller of und wants to know.
		{"answers und with und", undCase, on(both(written, field("language", "und")), set("language", "und"))},
		{"takes und for en", undCase, on(both(written, field("language", "und")), set("language", "en"))},
		{"names a language that it does not list for und", undCase, on(both(written, field("language", "und")), set("language", "cu"))},
		{"names a language for a blank page", "extract/200/und-blank-page", on(both(isBlank, field("language", "und")), set("language", "en"))},
		{"finds another language for an enhanced page", "extract/200/und-spellings", on(both(both(written, field("language", "und")), field("enhance", true)), edit(otherLanguage))},
		{"refuses und in capitals", "extract/200/und-spellings", on(both(isResult, field("language", "UND")), recode(400))},
		{"reports the language by name", minimalRequest, on(isResult, set("language", "english"))},
		{"reports the language as it was asked for, not as it was used", languagesCase, on(isResult, func(c *call, a *reply) {
			if l := c.field("language"); l != "" {
				set("language", l)(c, a)
			}
		})},
		// en, and verbatim.
		{"reads pages as German by default", minimalRequest, byDefault("language", "de")},
		{"enhances pages by default", minimalRequest, byDefault("enhance", true)},
		{"reports that every page is enhanced", minimalRequest, on(isResult, set("enhanced", true))},
		{"reports that no page is enhanced", enhanceCase, on(isResult, set("enhanced", false), drop("edits"))},
		// `enhanced` is true of the text and of the document.
		{"leaves the text unchanged although enhancement was requested", "extract/200/enhancement-shows", replaceWhen(both(enhanced, not(isKeyed)), func(honest server, c *call, a *reply) *reply {
			plain := plainReading(honest, c)
			a.edit(func(o object) {
				delete(o, "edits")
				o["text"] = plain["text"]
				if plain["document"] != nil {
					o["document"] = plain["document"]
				}
			})
			return a
		})},
		{"enhances the text but not the document", formatsEnhanced, replaceWhen(enhanced, func(honest server, c *call, a *reply) *reply {
			if doc := plainReading(honest, c)["document"]; doc != nil {
				set("document", doc)(c, a)
			}
			return a
		})},
	}
}

// enhanced holds for results that were asked to be enhanced.
func enhanced(c *call, a *reply) bool { return isResult(c, a) && c.fields()["enhance"] == true }

// plainReading is what the page is read as without enhancement.
func plainReading(honest server, c *call) object {
	o := c.fields()
	o["enhance"] = false
	return honest(c.withBody(encode(o)).withKey(archiveKey).unkeyed()).object()
}

// byDefault gives extractions a field that they leave out.
func byDefault(name string, value any) lie {
	return fields(func(o object) {
		if _, ok := o[name]; !ok {
			o[name] = value
		}
	})
}

// editDefects list edits that are not the difference between the plain reading and the enhanced one.
func editDefects() []row {
	box := func(f func(b object)) func(e object) {
		return func(e object) {
			if b, ok := e["box"].(object); ok {
				f(b)
			}
		}
	}
	list := func(f func(all []any) []any) lie {
		return on(isResult, edit(func(o object) {
			if all, _ := o["edits"].([]any); len(all) > 1 {
				o["edits"] = f(all)
			}
		}))
	}
	return []row{
		// Edits are the difference of the enhanced reading from the plain one: all of it, in reading order.
		{"sends edits without enhancement", minimalRequest, on(isResult, set("edits", []any{}))},
		{"sends null for edits without enhancement", minimalRequest, on(both(isResult, not(enhanced)), set("edits", nil))},
		{"always leaves edits out", formatsEnhanced, on(isResult, drop("edits"))},
		{"sends only the first edit", severalPages, list(func(all []any) []any { return all[:1] })},
		{"sends edits in reverse order", severalPages, list(func(all []any) []any {
			slices.Reverse(all)
			return all
		})},
		// Pages count from 1, boxes are in pixels of their page.
		{"counts the pages of edits from 0", formatsEnhanced, edits(func(e object) { e["page"] = number(e, "page") - 1 })},
		{"reports all edits on page 1", severalPages, edits(func(e object) { e["page"] = 1 })},
		{"swaps before and after in edits", formatsEnhanced, edits(func(e object) { e["before"], e["after"] = e["after"], e["before"] })},
		{"reports a word before that was never read", formatsEnhanced, edits(func(e object) { e["before"] = "zzz" })},
		{"reports a rule of an edit in words", formatsEnhanced, edits(func(e object) { e["rule"] = "Long s was read as f" })},
		{"puts boxes of edits off the page", formatsEnhanced, edits(box(func(b object) { b["x"] = 30000 }))},
		{"reports boxes of edits at half their size", formatsEnhanced, edits(box(func(b object) {
			for name := range b {
				b[name] = number(b, name) / 2
			}
		}))},
	}
}
