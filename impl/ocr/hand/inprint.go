package hand

import (
	"context"
	"image"

	"uncial/impl/ocr/imaging"
	"uncial/impl/ocr/tesseract"
	"uncial/internal/document"
)

// readPrintedLines reads the lines of a handwritten page that may be print. It returns, by the boxes of the lines, those in
// which the print model is confident and more confident than the handwriting model. It crops each line from the page unchanged,
// because print models read straightened strips badly.
func (p *Page) readPrintedLines(ctx context.Context, r Reader, all []reading) (map[document.Box]reading, error) {
	var lines []reading
	var images []*image.Gray
	var parts []image.Rectangle
	for _, l := range all {
		spots := inside(p.spots, ownBox(l.at))
		if len(spots) < printLineSpots || joinedShare(spots) >= printLineShare {
			continue
		}
		ink := imaging.Union(spots)
		ink = ink.Inset(-ink.Dy() / printLineMargin).Intersect(p.gray.Rect)
		lines, parts, images = append(lines, l), append(parts, ink), append(images, imaging.Crop(p.gray, ink))
	}
	if len(images) == 0 {
		return nil, nil
	}
	read, err := r.ReadStrips(ctx, p.models.Print, images)
	if err != nil {
		return nil, err
	}
	found := map[document.Box]reading{}
	for i, words := range read {
		if confidence, _ := meanConfidence(words); confidence >= surelyPrint && confidence > lines[i].confidence {
			found[lines[i].at] = p.models.printed(lines[i].at, words, parts[i].Min)
		}
	}
	return found, nil
}

// printed returns the reading of a line of print. at is the line's box, and origin the corner of its image on the page.
func (m *Models) printed(at document.Box, words []tesseract.Word, origin image.Point) reading {
	out := reading{at: at}
	out.confidence, out.characters = meanConfidence(words)
	for _, w := range words {
		if text := document.WordText(w.Text); text != "" {
			out.line.Words = append(out.line.Words, document.Word{
				Box: document.BoxOf(w.Box.Add(origin)), Text: text, Confidence: m.PrintAccuracy(confidenceOf(w)), Model: m.Print,
			})
		}
	}
	out.line.Box = document.WordsBox(out.line.Words)
	return out
}

// PrintedPart returns the part of a handwritten page that may be print, in pixels of the page: the largest group of successive
// lines with hardly any joined letters. It is empty if there are too few such lines.
func (p *Page) PrintedPart(ctx context.Context, r Reader) (image.Rectangle, error) {
	found, err := p.Lines(ctx, r)
	if err != nil {
		return image.Rectangle{}, err
	}
	var best, part image.Rectangle
	bestSpots := max(regionSpots, len(p.spots)/regionDivisor) - 1
	for _, l := range found.Lines() {
		spots := inside(p.spots, ownBox(l.Box()))
		if joinedShare(spots) >= lineShare {
			part = image.Rectangle{}
			continue
		}
		part = part.Union(imaging.Union(spots))
		if n := len(inside(p.spots, document.BoxOf(part))); n > bestSpots {
			best, bestSpots = part, n
		}
	}
	return best, nil
}

// ownBox returns the box of a line, trimmed at top and bottom to exclude the lines above and below, and extended at both ends
// to include letters that reach beyond it.
func ownBox(line document.Box) document.Box {
	side, edge := line.H/ownBoxSide, line.H/ownBoxEdge
	return document.Box{X: line.X - side, Y: line.Y + edge, W: line.W + line.H*2/ownBoxSide, H: line.H - line.H*2/ownBoxEdge}
}
