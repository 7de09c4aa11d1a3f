package neural

import (
	"cmp"
	"math"
	"slices"

	edit "uncial/internal/text"
)

const (
	// maxCompared is the maximum number of texts that are compared for a line (usually about 30 are), and maxRounds the maximum
	// number of rounds in which the best text is improved.
	maxCompared, maxRounds = 200, 3
	// minProbability is the minimum probability of every class at every step, so that no single view excludes a text and every
	// logarithm is finite.
	minProbability = 1e-9
	// minShare is the minimum share of the total probability of paths that are followed; those that are furthest behind or ahead
	// are dropped below it. This bounds the time for long lines: a path may be at most about eleven characters ahead of the view.
	minShare = 1e-100
)

// ensemble scores candidate texts of a line with several views of it. The letters appear at different steps in each view, so
// the probabilities of steps cannot be averaged. Those of whole texts can: the score of a text is the mean of its log
// probabilities in the views, plus its score in the character model.
type ensemble struct {
	net   *network
	tree  *beam // caches the character model's scores of the beginnings of texts
	views []view
	texts []text         // those compared so far
	index map[string]int // the index in texts, by the characters of a text
}

// view is the line at one width: the probabilities of the classes at each step, and the texts that a search found, the
// likeliest first.
type view struct {
	probabilities []float64
	classes       int
	texts         []text
}

func newEnsemble(n *network, g guide) *ensemble {
	tree := &beam{guide: g, net: n, all: []prefix{{parent: -1, context: g.language.begin()}}}
	return &ensemble{net: n, tree: tree, index: map[string]int{}}
}

// add adds a view of the line: its scores, which it copies, and the texts that a search found in them.
func (e *ensemble) add(rows []float32, steps int, texts []text) {
	v := view{classes: e.net.out.classes, texts: texts}
	for t := range steps {
		for _, logp := range rows[t*e.net.out.stride : t*e.net.out.stride+v.classes] {
			v.probabilities = append(v.probabilities, max(math.Exp(float64(logp)), minProbability))
		}
	}
	e.views = append(e.views, v)
}

// decide returns the texts that were compared, the likeliest first. It begins with the likeliest text of each view, and
// improves the best of these by replacing stretches with those of other texts.
func (e *ensemble) decide() []text {
	best := 0
	for _, v := range e.views {
		best = e.likelier(best, e.scoreOnce(v.texts[0].classes))
	}
	for range maxRounds {
		better := e.improve(best)
		if better == best {
			break
		}
		best = better
	}
	slices.SortStableFunc(e.texts, func(a, b text) int { return cmp.Compare(b.score, a.score) })
	return e.texts
}

// improve replaces stretches of a text with the corresponding stretches of other texts, from the end to the beginning, wherever
// that makes the text likelier. It takes and returns an index into texts.
func (e *ensemble) improve(best int) int {
	untouched := len(e.texts[best].classes)
	for _, s := range e.replacements(e.texts[best].classes) {
		if s.to > untouched || len(e.texts) >= maxCompared {
			continue
		}
		now := e.texts[best].classes
		if k := e.likelier(best, e.scoreOnce(slices.Concat(now[:s.from], s.classes, now[s.to:]))); k != best {
			best, untouched = k, s.from
		}
	}
	return best
}

// likelier returns the index of the likelier text, or a if both are equally likely.
func (e *ensemble) likelier(a, b int) int {
	if e.texts[b].score > e.texts[a].score {
		return b
	}
	return a
}

// replacement is another text for a stretch of a text.
type replacement struct {
	from, to int
	classes  []int
}

// replacements returns the differences between a text and the texts of the views, the last stretches first.
func (e *ensemble) replacements(from []int) []replacement {
	var all []replacement
	for _, v := range e.views {
		for _, t := range v.texts {
			for _, s := range edit.Stretches(from, t.classes) {
				all = append(all, replacement{s.From, s.To, t.classes[s.FromOther:s.ToOther]})
			}
		}
	}
	order := func(a, b replacement) int {
		return cmp.Or(cmp.Compare(b.from, a.from), cmp.Compare(b.to, a.to), slices.Compare(a.classes, b.classes))
	}
	slices.SortFunc(all, order)
	return slices.CompactFunc(all, func(a, b replacement) bool { return order(a, b) == 0 })
}

// scoreOnce scores a text, unless it was scored before, and returns its index.
func (e *ensemble) scoreOnce(classes []int) int {
	id := make([]rune, len(classes))
	for i, c := range classes {
		id[i] = rune(c)
	}
	if k, ok := e.index[string(id)]; ok {
		return k
	}
	t := text{classes: classes, score: e.tree.languageScore(classes)}
	for _, v := range e.views {
		t.score += v.likelihood(classes) / float64(len(e.views))
	}
	e.texts = append(e.texts, t)
	e.index[string(id)] = len(e.texts) - 1
	return len(e.texts) - 1
}

// likelihood returns the log probability of a text: the sum over all paths that spell it (the forward algorithm of CTC), except
// those that minShare drops.
func (v *view) likelihood(classes []int) float64 {
	states := 2*len(classes) + 1 // alternating blanks and characters
	class, skips := make([]int, states), make([]bool, states)
	for i, c := range classes {
		class[2*i+1], skips[2*i+1] = c, i > 0 && classes[i-1] != c
	}
	at := make([]float64, states)
	at[0] = 1
	from, to := 0, 1 // the states that paths are in
	logarithm := 0.0
	for t := 0; t < len(v.probabilities); t += v.classes {
		row, sum := v.probabilities[t:t+v.classes], 0.0
		to = min(to+2, states)
		for s := to - 1; s >= from; s-- { // downwards, because at[s-1] and at[s-2] must still have the values of the previous step
			p := at[s]
			if s > 0 {
				p += at[s-1]
			}
			if skips[s] {
				p += at[s-2]
			}
			at[s] = p * row[class[s]]
			sum += at[s]
		}
		if sum == 0 {
			return never
		}
		for s := from; s < to; s++ {
			at[s] /= sum
		}
		for ; from < to-1 && at[from] < minShare; from++ {
			at[from] = 0
		}
		for ; to > from+1 && at[to-1] < minShare; to-- {
			at[to-1] = 0
		}
		logarithm += math.Log(sum)
	}
	end := at[states-1]
	if states > 1 {
		end += at[states-2]
	}
	return logarithm + math.Log(max(end, math.SmallestNonzeroFloat64))
}

// languageScore returns the part of a text's score that comes from the character model and the word lists.
func (b *beam) languageScore(classes []int) float64 {
	i := int32(0)
	for _, c := range classes {
		i = b.child(i, int32(c))
	}
	end, _ := b.language.after(b.all[i].context, 0)
	return b.all[i].language + b.weight*end + b.wordBonus(i)
}
