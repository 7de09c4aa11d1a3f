package tesseract

/*
#include "binding.h"
*/
import "C"

import (
	"image"

	"uncial/internal/document"
)

// Block is a region of text, as Tesseract's layout analysis found it. All boxes and points in results are in the
// coordinates of the image that was set.
type Block struct {
	Box        image.Rectangle
	Paragraphs []Paragraph // in reading order, never empty
}

// Paragraph is a group of lines of a block.
type Paragraph struct {
	Box   image.Rectangle
	Lines []Line // in reading order, never empty
}

// Line is one line of text.
type Line struct {
	Box image.Rectangle
	// Baseline has two points, from left to right; nil if it is unknown.
	Baseline []image.Point
	Words    []Word // in reading order, never empty
}

// Word is a word as Tesseract separated it.
type Word struct {
	Box        image.Rectangle
	Text       string  // as Tesseract returned it; may consist of spaces
	Confidence float64 // 0..100
	Model      string  // the model of the engine that read the word
	// Signals are what the confidence of the word is estimated from.
	Signals *document.Signals
}

// Blocks returns the recognized text in reading order. It is empty for a blank page, and before Recognize succeeded. The
// result is a copy that stays valid after Clear.
func (e *Engine) Blocks() []Block {
	if e.api == nil {
		return nil
	}
	it := C.TessBaseAPIGetIterator(e.api)
	if it == nil {
		return nil
	}
	defer C.TessResultIteratorDelete(it)
	c := collector{origin: e.origin, it: it, page: C.TessResultIteratorGetPageIterator(it)}
	for more := true; more; more = C.TessResultIteratorNext(it, C.RIL_WORD) != 0 {
		c.word()
	}
	return c.blocks
}

// collector builds the tree of blocks from an iterator over words.
type collector struct {
	origin image.Point
	it     *C.TessResultIterator
	page   *C.TessPageIterator // the same iterator, as its base type
	blocks []Block
	// Whether a new block, paragraph or line began after the last word that was kept.
	freshBlock, freshParagraph, freshLine bool
}

// word adds the word at the iterator's position. Words without a box or text are skipped, so a block, paragraph or line
// is added only with its first word that is kept.
func (c *collector) word() {
	c.freshBlock = c.freshBlock || c.begins(C.RIL_BLOCK)
	c.freshParagraph = c.freshParagraph || c.begins(C.RIL_PARA)
	c.freshLine = c.freshLine || c.begins(C.RIL_TEXTLINE)
	box, ok := c.box(c.page, C.RIL_WORD)
	if !ok {
		return // not text: a picture or a rule
	}
	text := c.text(c.it, C.RIL_WORD)
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
	page := C.TessResultIteratorGetPageIterator(it)
	sum, n := float64(C.TessResultIteratorConfidence(it, C.RIL_SYMBOL)), 1.0
	for C.TessPageIteratorIsAtFinalElement(page, C.RIL_WORD, C.RIL_SYMBOL) == 0 && C.TessResultIteratorNext(it, C.RIL_SYMBOL) != 0 {
		sum, n = sum+float64(C.TessResultIteratorConfidence(it, C.RIL_SYMBOL)), n+1
	}
	return sum / n / 100
}

// line returns the line that the current word belongs to, and adds it if necessary.
func (c *collector) line() *Line {
	if c.freshBlock || len(c.blocks) == 0 {
		b, _ := c.box(c.page, C.RIL_BLOCK)
		c.blocks = append(c.blocks, Block{Box: b})
		c.freshParagraph = true
	}
	block := &c.blocks[len(c.blocks)-1]
	if c.freshParagraph {
		b, _ := c.box(c.page, C.RIL_PARA)
		block.Paragraphs = append(block.Paragraphs, Paragraph{Box: b})
		c.freshLine = true
	}
	paragraph := &block.Paragraphs[len(block.Paragraphs)-1]
	if c.freshLine {
		b, _ := c.box(c.page, C.RIL_TEXTLINE)
		paragraph.Lines = append(paragraph.Lines, Line{Box: b, Baseline: c.baseline(c.page)})
	}
	c.freshBlock, c.freshParagraph, c.freshLine = false, false, false
	return &paragraph.Lines[len(paragraph.Lines)-1]
}

func (c *collector) begins(level C.TessPageIteratorLevel) bool {
	return C.TessPageIteratorIsAtBeginningOf(c.page, level) != 0
}

// text returns the text of the current element, "" if it has none.
func (*collector) text(it *C.TessResultIterator, level C.TessPageIteratorLevel) string {
	text := C.TessResultIteratorGetUTF8Text(it, level)
	if text == nil {
		return ""
	}
	defer C.TessDeleteText(text)
	return C.GoString(text)
}

// box returns the box of the current element in pixels of the whole image, and false if the element has no box.
func (c *collector) box(it *C.TessPageIterator, level C.TessPageIteratorLevel) (image.Rectangle, bool) {
	var x0, y0, x1, y1 C.int
	if C.TessPageIteratorBoundingBox(it, level, &x0, &y0, &x1, &y1) == 0 {
		return image.Rectangle{}, false
	}
	return image.Rect(int(x0), int(y0), int(x1), int(y1)).Add(c.origin), true
}

// baseline returns both ends of the baseline of the current line in pixels of the whole image, nil if it has none.
func (c *collector) baseline(it *C.TessPageIterator) []image.Point {
	var x0, y0, x1, y1 C.int
	if C.TessPageIteratorBaseline(it, C.RIL_TEXTLINE, &x0, &y0, &x1, &y1) == 0 {
		return nil
	}
	return []image.Point{image.Pt(int(x0), int(y0)).Add(c.origin), image.Pt(int(x1), int(y1)).Add(c.origin)}
}
