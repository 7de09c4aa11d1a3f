package reading

import (
	"cmp"
	"context"
	"image"

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

func wordsBox(words []document.Word) document.Box {
	var box document.Box
	for _, w := range words {
		box = box.Union(w.Box)
	}
	return box
}
