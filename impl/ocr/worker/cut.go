package worker

import (
	"context"
	"fmt"
	"image"

	"uncial/impl/ocr"
	"uncial/impl/ocr/decode"
	"uncial/impl/ocr/imaging"
	"uncial/impl/ocr/layout"
	"uncial/impl/ocr/neural"
	"uncial/impl/ocr/pipe"
	"uncial/impl/ocr/tesseract"
)

// maxDistortion is the maximum ratio between the horizontal and the vertical scale of a copy of a page. It follows from
// arithmetic and was not tuned: rounding the sides of a copy to whole pixels changes the ratio by less, unless one of them has
// fewer than 100 pixels.
const maxDistortion = 1.02

// cut cuts lines out of the first page of an image file, for training. Errors are *ocr.ImageError or that of ctx.
func cut(ctx context.Context, file []byte, c *pipe.Cut) (*pipe.Strips, error) {
	for page, err := range decode.Pages(file, tesseract.Leptonica{}) {
		if err != nil {
			return nil, err
		}
		return cutPage(ctx, imaging.FromImage(page.Image), c)
	}
	return nil, &ocr.ImageError{Reason: "the image has no page"}
}

// cutPage cuts the lines of c from a page, straightened and scaled to the height that the recognizer reads. The image may be a
// scaled copy of the page on which the lines were measured. The error is *ocr.ImageError if the proportions differ, because
// the image is then not the one that was transcribed, or if the strips are larger than an answer may be. A line that cannot be
// cut gets the width 0.
func cutPage(ctx context.Context, page *image.Gray, c *pipe.Cut) (*pipe.Strips, error) {
	fx, fy := 1.0, 1.0
	if c.Width > 0 && c.Height > 0 {
		fx, fy = float64(page.Rect.Dx())/c.Width, float64(page.Rect.Dy())/c.Height
	}
	if r := fx / fy; r > maxDistortion || r < 1/maxDistortion {
		return nil, &ocr.ImageError{Reason: fmt.Sprintf("the image has %d x %d pixels, but its lines were measured on %.0f x %.0f; export both again",
			page.Rect.Dx(), page.Rect.Dy(), c.Width, c.Height)}
	}
	bands := make([]layout.Band, len(c.Lines))
	for i, l := range c.Lines {
		bands[i] = layout.Band{X0: l.X0 * fx, X1: l.X1 * fx, Up: l.Up * fy, Down: l.Down * fy}
		for j := 0; j+1 < len(l.Baseline); j += 2 {
			bands[i].Baseline = append(bands[i].Baseline, layout.Vertex{X: l.Baseline[j] * fx, Y: l.Baseline[j+1] * fy})
		}
	}
	out := &pipe.Strips{Widths: make([]int, len(bands))}
	for i, l := range layout.Given(page, bands) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		strip, ok := l.Strip()
		if !ok {
			continue
		}
		out.Widths[i] = strip.Image.Rect.Dx()
		out.Ink = append(out.Ink, neural.Ink(strip.Image)...)
		if len(out.Ink) > pipe.MaxColumns*pipe.StripHeight {
			return nil, &ocr.ImageError{Reason: fmt.Sprintf("the strips of its lines have more than %d columns; cut fewer lines at once", pipe.MaxColumns)}
		}
	}
	return out, nil
}
