package reading

import (
	"cmp"
	"context"
	"image"
	"slices"

	"uncial/impl/ocr/imaging"
	"uncial/impl/ocr/layout"
	"uncial/impl/ocr/lexicon"
	"uncial/impl/ocr/tesseract"
	"uncial/internal/document"
)

// Source reads images with single models, or with several joined by "+" ("eng+grc"). It is what the choice among
// readings is made from; Engines is the one of the worker. It serves one goroutine at a time.
type Source interface {
	// For are the names of the models that read a language, the best first; nil where there is none.
	For(language string) []string
	// Read reads an image, or a part of one, with a model. Boxes are in the coordinates of the image's bounds, and
	// confidences are the recognizer's own, 0..1.
	Read(ctx context.Context, img *image.Gray, model string, mode tesseract.Mode) ([]document.Block, error)
	// Has says whether a model is there.
	Has(model string) bool
	// Lexicon is the model's word list, nil where it has none.
	Lexicon(model string) *lexicon.Lexicon
	// Alphabet is the characters that the model can write, nil where that is not known.
	Alphabet(model string) lexicon.Alphabet
}

// toBlocks turns what an engine recognized into blocks. Blank words, and the lines and blocks that have no others, are
// left away.
func toBlocks(engine *tesseract.Engine) []document.Block {
	var blocks []document.Block
	for _, b := range engine.Blocks(tesseract.Words) {
		var lines []document.Line
		for _, p := range b.Paragraphs {
			for _, l := range p.Lines {
				if line := toLine(l, engine.Model()); len(line.Words) > 0 {
					lines = append(lines, line)
				}
			}
		}
		if len(lines) > 0 {
			blocks = append(blocks, blockOf(lines))
		}
	}
	return blocks
}

func toLine(l tesseract.Line, model string) document.Line {
	line := document.Line{}
	for _, w := range l.Words {
		text := document.WordText(w.Text)
		if text == "" {
			continue
		}
		line.Words = append(line.Words, document.Word{
			Box: toBox(w.Box), Text: text, Confidence: min(max(w.Confidence/100, 0), 1), Model: cmp.Or(w.Model, model),
		})
	}
	for _, p := range l.Baseline {
		line.Baseline = append(line.Baseline, document.Point{X: p.X, Y: p.Y})
	}
	line.Box = wordsBox(line.Words)
	return line
}

// readLine reads what is in a box of the image, and a margin around it, as one line. Boxes are those of the image.
func readLine(ctx context.Context, src Source, img *image.Gray, model string, box document.Box) (document.Line, error) {
	place := around(box, img.Rect)
	blocks, err := src.Read(ctx, imaging.Crop(img, place), model, tesseract.SingleLine)
	if err != nil {
		return document.Line{}, err
	}
	var line document.Line
	for _, b := range blocks {
		for _, l := range b.Lines {
			if l = moved(l, place.Min); len(line.Words) > 0 {
				l = layout.JoinLines(line, l)
			}
			line = l
		}
	}
	return line, nil
}

// moved is a line of a part of the page, in its place on the page.
func moved(l document.Line, by image.Point) document.Line {
	l.Words, l.Baseline = slices.Clone(l.Words), slices.Clone(l.Baseline)
	for i := range l.Words {
		l.Words[i].Box.X, l.Words[i].Box.Y = l.Words[i].Box.X+by.X, l.Words[i].Box.Y+by.Y
	}
	for i := range l.Baseline {
		l.Baseline[i].X, l.Baseline[i].Y = l.Baseline[i].X+by.X, l.Baseline[i].Y+by.Y
	}
	l.Box = wordsBox(l.Words)
	return l
}

func toBox(r image.Rectangle) document.Box {
	return document.Box{X: r.Min.X, Y: r.Min.Y, W: r.Dx(), H: r.Dy()}
}

func blockOf(lines []document.Line) document.Block {
	b := document.Block{Lines: lines}
	for _, l := range lines {
		b.Box = b.Box.Union(l.Box)
	}
	return b
}

// right returns the right edge of a box.
func right(b document.Box) int { return b.X + b.W }

// middle returns the height of the middle of a box.
func middle(b document.Box) int { return b.Y + b.H/2 }

func wordsBox(words []document.Word) document.Box {
	var box document.Box
	for _, w := range words {
		box = box.Union(w.Box)
	}
	return box
}
