package neural

import (
	"cmp"
	"math"
	"slices"
	"strings"
)

// Weights and limits of the beam search. They were tuned on lines of the training collections that were held back from
// training; none of these lines is from a page that accuracy is measured on.
const (
	beamWidth      = 25      // prefixes kept at each step; with 10, pages have 1 to 3 % more errors and take 10 % less time
	wordBeamWidth  = 10      // beamWidth in the search for a single word; the weights of confidence were fitted with it
	languageWeight = 0.4     // weight of the character model's log probabilities relative to the network's
	listedWeight   = 0.5     // the same for the character model of searches with word lists
	characterBonus = 1.5     // score for every character; without it, the character model would favour short texts
	surelyBlank    = 5e-4    // if all classes except blank have less than this probability together, no character begins at the step
	minLog         = -7.0    // minimum log probability of a class that is followed
	maxLikely      = 64      // classes that are followed at a step; only noise has more with that probability
	manyPrefixes   = 1 << 16 // number of prefixes (7 MB) above which those no longer followed are dropped
	never          = -1e30   // logarithm of 0
)

// The influence of word lists on the search. Listed words become likelier; other words remain possible. Tuned on held-back
// lines of the training collections, and checked on collections that are not used for training.
const (
	minKnown      = 3   // minimum letters of a word that is looked up
	knownBonus    = 0.2 // score for every letter of a listed word
	maxKnownBonus = 2.0 // maximum score for a listed word
)

// prefix is a beginning of a text: its last character, and the prefix before it. Prefixes form a tree, so that beginnings that
// several texts share are stored only once.
type prefix struct {
	parent    int32
	class     int32 // 0 at the root
	context   context
	language  float64 // the character model's part of the score, with bonuses
	blank     float64 // logarithm of the probability of all paths that end in a blank
	character float64 // logarithm of the probability of all paths that end in the character
	seen      int     // the step to which blank and character belong
	children  []int32
}

// total returns the logarithm of the probability of all paths that spell the prefix.
func (p *prefix) total() float64 { return addLog(p.blank, p.character) }

// addLog returns log(exp a + exp b).
func addLog(a, b float64) float64 {
	if a < b {
		a, b = b, a
	}
	const negligible = -40 // exp(-40) is less than the precision of a float64
	if b-a < negligible {
		return a
	}
	return a + math.Log1p(math.Exp(b-a))
}

// guide is what a search uses besides the network.
type guide struct {
	language *Language
	weight   float64  // of the character model's log probabilities relative to the network's
	symbols  []uint16 // the character model's symbol for each class
	width    int      // number of prefixes that are kept at each step
	space    int32    // the class of the space, or 0 if there is none
	// known reports whether a word is listed; nil without word lists.
	known func(word string) bool
}

// beam is a search over the texts of one line.
type beam struct {
	guide
	net *network
	all []prefix
	at  []int32 // the prefixes that are followed

	ranks []rank // buffer of keepBest
	limit int    // number of prefixes from which on prune drops some
}

// rank is a prefix with its score.
type rank struct {
	score  float64
	prefix int32
}

// text is a candidate for the text of a line.
type text struct {
	classes []int
	score   float64 // logarithm of its probability, not normalized
}

// search returns the texts that are most likely according to the network and the character model together, the likeliest first.
// It is a CTC prefix beam search: unlike best, it adds up the probabilities of all paths that spell the same text. Its time is
// proportional to steps times the width of the guide.
func (n *network) search(g guide, rows []float32, steps int) []text {
	return n.searchPart(g, rows, 0, steps, g.language.begin(), 0)
}

// searchWord is search for one word in the steps [from, to). before is the context before the word.
func (n *network) searchWord(g guide, rows []float32, from, to int, before context) []text {
	g.width = wordBeamWidth
	return n.searchPart(g, rows, from, to, before, g.symbols[g.space])
}

