package worker

import (
	"context"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"slices"
	"time"

	"uncial/impl/ocr/reading"
	"uncial/impl/ocr/tesseract"
)

const (
	// selfTestTime limits the first reading. It takes a tenth of a second, but more on a machine that starts many workers at
	// once.
	selfTestTime = 20 * time.Second
	// selfTestDPI is the resolution in dots per inch, at which the strokes are as high as large print.
	selfTestDPI = 300
)

// selfTest reads a few strokes, in English if it is installed, before the worker reports that it is ready. Without it, a worker
// with broken models or libraries would look healthy until the first caller's request failed. The text that is read does not
// matter.
func selfTest(engines *reading.Engines, languages []string) error {
	if len(languages) == 0 {
		return nil // a worker without models refuses every language
	}
	language := languages[0]
	if slices.Contains(languages, "en") {
		language = "en"
	}
	ctx, cancel := context.WithTimeout(context.Background(), selfTestTime)
	defer cancel()
	if _, err := engines.Read(ctx, strokes(), selfTestDPI, engines.For(language)[0], tesseract.SingleLine); err != nil {
		return fmt.Errorf("language %s: %w", language, err)
	}
	return nil
}

// strokes returns a small image with ink that is shaped like letters.
func strokes() *image.Gray {
	line := image.NewGray(image.Rect(0, 0, 240, 80))
	draw.Draw(line, line.Bounds(), image.White, image.Point{}, draw.Src)
	for x := 40; x < 200; x += 20 {
		draw.Draw(line, image.Rect(x, 20, x+6, 60), image.NewUniform(color.Black), image.Point{}, draw.Src)
	}
	return line
}
