package reading

import (
	"cmp"
	"context"
	"image"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"uncial/impl/ocr/lexicon"
	"uncial/internal/document"
	"uncial/internal/text"
)

// ancientGreek is the name of the model for Greek with accents and breathings.
const ancientGreek = "grc"

// mayHoldGreek reports whether Greek in the first reading may have been read in Latin letters.
func mayHoldGreek(p *page) bool { return p.canShowGreek(p.attempts[0]) }

// canShowGreek reports whether Greek on the page may have been read in Latin letters.
func (p *page) canShowGreek(a attempt) bool {
	return p.model != ancientGreek && p.src.Has(p.withGreek()) && isLatin(a.blocks)
}

// withGreek returns the name for the language's own model and the Greek model together.
func (p *page) withGreek() string { return p.model + "+" + ancientGreek }

// addGreek reads a page that shows Greek with its language's own model and the Greek model together, unless the sample has
// shown that already. If only a few lines may have Greek, it reads only these; otherwise it reads the whole page, and keeps the
// more confident reading. But it always prefers the new reading to that of the early-print model, which cannot write Greek.
func addGreek(ctx context.Context, p *page) error {
	first := &p.attempts[0]
	words, src := p.src.Lexicon(p.model), p.sheet.source(p.src)
	if first.model == p.withGreek() {
		return readGreekWords(ctx, src, p.sheet.img, first.blocks, words)
	}
	greek, err := showsGreek(ctx, src, p.sheet.img, first.blocks, words)
	if err != nil || !greek {
		return err
	}
	lines, all := strangeLines(first.blocks, words)
	if first.model == p.model && len(lines)*strangeLineDivisor <= all {
		if err := readGreekLines(ctx, src, p.sheet.img, p.withGreek(), lines); err != nil {
			return err
		}
		first.model, first.confidence = p.withGreek(), meanConfidence(first.blocks)
	} else {
		if err := p.addReading(ctx, p.withGreek()); err != nil {
			return err
		}
		both, before := p.attempts[0], p.attempts[1]
		if both.whole != before.whole || both.confidence < before.confidence && before.model != earlyPrint {
			p.attempts = p.attempts[1:]
			return nil
		}
		p.attempts = slices.Delete(p.attempts, 1, 2)
		first = &p.attempts[0]
	}
	return readGreekWords(ctx, src, p.sheet.img, first.blocks, words)
}

// strangeLines returns the lines with words that are neither sure nor listed, and the number of all lines. latin may be nil.
func strangeLines(blocks []document.Block, latin *lexicon.Lexicon) (strange []*document.Line, all int) {
	for l := range document.Lines(blocks) {
		all++
		if slices.ContainsFunc(l.Words, func(w document.Word) bool {
			return w.Confidence < sureWord && (latin == nil || !latin.Known(w.Text))
		}) {
			strange = append(strange, l)
		}
	}
	return strange, all
}

// readGreekLines reads lines again with both models, and keeps the readings that have Greek.
func readGreekLines(ctx context.Context, src Source, img *image.Gray, both string, lines []*document.Line) error {
	for _, l := range lines {
		again, err := readLine(ctx, src, img, both, l.Box)
		if err != nil {
			return err
		}
		if slices.ContainsFunc(again.Words, func(w document.Word) bool { return isGreek(w.Text) }) {
			*l = again
		}
	}
	return nil
}

// readGreekWords reads lines with doubtful Latin words again with the Greek model alone, and takes the words of which it is
// confident. Both models together often read Greek words as Latin letters of the same shapes.
func readGreekWords(ctx context.Context, src Source, img *image.Gray, blocks []document.Block, latin *lexicon.Lexicon) error {
	for l := range document.Lines(blocks) {
		var doubtful []*document.Word
		for i := range l.Words {
			w := &l.Words[i]
			if mayBeGreek(*w, latin) && !isGreek(w.Text) {
				doubtful = append(doubtful, w)
			}
		}
		if len(doubtful) == 0 {
			continue
		}
		greek, err := readLine(ctx, src, img, ancientGreek, l.Box)
		if err != nil {
			return err
		}
		for _, w := range doubtful {
			for _, g := range greek.Words {
				if isGreek(g.Text) && g.Confidence >= max(minGreekConfidence, w.Confidence) && coversWord(w.Box, g.Box) {
					w.Text, w.Confidence, w.Model = g.Text, g.Confidence, ancientGreek
				}
			}
		}
	}
	return nil
}

