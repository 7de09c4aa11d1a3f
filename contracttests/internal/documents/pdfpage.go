package documents

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/ledongthuc/pdf"
)

// invisible is the rendering mode of text that neither fills nor strokes (ISO 32000-1, section 9.3.6).
const invisible = 3

// checkInvisible requires all text of a page to be invisible: it would cover the picture.
func checkInvisible(p pdf.Page) (err error) {
	mode, saved := int64(0), []int64{}
	read := func(stack *pdf.Stack, op string) {
		args := make([]pdf.Value, stack.Len())
		for i := len(args) - 1; i >= 0; i-- {
			args[i] = stack.Pop()
		}
		switch {
		case op == "q":
			saved = append(saved, mode)
		case op == "Q" && len(saved) > 0:
			mode, saved = saved[len(saved)-1], saved[:len(saved)-1]
		case op == "Tr" && len(args) == 1:
			mode = args[0].Int64()
		case slices.Contains([]string{"Tj", "TJ", "'", `"`}, op) && mode != invisible:
			err = errors.New("its text is visible")
		}
	}
	contents := p.V.Key("Contents")
	for i := range contents.Len() { // of an array
		pdf.Interpret(contents.Index(i), read)
	}
	if contents.Kind() == pdf.Stream {
		pdf.Interpret(contents, read)
	}
	return err
}

// checkPassive requires a PDF to be readable without a password, to run nothing, and to embed its fonts (ISO 19005-2, sections
// 6.1.3, 6.2.11.4 and 6.5).
func checkPassive(r *pdf.Reader) error {
	root := r.Trailer().Key("Root")
	switch {
	case !r.Trailer().Key("Encrypt").IsNull():
		return errors.New("it is encrypted")
	case !root.Key("AA").IsNull(), !root.Key("Names").Key("JavaScript").IsNull(), !root.Key("OpenAction").Key("S").IsNull() && root.Key("OpenAction").Key("S").Name() != "GoTo":
		return errors.New("it has an action that runs automatically")
	}
	components := root.Key("OutputIntents").Index(0).Key("DestOutputProfile").Key("N").Int64()
	for n := range r.NumPage() {
		page := r.Page(n + 1)
		if err := checkPictures(page, components); err != nil {
			return err
		}
		for _, name := range page.Fonts() {
			font := page.Font(name).V
			if d := font.Key("DescendantFonts"); d.Len() > 0 {
				font = d.Index(0)
			}
			if d := font.Key("FontDescriptor"); d.Key("FontFile").IsNull() && d.Key("FontFile2").IsNull() && d.Key("FontFile3").IsNull() {
				return fmt.Errorf("its font %s is not embedded", page.Font(name).BaseFont())
			}
		}
	}
	return nil
}

// forbidden are the types of annotations that run or show something else (ISO 19005-2, section 6.3.1).
var forbidden = []string{"3D", "Sound", "Screen", "Movie"}

// checkPictures checks what PDF/A-2 says of pictures and annotations (sections 6.1.7, 6.2.4.3, 6.2.8, 6.2.9 and 6.3.1).
// components are those of the output intent.
func checkPictures(page pdf.Page, components int64) error {
	drawn := page.Resources().Key("XObject")
	for _, name := range drawn.Keys() {
		x := drawn.Key(name)
		filters := fmt.Sprint(x.Key("Filter"))
		colours := x.Key("ColorSpace")
		if colours.Len() > 1 && colours.Index(0).Name() == "Indexed" {
			colours = colours.Index(1)
		}
		switch {
		case colours.Name() == "DeviceCMYK" && components != 4 && page.Resources().Key("ColorSpace").Key("DefaultCMYK").IsNull():
			return errors.New("a picture is in DeviceCMYK, which nothing in the file defines")
		case colours.Name() == "DeviceRGB" && components != 3 && page.Resources().Key("ColorSpace").Key("DefaultRGB").IsNull():
			return errors.New("a picture is in DeviceRGB, which nothing in the file defines")
		case x.Key("Interpolate").Bool():
			return errors.New("a picture has /Interpolate true, which PDF/A forbids")
		case x.Key("Subtype").Name() == "PS", !x.Key("PS").IsNull(), !x.Key("Ref").IsNull():
			return errors.New("it draws external content or a PostScript XObject")
		case !x.Key("Alternates").IsNull(), !x.Key("OPI").IsNull():
			return errors.New("a picture has alternatives, which PDF/A forbids")
		case strings.Contains(filters, "LZW"), strings.Contains(filters, "Crypt"):
			return fmt.Errorf("a picture has the filter %s, which PDF/A forbids", filters)
		}
	}
	notes := page.V.Key("Annots")
	for i := range notes.Len() {
		if kind := notes.Index(i).Key("Subtype").Name(); slices.Contains(forbidden, kind) {
			return fmt.Errorf("it has an annotation of the type %s, which PDF/A forbids", kind)
		}
	}
	return nil
}

