package cases

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"uncial/contracttests/internal/documents"
	"uncial/contracttests/internal/expect"
	"uncial/contracttests/internal/images"
	"uncial/contracttests/internal/model"
)

// slowMinimum is the minimum time that an image of the scenario slow takes, in milliseconds.
const slowMinimum = 100

// extractRows are the successful extractions. What their results must contain is in expect.Readings.CheckResult.
var extractRows = []row{
	{
		// Readings.CheckResult requires the defaults. Most other cases use this request, so it comes first.
		name: "extract/200/least-request", points: 10, asks: []ask{read(printed)},
		explanation: "A request needs only the URL of an image: the language is then en, nothing is enhanced, and no document is sent.",
	}, {
		// Readings compares the three results.
		name: "extract/200/defaults-spelled-out", points: 30, explanation: "Defaults may be omitted or spelled out; the result is the same.",
		asks: []ask{read(printed), read(printed).language("en").enhance(false).format("json"), read(printed).format("text")},
	}, {
		// TSV has every word, so that a mix-up shows in the document as well as in the text.
		name: "extract/200/two-images", points: 20, explanation: "Two pages have two texts: an answer belongs to the image of its request.",
		asks: []ask{read(printed).format("tsv"), read(other).format("tsv")}, then: textsDiffer,
	}, {
		// The first request only gives the confidence of a clear page. The formats find confidences that are set
		// by the format.
		name: "extract/200/faint-page", points: 30, needs: []string{needImage(model.ImageFaint)}, then: confidencesFollowWords,
		explanation: "The confidence of a page follows that of its words.",
		asks:        []ask{read(printed).format("alto"), read(model.ImageFaint).format("alto"), read(model.ImageFaint).format("text")},
	}, {
		// This case finds processing times in seconds, which would be 0.
		name: "extract/200/slow-image", points: 10, needs: []string{needImage(model.ImageSlow)}, asks: []ask{read(model.ImageSlow)},
		explanation: "The processing time is in milliseconds.",
		then: func(_ context.Context, _ *session, x []*model.Exchange) error {
			if took, ok := x[0].Int("processingTime"); ok && took < slowMinimum {
				return fail(x[0], "the image takes at least %d ms, but processingTime is %d; its unit is milliseconds", slowMinimum, took)
			}
			return nil
		},
	}, {
		// A blank page is neither an error nor free.
		name: "extract/200/blank-page", points: 20, asks: []ask{read(blank), read(blank).format("alto")},
		explanation: "A blank page is a success with an empty text, and is charged.",
	}, {
		// The second request must return to the verbatim text that the first one has changed.
		name: "extract/200/enhance", points: 30, explanation: "The text is enhanced exactly if that was requested.",
		asks: []ask{read(printed).enhance(true), read(printed).enhance(false), read(other).enhance(true).format("alto")},
	}, {
		// A server can claim enhancement without doing anything; only a difficult page shows it.
		name: "extract/200/enhancement-shows", points: 20, needs: []string{model.NeedEnhancement, needImage(model.ImageEnhance)},
		explanation: "The enhancement changes the text of a difficult page.",
		asks:        []ask{read(model.ImageEnhance), read(model.ImageEnhance).enhance(true)}, then: textsDiffer,
	}, {
		name: "extract/200/languages", points: 90, extractions: 9, check: checkLanguages,
		explanation: "The answer names the language that was used: the requested one, in any letter case, or the one that a region falls back to.",
	}, {
		name: "extract/200/every-language", points: 10 * maxCombined, extractions: maxCombined + 1, needs: []string{model.NeedThorough}, check: checkEveryLanguage,
		explanation: "The answer names the language that was requested, for every language that the server lists.",
	}, {
		// Readings.CheckResult requires a language that is listed, and the same reading in the language that was found.
		name: "extract/200/und", points: 40, extractions: 5, check: checkUndetermined,
		explanation: "With the language und the answer names the detected language, and a request with that language gets the same reading.",
	}, {
		// Readings.CheckResult requires und.
		name: "extract/200/und-blank-page", points: 20, asks: []ask{read(blank).language("und"), read(blank).language("und").format("alto")},
		explanation: "A page without text has no language: the answer to a request with und names und.",
	}, {
		name: "extract/200/und-several-pages", points: 30, needs: []string{needImage(model.ImagePages)}, then: languagesAgree,
		explanation: "For several pages, the detected language is that of most of their text, whatever the format.",
		asks:        []ask{read(model.ImagePages).language("und").format("alto"), read(model.ImagePages).language("und"), read(model.ImagePages).language("und").format("page")},
	}, {
		name: "extract/200/und-spellings", points: 40, then: languagesAgree,
		explanation: "The detected language depends on the image alone, and not on the letter case of und, the format or the enhancement.",
		asks:        []ask{read(printed).language("und"), read(printed).language("UND").format("page"), read(printed).language("Und").format("hocr"), read(printed).language("und").enhance(true)},
	}, {
		// Servers with a parser of their own often accept only what their own client writes.
		name: "extract/200/ways-to-write-it", points: 80, extractions: 8, build: waysToWriteIt,
		explanation: "The same JSON in a different spelling, sent in chunks, or with a preference for another type, is the same request.",
	}, {
		// The escaped image comes first, so that a cached reading of the other one cannot hide a wrong decoder.
		name: "extract/200/inline-image", points: 20, asks: []ask{read(model.OwnEscapedImage), read(model.OwnImage).format("alto")},
		explanation: "An image may be part of the request as a data: URL, whose characters may be percent-encoded.",
		then: func(_ context.Context, s *session, x []*model.Exchange) error {
			n, _ := x[1].JSON["confidence"].(json.Number)
			page, _ := n.Float64()
			if words := s.readings.CorrectAtLeast(model.OwnImage); words-page > expect.MaxConfidenceLoss {
				return fail(x[1], "the page is clear print; its words imply that at least %.2f of the characters are correct, but its confidence is %v", words, page)
			}
			return nil
		},
	}, {
		// Readings.CheckResult compares text and size with the image. Simulated targets return fixtures.
		name: "extract/200/reads-the-text", points: 20, needs: []string{model.NeedReading}, asks: []ask{read(model.OwnImage).format("tsv"), read(model.OwnImage).format("page")},
		explanation: "The text matches what the image shows.",
	}, {
		// This case finds options that work alone but not together.
		name: "extract/200/combinations", points: 10 * maxCombinations(), extractions: maxCombinations(), needs: []string{model.NeedThorough}, check: checkCombinations,
		explanation: "Every format is correct in every language, with enhancement and without.",
	}, {
		// Two requests per image: mixed-up answers differ from the earlier readings of the image.
		name: "extract/200/at-once", points: 80, atOnce: 8, explanation: "Concurrent requests each get the answer to their own image, and each is charged once.",
		asks: []ask{
			read(model.Overlapping), read(printed), read(other), read(blank), read(model.Overlapping), read(printed), read(other), read(blank),
		},
	}, {
		// The accounts differ so much in points and requests left that a mix-up cannot be explained by
		// concurrency.
		name: "extract/200/accounts-at-once", points: 60, extractions: 6, needs: []string{needKey(model.KeyRateLimited)}, check: checkAccountsAtOnce,
		explanation: "Accounts that call concurrently each see their own points and their own window.",
	},
}

