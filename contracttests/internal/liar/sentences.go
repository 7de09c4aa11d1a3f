package liar

import (
	"bytes"
	"compress/zlib"
	"encoding/base64"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"
)

// sentenceDefects break statements of the contract in ways that only a complete answer, or a comparison of two answers,
// reveals.
func sentenceDefects() []row {
	return slices.Concat(sentencesOfPDF(), sentencesOfPlaces(), sentencesOfErrors(), sentencesOfRepeats())
}

// sentencesOfPDF make PDFs whose structure is right, and which look or read wrong.
func sentencesOfPDF() []row {
	streams := func(does, pattern, replacement string) row {
		p := regexp.MustCompile(pattern)
		return row{does, formatPDF, document("pdf", pdfStreams(func(b []byte) []byte { return p.ReplaceAll(b, []byte(replacement)) }))}
	}
	inFile := func(does, old, replacement string) row {
		return row{does, formatPDF, document("pdf", func(s string) string {
			file, _ := base64.StdEncoding.DecodeString(s) // the honest server's
			return base64.StdEncoding.EncodeToString(bytes.ReplaceAll(file, []byte(old), []byte(replacement)))
		})}
	}
	return []row{
		streams("shows the text of a PDF in front of the picture", ` 3 Tr`, ` 0 Tr`),
		streams("puts the words of a PDF at the left margin", `1 0 0 1 \d{3} `, `1 0 0 1 100 `),
		streams("puts the words of a PDF upside down", `(1 0 0 1 \d+) \d{4} Tm`, `$1 1000 Tm`),
		inFile("swaps the sides of a page of PDF", `[0 0 595.2 841.92]`, `[0 0 841.92 595.2]`),
		inFile("names another language in PDF", `/Lang <FEFF0065006e>`, `/Lang <FEFF00640065>`),
		inFile("does not embed the font of a PDF", `/FontFile2`, `/FontFileX`),
		inFile("encrypts PDF", `/Root 1 0 R /Info`, `/Root 1 0 R /Encrypt`),
		inFile("runs a script when a PDF is opened", `/Type /Catalog `, `/Type /Catalog/OpenAction<</S/JavaScript/JS()>>`),
		inFile("shows a path in the information of a PDF", `(D:20260115120000+00'00')`, `(D:20260115 /srv/uncial/x)`),
	}
}

// pdfStreams changes the contents of the compressed streams of a PDF. A stream keeps its length, so that the file stays whole;
// one that would become longer stays as it is.
func pdfStreams(change func(b []byte) []byte) func(string) string {
	stream := regexp.MustCompile(`(?s)stream\r?\n(.*?)\r?\nendstream`)
	return func(s string) string {
		file, _ := base64.StdEncoding.DecodeString(s) // the honest server's
		for _, m := range stream.FindAllSubmatchIndex(file, -1) {
			packed := file[m[2]:m[3]]
			z, err := zlib.NewReader(bytes.NewReader(packed))
			if err != nil {
				continue
			}
			content, err := io.ReadAll(z)
			if err != nil {
				continue
			}
			var b bytes.Buffer
			w, _ := zlib.NewWriterLevel(&b, zlib.BestCompression) // the level exists
			_, _ = w.Write(change(content))                       // a buffer never fails
			_ = w.Close()
			if b.Len() <= len(packed) {
				clear(packed)
				copy(packed, b.Bytes())
			}
		}
		return base64.StdEncoding.EncodeToString(file)
	}
}

// sentencesOfPlaces describe edits, weak places and readers in a way that only their context shows to be wrong.
func sentencesOfPlaces() []row {
	places := func(does string, f func(place object)) row {
		return row{does, weakPageCase, on(isResult, edit(func(o object) {
			all, _ := o["weak"].([]any)
			for _, w := range all {
				if w, ok := w.(object); ok {
					f(w)
				}
			}
		}))}
	}
	page := object{"x": 0, "y": 0, "width": 2480, "height": 3508}
	words := func(place object) bool { return strings.Contains(string(encode(place)), "low-confidence") }
	return []row{
		{"gives edits the box of their page", "extract/200/formats-enhanced", edits(func(e object) { e["box"] = page })},
		{"puts two blanks between the words of edits", "extract/200/formats-enhanced", edits(func(e object) { e["after"], e["before"] = e["after"].(string)+"  x", e["before"].(string)+"  x" })},
		places("gives weak places the box of their page", func(w object) {
			if words(w) {
				w["box"] = page
			}
		}),
		places("reports confidences of places that are lower than those of their words", func(w object) {
			if words(w) {
				w["confidence"] = 0.01
			}
		}),
		places("joins the lines of weak places without a line feed", func(w object) {
			if s, ok := w["text"].(string); ok {
				w["text"] = s + " " + s
			}
		}),
		places("writes the words of weak places backwards", func(w object) {
			if s, ok := w["text"].(string); ok {
				all := strings.Fields(s)
				slices.Reverse(all)
				w["text"] = strings.Join(all, " ")
			}
		}),
		places("turns weak places of an upright page", func(w object) { w["rotation"] = 90 }),
		{"lists other weak places in TSV", "extract/200/weak-faint-page", on(both(isResult, field("format", "tsv")), edit(func(o object) {
			if all, _ := o["weak"].([]any); len(all) > 0 {
				box := all[0].(object)["box"].(object)
				box["height"] = number(box, "height") + 1
			}
		}))},
		{"names another model with ALTO", readerCase, on(both(isResult, field("format", "alto")), inside("reader", func(o object) {
			if all, _ := o["models"].([]any); len(all) > 0 {
				all[0].(object)["name"] = "other"
			}
		}))},
		inDocument("hocr", "names another model in hOCR", "extract/200/reader-in-hocr", `content="fixtures `, `content="other `),
		{"writes a soft hyphen in the text", "extract/200/broken-word-alto", on(isResult, text(replacing("-\n", "\u00ad\n")))},
		{"separates lines by a line separator", minimalRequest, on(isResult, text(replacing("\n", "\u2028")))},
		{"names the language of the first page of several", "extract/200/und-several-pages", on(both(isResult, field("format", "page")), set("language", "la"))},
	}
}

