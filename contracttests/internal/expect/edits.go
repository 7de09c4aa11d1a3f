package expect

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"uncial/contracttests/internal/documents"
	"uncial/contracttests/internal/model"
)

// edit holds the compared fields of one correction of the enhancement. Its schema was checked before. The members of
// Region have no tags, because encoding/json ignores letter case.
type edit struct {
	Page   int64                             `json:"page"`
	Region struct{ X, Y, Width, Height int } `json:"box"`
	Before string                            `json:"before"`
	After  string                            `json:"after"`
}

// box returns the region of the edit by its edges.
func (e edit) box() documents.Box {
	b := e.Region
	return documents.Box{Left: b.X, Top: b.Y, Right: b.X + b.Width, Bottom: b.Y + b.Height}
}

// editsOf returns the edits of an answer, nil if they do not match the schema.
func editsOf(x *model.Exchange) []edit {
	var edits []edit
	if x.Member("edits", &edits) != nil {
		return nil
	}
	return edits
}

// checkEnhanced requires enhancement exactly if it was requested, and edits only in enhanced results. Servers that do not
// promise enhancement (Target.Enhances) may always answer false. It needs no earlier reading; checkChanges compares with
// one.
func checkEnhanced(x *model.Exchange, j *model.Job) (problems []string) {
	enhanced, has := x.JSON["enhanced"].(bool)
	if enhanced && !j.Enhances() {
		problems = append(problems, "enhanced is true, but enhancement was not requested")
	}
	if has && !enhanced && j.Enhances() && x.Target.Enhances {
		problems = append(problems, "enhanced is false, but enhancement was requested")
	}
	if _, has := x.JSON["edits"]; has && !enhanced {
		problems = append(problems, "there are edits, but enhanced is not true")
	}
	text := x.Text("text")
	spaced := strings.Join(strings.Fields(text), " ")
	for i, e := range editsOf(x) {
		switch pages := int64(strings.Count(text, "\f") + 1); {
		case e.Page > pages:
			problems = append(problems, fmt.Sprintf("edit %d is on page %d of %d", i+1, e.Page, pages))
		case !isSpaced(e.Before) || !isSpaced(e.After):
			problems = append(problems, fmt.Sprintf("edit %d turns %q into %q; there must be single blanks between the words", i+1, e.Before, e.After))
		case e.Before == e.After:
			problems = append(problems, fmt.Sprintf("edit %d changes nothing: %q", i+1, e.Before))
		case !strings.Contains(spaced, strings.Join(strings.Fields(e.After), " ")):
			problems = append(problems, fmt.Sprintf("edit %d says %q, which is not in the text", i+1, e.After))
		}
	}
	return problems
}

// isSpaced reports whether a text is words with single blanks between them.
func isSpaced(text string) bool { return text == strings.Join(strings.Fields(text), " ") }

// maxOthers is the maximum number of words that have their centre in a box without belonging to it: boxes of misread words may
// reach into other lines.
const maxOthers = 8

// checkChanges requires the edits of an enhanced reading to be exactly its differences from the verbatim reading of the
// image, in reading order and inside their pages.
func (s *Readings) checkChanges(x *model.Exchange, j *model.Job, r reading) []string {
	if enhanced, _ := x.JSON["enhanced"].(bool); !enhanced {
		return nil
	}
	edits := editsOf(x)
	if !slices.IsSortedFunc(edits, func(a, b edit) int { return int(a.Page - b.Page) }) {
		return []string{"the edits are not in reading order: their pages are mixed"}
	}
	problem := checkBoxes(edits, r.document)
	s.mu.Lock()
	verbatim, known := s.byID[readingID(j, r)]
	s.mu.Unlock()
	if problem == "" && known {
		problem = compareEdits(edits, verbatim, r)
	}
	if problem != "" {
		return []string{problem}
	}
	return nil
}

// checkBoxes requires the boxes of edits to lie on their pages, in the order of the words that they change. It returns the
// first problem or "", also if there is no document to compare with.
func checkBoxes(edits []edit, doc *documents.Document) string {
	last, page := -1, int64(0)
	for i, e := range edits {
		if doc == nil || e.Page < 1 || e.Page > int64(len(doc.Pages)) {
			return "" // checkEnhanced reports the page
		}
		p := doc.Pages[e.Page-1]
		if b := e.box(); b.Right > p.Box.Right || b.Bottom > p.Box.Bottom {
			return fmt.Sprintf("the box of edit %d extends beyond its page", i+1)
		}
		if e.Page != page {
			last, page = -1, e.Page
		}
		// The order of edits follows the words of the enhanced document, which is in reading order.
		at := slices.IndexFunc(p.Words(), func(w *documents.Element) bool { return w.Box == e.box() })
		if at < 0 {
			continue // an edit of several words
		}
		if at < last {
			return fmt.Sprintf("the edits are not in reading order: edit %d comes before its predecessor", i+1)
		}
		last = at
	}
	return ""
}

