package accuracy

import (
	"cmp"
	"math"
	"slices"
)

// Unread is ink that a reading lists as writing it did not read.
type Unread struct{ Characters int }

// WithUnread appends the places that are listed as not read, given the missed characters of the page. A place finds at most as
// many of them as it says.
func WithUnread(scores []WordScore, missed int, places []Unread) []WordScore {
	for _, p := range places {
		found := min(missed, p.Characters)
		missed -= found
		scores = append(scores, WordScore{Listed: true, IsUnread: true, Characters: p.Characters, Errors: found})
	}
	return scores
}

// FoundErrors returns the share of the errors that lies in a share of the text: in what is listed as weak, those with the
// smallest share of correct characters first, and then in the other words, ordered in the same way. errors is the number of all
// errors, including those that belong to no word.
func FoundErrors(scores []WordScore, errors int, share float64) float64 {
	ranked := slices.SortedStableFunc(slices.Values(scores), func(a, b WordScore) int {
		if a.Listed != b.Listed {
			if a.Listed {
				return -1
			}
			return 1
		}
		return cmp.Compare(a.Share, b.Share)
	})
	text := 0
	for _, s := range ranked {
		text += s.size()
	}
	left, found := share*float64(text), 0.0
	for _, s := range ranked {
		if n := float64(s.size()); n > left {
			found += float64(s.wrong()) * left / n
			break
		}
		left -= float64(s.size())
		found += float64(s.wrong())
	}
	return found / float64(max(errors, 1))
}

// FoundMisread returns the share of the misread characters that lies in a share of the text: in the words with the smallest
// share of correct characters, listed or not. Writing that was missed, and words that are right but in the wrong place, do not
// count.
func FoundMisread(scores []WordScore, share float64) float64 {
	words := slices.DeleteFunc(slices.Clone(scores), func(s WordScore) bool { return s.IsUnread })
	for i := range words {
		words[i].Moved, words[i].Listed, words[i].Gap = false, false, 0
	}
	return FoundErrors(words, Errors(words), share)
}

// ListedShare returns the share of the words that are listed as weak, 0 to 1; 0 without words. Places that were not read do not
// count.
func ListedShare(scores []WordScore) float64 {
	listed, words := 0, 0
	for _, s := range scores {
		if s.IsUnread {
			continue
		}
		words++
		if s.Listed {
			listed++
		}
	}
	return float64(listed) / float64(max(words, 1))
}

// size counts the characters that a person who checks the word looks at.
func (s WordScore) size() int { return s.Characters + s.Gap }

// wrong counts the characters that are wrong, missing or in the wrong place.
func (s WordScore) wrong() int {
	if s.Moved {
		return s.size()
	}
	return s.Errors + s.Missing + s.Gap
}

// Errors returns how many characters of words are wrong, missing next to them, or in the wrong place.
func Errors(scores []WordScore) int {
	n := 0
	for _, s := range scores {
		n += s.wrong()
	}
	return n
}

// WordCalibration returns how far the confidence of words is from the share of the words that are right: the mean difference
// over the words, in ten groups of words of similar confidence. It is 0 without words.
func WordCalibration(scores []WordScore) float64 {
	const groups = 10
	var excess [groups]float64 // confidence, less the number of words that are right
	words := 0
	for _, s := range scores {
		if s.IsUnread {
			continue
		}
		group := min(int(groups*s.Confidence), groups-1)
		excess[group] += s.Confidence
		if s.Errors == 0 {
			excess[group]--
		}
		words++
	}
	sum := 0.0
	for _, e := range excess {
		sum += math.Abs(e)
	}
	return sum / float64(max(words, 1))
}

// AUC returns how well confidence tells correct words from others: the probability that a correct word scores higher than one
// with errors. It is 0.5 if all words are correct, or none is.
func AUC(scores []WordScore) float64 {
	ranked := slices.DeleteFunc(slices.Clone(scores), func(s WordScore) bool { return s.IsUnread })
	slices.SortFunc(ranked, func(a, b WordScore) int { return cmp.Compare(a.Confidence, b.Confidence) })
	var right, wrong, pairs float64
	for len(ranked) > 0 {
		n := 1
		for n < len(ranked) && ranked[n].Confidence == ranked[0].Confidence {
			n++
		}
		before := wrong
		for _, s := range ranked[:n] {
			if s.Errors > 0 {
				wrong++
			}
		}
		correct := float64(n) - (wrong - before)
		pairs += correct * (before + (wrong-before)/2)
		right += correct
		ranked = ranked[n:]
	}
	if right*wrong == 0 {
		return 0.5
	}
	return pairs / (right * wrong)
}
