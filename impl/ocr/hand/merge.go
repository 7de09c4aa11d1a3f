package hand

import (
	"slices"
	"unicode/utf8"

	"uncial/impl/ocr/layout"
	"uncial/internal/document"
)

// merge inserts the lines of handwriting among those of the print, and removes the words of print that they replace.
func (p *handwritingSearch) merge(inPrint Result, filled []reading) Result {
	p.models.applyFurtherReadings(filled)
	printed := 0
	var blocks []document.Block
	for _, b := range inPrint.Blocks {
		var lines []document.Line
		for _, l := range b.Lines {
			l.Words = slices.DeleteFunc(slices.Clone(l.Words), func(w document.Word) bool {
				return slices.ContainsFunc(filled, func(r reading) bool { return p.isReplaced(l, w, r.line.Box) })
			})
			if l.Box = document.WordsBox(l.Words); len(l.Words) > 0 {
				lines = append(lines, l)
			}
			for _, w := range l.Words {
				printed += utf8.RuneCountInString(w.Text)
			}
		}
		blocks = append(blocks, document.Block{Lines: lines})
	}
	sequence := layout.SequenceOf(blocks)
	var result Result
	written := 0
	for _, r := range filled {
		sequence.InsertHandwriting(r.line)
		result.Edits = append(result.Edits, r.edits...)
		written += r.characters
	}
	result.Blocks = sequence.Blocks()
	handwriting := pageConfidence(filled)
	result.Confidence = (inPrint.Confidence*float64(printed) + handwriting*float64(written)) / float64(max(printed+written, 1))
	return result
}
