package reading

import (
	"context"
	"image"

	"uncial/impl/ocr/correct"
	"uncial/impl/ocr/decode"
	"uncial/impl/ocr/hand"
	"uncial/impl/ocr/imaging"
	"uncial/impl/ocr/layout"
	"uncial/impl/ocr/lexicon"
	"uncial/internal/document"
)

// Functions that are tested on blocks, without images.
var (
	Read       = readPage
	DropScraps = dropScraps
	Confidence = confidence

	IsLoneSign     = isLoneSign
	LinesByDoubt   = linesByDoubt
	NetworkWords   = networkWords
	SeparateWords  = separateWords
	InGreekLetters = inGreekLetters
	EnginesFor     = enginesFor
	InTurn         = inTurn
)

// OnPage converts blocks of a sheet that was rotated by an angle to ones of a page of that size.
func OnPage(blocks []document.Block, size image.Point, angle float64) []document.Block {
	return sheet{img: image.NewGray(image.Rectangle{Max: size}), angle: angle}.onPage(blocks)
}

// UprightAsHandwriting returns the number of quarter turns after which lines of an English page are read well as handwriting,
// if none of its ink is known.
func UprightAsHandwriting(ctx context.Context, src Source, img *image.Gray) (int, error) {
	return newPage(img, Options{Language: "en"}, src, "eng").uprightAsHandwriting(ctx, 1, 2, 3)
}

// SeparateFacing returns the blocks of a page of that size, without unread ink, as the step "facing" puts them in order.
func SeparateFacing(size image.Point, blocks []document.Block) ([]document.Block, error) {
	p := &page{gray: image.NewGray(image.Rectangle{Max: size}), read: hand.Result{Blocks: blocks}}
	err := separateFacing(context.Background(), p)
	return p.read.Blocks, err
}

// DivideCells divides the numbers of lines whose digits have these boxes.
func DivideCells(lines []*document.Line, digits []image.Rectangle) {
	divideCells(lines, newBoxIndex(digits))
}

// AreApart reports whether the readings of two parts show that one is print and the other handwriting.
func AreApart(left, right []document.Block) bool { return areApart(tallyOf(left), tallyOf(right)) }

// AddHalf returns the boxes of a correction of print, one of handwriting, a graphic and an illegible part that were found at
// the corner of a half that begins at a point, as they are added to the page.
func AddHalf(at image.Point, b document.Box) []document.Box {
	half := &page{
		edits: []document.Edit{{Box: b}}, read: hand.Result{Edits: []document.Edit{{Box: b}}},
		graphics: []document.Graphic{{Box: b}}, illegible: []document.Doubt{{Box: b}},
	}
	p := &page{}
	p.add(half, at)
	return []document.Box{p.read.Edits[0].Box, p.read.Edits[1].Box, p.graphics[0].Box, p.illegible[0].Box}
}

// BoxOnSheet converts a box of a page of that size to one of its sheet, which was rotated by an angle.
func BoxOnSheet(b document.Box, size image.Point, angle float64) document.Box {
	return sheet{img: image.NewGray(image.Rectangle{Max: size}), angle: angle}.boxOnSheet(b)
}

// OtherReading returns the number of words of the second-best reading of a sheet of that size, once tryOtherSize has read it,
// and whether there is such a reading.
func OtherReading(ctx context.Context, src Source, size image.Point, first []document.Block) (words int, exists bool, err error) {
	sheet := sheet{img: image.NewGray(image.Rectangle{Max: size})}
	p := &page{src: src, gray: sheet.img, sheet: sheet, attempts: []attempt{{model: "eng", factor: 1, blocks: first, raw: first}}}
	err = tryOtherSize(ctx, p)
	for _, at := range p.otherReading() {
		words += len(at)
	}
	return words, p.otherReading() != nil, err
}

// WordsOnSheet returns the box of words on a sheet that was rotated by an angle.
func WordsOnSheet(words []document.Word, size image.Point, angle float64) document.Box {
	return sheet{img: image.NewGray(image.Rectangle{Max: size}), angle: angle}.wordsOnSheet(words)
}

// RuleOnSheet converts a rule of a page of that size to one of its sheet, which was rotated by an angle.
func RuleOnSheet(r layout.Rule, size image.Point, angle float64) layout.Rule {
	return sheet{img: image.NewGray(image.Rectangle{Max: size}), angle: angle}.ruleOnSheet(r)
}

// KeptLines returns, for each found line that was read badly, the lines of the first reading that are better.
var KeptLines = keptLines

// ToLine exports toLine.
var ToLine = toLine

// Turned returns an orientation after quarter turns.
var Turned = turned

// PictureOf returns the picture of a page.
func PictureOf(page decode.Page) ([]byte, error) {
	p, err := pictureOf(page)
	return p.data, err
}

