package hand

import "uncial/internal/document"

// IsFrench tells whether the handwriting among lines is French.
func IsFrench(lines []document.Line, tagged bool) bool {
	all := make([]reading, len(lines))
	for i, l := range lines {
		all[i].line = l
	}
	return isFrench(all, tagged)
}
