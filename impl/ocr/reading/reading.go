// Package reading turns a decoded page into a document: which models read it, how it is prepared, how it is cut into
// lines, and what is made of the result.
package reading

import (
	"context"
	"fmt"
	"image"
	"unicode/utf8"

	"uncial/impl/ocr/decode"
	"uncial/impl/ocr/tesseract"
	"uncial/internal/document"
)

// Tesseract believes a resolution between these, in dots per inch, and estimates others from the lines.
const (
	minDPI = 70
	maxDPI = 2400
)

// Read reads one page with the first model of the language, which must be one of the engines' set. When ctx ends it
// returns ctx's error at the next line of text. The page is as it was read: Normalized makes it keep the promises of the
// document model.
func Read(ctx context.Context, page decode.Page, language string, engines *Engines) (document.Page, error) {
	names := engines.Models().For(language)
	if len(names) == 0 {
		return document.Page{}, fmt.Errorf("reading: no installed model reads %s", language)
	}
	engine, err := engines.Get(names[0])
	if err != nil {
		return document.Page{}, err
	}
	defer engine.Clear()
	engine.SetMode(tesseract.Auto)
	dpi := page.DPI
	if dpi < minDPI || dpi > maxDPI {
		dpi = 0
	}
	if err := engine.SetImage(page.Image, dpi); err != nil {
		return document.Page{}, fmt.Errorf("reading: %w", err)
	}
	if err := engine.Recognize(ctx); err != nil {
		return document.Page{}, fmt.Errorf("reading: %w", err)
	}
	size := page.Image.Bounds().Size()
	return document.Page{Width: size.X, Height: size.Y, DPI: page.DPI, Blocks: blocks(engine.Blocks(tesseract.Words))}, nil
}

// blocks converts what Tesseract found.
func blocks(found []tesseract.Block) []document.Block {
	converted := make([]document.Block, len(found))
	for i, b := range found {
		converted[i].Box = box(b.Box)
		for _, p := range b.Paragraphs {
			for _, l := range p.Lines {
				converted[i].Lines = append(converted[i].Lines, line(l))
			}
		}
	}
	return converted
}

func line(l tesseract.Line) document.Line {
	converted := document.Line{Box: box(l.Box), Words: make([]document.Word, len(l.Words))}
	for i, w := range l.Words {
		converted.Words[i] = document.Word{Box: box(w.Box), Text: w.Text, Confidence: w.Confidence / 100, Model: w.Model}
	}
	for _, p := range l.Baseline {
		converted.Baseline = append(converted.Baseline, document.Point{X: p.X, Y: p.Y})
	}
	return converted
}

func box(r image.Rectangle) document.Box {
	return document.Box{X: r.Min.X, Y: r.Min.Y, W: r.Dx(), H: r.Dy()}
}

// Confidence is the mean of the words' confidences, each weighted by its characters; 0 where there is no word.
func Confidence(pages []document.Page) float64 {
	sum, weight := 0.0, 0.0
	for _, p := range pages {
		for _, b := range p.Blocks {
			for _, l := range b.Lines {
				for _, w := range l.Words {
					n := float64(utf8.RuneCountInString(w.Text))
					sum, weight = sum+n*w.Confidence, weight+n
				}
			}
		}
	}
	if weight == 0 {
		return 0
	}
	return min(max(sum/weight, 0), 1)
}
