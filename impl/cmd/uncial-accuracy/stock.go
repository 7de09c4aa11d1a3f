package main

import (
	"context"
	"image"
	"strings"

	"uncial/impl/ocr/decode"
	"uncial/impl/ocr/tesseract"
	"uncial/internal/accuracy"
)

// stock reads the page with plain Tesseract: page segmentation mode 3, its own thresholding, and the models of the languages
// that the folder's index names. It uses the decoders of the service, so that the comparison is about reading only.
func (r *reader) stock(ctx context.Context, out *outcome, data []byte, tag string) error {
	// The best model of each language, joined as on Tesseract's command line: "eng+grc".
	names := r.set.For(tag)[:1]
	for _, also := range out.Page.AlsoIn {
		if more := r.set.For(also); len(more) > 0 {
			names = append(names, more[0])
		}
	}
	engine, err := r.engines.Get(strings.Join(names, "+"))
	if err != nil {
		return err
	}
	read, err := measured(func() (string, float64, error) { return stockText(ctx, engine, data) })
	if err != nil {
		return err
	}
	score := accuracy.Compare(out.truth, read.Text)
	out.Stock, out.StockRead = &score, &read
	return nil
}

// stockText returns the text of all pages of a file, one line per line, and the mean confidence of the words, 0..1.
// Tesseract reports confidence in percent.
func stockText(ctx context.Context, engine *tesseract.Engine, data []byte) (string, float64, error) {
	var text strings.Builder
	var sum, n float64
	for page, err := range decode.Pages(data, tesseract.Leptonica{}) {
		if err != nil {
			return "", 0, err
		}
		blocks, err := stockPage(ctx, engine, page.Image, page.DPI)
		if err != nil {
			return "", 0, err
		}
		for _, b := range blocks {
			for _, l := range b.Lines {
				for _, w := range l.Words {
					text.WriteString(w.Text + " ")
					sum, n = sum+w.Confidence/100, n+1
				}
				text.WriteByte('\n')
			}
		}
	}
	return text.String(), sum / max(n, 1), nil
}

// stockPage returns the blocks of one page; dpi is that of the file, or 0. Afterwards the engine holds no image.
func stockPage(ctx context.Context, engine *tesseract.Engine, img image.Image, dpi int) ([]tesseract.Block, error) {
	defer engine.Clear() // the engines are shared with the service's own reading
	engine.SetMode(tesseract.Auto)
	if err := engine.SetImage(img, dpi); err != nil {
		return nil, err
	}
	if err := engine.Recognize(ctx); err != nil {
		return nil, err
	}
	return engine.Blocks(), nil
}
