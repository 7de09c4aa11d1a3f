package cases

import (
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"image"
	"math"
	"slices"
	"strings"
	"sync"
	"unicode"

	"uncial/contracttests/internal/documents"
	"uncial/contracttests/internal/expect"
	"uncial/contracttests/internal/images"
	"uncial/contracttests/internal/model"
)

// pageRows read pages that provoke mistakes in documents: those of the target, or else pages that the suite draws. Whether the
// documents agree with the text and with each other is checked for every result.
var pageRows = []row{
	{
		// This case finds missing escapes and quotes in markup and tables.
		name: "extract/200/special-characters", points: 60, extractions: 6, needs: []string{needPage(model.ImageSigns)}, then: readsSpecialCharacters,
		explanation: "Words with quotation marks and characters of markup are the same in documents as in the text.",
		build:       inEveryFormat(model.ImageSigns, func() images.File { return drawnPages().special }),
	}, {
		// This case finds pages that are sorted by name, such as page 10 before page 2.
		name: "extract/200/ten-pages", points: 60, extractions: 6, needs: []string{needPage(model.ImageTenPages)}, then: readsInOrder,
		explanation: "The documents of an image with ten pages have the pages in order.",
		build:       inEveryFormat(model.ImageTenPages, func() images.File { return drawnPages().ten }),
	}, {
		// This case finds ids that join numbers without a separator, and buffers that are too small.
		name: "extract/200/many-words", points: 60, extractions: 6, needs: []string{needPage(model.ImageLong)}, then: readsManyWords,
		explanation: "Documents are complete, and ids unique, on a page with more than ten lines of more than ten words.",
		build:       inEveryFormat(model.ImageLong, func() images.File { return drawnPages().many }),
	}, {
		name: "extract/200/faded-page", points: 60, extractions: 6, needs: []string{needImage(model.ImageFaded), model.NeedAllFields}, then: listsMostWeakPlaces,
		explanation: "If there are more than 50 weak places, the answer lists those with the most characters likely to be wrong, and all documents have the same other readings.",
		build:       inEveryFormat(model.ImageFaded, nil),
	}, {
		// A format may leave something out, or write something that it has no place for.
		name: "extract/200/every-page-in-every-format", points: 10 * 10 * int64(len(peculiarPages)), extractions: 10 * int64(len(peculiarPages)), needs: []string{model.NeedThorough}, build: peculiarInEveryFormat,
		explanation: "Every format is correct for pages with pictures, divided words, weak places and corrections, verbatim and enhanced.",
	}, {
		// Both kinds of JPEG that PDF can hold (ISO 32000-1, section 7.4.8).
		name: "extract/200/pdf-keeps-the-picture", points: 20, extractions: 2, needs: []string{model.NeedReading}, then: keepsThePicture,
		explanation: "A JPEG, baseline or progressive, is embedded in a PDF byte for byte as it was sent.",
		build: func(*session) (asks []ask) {
			for _, f := range keptPictures() {
				asks = append(asks, inline(f.Name, dataURL("image/jpeg", f.Data)).format("pdf"))
			}
			return asks
		},
	}, {
		// Servers convert files that PDF cannot hold, and must declare the form of the others correctly. The last file is large, and
		// so is the answer, which servers must store whole.
		name: "extract/200/pdf-of-every-picture", points: 70, extractions: 8, needs: []string{model.NeedReading}, build: picturesAsPDF,
		explanation: "Pictures with every kind of colours make a PDF/A-2b, and a repeat gets the whole of a large PDF.",
	}, {
		// This case finds servers that apply the transform of the first page to all pages.
		name: "extract/200/pages-of-different-sizes", points: 70, extractions: 7, needs: []string{model.NeedReading},
		explanation: "If the pages of a file differ in size, the words of each page are in their places, in every format and whatever the order of the pages in the file.",
		build: func(*session) (asks []ask) {
			f := drawnPages().unequal
			for _, format := range pageFormats {
				asks = append(asks, inline(f.Name, dataURL("image/tiff", f.Data)).format(format))
			}
			again := asks[0].job(func(j *model.Job) { j.URL = dataURL("image/tiff", drawnPages().backward.Data) }) // the same pages, which must be read alike
			return append(asks, again)
		},
	}, {
		// Decoders that ignore the alpha channel see black on black.
		name: "extract/200/transparent-page", points: 30, extractions: 3, needs: []string{model.NeedReading},
		explanation: "Black print on a transparent background is read like black print on white.",
		build: func(*session) (asks []ask) {
			files, own := images.Transparent(turnedPages().upright), turnedPages().own
			for _, f := range files {
				a := inline(f.Name, dataURL("image/png", f.Data))
				a.Job.Own = &own
				asks = append(asks, a.format("tsv"))
			}
			return asks
		},
	},
}

