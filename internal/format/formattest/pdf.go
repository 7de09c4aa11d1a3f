package formattest

import (
	"context"
	"html"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// RequireValidPDF fails the test unless qpdf, Ghostscript and poppler read the PDF without an error or a warning, and every
// font in it is embedded and says what its characters mean. They are the Debian packages qpdf, ghostscript and poppler-utils.
func RequireValidPDF(tb testing.TB, pdf []byte) {
	tb.Helper()
	file := tempPDF(tb, pdf)
	run(tb, "qpdf", "--check", file)
	if said := run(tb, "gs", "-q", "-dNOPAUSE", "-dBATCH", "-dSAFER", "-dPDFSTOPONERROR", "-dPDFSTOPONWARNING", "-sDEVICE=nullpage", file); said != "" {
		tb.Fatalf("gs: %s", said)
	}
	lines := strings.Split(strings.TrimSpace(run(tb, "pdffonts", file)), "\n")
	for _, font := range lines[2:] {
		// The last columns: embedded, a subset, with Unicode, number and generation of the object.
		fields := strings.Fields(font)
		if last := fields[len(fields)-5:]; last[0] != "yes" || last[2] != "yes" {
			tb.Fatalf("pdffonts: a font is not embedded or has no Unicode: %s", font)
		}
	}
}

// PDFText returns the text of a PDF in the order in which it is written, a form feed after each page.
func PDFText(tb testing.TB, pdf []byte) string {
	tb.Helper()
	return run(tb, "pdftotext", "-raw", "-enc", "UTF-8", tempPDF(tb, pdf), "-")
}

// PDFWord is a word of a PDF, with its edges in points from the upper left corner of the page.
type PDFWord struct {
	Text                     string
	Left, Top, Right, Bottom float64
}

var pdfWord = regexp.MustCompile(`<word xMin="([\d.-]+)" yMin="([\d.-]+)" xMax="([\d.-]+)" yMax="([\d.-]+)">(.*?)</word>`)

// PDFWords returns the words of a PDF where poppler finds them.
func PDFWords(tb testing.TB, pdf []byte) (words []PDFWord) {
	tb.Helper()
	for _, m := range pdfWord.FindAllStringSubmatch(run(tb, "pdftotext", "-bbox", tempPDF(tb, pdf), "-"), -1) {
		var edges [4]float64
		for i := range edges {
			edges[i], _ = strconv.ParseFloat(m[i+1], 64) // the pattern allows numbers only
		}
		words = append(words, PDFWord{html.UnescapeString(m[5]), edges[0], edges[1], edges[2], edges[3]})
	}
	return words
}

// RenderPDF returns the first page of a PDF as a PNG of that resolution.
func RenderPDF(tb testing.TB, pdf []byte, dpi int) []byte {
	tb.Helper()
	file := tempPDF(tb, pdf)
	run(tb, "pdftoppm", "-png", "-singlefile", "-r", strconv.Itoa(dpi), file, strings.TrimSuffix(file, ".pdf"))
	png, err := os.ReadFile(strings.TrimSuffix(file, ".pdf") + ".png")
	if err != nil {
		tb.Fatal(err)
	}
	return png
}

func tempPDF(tb testing.TB, pdf []byte) string {
	tb.Helper()
	file := filepath.Join(tb.TempDir(), "document.pdf")
	if err := os.WriteFile(file, pdf, 0o600); err != nil {
		tb.Fatal(err)
	}
	return file
}

// run returns what a program prints, and fails the test if the program fails.
func run(tb testing.TB, name string, arguments ...string) string {
	tb.Helper()
	ctx, cancel := context.WithTimeout(tb.Context(), timeout)
	defer cancel()
	out, err := exec.CommandContext(ctx, name, arguments...).CombinedOutput() //nolint:gosec // programs and files of the tests
	if err != nil {
		tb.Fatalf("%s: %v\n%.4000s", name, err, out)
	}
	return string(out)
}
