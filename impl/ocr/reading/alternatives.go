package reading

import (
	"uncial/internal/document"
	"uncial/internal/text"
)

// alternatives returns other readings of a doubtful word. The word's confidence must be final. For handwriting they come from
// other likely texts of the line, for print from a reading by another model or at another size.
func alternatives(w *document.Word, other otherWords) []document.Alternative {
	if !w.IsDoubtful() {
		return nil
	}
	var all []document.Alternative
	if s := w.Signals; s != nil && s.Posterior > 0 {
		for _, o := range s.Others {
			// The ratio of its confidence to the word's is that of the texts that have each of them.
			confidence := w.Confidence * min(o.Confidence/max(s.Posterior, minShare), 1)
			if text := document.WordText(o.Text); text != "" {
				all = append(all, document.Alternative{Text: text, Confidence: confidence})
			}
		}
	} else if o := other.at(w); o != nil && text.FoldType(o.Text) != text.FoldType(w.Text) {
		confidence := document.ConfidenceOf(o.Text, logistic(curve(o.Confidence, o.Model)))
		all = append(all, document.Alternative{Text: o.Text, Confidence: min(confidence, w.Confidence)})
	}
	return exclusive(all, w.Confidence)
}

// exclusive scales the confidences of alternatives down so that, together with that of the word, they are at most 1, because
// only one reading can be right. It leaves out what is then below minAlternative.
func exclusive(all []document.Alternative, word float64) (out []document.Alternative) {
	sum := 0.0
	for _, a := range all {
		sum += a.Confidence
	}
	factor := min((1-word)/max(sum, minShare), 1)
	for _, a := range all {
		if a.Confidence *= factor; a.Confidence >= minAlternative {
			out = append(out, a)
		}
	}
	return out
}