// mayBeGreek reports whether a word may be Greek that was read in Latin letters: it is doubtful and unlisted. latin may be nil.
func mayBeGreek(w document.Word, latin *lexicon.Lexicon) bool {
	return w.Confidence < maxDoubtfulWord && text.CountLetters(w.Text) >= minGreekLetters && (latin == nil || !latin.Known(w.Text))
}

// coversWord reports whether two boxes of one line belong to the same word: their horizontal overlap is at least sameWord of
// the wider one.
func coversWord(a, b document.Box) bool {
	shared := min(a.X+a.W, b.X+b.W) - max(a.X, b.X)
	return float64(shared) >= sameWord*float64(max(a.W, b.W))
}

// showsGreek reads the most doubtful lines of a page with the Greek model, and reports whether they have at least minGreekWords
// Greek words.
func showsGreek(ctx context.Context, src Source, img *image.Gray, blocks []document.Block, latin *lexicon.Lexicon) (bool, error) {
	found := 0
	for i, l := range mostDoubtful(blocks, latin) {
		if i > 0 && found == 0 {
			break
		}
		greek, err := readLine(ctx, src, img, ancientGreek, l.Box)
		if err != nil {
			return false, err
		}
		for _, w := range greek.Words {
			if w.Confidence >= minGreekConfidence && isGreek(w.Text) {
				found++
			}
		}
		if found >= minGreekWords {
			return true, nil
		}
	}
	return false, nil
}

// mostDoubtful returns the lines with the most letters in words that may be Greek.
func mostDoubtful(blocks []document.Block, latin *lexicon.Lexicon) []document.Line {
	type candidate struct {
		line    document.Line
		letters int
	}
	var lines []candidate
	for l := range document.Lines(blocks) {
		n := 0
		for _, w := range l.Words {
			if mayBeGreek(w, latin) {
				n += text.CountLetters(w.Text)
			}
		}
		if n >= minDoubtfulLetters {
			lines = append(lines, candidate{*l, n})
		}
	}
	slices.SortStableFunc(lines, func(a, b candidate) int { return cmp.Compare(b.letters, a.letters) })
	var probed []document.Line
	for _, c := range lines[:min(len(lines), maxProbedLines)] {
		probed = append(probed, c.line)
	}
	return probed
}

// isGreek reports whether a word has at least minGreekLetters letters and all of them are Greek.
func isGreek(word string) bool {
	n := 0
	for _, r := range word {
		switch {
		case unicode.Is(unicode.Greek, r):
			n++
		case unicode.IsLetter(r):
			return false
		}
	}
	return n >= minGreekLetters
}

// greekForms replaces signs that the Greek model writes for variant shapes of letters, and for the apostrophe, by the usual
// characters. These signs are intended for formulas (Unicode 15, section 7.2), and a search would not find words that have
// them.
var greekForms = strings.NewReplacer("ϑ", "θ", "ϕ", "φ", "ϰ", "κ", "ϱ", "ρ", "ϖ", "π", "ϐ", "β", "\u1fbd", "\u2019")

// inGreekLetters returns a word with the usual forms of Greek letters. A breathing before a capital becomes part of the
// capital.
func inGreekLetters(word string) string {
	mark, n := utf8.DecodeRuneInString(word)
	letter, m := utf8.DecodeRuneInString(word[n:])
	if unicode.Is(unicode.Greek, letter) && unicode.IsUpper(letter) {
		if signs := norm.NFKD.String(string(mark)); len(signs) > 1 && signs[0] == ' ' {
			word = norm.NFC.String(string(letter)+signs[1:]) + word[n+m:]
		}
	}
	return greekForms.Replace(word)
}
