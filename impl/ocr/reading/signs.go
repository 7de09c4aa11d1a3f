package reading

import (
	"context"
	"image"
	"strings"
	"unicode"
	"unicode/utf8"

	"uncial/impl/ocr/imaging"
	"uncial/impl/ocr/tesseract"
	"uncial/internal/accuracy"
	"uncial/internal/document"
)

const (
	// misfits are signs that no word holds. A model writes them for letters that its alphabet lacks: "A®ra" for "Æra".
	misfits = "®©™§¢£¥€"
	// mostMisfits is how many lines of a page with such words are read again.
	mostMisfits = 12
	// misfitDistance is how far the other reading of such a word may be from it, in characters: the sign and a neighbour.
	misfitDistance = 2
)

// mendMisfits reads the lines that hold a word with such a sign once more, by the model for early print, whose alphabet has
// the letters of the time, and takes from it that word alone, where it has a letter in the sign's place.
func (a *attempt) mendMisfits(ctx context.Context, src Source, img *image.Gray) error {
	if a.model == earlyPrint || !src.Has(earlyPrint) {
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
			other, err := readLine(ctx, src, img, line.Box)
			if err != nil {
				return err
			}
			for k := range line.Words {
				line.Words[k] = withoutMisfit(line.Words[k], other)
			}
		}
	}
	return nil
}

// readLine are the words of a line as the model for early print reads it.
func readLine(ctx context.Context, src Source, img *image.Gray, box document.Box) ([]document.Word, error) {
	place := around(box, img.Rect)
	blocks, err := src.Read(ctx, imaging.Crop(img, place), earlyPrint, tesseract.SingleLine)
	if err != nil {
		return nil, err
	}
	var words []document.Word
	for _, b := range blocks {
		for _, l := range b.Lines {
			for _, w := range l.Words {
				w.Box.X, w.Box.Y = w.Box.X+place.Min.X, w.Box.Y+place.Min.Y
				words = append(words, w)
			}
		}
	}
	return words, nil
}

func hasMisfit(words []document.Word) bool {
	for _, w := range words {
		if isMisfit(w.Text) {
			return true
		}
	}
	return false
}

// isMisfit says whether such a sign stands before a letter in a word of several letters.
func isMisfit(word string) bool {
	at := strings.IndexAny(word, misfits)
	if at < 0 {
		return false
	}
	_, width := utf8.DecodeRuneInString(word[at:])
	next, _ := utf8.DecodeRuneInString(word[at+width:])
	return unicode.IsLetter(next) && utf8.RuneCountInString(word) > misfitDistance+1
}

// withoutMisfit is the word, or what the other reading has in its place.
func withoutMisfit(w document.Word, other []document.Word) document.Word {
	if !isMisfit(w.Text) {
		return w
	}
	for _, o := range other {
		middle := o.Box.X + o.Box.W/2
		if middle < w.Box.X || middle >= w.Box.X+w.Box.W || strings.ContainsAny(o.Text, misfits) {
			continue
		}
		if accuracy.Distance([]rune(w.Text), []rune(o.Text)) <= misfitDistance {
			w.Text, w.Confidence, w.Model = o.Text, o.Confidence, o.Model
			return w
		}
	}
	return w
}
