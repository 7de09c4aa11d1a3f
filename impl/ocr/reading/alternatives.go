package reading

import (
	"uncial/internal/document"
	"uncial/internal/text"
)

// alternatives returns other readings of a weak word. The word's confidence must be final. For handwriting they come from other
// likely texts of the line, for print from a reading by another model or at another size.
func alternatives(w *document.Word, other otherWords) []document.Alternative {
	if !w.IsWeak() {
		return nil
	}
	var out []document.Alternative
	if s := w.Signals; s != nil && s.Posterior > 0 {
		for _, o := range s.Others {
			// The ratio of its confidence to the word's is that of the texts that have each of them.
			share := w.Confidence * min(o.Confidence/max(s.Posterior, minShare), 1)
			if text := document.WordText(o.Text); text != "" && share >= minAlternative {
				out = append(out, document.Alternative{Text: text, Confidence: share})
			}
		}
		return out
	}
	if o := other.at(w); o != nil && text.FoldType(o.Text) != text.FoldType(w.Text) {
		share := min(logistic(curve(o.Confidence, o.Model)), w.Confidence)
		if share >= minAlternative {
			out = append(out, document.Alternative{Text: o.Text, Confidence: share})
		}
	}
	return out
}