// drawn are the files of pageRows.
type drawn struct{ special, ten, many, unequal, backward images.File }

const (
	// Texts that the suite draws. specialText has every character that XML and HTML escape; the words of manyWords are short, so
	// that many fit.
	specialText = `He said "Come & see" to <her> and 'him'.`
	manyLines   = 12
	manyWords   = "we all go on to see if it is so far up"
)

// pageWords are the last words of ten pages, whose alphabetical order differs from that of the pages.
var pageWords = strings.Fields("one two three four five six seven eight nine ten")

var drawnPages = sync.OnceValue(func() drawn {
	special, _ := model.Draw(specialText)
	var ten []*image.Gray
	for _, word := range pageWords {
		page, _ := model.Draw("This is page " + word)
		ten = append(ten, page)
	}
	many := model.DrawLines(slices.Repeat([]string{manyWords}, manyLines))
	return drawn{images.TIFF("special", special), images.TIFF("ten", ten...), images.TIFF("many", many), images.TIFF("unequal", many, ten[0], ten[1]), images.Backward(images.TIFF("backward", ten[1], ten[0], many))}
})

// pageFormats are the formats in which pageRows request their pages.
var pageFormats = append(slices.Clone(documents.Formats), "pdf", "json")

// inEveryFormat asks for an image of the target in each format, or for a page that the suite draws instead.
func inEveryFormat(scenario string, page func() images.File) func(s *session) []ask {
	return func(s *session) (asks []ask) {
		a := read(scenario)
		if s.Images[scenario] == "" {
			f := page()
			a = inline(f.Name, dataURL("image/"+f.Format, f.Data))
		}
		for _, format := range pageFormats {
			asks = append(asks, a.format(format))
		}
		return asks
	}
}

// peculiarPages have something that formats write in their own ways.
var peculiarPages = []string{model.ImageIllustrated, model.ImageBroken, model.ImageWeak, model.ImageFaint, model.ImageEnhance, model.ImagePages}

// peculiarInEveryFormat asks for each peculiar page that the target has in every format, verbatim and enhanced.
func peculiarInEveryFormat(s *session) (asks []ask) {
	for _, page := range peculiarPages {
		if s.Images[page] == "" {
			continue
		}
		asks = append(asks, inEveryFormat(page, nil)(s)...)
		for _, format := range documents.Formats {
			asks = append(asks, read(page).enhance(true).format(format))
		}
	}
	return asks
}

// readsSpecialCharacters requires characters that have a meaning in XML and HTML. A recognizer may misread some of them; a mock
// must have all, and signs beyond the Basic Multilingual Plane too.
func readsSpecialCharacters(_ context.Context, _ *session, x []*model.Exchange) error {
	text := x[0].Text("text")
	if x[0].Request.Job.Unknown && !strings.ContainsAny(text, `"&<>'`) {
		return fail(x[0], "the image shows %q in clear print, but the text is %q", specialText, text)
	}
	if !x[0].Target.Simulated {
		return nil
	}
	isMark := func(r rune) bool { return unicode.Is(unicode.Mn, r) }
	isRare := func(r rune) bool { return r > math.MaxUint16 }
	signs := promisedSigns
	if x[0].Target.Control != nil {
		signs += fixedSigns
	}
	if missing := strings.Trim(signs, text); missing != "" || !strings.ContainsFunc(text, isMark) || !strings.ContainsFunc(text, isRare) {
		return fail(x[0], "the page has %s, combining characters and letters of four bytes; the text is %q", signs, model.Shorten(text, 400))
	}
	return nil
}