// wordList is the words of a page in reading order, with the boxes that tell equal words apart.
type wordList struct {
	words []string
	boxes []documents.Box // nil if unknown
}

// dividing are the signs by which texts and formats end the first part of a divided word.
const dividing = "-\u00ad\u2010\u00ac\u2e17="

// printedWords are the words of a text. Formats say in different ways that a word is divided; here all of them end with a
// hyphen.
func printedWords(text string) []string {
	words := strings.Fields(text)
	for i, w := range words {
		if r, size := utf8.DecodeLastRuneInString(w); strings.ContainsRune(dividing, r) {
			words[i] = w[:len(w)-size] + "-"
		}
	}
	return words
}

// pages are the words of each page, with their boxes if a document gave them.
func (r reading) pages() (all []wordList) {
	if r.document == nil {
		for page := range strings.SplitSeq(r.text, "\f") {
			all = append(all, wordList{words: printedWords(page)})
		}
		return all
	}
	for _, p := range r.document.Pages {
		var l wordList
		for _, w := range p.Words() {
			l.words, l.boxes = append(l.words, printedWords(w.Text)...), append(l.boxes, w.Box)
		}
		all = append(all, l)
	}
	return all
}

// compareEdits requires the edits, applied in order to the words of the verbatim reading, to produce those of the
// enhanced one.
func compareEdits(edits []edit, verbatim, enhanced reading) string {
	before, after := verbatim.pages(), enhanced.pages()
	if len(before) != len(after) {
		return fmt.Sprintf("the verbatim reading has %d pages, the enhanced one %d", len(before), len(after))
	}
	for i := range before {
		here := slices.DeleteFunc(slices.Clone(edits), func(e edit) bool { return e.Page != int64(i+1) })
		if at := apply(here, before[i], after[i].words); at != "" {
			return fmt.Sprintf("the edits do not turn the verbatim page %d into the enhanced one: %s", i+1, at)
		}
	}
	return ""
}

// apply walks through a page and consumes, word by word, what both readings share, or the next edit. Several paths may be
// possible, so it tries all. It returns "", or where the path that came farthest ended.
func apply(edits []edit, before wordList, after []string) string {
	type position struct{ word, edit, out int } // words read, edits used, words of the enhanced page produced
	// Depth-first search over positions; each is visited once, so the effort is at most words times edits times
	// words.
	seen, open, farthest := map[position]bool{}, []position{{}}, position{}
	visit := func(p position) {
		if !seen[p] {
			seen[p], open = true, append(open, p)
		}
	}
	for len(open) > 0 {
		p := open[len(open)-1]
		open = open[:len(open)-1]
		if p == (position{len(before.words), len(edits), len(after)}) {
			return ""
		}
		// The path that came farthest gives the most useful message.
		if p.word+p.edit > farthest.word+farthest.edit {
			farthest = p
		}
		if p.edit < len(edits) {
			if n, m := edits[p.edit].replaces(before, p.word, after[p.out:]); n+m > 0 {
				visit(position{p.word + n, p.edit + 1, p.out + m})
			}
		}
		if p.word < len(before.words) && p.out < len(after) && before.words[p.word] == after[p.out] {
			visit(position{p.word + 1, p.edit, p.out + 1})
		}
	}
	next := "no further edit"
	if farthest.edit < len(edits) {
		next = fmt.Sprintf("the edit of %q into %q", edits[farthest.edit].Before, edits[farthest.edit].After)
	}
	word := func(words []string, i int) string {
		return strings.Join(words[min(i, len(words)):min(i+1, len(words))], "")
	}
	return fmt.Sprintf("%q became %q at word %d, but next comes %s", word(before.words, farthest.word), word(after, farthest.out), farthest.word+1, next)
}

// replaces returns how many words of the verbatim page, from at on, the edit removes and how many it adds to the enhanced
// page; zeros if it does not apply there.
func (e edit) replaces(before wordList, at int, after []string) (removed, added int) {
	from, to := printedWords(e.Before), printedWords(e.After)
	end := at + len(from)
	if end > len(before.words) || len(to) > len(after) || !slices.Equal(before.words[at:end], from) || !slices.Equal(after[:len(to)], to) {
		return 0, 0
	}
	// The same words can occur several times on a page, so the edit must also cover their boxes.
	if before.boxes != nil && slices.ContainsFunc(before.boxes[at:end], func(b documents.Box) bool { return !e.box().ContainsCenter(b) }) {
		return 0, 0
	}
	// It must not cover much else.
	if n := e.box().CountCenters(before.boxes); n > len(from)+maxOthers {
		return 0, 0
	}
	return len(from), len(to)
}
