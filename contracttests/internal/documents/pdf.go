package documents

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/ledongthuc/pdf"
	"golang.org/x/text/unicode/bidi"
)

// pdfFile is the part of a PDF that the suite compares.
type pdfFile struct {
	err      error // what is wrong with it, whatever it should contain
	pages    []pdfPage
	language string
	about    string // its information and its metadata
}

// pdfPage is a page of a PDF. Sizes and places are in points.
type pdfPage struct {
	err                      error // what is wrong with it
	left, bottom, right, top float64
	characters               []pdf.Text
}

var pdfsRead memory[pdfFile]

// readPDF reads a PDF in base64.
func readPDF(document string) pdfFile {
	return pdfsRead.get("pdf", document, func() (f pdfFile) {
		file, err := base64.StdEncoding.Strict().DecodeString(document)
		if err != nil || strings.ContainsAny(document, "\r\n") {
			return pdfFile{err: errors.New("it must be in base64 with padding and without line breaks")}
		}
		// The library panics over damaged files.
		defer func() {
			if p := recover(); p != nil {
				f.err = fmt.Errorf("it is not a valid PDF: %v", p)
			}
		}()
		r, err := pdf.NewReader(bytes.NewReader(file), int64(len(file)))
		if err != nil {
			return pdfFile{err: fmt.Errorf("it is not a valid PDF: %w", err)}
		}
		f.about, f.language = aboutPDF(r), r.Trailer().Key("Root").Key("Lang").Text()
		if f.err = errors.Join(checkArchival(r, file), checkPassive(r)); f.err == nil {
			for n := range r.NumPage() {
				f.pages = append(f.pages, readPDFPage(r.Page(n+1)))
			}
		}
		return f
	})
}

// CheckPDF checks that a document is a PDF in base64 with one page for each page of the text, that each page shows a picture
// and has the characters of its text in their order, and that the file identifies itself as PDF/A-2b. White space is not
// compared: a PDF need not contain any. The error names the first problem in one sentence.
func CheckPDF(document, text string) error {
	f, pages := readPDF(document), strings.Split(text, "\f")
	if f.err != nil {
		return f.err
	}
	if len(f.pages) != len(pages) {
		return fmt.Errorf("it has %d pages, but the text has %d", len(f.pages), len(pages))
	}
	for i, want := range pages {
		p := f.pages[i]
		if p.err != nil {
			return fmt.Errorf("page %d: %w", i+1, p.err)
		}
		if got := p.text(); asSeen(got) != asSeen(want) {
			return fmt.Errorf("page %d: it contains %.80q, but the text is %.80q", i+1, got, want)
		}
	}
	return nil
}

// text is all characters of a page.
func (p pdfPage) text() string {
	var b strings.Builder
	for _, c := range p.characters {
		b.WriteString(c.S)
	}
	return b.String()
}

// identifiesPDFA finds the identification in XMP, as elements or as attributes.
var identifiesPDFA = regexp.MustCompile(`(?s)pdfaid:part(>|=["'])2.*pdfaid:conformance(>|=["'])B|pdfaid:conformance(>|=["'])B.*pdfaid:part(>|=["'])2`)

// checkArchival checks what even the simplest tools check in a PDF/A (ISO 19005-2, sections 6.1.3, 6.2.3 and 6.6.4).
func checkArchival(r *pdf.Reader, file []byte) error {
	metadata := r.Trailer().Key("Root").Key("Metadata").Reader()
	defer func() { _ = metadata.Close() }()
	var xmp bytes.Buffer
	if _, err := xmp.ReadFrom(metadata); err != nil {
		return fmt.Errorf("its metadata cannot be read: %w", err)
	}
	switch {
	case !bytes.HasSuffix(bytes.TrimRight(file, "\r\n"), []byte("%%EOF")):
		return errors.New("it does not end with %%EOF")
	case r.Trailer().Key("ID").Len() != 2 || r.Trailer().Key("ID").Index(0).RawString() == "":
		return errors.New("it has no identifier (/ID)")
	case r.Trailer().Key("Root").Key("OutputIntents").Len() == 0:
		return errors.New("it has no output intent (/OutputIntents)")
	case !identifiesPDFA.MatchString(xmp.String()):
		return errors.New("its metadata does not identify it as PDF/A-2b")
	}
	return nil
}

// readPDFPage reads a page, which must show a picture and no text.
func readPDFPage(p pdf.Page) (page pdfPage) {
	drawn := p.Resources().Key("XObject")
	page.err = checkInvisible(p)
	if !slices.ContainsFunc(drawn.Keys(), func(name string) bool { return drawn.Key(name).Key("Subtype").Name() == "Image" }) {
		page.err = errors.New("it shows no picture")
	}
	box := mediaBox(p)
	page.left, page.bottom, page.right, page.top = box.Index(0).Float64(), box.Index(1).Float64(), box.Index(2).Float64(), box.Index(3).Float64()
	page.characters = p.Content().Text
	return page
}

// asSeen removes white space from a text. If some of it is written from right to left, it also sorts the characters, because a
// PDF has them in visual order.
func asSeen(text string) string {
	characters := []rune(strings.Join(strings.Fields(text), ""))
	if slices.ContainsFunc(characters, isRightToLeft) {
		slices.Sort(characters)
	}
	return string(slices.DeleteFunc(characters, unicode.IsSpace))
}

func isRightToLeft(r rune) bool {
	p, _ := bidi.LookupRune(r)
	return p.Class() == bidi.R || p.Class() == bidi.AL
}
