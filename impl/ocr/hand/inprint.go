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
		core := l.at // without what it holds of the lines above and below, and with letters at its ends
		core.Y, core.H = core.Y+l.at.H/6, l.at.H-l.at.H/3
		core.X, core.W = core.X-l.at.H/4, core.W+l.at.H/2
		inside := within(p.spots, core)
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
