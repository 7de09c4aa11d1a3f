package reading

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/jpeg"
	"runtime/debug"
	"slices"

	"uncial/impl/ocr/decode"
	"uncial/impl/ocr/imaging"
	"uncial/impl/ocr/tesseract"
	"uncial/impl/ocr/timing"
	"uncial/internal/document"
)

// File reads all pages of an image file one after the other. Its errors are those of decode.Pages and of the recognizer, and
// ctx's error once ctx has ended.
func File(ctx context.Context, data []byte, o Options, src Source) (*document.Document, error) {
	doc := &document.Document{Language: o.Language}
	read := map[string]int{} // characters by language
	decoded := timing.Begin(ctx, "decode")
	for page, err := range decode.Pages(data, tesseract.Leptonica{}) {
		decoded()
		if err != nil {
			return nil, err
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		var preview image.Image
		if o.Preview {
			preview = imaging.Shrink(page.Image, document.MaxPreviewSide)
		}
		var shown picture
		if o.Picture {
			if shown, err = pictureOf(page); err != nil {
				return nil, err
			}
		}
		page.Image = gray(page.Image, o) // frees the colour image, which takes four times the memory
		result, err := readInShare(ctx, page, page.Count-len(doc.Pages) > 1, o, src)
		if err != nil {
			return nil, err
		}
		if o.Preview {
			if result.Page.Preview, err = encodePreview(preview, result.Page.Rotation); err != nil {
				return nil, err
			}
		}
		if o.Picture {
			result.Page.Picture, result.Page.Orientation = shown.data, turned(shown.orientation, result.Page.Rotation/90)
		}
		for _, e := range result.Edits {
			e.Page = len(doc.Pages)
			doc.Edits = append(doc.Edits, e)
		}
		n := characters(result.Page.Blocks)
		if read[result.Language] += n; n > 0 {
			result.Page.Language = result.Language
		}
		doc.Pages = append(doc.Pages, result.Page)
		if result.Page.Width*result.Page.Height >= minLargePage {
			page.Image = nil
			debug.FreeOSMemory()
		}
		decoded = timing.Begin(ctx, "decode") // the next page, if there is one
	}
	for tag, n := range read {
		if n > read[doc.Language] || n == read[doc.Language] && n > 0 && tag < doc.Language {
			doc.Language = tag
		}
	}
	for i := range doc.Pages {
		if p := &doc.Pages[i]; p.Language == doc.Language {
			p.Language = ""
		}
	}
	doc.Enhanced = o.Enhance
	doc.Confidence = confidence(doc.Pages)
	doc.SortEdits()
	return doc.Normalized(), nil
}

// readInShare is readPage with a share of the remaining time if more pages follow. If that is not enough to read anything, it
// gives the page all the remaining time, because the answer must have every page of the file.
func readInShare(ctx context.Context, page decode.Page, hasMore bool, o Options, src Source) (result, error) {
	if hasMore {
		within, cancel := withShare(ctx, pageShare)
		defer cancel()
		read, err := readPage(within, page, o, src)
		if !errors.Is(err, context.DeadlineExceeded) || ctx.Err() != nil {
			return read, err
		}
	}
	return readPage(ctx, page, o, src)
}

// previewQuality is the quality of a JPEG in which small print remains legible, at about 300 KB a page.
const previewQuality = 80

// encodePreview returns the image as JPEG, rotated clockwise by rotation, a multiple of 90 degrees.
func encodePreview(img image.Image, rotation int) ([]byte, error) {
	var b bytes.Buffer
	if err := jpeg.Encode(&b, imaging.TurnImage(img, rotation/90), &jpeg.Options{Quality: previewQuality}); err != nil {
		return nil, fmt.Errorf("reading: preview: %w", err)
	}
	return b.Bytes(), nil
}

// gray runs the steps that need colours, and returns the page in greys.
func gray(img image.Image, o Options) *image.Gray {
	g := strongestChannel(img, o)
	if !slices.Contains(o.Without, stampsStep) && imaging.EraseStamps(g, img) && o.Changed != nil {
		o.Changed(stampsStep)
	}
	return g
}

// strongestChannel returns the colour channel of an image that shows writing best, or the luminance if the step is omitted.
func strongestChannel(img image.Image, o Options) *image.Gray {
	if slices.Contains(o.Without, channelStep) {
		return imaging.FromImage(img)
	}
	g := imaging.StrongestChannel(img)
	if o.Changed != nil && !bytes.Equal(g.Pix, imaging.FromImage(img).Pix) {
		o.Changed(channelStep)
	}
	return g
}

// confidence returns the mean confidence of the pages, weighted by their characters, or 0 if nothing was read.
func confidence(pages []document.Page) float64 {
	var sum, weight float64
	for _, p := range pages {
		n := float64(characters(p.Blocks))
		sum += n * p.Confidence
		weight += n
	}
	if weight == 0 {
		return 0
	}
	return min(max(sum/weight, 0), 1)
}
