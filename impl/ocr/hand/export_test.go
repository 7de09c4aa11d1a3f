package hand

import "uncial/internal/document"

// IsFrench reports whether the handwriting among lines is French.
func IsFrench(lines []document.Line, tagged bool) bool {
	all := make([]reading, len(lines))
	for i, l := range lines {
		all[i].line = l
	}
	return isFrench(all, tagged)
}

// CertainWords returns the boxes of the words that handwriting must not replace.
func CertainWords(m Models, inPrint []document.Block) []document.Box {
	return (&filling{Page: &Page{models: m}}).certainWords(inPrint)
}