// textsDiffer requires two readings to have different texts.
func textsDiffer(_ context.Context, _ *session, x []*model.Exchange) error {
	if x[0].Text("text") == x[1].Text("text") {
		return fail(x[1], "the text must differ from that of the previous answer: %q", x[1].Text("text"))
	}
	return nil
}

// confidencesFollowWords finds servers that return a constant: two pages whose words differ clearly in confidence must
// not have the same one.
func confidencesFollowWords(_ context.Context, s *session, x []*model.Exchange) error {
	legible, faint := s.readings.CorrectAtLeast(printed), s.readings.CorrectAtLeast(model.ImageFaint)
	for _, y := range x[1:] {
		if x[0].JSON["confidence"] == y.JSON["confidence"] && max(legible-faint, faint-legible) > 0.05 {
			return fail(y, "the words of two pages imply that at least %.2f and %.2f of the characters are correct, but both pages have the confidence %v", legible, faint, y.JSON["confidence"])
		}
	}
	return nil
}

// checkCombinations asks for every format in every listed language, verbatim or enhanced in turn, of pages of every kind.
func checkCombinations(ctx context.Context, s *session) error {
	a, err := s.account(ctx, model.KeyOK, maxCombinations(), maxCombinations())
	if err != nil {
		return err
	}
	listed, err := s.askLanguages(ctx, a)
	if err != nil {
		return err
	}
	pages := []string{printed, other, blank, model.ImageFaint, model.ImagePages}
	pages = slices.DeleteFunc(pages, func(p string) bool { return s.ImageURL(p) == "" })
	for i, tag := range listed[:min(len(listed), maxCombined)] {
		for k, format := range everyFormat {
			q := read(pages[(i+k)%len(pages)]).language(tag).format(format)
			if (i+k/2)%3 == 0 {
				q = q.enhance(true)
			}
			if _, err := s.sendAs(ctx, a, q); err != nil {
				return err
			}
		}
	}
	return nil
}

// maxCombined is the maximum number of languages in which every format is requested.
const maxCombined = 20

// maxCombinations is the maximum number of extractions that checkCombinations sends.
func maxCombinations() int64 { return maxCombined * int64(len(everyFormat)) }