// sentencesOfErrors put into an error what belongs to a different one, or return an error for the wrong reason.
func sentencesOfErrors() []row {
	missing := object{"reason": "not-found", "retryable": false}
	return []row{
		{"adds fetch to a malformed request", "extract/400/shape-costs-nothing", on(both(isExtraction, both(status(400), not(isUnfetched))), set("fetch", missing))},
		{"adds fetch to an inline image that cannot be read", "extract/400/every-other-file", on(both(isUnfetched, callIs(func(c *call) bool { return strings.HasPrefix(c.field("imageUrl"), "data:") })), set("fetch", missing))},
		{"adds fetch to a used Idempotency-Key", conflictCase, on(isConflict, set("fetch", missing))},
		{"adds fetch to unknown paths", notFound, on(status(404), set("fetch", missing))},
		{"takes an unreachable server for a host that does not exist", "extract/400/each-fetch-reason", reasonInstead("unreachable", "no-address", false)},
		{"tells internal names that do not exist from those that do", "extract/400/refused-address", on(both(isUnfetched, callIs(func(c *call) bool {
			return strings.Contains(c.field("imageUrl"), "uncial-contract")
		})), inside("fetch", func(f object) { f["reason"] = "no-address" }))},
		{"gives up on a server that is late", "extract/400/each-fetch-reason", on(isExtraction, inside("fetch", func(f object) {
			if f["reason"] == "timeout" {
				f["retryable"] = false
				delete(f, "retryAfter")
			}
		}))},
		{"names a reason that the contract lacks", "extract/400/fetch-reason", on(isExtraction, inside("fetch", func(f object) { f["reason"] = "dns" }))},
		{"reports the points of the account in the 429 of a capped key", "extract/429/capped", on(status(429), edit(func(o object) {
			if number(o, "remainingPoints") < 20 {
				o["remainingPoints"] = 9_512
			}
		}))},
		{"shows the name of its recognizer in errors", "extract/500/image", on(status(500), set("message", "Tesseract could not read the image"))},
		{"makes request ids of its address", minimalRequest, on(always, func(_ *call, a *reply) {
			a.header.Set("X-Request-Id", "ip-10-0-3-17-"+a.header.Get("X-Request-Id"))
		})},
		{"serves what is behind dots in a path", notFound, rewrite(func(c *call) {
			c.request.URL.Path = strings.Replace(c.request.URL.Path, "/./", "/", 1)
		})},
		{"shows its metrics under the base path", notFound, on(callIs(func(c *call) bool { return c.request.URL.Path == "/api/v1/metrics" }), func(_ *call, a *reply) {
			a.status, a.body = http.StatusOK, []byte("uncial_requests_total 7\n")
		})},
		{"leads to another host in the Link of errors", notFound, on(isError, header("Link", `<https://docs.example.org/openapi.yaml>; rel="service-desc"`))},
		{"serves its contract in another version to browsers", servedCase, redraft(func(c *call, doc map[string]any) {
			if strings.HasPrefix(c.request.Header.Get("User-Agent"), "Mozilla") {
				doc["info"].(map[string]any)["version"] = "1.0.0"
			}
		}, asYAML)},
		{"takes callers from its own network for known ones", "status/401/trusted-headers", replaceWhen(both(status(401), callIs(func(c *call) bool { return c.authorization() == "" && c.request.Header.Get("X-Real-Ip") == "127.0.0.1" })), answerForOther)},
	}
}

// sentencesOfRepeats keep answers wrongly, or for the wrong requests.
func sentencesOfRepeats() []row {
	carriedOut := func(w func(c *call) bool) lie {
		return rewrite(func(c *call) {
			if w(c) {
				c.request.Header.Del("Idempotency-Key")
			}
		})
	}
	long := func(c *call) bool { return strings.HasPrefix(c.field("imageUrl"), "data:") }
	return []row{
		{"carries out repeats for another language of messages", "extract/200/replay-negotiation", carriedOut(func(c *call) bool { return c.request.Header.Get("Accept-Language") == "de" })},
		{"carries out repeats over HTTP/1.0", "extract/200/replay-negotiation", carriedOut(func(c *call) bool { return !c.request.ProtoAtLeast(1, 1) })},
		{"does not keep answers about blank pages", "extract/200/replay-every-image", carriedOut(func(c *call) bool { return strings.HasSuffix(c.field("imageUrl"), "/blank") })},
		{"does not keep answers with several pages", "extract/200/replay-every-image", carriedOut(func(c *call) bool { return strings.HasSuffix(c.field("imageUrl"), "/multi-page") })},
		{"compares only the first kilobyte of an image", "extract/400/replay-of-a-similar-request", editByHistory(repeatable, func(first *string, _ server, c *call) {
			url := c.field("imageUrl")
			switch {
			case !long(c):
			case *first == "":
				*first = url
			case url[:1024] == (*first)[:1024]:
				c.body = edited(c.body, func(o object) { o["imageUrl"] = *first })
			}
		})},
		{"compares addresses of images without their query", "extract/400/replay-of-a-similar-request", rewrite(func(c *call) {
			if isKeyed(c, nil) {
				c.body = edited(c.body, stringField("imageUrl", matching(`^(https?://[^?]*)\?.*$`, "$1")))
			}
		})},
	}
}
