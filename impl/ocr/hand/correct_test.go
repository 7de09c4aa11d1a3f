package hand_test

import (
	"image"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"uncial/impl/ocr/hand"
	"uncial/impl/ocr/imaging"
	"uncial/impl/ocr/lexicon"
	"uncial/impl/ocr/models/own"
	"uncial/impl/ocr/ocrtest"
	"uncial/impl/ocr/tesseract"
)

// choices are other choices of the recognizer, by the index of a letter.
type choices map[int]tesseract.Choice

// or returns another choice for a symbol.
func or(text string, confidence float64) tesseract.Choice {
	return tesseract.Choice{Text: text, Confidence: confidence}
}

// doubtful reads every strip as one word, whose symbols have other choices, and then as the words that follow.
func doubtful(word string, others choices, follow ...string) reader {
	return func(_ string, _ int, s *image.Gray, detail tesseract.Detail) []tesseract.Word {
		first := tesseract.Word{Text: word, Confidence: 50, Box: image.Rect(0, 8, s.Rect.Dx(), 44)}
		if detail == tesseract.Symbols {
			for j, r := range []rune(word) {
				symbol := tesseract.Symbol{Text: string(r), Confidence: 60, Choices: []tesseract.Choice{or(string(r), 60)}}
				if other, ok := others[j]; ok {
					symbol.Choices = append(symbol.Choices, other)
				}
				first.Symbols = append(first.Symbols, symbol)
			}
		}
		words := []tesseract.Word{first}
		for _, text := range follow {
			words = append(words, tesseract.Word{Text: text, Confidence: 50, Box: first.Box})
		}
		return words
	}
}

func enhanced(tb testing.TB, g *image.Gray, tagged, enhance bool) *hand.Page {
	tb.Helper()
	words, err := lexicon.Read(own.Models()[own.EarlyPrint])
	require.NoError(tb, err)
	return hand.NewPage(g, imaging.Letters(g), hand.Models{
		Hand: "hand", Print: "print", TaggedFrench: tagged, Lexicon: words, Enhance: enhance, PrintAccuracy: func(own float64) float64 { return own },
	})
}

func TestPage_Read_corrects(t *testing.T) {
	t.Parallel()
	g := scribbled(6)
	for _, c := range []struct {
		name, word string
		choices    choices
		want       string
		plain      bool // without Models.Enhance
	}{
		{"takes a choice that makes a known word", "moutagne", choices{2: or("n", 20)}, "montagne", false},
		{"changes nothing without Enhance", "moutagne", choices{2: or("n", 20)}, "moutagne", true},
		{"keeps a known word", "maison", choices{2: or("n", 59)}, "maison", false},
		{"ignores a choice that is hardly possible", "moutagne", choices{2: or("n", 0.2)}, "moutagne", false},
		{"keeps an unknown word without choices", "mlxyn", nil, "mlxyn", false},
		{"keeps the spelling of the time", "étoit", choices{2: or("a", 50)}, "étoit", false},
		{"keeps an accent", "piéce", choices{2: or("è", 50)}, "piéce", false},
		{"brings in no name", "jaris", choices{0: or("P", 50)}, "jaris", false},
		{"keeps a name", "Lagare", choices{2: or("z", 50)}, "Lagare", false},
		{"keeps a number", "1o85", choices{1: or("0", 50)}, "1o85", false},
		{"keeps a short word, of which there are too many", "xne", choices{0: or("u", 50)}, "xne", false},
		{"exchanges no three symbols", "moutugme", choices{2: or("n", 50), 4: or("a", 50), 6: or("n", 50)}, "moutugme", false},
		{"ignores a choice that is much less likely", "moutagne", choices{2: or("n", 2.5)}, "moutagne", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			result := mustRead(t, enhanced(t, g, true, !c.plain), doubtful(c.word, c.choices))
			lines := result.Blocks[0].Lines
			require.Equal(t, c.want, lines[0].Text())
			if c.want == c.word {
				require.Empty(t, result.Edits)
				return
			}
			require.Len(t, result.Edits, len(lines))
			edit := result.Edits[0]
			require.Equal(t, []string{c.word, c.want, "lexicon"}, []string{edit.Before, edit.After, edit.Rule})
			require.Equal(t, lines[0].Words[0].Box, edit.Box)
		})
	}
	t.Run("corrects French that is not tagged, and keeps what was read for the next time", func(t *testing.T) {
		t.Parallel()
		page, r := enhanced(t, scribbled(15), false, true), doubtful("moutagne", choices{2: or("n", 20)}, "dans", "cette")
		result := mustRead(t, page, r)
		require.Equal(t, "montagne dans cette", result.Blocks[0].Lines[0].Text())
		require.Len(t, result.Edits, 15)
		again, err := page.Read(t.Context(), r)
		require.NoError(t, err)
		require.Equal(t, result, again)
	})
}

// A line without blanks is one word, in which any symbol may have other choices. It must not take memory without bound.
func TestPage_Read_longWord(t *testing.T) { //nolint:paralleltest // counts what the process allocates
	for _, letters := range []int{24, 200} {
		others := choices{}
		for i := range letters {
			others[i] = or("n", 50)
		}
		word := strings.Repeat("m", letters)
		page := enhanced(t, scribbled(6), true, true)
		var result hand.Result
		require.Less(t, ocrtest.Allocated(func() { result = mustRead(t, page, doubtful(word, others)) }), uint64(1<<30))
		require.Equal(t, word, result.Blocks[0].Lines[0].Text())
	}
}
