package reading

import (
	"context"
	"image"
	"slices"

	"uncial/impl/ocr/correct"
	"uncial/impl/ocr/layout"
	"uncial/impl/ocr/models/own"
	"uncial/internal/document"
)

// readByHands reads lines, the most doubtful of which come first, with the network for handwriting. It also reads much print well, above all old
// print; if it reads the print of a page badly, it reads only the surest lines. There is one reading for each line, nil for those that it did not read.
func (p *page) readByHands(ctx context.Context, lines []*document.Line) ([][]document.Word, error) {
	unread := make([][]document.Word, len(lines))
	if p.hands.reader == nil {
		return unread, nil
	}
	surest := max(len(lines)-handProbe, 0)
	probe, err := p.readStrips(ctx, lines[surest:])
	if err != nil {
		return nil, err
	}
	readings := make([]correct.Readings, len(probe))
	for i := range probe {
		readings[i].Hand = probe[i]
	}
	if correct.HandTrust(lines[surest:], readings) < minHandTrust {
		return unread, nil
	}
	others, err := p.readStrips(ctx, lines[:surest])
	return slices.Concat(others, probe), err
}

// readStrips reads lines with the network for handwriting, which knows round s only: on a page with long s it is set where print has it.
func (p *page) readStrips(ctx context.Context, lines []*document.Line) ([][]document.Word, error) {
	bands := make([]layout.Band, len(lines))
	for i, line := range lines {
		box := p.sheet.boxOnSheet(document.WordsBox(line.Words))
		height, foot := float64(box.H), float64(box.Y)+bandFoot*float64(box.H)
		bands[i] = layout.Band{
			Baseline: []layout.Vertex{{X: float64(box.X), Y: foot}}, X0: float64(box.X), X1: float64(box.X + box.W),
			Up: bandUp * height, Down: bandDown * height,
		}
	}
	var images []*image.Gray
	var of []int // the index of each image's line
	for i, l := range layout.Given(p.sheetRead(), bands) {
		if s, ok := l.Strip(); ok {
			images, of = append(images, s.Image), append(of, i)
		}
	}
	read, err := p.hands.reader.ReadStrips(ctx, own.Hands, images)
	if err != nil {
		return nil, err
	}
	out := make([][]document.Word, len(lines))
	hasLongS := correct.ShowsLongS(p.read.Blocks)
	for k, words := range read {
		for _, w := range words {
			text := document.WordText(w.Text)
			if hasLongS {
				text = correct.WithLongS(text)
			}
			if text != "" {
				out[of[k]] = append(out[of[k]], document.Word{Text: text})
			}
		}
	}
	return out, nil
}
