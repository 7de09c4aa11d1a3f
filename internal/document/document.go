// Package document is the result of recognition: pages with blocks with lines with words, each with a box in pixels of the
// upright page and a confidence from 0 to 1. Recognizers produce it, internal/format writes it as hOCR, ALTO, PAGE-XML
// and TSV, and internal/contract puts its Text into an answer. Clients never see these types: openapi.yaml
// describes what they get.
//
// The JSON form is used by the pipes between the service and its workers, and is not part of the public contract.
//
// Start with Document. Normalized enforces the invariants of the types; Lines and Words iterate.
package document

import (
	"cmp"
	"image"
)

// Document is the text of one image file.
type Document struct {
	// Pages in the order of the file. Never empty after successful recognition; a blank page has no blocks.
	Pages []Page `json:"pages"`
	// Language is the BCP 47 tag of the language that the image was read in.
	Language string `json:"language"`
	// Confidence is the estimated share of correct characters, 0..1. It is 0 if there is no text.
	Confidence float64 `json:"confidence"`
	// Enhanced reports whether enhancement was requested and completed.
	Enhanced bool `json:"enhanced,omitempty"`
	// Edits are the corrections made by enhancement, in reading order. Nil unless Enhanced.
	Edits []Edit `json:"edits,omitempty"`
	// Proofreader is the name of the language model that proofread the text, "" if none did.
	Proofreader string `json:"proofreader,omitempty"`
	// Models are the models that recognized the words, in the order of their first word. Word.Model refers to them by name.
	Models []Model `json:"models,omitempty"`
}

// LanguageOf returns the BCP 47 tag of the language that a page was read in.
func (d *Document) LanguageOf(p *Page) string { return cmp.Or(p.Language, d.Language) }

// Model is a model that recognized words.
type Model struct {
	Name string `json:"name"`
	// Digest identifies the file: "sha256:" and 64 hexadecimal digits in lower case.
	Digest string `json:"digest"`
}

// Page is one upright page. Its boxes count from its upper left corner.
type Page struct {
	Width  int `json:"width"`  // pixels, at least 1
	Height int `json:"height"` // pixels, at least 1
	// DPI is the resolution that the file declares, or 0.
	DPI int `json:"dpi,omitempty"`
	// Rotation is by how many degrees the image was rotated clockwise to be upright: 0, 90, 180 or 270.
	Rotation int `json:"rotation,omitempty"`
	// Language is the BCP 47 tag of the language that the page was read in, if that is not Document.Language, or "".
	Language string `json:"language,omitempty"`
	// Confidence is the estimated share of correct characters, 0..1. It is 0 if there is no text.
	Confidence float64 `json:"confidence"`
	Blocks     []Block `json:"blocks,omitempty"` // in reading order
	// Graphics are illustrations and music, at most MaxGraphics. Their order has no meaning.
	Graphics []Graphic `json:"graphics,omitempty"`
	// Doubts are unread ink and lines that may be in the wrong order. Weak adds the words of low confidence.
	Doubts []Doubt `json:"doubts,omitempty"`
	// Preview is a JPEG of the upright page whose longer side has at most MaxPreviewSide pixels. Nil unless requested.
	Preview []byte `json:"preview,omitempty"`
	// Picture shows the page as it was sent, for a PDF: a JPEG or PNG file that package pdf can embed. Nil unless requested.
	Picture []byte `json:"picture,omitempty"`
	// Orientation says how Picture must be turned or mirrored to be upright (Exif tag 274); 0 and 1 mean not at all.
	Orientation int `json:"orientation,omitempty"`
}

// MaxPictureBytes is the maximum size, in bytes, of all pictures of a document together. openapi.yaml names it.
const MaxPictureBytes = 16 << 20

// Limits of Page.Preview.
const (
	// MaxPreviewSide is the longer side in pixels: enough to recognize words, a tenth of a scan's bytes.
	MaxPreviewSide = 1600
	// MaxPreviewBytes is more than a JPEG of that size ever needs at the worker's quality, even if it shows noise.
	MaxPreviewBytes = 4 << 20
)

// Block is a region of text: a column, a heading, a note, a table cell. Its box contains those of its lines.
type Block struct {
	Box   Box    `json:"box"`
	Lines []Line `json:"lines"` // in reading order, never empty
}