// EncodePreview encodes a preview without reading its page.
var EncodePreview = encodePreview

// DoubtfulOrder returns the doubts about the order of blocks on a page that is divided into regions.
func DoubtfulOrder(blocks []document.Block, regions ...layout.Region) []document.Doubt {
	p := &page{sheet: sheet{img: image.NewGray(image.Rect(0, 0, 1000, 1000)), regions: regions}}
	p.read.Blocks = blocks
	return p.doubtfulOrder()
}

// WithoutFalseMarks returns the text of a line of a page after it lost the commas where the page has no ink; had are its words
// before the network changed them.
func WithoutFalseMarks(img *image.Gray, line document.Line, had []document.Word) string {
	spots := imaging.WithoutSpecks(imaging.AllSpots(img))
	p := &page{sheet: sheet{unlevelled: img, letterHeight: imaging.LetterHeight(imaging.LetterShaped(spots))}}
	p.dropFalseMarks(&line, had, newBoxIndex(spots))
	return line.Text()
}

// UnreadInk returns the unread ink of a page of that size, whose components are all letters.
func UnreadInk(size image.Point, letters []image.Rectangle, blocks []document.Block) []document.Doubt {
	p := &page{gray: image.NewGray(image.Rectangle{Max: size}), sheet: sheet{components: letters, letters: letters}}
	p.read.Blocks = blocks
	return p.unreadInk(nil)
}

// The weights of evidence, and how they are applied.
var (
	PrintWeights       = &printWeights
	HandwritingWeights = &handwritingWeights
)

// SureOwn is the log-odds at which the curve bends.
const SureOwn = sureOwn

// Probability returns the estimated probability that a word is right.
func (e *Evidence) Probability(weights *Evidence) float64 {
	return correct.Probability(weights[:], e[:])
}

// ExtraEngines returns the number of additional engines that were opened to read lines or columns at the same time.
func (e *Engines) ExtraEngines() int { return len(e.extraEngines) }

// SetMemory sets the maximum number of bytes that loaded models may take.
func (e *Engines) SetMemory(bytes int64) { e.memory = bytes }

// Warm returns the number of loaded models.
func (e *Engines) Warm() int { return len(e.warm) }

// Alternatives returns the other readings of a word, given the words of another reading of the page.
func Alternatives(w document.Word, other []document.Word) []document.Alternative {
	words := otherWords{}
	for _, o := range other {
		cell := imaging.Middle(o.Box.Rectangle()).Div(gridCell)
		words[cell] = append(words[cell], o)
	}
	return alternatives(&w, words)
}

// withoutLexicon is a source without word lists.
type withoutLexicon struct{ Source }

func (withoutLexicon) Lexicon(string) *lexicon.Lexicon { return nil }

// The values of the evidence that tests set.
const (
	EvConstant, EvOwn, EvKnown, EvSure, EvEarlyPrint, EvAgreed, EvLetters = evConstant, evOwn, evKnown, evSure, evEarlyPrint, evAgreed, evLetters
	EvWrong, EvEntropy, EvPosterior                                       = evWrong, evEntropy, evPosterior
)

// RepeatedAndPunctuated returns two values of the evidence of each printed word: evRepeated and evPunctuated.
func RepeatedAndPunctuated(blocks []document.Block) (pairs [][2]float64) {
	p := &page{src: withoutLexicon{}}
	p.read.Blocks = blocks
	for _, e := range p.evidence(false) {
		pairs = append(pairs, [2]float64{e[evRepeated], e[evPunctuated]})
	}
	return pairs
}

// HasTextsOf reports whether first readings and searches with word lists have a character model of the language.
func HasTextsOf(tag string) (first, listed bool, err error) {
	var h handwritingNetwork
	s, err := h.search(hand.Search{Language: tag})
	return s.First != nil, s.CharacterModel != nil, err
}

var ReplaceDittoMarks = replaceDittoMarks

// Surround adds texts around a legible text on a sheet, in order, and returns the whole text; see surrounded.
func Surround(sheet *image.Gray, legible []document.Block, words image.Rectangle, letterHeight int, texts [][]document.Block, parts []image.Rectangle) []document.Block {
	s := surrounded{legible: legible, sheet: sheet, letterHeight: letterHeight}
	for i, text := range texts {
		s.add(text, parts[i], words)
	}
	return s.blocks()
}

// Continued joins the lines of a text with their continuations on the right; see surrounded.continued.
func Continued(sheet *image.Gray, left, right []document.Block, letterHeight int) ([]document.Block, bool) {
	s := surrounded{sheet: sheet, letterHeight: letterHeight}
	return s.continued(left, right)
}
