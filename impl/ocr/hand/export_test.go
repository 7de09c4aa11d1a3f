package hand

import "uncial/internal/document"

// IsFrench gives isFrench the handwriting among lines.
func IsFrench(lines []document.Line, tagged bool) bool {
	all := make([]reading, len(lines))
	for i, l := range lines {
		all[i].line = l
	}
	return isFrench(all, tagged)
}

// CertainWords returns the boxes of the words that handwriting must not replace.
func CertainWords(m Models, inPrint []document.Block) []document.Box {
	return (&handwritingSearch{Page: &Page{models: m}}).certainWords(inPrint)
}
