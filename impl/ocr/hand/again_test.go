package hand_test

import (
	"context"
	"image"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"uncial/impl/ocr/hand"
	"uncial/impl/ocr/imaging"
)

// further reads every strip as one text first, and as other texts again.
type further struct {
	reader
	listed, thorough string
}

func (f further) ReadStripsAgain(ctx context.Context, model string, strips []*image.Gray, s hand.Search) ([]hand.Readings, error) {
	out, err := f.reader.ReadStripsAgain(ctx, model, strips, s)
	if err != nil || !s.Known("devant") {
		return nil, err
	}
	listed, _ := always(f.listed, 60, 0).ReadStrips(ctx, model, strips)
	thorough, _ := always(f.thorough, 60, 0).ReadStrips(ctx, model, strips)
	for i := range out {
		if out[i].Listed = listed[i]; s.Thorough {
			out[i].Thorough = thorough[i]
		}
	}
	return out, nil
}

// isListed is the word list of these tests.
func isListed(word string) bool {
	return slices.Contains(strings.Fields("par devant nous il était le village de tous temps l'ambassadeur aider la pièce p en an"), word)
}

func enhanced(tb testing.TB, g *image.Gray, enhance bool) *hand.Page {
	tb.Helper()
	return hand.NewPage(g, imaging.Letters(g), hand.Models{
		Handwriting: "hand", Print: "print", TaggedFrench: true, Known: isListed, Enhance: enhance,
		PrintAccuracy: func(own float64) float64 { return own },
	})
}

func TestPage_Read_again(t *testing.T) {
	t.Parallel()
	g := scribbled(6)
	for _, c := range []struct {
		name, plain, again, want string
		edits                    []string // before and after of each edit
	}{
		{"applies the correction of a word", "par deuant nons", "par deuant nous", "par deuant nous", []string{"nons", "nous"}},
		{"lists each of several words", "pnr devant nons", "par devant nous", "par devant nous", []string{"pnr", "par", "nons", "nous"}},
		{"splits a word", "pardevant nous", "par devant nous", "par devant nous", []string{"pardevant", "par devant"}},
		{"joins words", "par de vant nous", "par devant nous", "par devant nous", []string{"de vant", "devant"}},
		{"adds a word that was missing", "par nous", "par devant nous", "par devant nous", []string{"", "devant"}},
		{"drops a word", "par devant i nous", "par devant nous", "par devant nous", []string{"i", ""}},
		{"keeps listed words that are written as one today", "par devant nous", "pardevant nous", "par devant nous", nil},
		{"inserts a sign and a listed word", "devantnons", "devant -- nous", "devant -- nous", []string{"devantnons", "devant -- nous"}},
		{"keeps a name instead of another", "devant Duraud", "devant Durand", "devant Duraud", nil},
		{"keeps a listed word instead of an unlisted one", "par devant nous", "par devent nous", "par devant nous", nil},
		{"keeps a historical spelling", "il étoit devant", "il était devant", "il étoit devant", nil},
		{"keeps a single letter that is doubled today", "le vilage devant", "le village devant", "le vilage devant", nil},
		{"keeps historical vowels", "devant eyder", "devant aider", "devant eyder", nil},
		{"keeps a historical vowel", "de tous tamps", "de tous temps", "de tous tamps", nil},
		{"does not add an apostrophe", "lambassadeur", "l'ambassadeur", "lambassadeur", nil},
		{"keeps an accent", "la piéce", "la pièce", "la piéce", nil},
		{"keeps an abbreviation mark", "ꝑ devant", "p devant", "ꝑ devant", nil},
		{"keeps a number", "en 1771 devant", "en an devant", "en 1771 devant", nil},
		{"keeps punctuation", "par devant, nous", "par, devant nous", "par devant, nous", nil},
		{"keeps initials", "J.A. devant", "P.a devant", "J.A. devant", nil},
		{"corrects a longer word in capitals", "DENANT nous", "devant nous", "devant nous", []string{"DENANT", "devant"}},
		{"keeps a line in which the further reading found nothing", "par devant", "", "par devant", nil},
		{"keeps what both read", "par devant nous", "par devant nous", "par devant nous", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			for _, text := range []*string{&c.plain, &c.again, &c.want} { // short lines are left alone
				if *text != "" {
					*text = "le village " + *text
				}
			}
			r := further{always(c.plain, 50, 20), c.plain, c.again}
			page := enhanced(t, g, true)
			result := mustRead(t, page, r)
			lines := result.Blocks[0].Lines
			require.Equal(t, c.want, lines[0].Text())
			var edits []string
			for _, e := range result.Edits[:len(result.Edits)/len(lines)] {
				require.Equal(t, "second-reading", e.Rule)
				require.Positive(t, e.Box.W*e.Box.H)
				require.Positive(t, e.Confidence)
				edits = append(edits, e.Before, e.After)
			}
			require.Equal(t, c.edits, edits)
			for _, w := range lines[0].Words {
				require.Equal(t, isListed(w.Text), w.Known)
			}
			again, err := page.Read(t.Context(), r)
			require.NoError(t, err)
			require.Equal(t, result, again, "the page keeps what was read first")
			plain := mustRead(t, enhanced(t, g, false), r)
			require.Equal(t, c.plain, plain.Blocks[0].Lines[0].Text())
			require.Empty(t, plain.Edits)
			require.InDelta(t, plain.Confidence, result.Confidence, 1e-9, "the confidence is the same with and without enhancement")
			listed := mustRead(t, enhanced(t, g, false), further{r.reader, c.again, ""})
			require.Equal(t, c.want, listed.Blocks[0].Lines[0].Text(), "word lists alone make the same correction")
			require.Empty(t, listed.Edits, "only corrections from enhancement are edits")
		})
	}
}

func TestPage_Read_enhancedAgain(t *testing.T) {
	t.Parallel()
	g := scribbled(6)
	t.Run("reads again once the language and its word list are known", func(t *testing.T) {
		t.Parallel()
		r, n := counted(always("par devant nous", 50, 20))
		page := enhanced(t, g, true)
		first := mustRead(t, page, r)
		read := n["hand"]
		page.Use(hand.Models{
			Handwriting: "hand", Print: "print", TaggedFrench: true, Known: func(word string) bool { return word == "nous" }, Enhance: true,
			PrintAccuracy: func(own float64) float64 { return own },
		})
		again, err := page.Read(t.Context(), r)
		require.NoError(t, err)
		require.Equal(t, 2*read, n["hand"])
		require.True(t, first.Blocks[0].Lines[0].Words[1].Known)
		require.True(t, again.Blocks[0].Lines[0].Words[2].Known)
	})
	t.Run("leaves a short line alone", func(t *testing.T) {
		t.Parallel()
		r := further{always("devant nons", 50, 20), "devant nons", "devant nous"}
		result := mustRead(t, enhanced(t, g, true), r)
		require.Equal(t, "devant nons", result.Blocks[0].Lines[0].Text())
		require.Empty(t, result.Edits)
	})
	t.Run("returns an error of the recognizer", func(t *testing.T) {
		t.Parallel()
		_, err := enhanced(t, g, true).Read(t.Context(), broken{context.Canceled})
		require.ErrorIs(t, err, context.Canceled)
	})
}
