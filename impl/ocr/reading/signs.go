package reading

import (
	"context"
	"image"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"uncial/impl/ocr/lexicon"
	"uncial/internal/document"
)

const (
	// misfits are signs that no word holds. A model writes them for letters that its alphabet lacks: "A®ra" for "Æra".
	misfits = "®©™§¢£¥€"
	// mostMisfits is how many lines of a page with such words are read again.
	mostMisfits = 12
)

// mendMisfits reads the lines that hold a word with such a sign once more, by the model for early print, whose alphabet has
// the letters of the time, and takes from it the letter in the sign's place alone, where the model of the first lacks it.
func (a *attempt) mendMisfits(ctx context.Context, src Source, img *image.Gray) error {
	known := src.Alphabet(a.model)
	if a.model == earlyPrint || known == nil || !src.Has(earlyPrint) {
		return nil
	}
	left := mostMisfits
	for i := range a.blocks {
		for j := range a.blocks[i].Lines {
			line := &a.blocks[i].Lines[j]
			if left == 0 || !hasMisfit(line.Words) {
				continue
			}
			left--
			other, err := readLine(ctx, src, img, earlyPrint, line.Box)
			if err != nil {
				return err
			}
			for k := range line.Words {
				line.Words[k] = withoutMisfit(line.Words[k], other.Words, known)
			}
		}
	}
	return nil
}

func hasMisfit(words []document.Word) bool {
	return slices.ContainsFunc(words, func(w document.Word) bool { return isMisfit(w.Text) })
}

// isMisfit says whether such a sign stands before a letter.
func isMisfit(word string) bool {
	at := strings.IndexAny(word, misfits)
	if at < 0 {
		return false
	}
	_, width := utf8.DecodeRuneInString(word[at:])
	next, _ := utf8.DecodeRuneInString(word[at+width:])
	return unicode.IsLetter(next)
}

// withoutMisfit is the word, or the word with what the other reading has in the sign's place.
func withoutMisfit(w document.Word, other []document.Word, known lexicon.Alphabet) document.Word {
	if !isMisfit(w.Text) {
		return w
	}
	for _, o := range other {
		if middle := o.Box.X + o.Box.W/2; middle < w.Box.X || middle >= w.Box.X+w.Box.W {
			continue
		}
		if text, ok := inPlaceOfSign([]rune(w.Text), []rune(o.Text), known); ok {
			w.Text, w.Confidence, w.Model = text, o.Confidence, o.Model
			return w
		}
	}
	return w
}

// inPlaceOfSign is the word with the one or two letters that the other has in the place of the sign, or of the sign and the
// letter before it. It is false where the words differ elsewhere, or where no letter of these is missing in the alphabet.
func inPlaceOfSign(word, other []rune, known lexicon.Alphabet) (string, bool) {
	at := slices.IndexFunc(word, func(r rune) bool { return strings.ContainsRune(misfits, r) })
	end := word[at+1:]
	for _, begin := range [][]rune{word[:max(at-1, 0)], word[:at]} {
		n := len(other) - len(begin) - len(end)
		if n < 1 || n > 2 || !sameLetters(begin, other[:len(begin)]) || !sameLetters(end, other[len(begin)+n:]) {
			continue
		}
		letters := other[len(begin) : len(begin)+n]
		foreign := slices.ContainsFunc(letters, func(r rune) bool { return !known[r] })
		if foreign && !slices.ContainsFunc(letters, func(r rune) bool { return !unicode.IsLetter(r) }) {
			return string(begin) + string(letters) + string(end), true
		}
	}
	return "", false
}

// sameLetters compares but for the difference of s and long s.
func sameLetters(a, b []rune) bool {
	return slices.EqualFunc(a, b, func(x, y rune) bool { return x == y || x == 's' && y == 'ſ' })
}
