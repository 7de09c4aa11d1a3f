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

// CheckPDF checks that a document is a PDF in base64 with one page for each page of the text, that each page shows a picture and has
// the characters of its text in their order, and that the file identifies itself as PDF/A-2b. White space is not compared: a PDF need not contain any. The error
// names the first problem in one sentence.
func CheckPDF(document, text string) (err error) {
	file, err := base64.StdEncoding.Strict().DecodeString(document)
	if err != nil || strings.ContainsAny(document, "\r\n") {
		return errors.New("it must be in base64 with padding and without line breaks")
	}
	// The library panics over damaged files.
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("it is not a valid PDF: %v", p)
		}
	}()
	r, err := pdf.NewReader(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		return fmt.Errorf("it is not a valid PDF: %w", err)
	}
	if err := errors.Join(checkArchival(r, file), checkPassive(r)); err != nil {
		return err
	}
	pages := strings.Split(text, "\f")
	if r.NumPage() != len(pages) {
		return fmt.Errorf("it has %d pages, but the text has %d", r.NumPage(), len(pages))
	}
	for i, want := range pages {
		if err := checkPDFPage(r.Page(i+1), want); err != nil {
			return fmt.Errorf("page %d: %w", i+1, err)
		}
	}
	return nil
}

// identifiesPDFA finds the identification in XMP, as elements or as attributes.
var identifiesPDFA = regexp.MustCompile(`(?s)pdfaid:part(>|=["'])2.*pdfaid:conformance(>|=["'])B|pdfaid:conformance(>|=["'])B.*pdfaid:part(>|=["'])2`)

// checkArchival checks what the simplest tools look at in a PDF/A (ISO 19005-2, sections 6.1.3, 6.2.3 and 6.6.4).
func checkArchival(r *pdf.Reader, file []byte) error {
	metadata := r.Trailer().Key("Root").Key("Metadata").Reader()
	defer func() { _ = metadata.Close() }()
	var xmp bytes.Buffer
	if _, err := xmp.ReadFrom(metadata); err != nil {
		return fmt.Errorf("its metadata cannot be read: %w", err)
	}
	switch {
	case !bytes.HasSuffix(bytes.TrimRight(file, "\r\n"), []byte("%%EOF")):
		return errors.New("it does not end as a PDF")
	case r.Trailer().Key("ID").Len() != 2 || r.Trailer().Key("ID").Index(0).RawString() == "":
		return errors.New("it has no identifier (/ID)")
	case r.Trailer().Key("Root").Key("OutputIntents").Len() == 0:
		return errors.New("it does not say what its colours mean (/OutputIntents)")
	case !identifiesPDFA.MatchString(xmp.String()):
		return errors.New("its metadata does not identify it as PDF/A-2b")
	}
	return nil
}

// checkPDFPage checks the picture and the characters of a page.
func checkPDFPage(p pdf.Page, want string) error {
	drawn := p.Resources().Key("XObject")
	if !slices.ContainsFunc(drawn.Keys(), func(name string) bool { return drawn.Key(name).Key("Subtype").Name() == "Image" }) {
		return errors.New("it shows no picture")
	}
	if err := checkInvisible(p); err != nil {
		return err
	}
	var read strings.Builder
	for _, c := range p.Content().Text {
		read.WriteString(c.S)
	}
	if got := asSeen(read.String()); got != asSeen(want) {
		return fmt.Errorf("it contains %.80q, but the text is %.80q", read.String(), want)
	}
	return nil
}

// asSeen removes white space from a text. If some of it is written from right to left, it also sorts the characters: a PDF has them in the order in
// which they are seen.
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
