package tesseract

/*
#include "binding.h"
#include "words.h"
*/
import "C"

import (
	"image"

	"uncial/internal/document"
)

// Block is a region of text that Tesseract's layout analysis found. All boxes and points in results are in the coordinates of
// the image that was set.
type Block struct {
	Box   image.Rectangle
	Lines []Line // in reading order, never empty
}

// Line is one line of text, as Tesseract divided the page.
type Line struct {
	Box image.Rectangle
	// Baseline has two points, from left to right; nil if it is unknown.
	Baseline []image.Point
	Words    []Word // in reading order, never empty
}

// Word is a word that Tesseract found.
type Word struct {
	Box        image.Rectangle
	Text       string  // as returned by Tesseract; may consist of spaces
	Confidence float64 // 0..100
	Model      string  // the model of the engine that read the word
	// Signals serve to estimate the confidence of the word.
	Signals *document.Signals
}

// Blocks returns the recognized text in reading order. It is empty for a blank page, and before Recognize has succeeded. The
// result is a copy that remains valid after Clear.
func (e *Engine) Blocks() []Block {
	if e.api == nil {
		return nil
	}
	return e.collect(false)
}

// collect returns the blocks. If asRightToLeft is set, it always uses the iterator that puts words into reading order.
func (e *Engine) collect(asRightToLeft bool) []Block {
	it := C.TessBaseAPIGetIterator(e.api)
	if it == nil {
		return nil
	}
	defer C.TessResultIteratorDelete(it)
	c := collector{origin: e.origin, it: it, page: C.TessResultIteratorGetPageIterator(it), hasRightToLeft: asRightToLeft || hasRightToLeft(it)}
	for more := true; more; more = c.next(it, C.RIL_WORD) {
		c.word()
	}
	return c.blocks
}

// hasRightToLeft reports whether a word of the page has letters that are written from right to left. It does not move the
// iterator.
func hasRightToLeft(it *C.TessResultIterator) bool {
	all := C.TessResultIteratorCopy(it)
	defer C.TessResultIteratorDelete(all)
	return bool(C.uncial_has_right_to_left(all))
}

// collector builds the tree of blocks from an iterator over words.
type collector struct {
	origin image.Point
	it     *C.TessResultIterator
	page   *C.TessPageIterator // the same iterator, as its base type
	// hasRightToLeft means that words must be put into reading order, which takes time in proportion to the square of their
	// number.
	hasRightToLeft bool
	blocks         []Block
	// Set if a new block or line began after the last word that was kept.
	freshBlock, freshLine bool
}

// word adds the word at the iterator's position. It skips words without a box or text, so a block or line is added only with
// the first of its words that is kept.
func (c *collector) word() {
	if c.begins(c.it, C.RIL_TEXTLINE) {
		c.freshLine = true
		c.freshBlock = c.freshBlock || c.begins(c.it, C.RIL_BLOCK)
	}
	box, ok := c.box(c.page, C.RIL_WORD)
	if !ok {
		return // not text: a picture or a rule
	}
	text := c.text()
	if text == "" {
		return
	}
	line := c.line()
	line.Words = append(line.Words, Word{
		Box:        box,
		Text:       text,
		Confidence: float64(C.TessResultIteratorConfidence(c.it, C.RIL_WORD)),
		Model:      C.GoString(C.TessResultIteratorWordRecognitionLanguage(c.it)),
		Signals:    &document.Signals{Letters: c.letters()},
	})
}

// letters returns the mean confidence of the characters of the current word, 0..1.
func (c *collector) letters() float64 {
	it := C.TessResultIteratorCopy(c.it)
	defer C.TessResultIteratorDelete(it)
	sum, n := 0.0, 0.0
	for more := true; more; more = c.next(it, C.RIL_SYMBOL) && !c.begins(it, C.RIL_WORD) {
		sum, n = sum+float64(C.TessResultIteratorConfidence(it, C.RIL_SYMBOL)), n+1
	}
	return sum / n / 100
}

// line returns the line that the current word belongs to, and adds it if necessary.
func (c *collector) line() *Line {
	if c.freshBlock || len(c.blocks) == 0 {
		b, _ := c.box(c.page, C.RIL_BLOCK)
		c.blocks = append(c.blocks, Block{Box: b})
		c.freshLine = true
	}
	block := &c.blocks[len(c.blocks)-1]
	if c.freshLine {
		b, _ := c.box(c.page, C.RIL_TEXTLINE)
		block.Lines = append(block.Lines, Line{Box: b, Baseline: c.baseline(c.page)})
	}
	c.freshBlock, c.freshLine = false, false
	return &block.Lines[len(block.Lines)-1]
}

// next moves an iterator to the next element of a level, and returns false at the end of the page.
func (c *collector) next(it *C.TessResultIterator, level C.TessPageIteratorLevel) bool {
	if c.hasRightToLeft {
		return C.TessResultIteratorNext(it, level) != 0
	}
	return bool(C.uncial_next(it, level))
}

// begins reports whether an iterator is at the beginning of an element of a level.
func (c *collector) begins(it *C.TessResultIterator, level C.TessPageIteratorLevel) bool {
	if c.hasRightToLeft {
		return C.TessPageIteratorIsAtBeginningOf(C.TessResultIteratorGetPageIterator(it), level) != 0
	}
	return bool(C.uncial_begins(it, level))
}

// text returns the text of the current word, or "" if it has none.
func (c *collector) text() string {
	var text *C.char
	if c.hasRightToLeft {
		text = C.TessResultIteratorGetUTF8Text(c.it, C.RIL_WORD)
	} else {
		text = C.uncial_text(c.it, C.RIL_WORD)
	}
	if text == nil {
		return ""
	}
	defer C.TessDeleteText(text)
	return C.GoString(text)
}

// box returns the box of the current element in pixels of the whole image. It reports false if the element has no box.
func (c *collector) box(it *C.TessPageIterator, level C.TessPageIteratorLevel) (image.Rectangle, bool) {
	var x0, y0, x1, y1 C.int
	if C.TessPageIteratorBoundingBox(it, level, &x0, &y0, &x1, &y1) == 0 {
		return image.Rectangle{}, false
	}
	return image.Rect(int(x0), int(y0), int(x1), int(y1)).Add(c.origin), true
}

// baseline returns both ends of the baseline of the current line in pixels of the whole image, or nil if it has none.
func (c *collector) baseline(it *C.TessPageIterator) []image.Point {
	var x0, y0, x1, y1 C.int
	if C.TessPageIteratorBaseline(it, C.RIL_TEXTLINE, &x0, &y0, &x1, &y1) == 0 {
		return nil
	}
	return []image.Point{image.Pt(int(x0), int(y0)).Add(c.origin), image.Pt(int(x1), int(y1)).Add(c.origin)}
}
