package reading

import (
	"cmp"
	"context"
	"image"
	"strings"

	"uncial/impl/ocr/imaging"
	"uncial/impl/ocr/layout"
	"uncial/impl/ocr/lexicon"
	"uncial/impl/ocr/tesseract"
	"uncial/internal/document"
)

// Source reads images with one model, or with several joined by "+" ("eng+grc"). Engines is the source that the worker uses. A
// source must not be used by several goroutines at once.
type Source interface {
	// For returns the names of the models that read a language, the best first, or nil if there are none.
	For(language string) []string
	// Read reads an image, or a part of one, with a model. Boxes are in the coordinates of the image's bounds, and confidences
	// are the recognizer's own, 0..1. The layout analysis of tesseract.Auto derives the width of gutters and rules from dpi,
	// the resolution of the image; if dpi is 0, it guesses. If ctx ends, Read returns the lines that were read so far with
	// ctx's error.
	Read(ctx context.Context, img *image.Gray, dpi int, model string, mode tesseract.Mode) ([]document.Block, error)
	// Languages returns all tags for which For returns models.
	Languages() []string
	// Has reports whether a model is installed, or whether several joined by "+" can be used together.
	Has(model string) bool
	// Lexicon returns the model's word list, or nil if it has none.
	Lexicon(model string) *lexicon.Lexicon
	// Alphabet returns the characters that the model can output, or nil if they are not known.
	Alphabet(model string) lexicon.Alphabet
}

// toBlocks converts Tesseract's blocks. It drops blank words, and lines and blocks without other words. model is the name for
// words that do not say which model read them.
func toBlocks(recognized []tesseract.Block, model string) []document.Block {
	var blocks []document.Block
	for _, b := range recognized {
		var lines []document.Line
		for _, l := range b.Lines {
			if line := toLine(l, model); len(line.Words) > 0 {
				lines = append(lines, line)
			}
		}
		if len(lines) > 0 {
			blocks = append(blocks, document.BlockOf(lines))
		}
	}
	return blocks
}

// toLine converts a line of Tesseract: confidences from 0..100 to 0..1, and Greek letters to their usual forms. It drops words
// without text, and those of tildes alone, which models write for what they cannot read.
func toLine(l tesseract.Line, model string) document.Line {
	line := document.Line{}
	for _, w := range l.Words {
		text := inGreekLetters(document.WordText(w.Text))
		if text == "" || len(text) > 1 && strings.Trim(text, "~") == "" {
			continue
		}
		line.Words = append(line.Words, document.Word{
			Box: document.BoxOf(w.Box), Text: text, Confidence: min(max(w.Confidence/100, 0), 1), Model: cmp.Or(w.Model, model), Signals: w.Signals,
		})
	}
	for _, p := range l.Baseline {
		line.Baseline = append(line.Baseline, document.Point{X: p.X, Y: p.Y})
	}
	line.Box = document.WordsBox(line.Words)
	return line
}

// readLine reads a box of the image, with the margin that the recognizer needs, as one line. The boxes of words are in pixels
// of the image.
func readLine(ctx context.Context, src Source, img *image.Gray, model string, box document.Box) (document.Line, error) {
	margin := max(box.H/lineMargin, minLineMargin)
	area := box.Rectangle().Inset(-margin).Intersect(img.Rect)
	blocks, err := src.Read(ctx, imaging.Crop(img, area), 0, model, tesseract.SingleLine)
	if err != nil {
		return document.Line{}, err
	}
	var line document.Line
	for read := range document.Lines(blocks) {
		part := shifted(*read, area.Min)
		if len(line.Words) > 0 {
			part = layout.JoinLines(line, part)
		}
		line = part
	}
	return line, nil
}