// LanguageOf is the language that a PDF names, "" if it names none or cannot be read.
func LanguageOf(document string) string { return readPDF(document).language }

// AboutPDF returns the information and the metadata of a PDF, "" if it cannot be read.
func AboutPDF(document string) string { return readPDF(document).about }

// aboutPDF returns the information dictionary and the XMP packet of the file as text, which is searched for leaks.
func aboutPDF(r *pdf.Reader) (about string) {
	info := r.Trailer().Key("Info")
	for _, name := range info.Keys() {
		about += name + ": " + info.Key(name).Text() + "\n"
	}
	metadata := r.Trailer().Key("Root").Key("Metadata").Reader()
	defer func() { _ = metadata.Close() }()
	packet, _ := io.ReadAll(io.LimitReader(metadata, maxPacket)) // what can be read suffices
	return about + string(packet)
}

// maxPacket limits the metadata of a PDF, in bytes. Ours has a kilobyte.
const maxPacket = 1 << 16

// The share of a page by which words may be off, and in which the proportions of its sides may differ.
const (
	maxOff        = 0.02
	maxDistortion = 0.01
)

// ComparePDF requires the pages of a PDF, which CheckPDF has accepted, to have the proportions of those of another document of
// the same reading, and each word to begin where the other document has it. It returns the first difference, or "".
func ComparePDF(document string, other *Document) (difference string) {
	f := readPDF(document)
	if f.err != nil || len(f.pages) != len(other.Pages) {
		return "" // CheckPDF reports it
	}
	for i, p := range other.Pages {
		if d := f.pages[i].compare(p); d != "" {
			return fmt.Sprintf("page %d of the PDF: %s", i+1, d)
		}
	}
	return ""
}

// compare compares a page with that of another document. Pages with words from right to left, whose characters have another
// order, are compared by their sides only.
func (p pdfPage) compare(other *Element) string {
	width, height := p.right-p.left, p.top-p.bottom
	w, h := float64(other.Box.Right), float64(other.Box.Bottom)
	if a, b := width*h, height*w; max(a-b, b-a) > maxDistortion*max(a, b) {
		return fmt.Sprintf("it measures %.0f x %.0f points; the image has %.0f x %.0f pixels", width, height, w, h)
	}
	characters := slices.DeleteFunc(slices.Clone(p.characters), func(t pdf.Text) bool { return strings.TrimSpace(t.S) == "" })
	at := 0
	for _, word := range other.Words() {
		if at >= len(characters) {
			return ""
		}
		first, text := characters[at], ""
		for ; at < len(characters) && len(text) < len(word.Text); at++ {
			text += characters[at].S
		}
		if text != word.Text {
			return "" // another order of characters; CheckPDF compares them
		}
		x, y := (first.X-p.left)/width, 1-(first.Y-p.bottom)/height
		b := word.Box
		b.Top, b.Bottom = b.Top-(b.Bottom-b.Top), b.Bottom+(b.Bottom-b.Top) // letters may reach below the baseline
		if x < float64(b.Left)/w-maxOff || x > float64(b.Right)/w+maxOff || y < float64(b.Top)/h-maxOff || y > float64(b.Bottom)/h+maxOff {
			return fmt.Sprintf("the word %q is at %.0f,%.0f of the image; other formats have it at %v", word.Text, x*w, y*h, word.Box)
		}
	}
	return ""
}

// mediaBox returns the size of a page, which a page may inherit from its group.
func mediaBox(p pdf.Page) pdf.Value {
	v := p.V
	for v.Key("MediaBox").IsNull() && !v.IsNull() {
		v = v.Key("Parent")
	}
	return v.Key("MediaBox")
}
