// Package document is the model of a read document: pages of blocks of lines of words, each with a box in pixels of
// the upright page and a confidence between 0 and 1. Recognizers produce it, the writers in internal/format turn it
// into hOCR, ALTO, PAGE-XML and TSV, and its Text is what an answer carries.
//
// The JSON form is that of the pipes between the service and its workers; it is not part of the public contract.
package document

// Document is what was read from one image file.
type Document struct {
	// Pages in the order of the file. Never empty after a successful reading; a blank page has no blocks.
	Pages []Page `json:"pages"`
	// Language is the BCP 47 tag that the pages were read as.
	Language string `json:"language"`
	// Confidence estimates the share of characters that are right, 0..1. It is 0 where nothing was read.
	Confidence float64 `json:"confidence"`
	// Enhanced is true when the enhancement ran to its end.
	Enhanced bool `json:"enhanced,omitempty"`
	// Edits are the changes that the enhancement made, in reading order. Nil unless Enhanced.
	Edits []Edit `json:"edits,omitempty"`
}

// Page is one upright page. Boxes inside it are relative to its upper left corner.
type Page struct {
	Width  int `json:"width"`  // pixels, at least 1
	Height int `json:"height"` // pixels, at least 1
	// DPI is the resolution that the file declares, or 0 where it declares none.
	DPI int `json:"dpi,omitempty"`
	// Rotation says how far the image was turned clockwise to stand upright: 0, 90, 180 or 270 degrees.
	Rotation int `json:"rotation,omitempty"`
	// Confidence estimates the share of the page's characters that are right, 0..1. It is 0 where nothing was read.
	Confidence float64 `json:"confidence"`
	Blocks     []Block `json:"blocks,omitempty"` // in reading order
}

// Block is a region of text: a column, a heading, a note, a table cell. Its box holds those of its lines.
type Block struct {
	Box   Box    `json:"box"`
	Lines []Line `json:"lines"` // in reading order, never empty
}

// Line is one line of writing. Its box holds those of its words.
type Line struct {
	Box Box `json:"box"`
	// Baseline is the line that the letters stand on, from left to right, at least two points, all in Box or on its edge;
	// nil where unknown.
	Baseline []Point `json:"baseline,omitempty"`
	Words    []Word  `json:"words"` // in reading order, never empty
	// Handwritten is true when the line was read as handwriting.
	Handwritten bool `json:"handwritten,omitempty"`
}

// Word is a run of characters between blanks.
type Word struct {
	Box  Box    `json:"box"`
	Text string `json:"text"` // never empty, no white space, NFC
	// Confidence estimates the share of the word's characters that are right, 0..1.
	Confidence float64 `json:"confidence"`
	// Model names the traineddata that read the word; empty where unknown.
	Model string `json:"model,omitempty"`
	// Known is true when a word list that the enhancement asked has the word; false without the enhancement.
	Known bool `json:"known,omitempty"`
}

// Box is a rectangle in pixels, half open: X <= x < X+W.
type Box struct {
	X int `json:"x"`
	Y int `json:"y"`
	W int `json:"w"`
	H int `json:"h"`
}

// Point is a position in pixels.
type Point struct {
	X int `json:"x"`
	Y int `json:"y"`
}

// Edit is one change made by the enhancement. Before and After are words with one blank between them.
type Edit struct {
	Page       int     `json:"page"` // from 0
	Box        Box     `json:"box"`
	Before     string  `json:"before"`
	After      string  `json:"after"`
	Rule       string  `json:"rule"` // lower-case name, such as "long-s" or "vote"
	Confidence float64 `json:"confidence"`
}

// Union is the smallest box that holds both. A box without area counts as nothing.
func (b Box) Union(o Box) Box {
	if b.W <= 0 || b.H <= 0 {
		return o
	}
	if o.W <= 0 || o.H <= 0 {
		return b
	}
	x, y := min(b.X, o.X), min(b.Y, o.Y)
	return Box{x, y, max(b.X+b.W, o.X+o.W) - x, max(b.Y+b.H, o.Y+o.H) - y}
}

// Clip cuts the box to a page of w x h pixels, keeping at least one pixel inside it.
func (b Box) Clip(w, h int) Box {
	x0, y0 := min(max(b.X, 0), w-1), min(max(b.Y, 0), h-1)
	x1, y1 := max(min(b.X+b.W, w), x0+1), max(min(b.Y+b.H, h), y0+1)
	return Box{x0, y0, x1 - x0, y1 - y0}
}

// Text returns the plain text: words joined by a space, lines by a line feed, blocks by an empty line, pages by a form
// feed. It does not end with a line feed.
func (d *Document) Text() string { return string(appendParts(nil, d.Pages, "\f", appendPage)) }

// Text returns the plain text of the page.
func (p *Page) Text() string { return string(appendPage(nil, p)) }

// Text returns the plain text of the block.
func (b *Block) Text() string { return string(appendBlock(nil, b)) }

// Text returns the plain text of the line.
func (l *Line) Text() string { return string(appendLine(nil, l)) }

func appendPage(text []byte, p *Page) []byte   { return appendParts(text, p.Blocks, "\n\n", appendBlock) }
func appendBlock(text []byte, b *Block) []byte { return appendParts(text, b.Lines, "\n", appendLine) }
func appendLine(text []byte, l *Line) []byte   { return appendParts(text, l.Words, " ", appendWord) }
func appendWord(text []byte, w *Word) []byte   { return append(text, w.Text...) }

// appendParts appends the texts of parts with a separator between them. One growing buffer serves all levels, because
// every answer of the mock needs its text anew.
func appendParts[T any](text []byte, parts []T, separator string, add func([]byte, *T) []byte) []byte {
	for i := range parts {
		if i > 0 {
			text = append(text, separator...)
		}
		text = add(text, &parts[i])
	}
	return text
}