// searchPart is search in the steps [from, to). before is the character model's context before these steps, and next
// the symbol after them.
func (n *network) searchPart(g guide, rows []float32, from, to int, before context, next uint16) []text {
	b := n.newBeam(g, before)
	for t := from; t < to; t++ {
		b.advance(t, rows[t*n.out.stride:t*n.out.stride+n.out.classes])
	}
	return b.texts(next)
}

// newBeam returns a search that begins in a context of the character model.
func (n *network) newBeam(g guide, before context) *beam {
	root := prefix{parent: -1, context: before, character: never, seen: -1}
	return &beam{guide: g, net: n, all: []prefix{root}, at: []int32{0}, limit: manyPrefixes}
}

// texts returns the followed prefixes as texts before the symbol next, the likeliest first.
func (b *beam) texts(next uint16) []text {
	texts := make([]text, len(b.at))
	for k, i := range b.at {
		texts[k] = b.text(i, next)
	}
	slices.SortStableFunc(texts, func(x, y text) int { return cmp.Compare(y.score, x.score) })
	return texts
}

// text returns prefix i as a text, scored as if the symbol next followed it.
func (b *beam) text(i int32, next uint16) text {
	end, _ := b.language.after(b.all[i].context, next)
	t := text{score: b.score(i) + b.weight*end + b.wordBonus(i)}
	for ; b.all[i].class != 0; i = b.all[i].parent {
		t.classes = append(t.classes, int(b.all[i].class))
	}
	slices.Reverse(t.classes)
	return t
}

// score returns the value by which prefixes are compared.
func (b *beam) score(i int32) float64 { return b.all[i].total() + b.all[i].language }

// wordBonus returns the bonus of a prefix that ends with a listed word, or 0.
func (b *beam) wordBonus(i int32) float64 {
	if b.known == nil {
		return 0
	}
	var letters []string
	for ; b.all[i].class != 0 && b.all[i].class != b.space; i = b.all[i].parent {
		letters = append(letters, b.net.info.Alphabet[b.all[i].class-1])
	}
	slices.Reverse(letters)
	if len(letters) < minKnown || !b.known(strings.Join(letters, "")) {
		return 0
	}
	return min(knownBonus*float64(len(letters)), maxKnownBonus)
}

// advance extends all prefixes by step t, whose log probabilities are row.
func (b *beam) advance(t int, row []float32) {
	blank := float64(row[0])
	if blank > -surelyBlank {
		for _, i := range b.at {
			p := &b.all[i]
			p.blank, p.character, p.seen = p.total()+blank, never, t
		}
		return
	}
	type before struct{ total, blank, character float64 }
	var likely []int32
	for class := 1; class < len(row); class++ {
		if float64(row[class]) > minLog {
			likely = append(likely, int32(class))
		}
	}
	if len(likely) > maxLikely {
		slices.SortStableFunc(likely, func(x, y int32) int { return cmp.Compare(row[y], row[x]) })
		likely = likely[:maxLikely]
	}
	old := make([]before, len(b.at))
	for k, i := range b.at {
		p := &b.all[i]
		old[k] = before{p.total(), p.blank, p.character}
	}
	var next []int32
	visit := func(i int32) *prefix {
		p := &b.all[i]
		if p.seen != t {
			p.seen, p.blank, p.character = t, never, never
			next = append(next, i)
		}
		return p
	}
	for k, i := range b.at {
		p := visit(i)
		p.blank = addLog(p.blank, old[k].total+blank)
		if p.class != 0 {
			p.character = addLog(p.character, old[k].character+float64(row[p.class]))
		}
		for _, class := range likely {
			from := old[k].total
			if class == b.all[i].class {
				from = old[k].blank // a doubled character needs a blank between
			}
			if from <= never/2 {
				continue
			}
			q := visit(b.child(i, class))
			q.character = addLog(q.character, from+float64(row[class]))
		}
	}
	b.keepBest(next)
	if len(b.all) > b.limit {
		b.prune()
	}
}