// everyFormat are the formats of the contract; "" stands for a request without one.
var everyFormat = append([]string{"", "text", "pdf"}, documents.Formats...)

// waysToWriteIt writes one request in seven ways that RFC 8259 and RFC 9110 make equivalent.
func waysToWriteIt(s *session) []ask {
	q := read(printed).language("en").enhance(false).format("alto")
	members := q.Job.Members(s.Target)
	written := func(text []byte) ask {
		a := q
		a.Body = text
		return a
	}
	reversed := slices.Clone(members)
	slices.Reverse(reversed)
	regular := written(model.WriteObject(members, ""))
	chunked := regular
	chunked.Chunked = true
	return []ask{
		regular, written(model.WriteObject(reversed, " \r\n\t")), written(writeEscaped(members)),
		regular.header("Content-Type", "application/json; charset=utf-8"), regular.header("Content-Type", `Application/JSON;charset="UTF-8"`),
		chunked, regular.header("Content-Type", "application/json").header("Accept", "text/plain, image/png;q=0.5").header("Accept-Encoding", "gzip"),
		slashesEscaped(s),
	}
}

// slashesEscaped asks for an image in a long data: URL whose slashes are escaped, as PHP writes them (RFC 8259, section 7).
func slashesEscaped(s *session) ask {
	f := images.Medium()
	f.Data = append(slices.Clone(f.Data), make([]byte, 2*longImage)...)
	a := inline(f.Name+" with escaped slashes", dataURL("image/png", f.Data))
	a.Body = bytes.ReplaceAll(model.WriteObject(a.Job.Members(s.Target), ""), []byte("/"), []byte(`\/`))
	return a
}

// maxEscaped is the longest string that is written in escapes, in bytes; a data: URL would become six times as long.
const maxEscaped = 2000

// writeEscaped writes each letter and digit of names and strings as an escape.
func writeEscaped(members []model.Member) []byte {
	escape := func(text []byte) []byte {
		if text[0] != '"' || len(text) > maxEscaped {
			return text
		}
		var b bytes.Buffer
		for _, c := range text {
			if c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' {
				fmt.Fprintf(&b, `\u%04X`, c)
			} else {
				b.WriteByte(c)
			}
		}
		return b.Bytes()
	}
	parts := make([][]byte, len(members))
	for i, m := range members {
		parts[i] = slices.Concat(escape(model.MustJSON(m.Name)), []byte(":"), escape(m.Value))
	}
	return slices.Concat([]byte("{"), bytes.Join(parts, []byte(",")), []byte("}"))
}

// checkAccountsAtOnce lets two accounts that differ in what they have left call concurrently.
func checkAccountsAtOnce(ctx context.Context, s *session) error {
	const each = 3
	pair, err := s.unlikePair(ctx, each)
	if err != nil {
		return err
	}
	var group errgroup.Group
	for _, a := range pair {
		var requests []*model.Request
		for range each {
			requests = append(requests, &model.Request{Account: a, Job: &model.Job{Image: model.Overlapping}})
		}
		group.Go(func() error {
			_, err := s.race(ctx, a, requests)
			return err
		})
	}
	return group.Wait()
}

// unlikePair finds two accounts that can make this many extractions, with clearly different points and requests left.
func (s *session) unlikePair(ctx context.Context, each int64) ([]*model.Account, error) {
	differ := func(a, b, by int64) bool { return max(a-b, b-a) > by }
	var able []*model.Account
	for _, a := range slices.Concat(s.candidates(model.KeyOK), s.candidates(model.KeyRateLimited)) {
		if err := s.open(ctx, a); err != nil {
			return nil, err
		}
		if a.Points.Left < each*model.Cost || a.Room() < each {
			continue
		}
		for _, b := range able {
			if differ(a.Points.Left, b.Points.Left, 2*each*model.Cost) && differ(a.Room(), b.Room(), 2*each) {
				return []*model.Account{a, b}, nil
			}
		}
		able = append(able, a)
	}
	return nil, &skip{`it needs two accounts, such as those of "ok" and "ratelimited", with different numbers of points and requests left`}
}

// formatNames are the standards that the formats must conform to.
var formatNames = map[string]string{
	"hocr": "hOCR 1.2", "alto": "ALTO 4.4", "page": "PAGE-XML 2019-07-15", "tsv": "Tesseract's TSV",
}

