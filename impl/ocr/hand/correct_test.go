package hand_test

import (
	"context"
	"image"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"uncial/impl/ocr/hand"
	"uncial/impl/ocr/imaging"
	"uncial/impl/ocr/lexicon"
	"uncial/impl/ocr/models/own"
	"uncial/impl/ocr/tesseract"
)

// doubtful reads every strip as one word, whose symbols have other choices.
type doubtful struct {
	word    string
	choices map[int]tesseract.Choice // at a letter of the word
}

// or is another choice of a symbol.
func or(text string, confidence float64) tesseract.Choice {
	return tesseract.Choice{Text: text, Confidence: confidence}
}

func (d doubtful) ReadStrips(_ context.Context, _ string, strips []*image.Gray, detail tesseract.Detail) ([][]tesseract.Word, error) {
	out := make([][]tesseract.Word, len(strips))
	for i, s := range strips {
		word := tesseract.Word{Text: d.word, Confidence: 50, Box: image.Rect(0, 8, s.Rect.Dx(), 44)}
		if detail == tesseract.Symbols {
			for j, r := range []rune(d.word) {
				symbol := tesseract.Symbol{Text: string(r), Confidence: 60, Choices: []tesseract.Choice{{Text: string(r), Confidence: 60}}}
				if other, ok := d.choices[j]; ok {
					symbol.Choices = append(symbol.Choices, other)
				}
				word.Symbols = append(word.Symbols, symbol)
			}
		}
		out[i] = []tesseract.Word{word}
	}
	return out, nil
}

// TestPage_Read_enhanced_without_blanks: a line without blanks is one word, in which any symbol may have other choices. It
// must not take memory without bound, which is measured for the process, so that it runs alone.
func TestPage_Read_enhanced_without_blanks(t *testing.T) { //nolint:paralleltest // see above
	words, err := lexicon.Read(own.Models()[own.HandFrench])
	require.NoError(t, err)
	for _, letters := range []int{24, 200} {
		doubtful := doubtful{strings.Repeat("m", letters), map[int]tesseract.Choice{}}
		for i := range letters {
			doubtful.choices[i] = or("n", 50)
		}
		g := scribbled(6)
		page := hand.Look(g, imaging.Letters(g), hand.Models{Hand: "hand", Print: "print", Native: true, Learnt: words, Enhance: true})
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		result, ok, err := read(t, page, doubtful)
		require.NoError(t, err)
		require.True(t, ok)
		runtime.ReadMemStats(&after)
		require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(1<<30))
		require.Equal(t, doubtful.word, result.Blocks[0].Lines[0].Text())
	}
}

func TestPage_Read_enhanced(t *testing.T) {
	t.Parallel()
	words, err := lexicon.Read(own.Models()[own.HandFrench])
	require.NoError(t, err)
	g := scribbled(6)
	for name, c := range map[string]struct {
		read    doubtful
		want    string
		without bool
	}{
		"a choice that makes a known word is taken":  {read: doubtful{"moutagne", map[int]tesseract.Choice{2: or("n", 20)}}, want: "montagne"},
		"nothing is changed unless asked for":        {read: doubtful{"moutagne", map[int]tesseract.Choice{2: or("n", 20)}}, want: "moutagne", without: true},
		"a known word stays":                         {read: doubtful{"maison", map[int]tesseract.Choice{2: or("n", 59)}}, want: "maison"},
		"a choice that is hardly possible is none":   {read: doubtful{"moutagne", map[int]tesseract.Choice{2: or("n", 0.2)}}, want: "moutagne"},
		"an unknown word without choices stays":      {read: doubtful{"mlxyn", nil}, want: "mlxyn"},
		"the spelling of the time stays":             {read: doubtful{"étoit", map[int]tesseract.Choice{2: or("a", 50)}}, want: "étoit"},
		"an accent is not put right":                 {read: doubtful{"piéce", map[int]tesseract.Choice{2: or("è", 50)}}, want: "piéce"},
		"no name comes in":                           {read: doubtful{"jaris", map[int]tesseract.Choice{0: or("P", 50)}}, want: "jaris"},
		"a name stays":                               {read: doubtful{"Lagare", map[int]tesseract.Choice{2: or("z", 50)}}, want: "Lagare"},
		"a number stays":                             {read: doubtful{"1o85", map[int]tesseract.Choice{1: or("0", 50)}}, want: "1o85"},
		"a short word stays, there are too many":     {read: doubtful{"xne", map[int]tesseract.Choice{0: or("u", 50)}}, want: "xne"},
		"three exchanges would make any word of any": {read: doubtful{"moutugme", map[int]tesseract.Choice{2: or("n", 50), 4: or("a", 50), 6: or("n", 50)}}, want: "moutugme"},
		"a choice that is much less likely is none":  {read: doubtful{"moutagne", map[int]tesseract.Choice{2: or("n", 2.5)}}, want: "moutagne"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			page := hand.Look(g, imaging.Letters(g), hand.Models{Hand: "hand", Print: "print", Native: true, Learnt: words, Enhance: !c.without})
			result, ok, err := read(t, page, c.read)
			require.NoError(t, err)
			require.True(t, ok)
			lines := result.Blocks[0].Lines
			require.Equal(t, c.want, lines[0].Text())
			if c.want == c.read.word {
				require.Empty(t, result.Edits)
				return
			}
			require.Len(t, result.Edits, len(lines))
			edit := result.Edits[0]
			require.Equal(t, c.read.word, edit.Before)
			require.Equal(t, c.want, edit.After)
			require.Equal(t, "lexicon", edit.Rule)
			require.Equal(t, lines[0].Words[0].Box, edit.Box)
		})
	}
}
