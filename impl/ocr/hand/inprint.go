package hand

import (
	"context"
	"image"

	"uncial/impl/ocr/imaging"
	"uncial/impl/ocr/tesseract"
	"uncial/internal/document"
)

// Lines of a page of handwriting with at least plainSpots spots of ink, and a share of joined ones below plainShare, may be
// print: a letterhead, the heading of a table. 1 in plainMargin of its height is left around such a line.
const plainSpots, plainShare, plainMargin = 12, 0.1, 4

// inPrint are the lines of a page of handwriting that the model for print is sure of, and surer than that for hands, by the
// boxes of the lines. It reads each as it stands on the page, for models of print do not like strips.
func (p *Page) inPrint(ctx context.Context, r Reader, all []reading) (map[document.Box]reading, error) {
	var plain []reading
	var images []*image.Gray
	var places []image.Rectangle
	for _, l := range all {
		inside := within(p.spots, core(l.at))
		if len(inside) < plainSpots || wideShare(inside) >= plainShare {
			continue
		}
		var ink image.Rectangle
		for _, s := range inside {
			ink = ink.Union(s)
		}
		ink = ink.Inset(-ink.Dy() / plainMargin).Intersect(p.gray.Rect)
		plain, places, images = append(plain, l), append(places, ink), append(images, imaging.Crop(p.gray, ink))
	}
	if len(images) == 0 {
		return nil, nil
	}
	read, err := r.ReadStrips(ctx, p.models.Print, images, tesseract.Words)
	if err != nil {
		return nil, err
	}
	found := map[document.Box]reading{}
	for i, words := range read {
		if sure, _ := weigh(words); sure >= surelyPrint && sure > plain[i].confidence {
			found[plain[i].at] = p.models.printed(plain[i].at, words, places[i].Min)
		}
	}
	return found, nil
}

// printed is a line of print at a place of the page.
func (m *Models) printed(at document.Box, words []tesseract.Word, place image.Point) reading {
	out := reading{at: at}
	out.confidence, out.characters = weigh(words)
	for _, w := range words {
		if text := document.WordText(w.Text); text != "" {
			b := w.Box.Add(place)
			box := document.Box{X: b.Min.X, Y: b.Min.Y, W: b.Dx(), H: b.Dy()}
			own := min(max(w.Confidence/100, 0), 1)
			out.line.Words = append(out.line.Words, document.Word{Box: box, Text: text, Confidence: m.InPrint(own), Model: m.Print})
			out.line.Box = out.line.Box.Union(box)
		}
	}
	return out
}

const (
	// printSpots is how many spots of ink the printed part of a page has at least, and printShare, 1 in printShare, the share
	// of the page's spots: what is less is a letterhead or a stamp, which is told line by line.
	printSpots, printShare = 3 * plainSpots, 5
)

// PrintLike is the part of a page of handwriting that may be print, in pixels of the page: the lines that follow each other
// and hardly have a joined letter, with what lies between them. It is empty where there is too little of the kind.
func (p *Page) PrintLike() image.Rectangle {
	var best, part image.Rectangle
	most := max(printSpots, len(p.spots)/printShare) - 1
	for _, l := range p.lines().Lines() {
		inside := within(p.spots, core(l.Box()))
		if wideShare(inside) >= lineWide {
			part = image.Rectangle{}
			continue
		}
		for _, s := range inside {
			part = part.Union(s)
		}
		if n := len(within(p.spots, document.Box{X: part.Min.X, Y: part.Min.Y, W: part.Dx(), H: part.Dy()})); n > most {
			best, most = part, n
		}
	}
	return best
}

// core is the box of a line without what it holds of the lines above and below, and with letters at its ends.
func core(line document.Box) document.Box {
	return document.Box{X: line.X - line.H/4, Y: line.Y + line.H/6, W: line.W + line.H/2, H: line.H - line.H/3}
}