// formatRows read the same pages in every format, so that Readings can compare the documents.
func formatRows() (rows []row) {
	inAll := func(q ask) (asks []ask) {
		for _, format := range documents.Formats {
			asks = append(asks, q.format(format))
		}
		return asks
	}
	for _, format := range documents.Formats {
		rows = append(rows, row{
			name: "extract/200/format-" + format, points: 30, asks: []ask{read(printed).format(format), read(other).format(format), read(blank).format(format)},
			explanation: "The document is valid " + formatNames[format] + "; its pages, boxes and words are those of the text and of the other formats.",
		})
	}
	pages := read(model.ImagePages)
	rows = append(rows, pdfRows()...)
	return append(rows, row{
		// Each format has its own rounding and escaping; text and confidence must not depend on it.
		name: "extract/200/same-in-all-formats", points: 60, asks: append([]ask{read(other), read(other).format("text")}, inAll(read(other))...),
		explanation: "The format affects only the document: text, language and confidence stay the same.",
	}, row{
		// The enhanced requests come last: their edits are compared with the verbatim words of each page.
		name: "extract/200/several-pages", points: 80, needs: []string{needImage(model.ImagePages)},
		explanation: "The texts of several pages are joined by a form feed, each document has all pages, and edits name their page.",
		asks:        slices.Concat([]ask{pages, pages.format("text")}, inAll(pages), []ask{pages.enhance(true), pages.enhance(true).format("alto")}),
		then: func(_ context.Context, _ *session, answers []*model.Exchange) error {
			for _, x := range answers {
				if !strings.Contains(x.Text("text"), "\f") {
					return fail(x, "the file has several pages, but the text has no form feed")
				}
			}
			return nil
		},
	}, row{
		// The verbatim TSV comes first, because edits can be compared only with known words and boxes.
		name: "extract/200/formats-enhanced", points: 60, needs: []string{model.NeedEnhancement, needImage(model.ImageEnhance)},
		explanation: "The edits of an enhanced reading are exactly its differences from the verbatim one, and its documents have the enhanced text.",
		asks: append([]ask{read(model.ImageEnhance).format("tsv"), read(model.ImageEnhance).enhance(true)},
			inAll(read(model.ImageEnhance).enhance(true))...),
	})
}

// pdfRows read pages as PDF. Its text must be that of the answer, its boxes are not compared.
func pdfRows() []row {
	return []row{
		{
			// TSV says where the words are.
			name: "extract/200/format-pdf", points: 50,
			asks:        []ask{read(printed).format("tsv"), read(printed).format("pdf"), read(other).format("tsv"), read(other).format("pdf"), read(blank).format("pdf")},
			explanation: "The document is a PDF/A-2b in base64 that shows the page and has its text; text, language and confidence are those of the other formats.",
		}, {
			name: "extract/200/pdf-of-several-pages", points: 20, needs: []string{needImage(model.ImagePages)},
			asks:        []ask{read(model.ImagePages).format("tsv"), read(model.ImagePages).format("pdf")},
			explanation: "A PDF has all pages of the image, each with its own text.",
		}, {
			name: "extract/200/pdf-replay", points: 20,
			asks: []ask{
				read(printed).format("pdf").keyed("a"), read(printed).format("pdf").keyed("a"), read(other), read(printed).format("pdf").keyed("a"), status(),
			},
			explanation: "A stored answer has the whole PDF: a repeat with the same Idempotency-Key gets the same bytes and costs nothing.",
		}, {
			name: "extract/200/pdf-enhanced", points: 20, needs: []string{model.NeedEnhancement, needImage(model.ImageEnhance)},
			asks:        []ask{read(model.ImageEnhance), read(model.ImageEnhance).enhance(true).format("pdf")},
			explanation: "The PDF of an enhanced reading has the enhanced text.",
		},
	}
}

// failureRows need a key or an image for which the server fails on purpose; only mocks have them.
var failureRows = []row{
	{
		// The third request must fail again instead of replaying the failure, and the last one must replay the
		// success.
		name: "extract/500/image", points: 10, needs: []string{needImage(model.ImageError)},
		explanation: "A server that fails says so without internal details, charges nothing, and frees the Idempotency-Key.",
		asks: confirmed(read(model.ImageError), read(model.ImageError).keyed("a"), read(model.ImageError).keyed("a"),
			read(printed).keyed("a"), read(printed).keyed("a")),
	},
	{
		// This case finds servers that hold points for requests that they are going to refuse.
		name: "extract/500/before-402", account: model.KeyEmpty, needs: []string{needImage(model.ImageOverload)},
		explanation: "The capacity is checked before the points: even to an account without points, a busy server answers 500 and says when to try again.",
		asks: []ask{
			read(model.ImageOverload), read(model.ImageOverload).keyed("a"), read(model.ImageOverload).keyed("a"), read(model.ImageOverload).format("pdf").enhance(true),
		},
	},
	{
		// The account fails before anything is known about it, so that only the form of the answer is checked.
		name: "extract/500/key", account: model.KeyError, asks: []ask{read(printed)},
		explanation: "A 500 has the form of every error and reveals no internal details.",
	},
	{
		// Errors of the two operations are often written by different code.
		name: "status/500/key", account: model.KeyError, asks: []ask{status()},
		explanation: "A 500 of the status has the form of every error.",
	},
}
