package document

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"
)

// Reason is why the reading of a place is weak, by its name in openapi.yaml.
type Reason string

// The reasons. A recognizer may report UnreadInk and DoubtfulOrder in Page.Doubts; the others follow from the confidence of
// words.
const (
	LowConfidence         Reason = "low-confidence"
	UnfamiliarHandwriting Reason = "unfamiliar-handwriting"
	UnreadInk             Reason = "unread-ink"
	DoubtfulOrder         Reason = "doubtful-order"
)

// Doubt is a doubt of a recognizer beyond the confidence of words: ink that it did not read, or the order of lines.
type Doubt struct {
	Box    Box    `json:"box"`
	Reason Reason `json:"reason"` // UnreadInk or DoubtfulOrder
	// Confidence is the estimated share of correct characters, 0..1; 0 where nothing was read.
	Confidence float64 `json:"confidence"`
	// Characters is the approximate number of characters in doubt, at least 1.
	Characters int `json:"characters"`
}

// Weak is a place whose reading is likely to be wrong or incomplete.
type Weak struct {
	Page       int // from 0
	Box        Box
	Confidence float64 // estimated share of correct characters, 0..1
	Reason     Reason
	Text       string // words joined by a space, lines by a line feed; empty where nothing was read

	characters int
}

// Bounds and thresholds of weak places. The confidences are calibrated.
const (
	// maxWeak is the maximum number of places of a document; openapi.yaml has the same number.
	maxWeak = 50
	// MaxDoubts is the maximum number of doubts of a page, more than are ever listed.
	MaxDoubts = 200
	// weakWord is the confidence below which a word is weak.
	weakWord = 0.3
	// unfamiliarLine is the share of correct characters below which a line of handwriting is unfamiliar: most of its words are
	// misread.
	unfamiliarLine = 0.6
	// maxStrong is how many words that are not weak a place may have between two weak ones: a reader checks them with one look.
	maxStrong = 1
)

// Weak returns the weak places of the document, the least certain first. If there are more than maxWeak, those with most
// characters likely to be wrong are returned.
func (d *Document) Weak() []Weak {
	var all []Weak
	for i := range d.Pages {
		all = append(all, d.Pages[i].weak(i)...)
	}
	if len(all) > maxWeak {
		slices.SortStableFunc(all, func(a, b Weak) int { return cmp.Compare(b.wrong(), a.wrong()) })
		all = all[:maxWeak]
	}
	slices.SortFunc(all, func(a, b Weak) int {
		return cmp.Or(cmp.Compare(a.Confidence, b.Confidence), cmp.Compare(a.Page, b.Page), cmp.Compare(a.Box.Y, b.Box.Y),
			cmp.Compare(a.Box.X, b.Box.X), cmp.Compare(a.Reason, b.Reason), cmp.Compare(a.Text, b.Text))
	})
	return all
}

// wrong estimates how many characters of the place are wrong or missing. The product is converted, because the choice among
// places must not depend on the processor; see Word.CorrectShare.
func (w Weak) wrong() float64 {
	return float64(w.characters) - float64(float64(w.characters)*w.Confidence)
}

// weak returns the places of page number i, in reading order.
func (p *Page) weak(i int) []Weak {
	var all []Weak
	for _, d := range p.Doubts {
		all = append(all, Weak{Page: i, Box: d.Box, Confidence: d.Confidence, Reason: d.Reason, Text: p.textIn(d), characters: d.Characters})
	}
	for j := range p.Blocks {
		for _, part := range p.Blocks[j].weakParts() {
			all = append(all, part.place(i))
		}
	}
	return all
}

// weakPart is a part of a block that makes one place: words of a line, or whole lines.
type weakPart struct {
	Block
	reason Reason
	end    int // index of the last whole line in the block, -1 if the part is not a whole line
}

// weakParts returns the parts of the block that are weak. Lines that follow each other and are weak as a whole, for the same
// reason, are one part.
func (b *Block) weakParts() []weakPart {
	var parts []weakPart
	for k := range b.Lines {
		line := &b.Lines[k]
		for _, words := range line.weakSpans() {
			part := weakPart{BlockOf([]Line{{Box: WordsBox(words), Words: words}}), LowConfidence, -1}
			if len(words) == len(line.Words) {
				part.reason, part.end = line.reason(), k
			}
			if last := len(parts) - 1; part.end > 0 && last >= 0 && parts[last].end == k-1 && parts[last].reason == part.reason {
				parts[last].Block, parts[last].end = BlockOf(append(parts[last].Lines, part.Lines...)), k
				continue
			}
			parts = append(parts, part)
		}
	}
	return parts
}

// place returns the part as a place on page number i.
func (w *weakPart) place(i int) Weak {
	characters := 0
	for _, l := range w.Lines {
		for _, word := range l.Words {
			characters += utf8.RuneCountInString(word.Text)
		}
	}
	return Weak{Page: i, Box: w.Box, Confidence: CorrectShare([]Block{w.Block}), Reason: w.reason, Text: w.Text(), characters: characters}
}

// weakSpans returns the runs of weak words; each begins and ends with a weak word. If they are most of the line, the whole line
// is one run.
func (l *Line) weakSpans() [][]Word {
	var spans [][]Word
	first, last, weak, characters := -1, -1, 0, 0
	for i, w := range l.Words {
		n := utf8.RuneCountInString(w.Text)
		characters += n
		if w.Confidence >= weakWord {
			continue
		}
		weak += n
		if first >= 0 && i-last-1 > maxStrong {
			spans = append(spans, l.Words[first:last+1])
			first = -1
		}
		if first < 0 {
			first = i
		}
		last = i
	}
	if 2*weak > characters {
		return [][]Word{l.Words}
	}
	if first >= 0 {
		spans = append(spans, l.Words[first:last+1])
	}
	return spans
}

// reason says why the line is weak as a whole.
func (l *Line) reason() Reason {
	if l.Handwritten && CorrectShare([]Block{{Lines: []Line{*l}}}) < unfamiliarLine {
		return UnfamiliarHandwriting
	}
	return LowConfidence
}

// textIn returns the text of a doubt, line by line: the words whose middle is in its box.
func (p *Page) textIn(d Doubt) string {
	if d.Reason == UnreadInk {
		return ""
	}
	var lines []string
	for line := range Lines(p.Blocks) {
		var words []string
		for _, w := range line.Words {
			if d.Box.holds(w.Box.X+w.Box.W/2, w.Box.Y+w.Box.H/2) {
				words = append(words, w.Text)
			}
		}
		if len(words) > 0 {
			lines = append(lines, strings.Join(words, " "))
		}
	}
	return strings.Join(lines, "\n")
}

// holds reports whether the pixel at (x, y) is in the box.
func (b Box) holds(x, y int) bool { return b.X <= x && x < b.X+b.W && b.Y <= y && y < b.Y+b.H }