// The signs on the page of a simulated target, which servers escape, quote, normalize or cut: those that the example of the
// contract promises, and the others on the page of uncial-mock, which is the one that can be controlled.
const (
	promisedSigns = `"&<>`
	fixedSigns    = `'“‘«ſﬁ½—…\%~éß`
)

// readsInOrder requires the words of each page of a TIFF on that page of the text. Form feeds divide pages.
func readsInOrder(_ context.Context, _ *session, x []*model.Exchange) error {
	pages := strings.Split(x[0].Text("text"), "\f")
	if len(pages) != len(pageWords) {
		return fail(x[0], "the image has %d pages, the text %d", len(pageWords), len(pages))
	}
	if !x[0].Request.Job.Unknown {
		return nil // not the words of the suite
	}
	for i, page := range pages {
		// A word may be misread, but must not be on the page of another.
		for j, word := range pageWords {
			if i != j && slices.Contains(strings.Fields(page), word) {
				return fail(x[0], "page %d of the image says %q, but the text of page %d has %q", i+1, pageWords[i], i+1, word)
			}
		}
	}
	return nil
}

// readsManyWords requires nearly all lines and words of a page in clear print, so that a limit on either shows.
func readsManyWords(_ context.Context, _ *session, x []*model.Exchange) error {
	lines := strings.Split(strings.ReplaceAll(x[0].Text("text"), "\n\n", "\n"), "\n")
	if words := strings.Fields(lines[0]); len(lines) < manyLines-1 || len(words) < len(strings.Fields(manyWords))-2 {
		return fail(x[0], "the image has %d lines of %d words in clear print, but the text has %d lines, and its first line has %d words", manyLines, len(strings.Fields(manyWords)), len(lines), len(words))
	}
	return nil
}

// listsMostWeakPlaces requires the list of a page with too many weak places to be full.
func listsMostWeakPlaces(_ context.Context, s *session, x []*model.Exchange) error {
	if weak, _ := x[0].JSON["weak"].([]any); s.isExact && len(weak) != expect.MaxWeak {
		return fail(x[0], "the page has more than %d weak places; the answer lists %d", expect.MaxWeak, len(weak))
	}
	return nil
}

// keepsThePicture looks for the bytes of each JPEG in its PDF. Encoding it again would lose quality.
func keepsThePicture(_ context.Context, _ *session, x []*model.Exchange) error {
	for i, f := range keptPictures() {
		file, err := base64.StdEncoding.DecodeString(x[i].Text("document"))
		if err != nil {
			return fmt.Errorf("read the PDF: %w", err) // it was checked before
		}
		if !bytes.Contains(file, f.Data) {
			return fail(x[i], "the PDF does not contain the JPEG %s as it was sent", f.Name)
		}
	}
	return nil
}

// keptPictures are a baseline and a progressive JPEG.
func keptPictures() []images.File {
	return []images.File{turnedPages().files[0], fileNamed("colours-progressive.jpg")}
}

// fileNamed is one of the valid files.
func fileNamed(name string) images.File {
	all := images.Valid()
	return all[slices.IndexFunc(all, func(f images.File) bool { return f.Name == name })]
}

// picturesAsPDF asks for pictures whose colours PDF can hold, and whose colours it cannot, and twice for a large one.
func picturesAsPDF(*session) (asks []ask) {
	for _, name := range []string{"colours-cmyk.jpg", "colours-cmyk-LZW.tif", "colours-16.png", "clear.png", "ink-Group4.tif", "clear-lossless.webp"} {
		f := fileNamed(name)
		asks = append(asks, inline(f.Name, dataURL("image/"+f.Format, f.Data)).format("pdf"))
	}
	f := images.Padded()
	large := inline(f.Name, dataURL("image/jpeg", f.Data)).format("pdf").keyed("large")
	return append(asks, large, large)
}