// Line is one line of text. Its box contains those of its words.
type Line struct {
	Box Box `json:"box"`
	// Baseline is the line that the letters stand on: at least two points from left to right, all in Box or on its edge. Nil
	// if unknown.
	Baseline []Point `json:"baseline,omitempty"`
	Words    []Word  `json:"words"` // in reading order, never empty
	// Handwritten reports whether the line was recognized as handwriting.
	Handwritten bool `json:"handwritten,omitempty"`
}

// Word is a run of characters between spaces.
type Word struct {
	Box  Box    `json:"box"`
	Text string `json:"text"` // never empty, no white space, NFC
	// Confidence is the estimated probability that the word is right, 0..1. CorrectShare follows from it.
	Confidence float64 `json:"confidence"`
	// Model is the name of the model that recognized the word, or of several joined by "+"; empty if unknown.
	Model string `json:"model,omitempty"`
	// Whole is the word that this one is a part of, if it is divided at the end of a line: the same for the last word of the line
	// and the first word of the next one in the block. Empty otherwise. MarkBroken sets it.
	Whole string `json:"whole,omitempty"`
	// Known reports whether a word list of the enhancement has the word. False without enhancement.
	Known bool `json:"known,omitempty"`
	// Alternatives are other readings of a doubtful word. Others returns those that are worth writing.
	Alternatives []Alternative `json:"alternatives,omitempty"`
	// Signals are the inputs of the confidence estimate, nil if unknown. They stay in the process that recognized the word.
	Signals *Signals `json:"-"`
}

// Signals are a recognizer's facts about a word beyond its confidence.
type Signals struct {
	// For words of print.
	Letters float64 // mean confidence of its characters, 0..1
	// Network is the log-odds of the network for print in the word if it reads the same, -1 if it reads something else, and 0 if
	// it did not read the line. For a word that the network alone corrected, it is the log-odds that the correction is right.
	Network float64
	// For words of handwriting.
	Wrong   float64 // share of characters that are wrong, on average over the likely readings of the word, 0..1
	Entropy float64 // of the possible characters, in nats, where it is largest
	// Posterior is the share of the likely texts of the line that have the word in this position, 0..1. Others are the words that
	// the other texts have in this position, with their shares as confidence, likeliest first.
	Posterior float64
	Others    []Alternative
}

// Box is a rectangle in pixels, half-open: X <= x < X+W.
type Box struct {
	X int `json:"x"`
	Y int `json:"y"`
	W int `json:"w"`
	H int `json:"h"`
}

// BoxOf returns the box of a rectangle's pixels.
func BoxOf(r image.Rectangle) Box { return Box{X: r.Min.X, Y: r.Min.Y, W: r.Dx(), H: r.Dy()} }

// Rectangle is the inverse of BoxOf.
func (b Box) Rectangle() image.Rectangle { return image.Rect(b.X, b.Y, b.X+b.W, b.Y+b.H) }

// Right returns the first column to the right of the box.
func (b Box) Right() int { return b.X + b.W }

// Point is a position in pixels.
type Point struct {
	X int `json:"x"`
	Y int `json:"y"`
}

// Proofread is the rule of edits that a language model made.
const Proofread = "language-model"

// Edit is one correction made by enhancement. Before and After are words with one space between them.
type Edit struct {
	Page       int     `json:"page"` // from 0
	Box        Box     `json:"box"`
	Before     string  `json:"before"`
	After      string  `json:"after"`
	Rule       string  `json:"rule"` // lower-case name of the rule, such as "long-s" or "vote"
	Confidence float64 `json:"confidence"`
}

// Union returns the smallest box that contains both. Boxes without area are ignored.
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

// Clip returns the part of the box on a page of w x h pixels. A box outside becomes the nearest pixel of the page.
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

func appendPage(text []byte, p *Page) []byte { return appendParts(text, p.Blocks, "\n\n", appendBlock) }

func appendBlock(text []byte, b *Block) []byte { return appendParts(text, b.Lines, "\n", appendLine) }

func appendLine(text []byte, l *Line) []byte { return appendParts(text, l.Words, " ", appendWord) }
func appendWord(text []byte, w *Word) []byte { return append(text, w.Text...) }

// appendParts appends the texts of parts with a separator between them. One growing buffer serves all levels, because
// every answer of the mock needs its text again.
func appendParts[T any](text []byte, parts []T, separator string, add func([]byte, *T) []byte) []byte {
	for i := range parts {
		if i > 0 {
			text = append(text, separator...)
		}
		text = add(text, &parts[i])
	}
	return text
}