// keepBest keeps only the prefixes with the highest scores.
func (b *beam) keepBest(prefixes []int32) {
	b.ranks = b.ranks[:0]
	for _, i := range prefixes {
		b.ranks = append(b.ranks, rank{b.score(i), i})
	}
	slices.SortFunc(b.ranks, func(x, y rank) int { return cmp.Or(cmp.Compare(y.score, x.score), cmp.Compare(x.prefix, y.prefix)) })
	b.at = b.at[:0]
	for _, r := range b.ranks[:min(len(b.ranks), b.width)] {
		b.at = append(b.at, r.prefix)
	}
}

// prune drops the prefixes that no followed prefix begins with. The search would create those that it needs again with the
// same values, so its result does not change.
func (b *beam) prune() {
	needed := make([]bool, len(b.all))
	for _, i := range b.at {
		for ; i >= 0 && !needed[i]; i = b.all[i].parent {
			needed[i] = true
		}
	}
	moved := make([]int32, len(b.all)) // where each prefix is now; a parent precedes its children
	kept := b.all[:0]
	for i, p := range b.all {
		if !needed[i] {
			continue
		}
		moved[i] = int32(len(kept))
		if p.parent >= 0 {
			p.parent = moved[p.parent]
			kept[p.parent].children = append(kept[p.parent].children, moved[i])
		}
		p.children = p.children[:0]
		kept = append(kept, p)
	}
	clear(b.all[len(kept):])
	b.all = kept
	for k, i := range b.at {
		b.at[k] = moved[i]
	}
	b.limit = max(manyPrefixes, 2*len(kept))
}

// child returns the prefix with one more character. It creates it if necessary.
func (b *beam) child(i, class int32) int32 {
	for _, c := range b.all[i].children {
		if b.all[c].class == class {
			return c
		}
	}
	logp, context := b.language.after(b.all[i].context, b.symbols[class])
	bonus := 0.0
	if class == b.space {
		bonus = b.wordBonus(i)
	}
	b.all = append(b.all, prefix{
		parent: i, class: class, context: context, seen: -1,
		language: b.all[i].language + b.weight*logp + characterBonus + bonus,
	})
	c := int32(len(b.all) - 1)
	b.all[i].children = append(b.all[i].children, c)
	return c
}

// align locates the characters of a text, given as classes, on the line. It finds the likeliest path that spells the text
// (Viterbi over alternating blanks and characters), and on it the step at which the network is surest of each character.
func (n *network) align(classes []int, rows []float32, steps int) []Character {
	states := 2*len(classes) + 1
	if steps == 0 || len(classes) == 0 {
		return nil
	}
	class := func(s int) int {
		if s%2 == 0 {
			return 0
		}
		return classes[s/2]
	}
	score := func(t, s int) float64 { return float64(rows[t*n.out.stride+class(s)]) }
	now, from := make([]float64, states), make([]uint8, steps*states)
	for s := range now {
		now[s] = never
	}
	now[0], now[1] = score(0, 0), score(0, 1)
	for t := 1; t < steps; t++ {
		for s := states - 1; s >= 0; s-- { // downwards, because now[s-1] and now[s-2] must still have the values of the previous step
			best, step := now[s], uint8(0)
			if s > 0 && now[s-1] > best {
				best, step = now[s-1], 1
			}
			if s > 1 && s%2 == 1 && classes[s/2] != classes[s/2-1] && now[s-2] > best {
				best, step = now[s-2], 2
			}
			now[s], from[t*states+s] = best+score(t, s), step
		}
	}
	s := states - 1
	if now[s-1] > now[s] {
		s--
	}
	out := make([]Character, len(classes))
	surest := make([]float64, len(classes))
	for i := range surest {
		surest[i] = math.Inf(-1)
	}
	for t := steps - 1; t >= 0; t-- {
		if s%2 == 1 && score(t, s) > surest[s/2] {
			surest[s/2] = score(t, s)
			out[s/2] = n.character(rows[t*n.out.stride:t*n.out.stride+n.out.classes], classes[s/2], t)
		}
		s -= int(from[t*states+s])
	}
	return slices.DeleteFunc(out, func(c Character) bool { return c.Text == "" })
}
