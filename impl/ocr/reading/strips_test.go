package reading_test

import (
	"fmt"
	"image"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"uncial/impl/ocr/hand"
	"uncial/impl/ocr/imaging"
	"uncial/impl/ocr/models"
	"uncial/impl/ocr/models/own"
	"uncial/impl/ocr/ocrtest"
	"uncial/impl/ocr/reading"
	"uncial/impl/ocr/tesseract"
)

func TestEngines_ReadStrips(t *testing.T) {
	t.Parallel()
	set, err := models.Find()
	require.NoError(t, err)
	var strips []*image.Gray
	for i := range 8 {
		line := imaging.Crop(ocrtest.Page(fmt.Sprintf("le %d mars devant nous", 10+i)), image.Rect(30, 45, 900, 125))
		strips = append(strips, imaging.Resize(line, 48*870/80, 48))
		strips = append(strips, imaging.Resize(line, 48*870/240, 48)) // letters this narrow are doubtful, and so read thoroughly
	}
	var before [][]tesseract.Word
	var again []hand.Readings
	for _, threads := range []int{1, 2, 3} {
		engines := reading.NewEngines(set, 1)
		engines.SetThreads(threads)
		words, err := engines.ReadStrips(t.Context(), own.Hands, strips)
		require.NoError(t, err)
		require.Len(t, words, len(strips))
		for _, w := range words[0] {
			require.GreaterOrEqual(t, w.Signals.Wrong, 0.0)
			require.Less(t, w.Signals.Wrong, 1.0, "one of the likely readings is the word itself")
			require.Greater(t, w.Signals.Entropy, 0.0, "the network is never certain")
		}
		if before != nil {
			require.Equal(t, before, words, "same result on %d threads", threads)
		}
		before = words
		search := hand.Search{Known: func(word string) bool { return word == "devant" }, Thorough: true}
		readings, err := engines.ReadStripsAgain(t.Context(), own.Hands, strips, search)
		require.NoError(t, err)
		require.Len(t, readings, len(strips))
		for i, r := range readings {
			require.Equal(t, words[i], r.First, "further readings leave the first as it is")
			require.NotEmpty(t, r.Listed)
			require.Equal(t, i%2 == 1, len(r.Thorough) > 0, "only the doubtful lines, which are narrow, are read thoroughly: line %d", i)
		}
		if again != nil {
			require.Equal(t, again, readings, "same further readings on %d threads", threads)
		}
		again = readings
		none, err := engines.ReadStrips(t.Context(), own.Hands, nil)
		require.NoError(t, err)
		require.Empty(t, none)
		engines.Close()
	}
	engines := reading.NewEngines(set, 1)
	_, err = engines.ReadStripsAgain(t.Context(), "eng", strips, hand.Search{})
	require.ErrorContains(t, err, "not a handwriting model")
}

func TestHandwriting_search(t *testing.T) {
	t.Parallel()
	for tag, want := range map[string][2]bool{"fr": {false, true}, "frm": {false, true}, "en-GB": {false, true}, "la": {true, false}, "de": {}, "": {}} {
		first, listed, err := reading.HasTextsOf(tag)
		require.NoError(t, err)
		require.Equal(t, want, [2]bool{first, listed}, tag)
	}
}

// TestEngines_networksForPrint checks which letters the networks for print write, also where a line has both alphabets.
func TestEngines_networksForPrint(t *testing.T) {
	t.Parallel()
	set, err := models.Find()
	require.NoError(t, err)
	engines := reading.NewEngines(set, 1)
	const line = "the word λόγος stands"
	strip := imaging.Crop(ocrtest.Page(line), image.Rect(30, 45, 900, 125))
	strips := []*image.Gray{imaging.Resize(strip, 48*870/80, 48)}
	for network, want := range map[string][2]any{own.Print: {"the word", false}, own.Greek: {line, true}} {
		read, err := engines.ReadStrips(t.Context(), network, strips)
		require.NoError(t, err)
		var words []string
		for _, w := range read[0] {
			words = append(words, w.Text)
		}
		require.Contains(t, strings.Join(words, " "), want[0])
		require.Equal(t, want[1], engines.Alphabet(network)['λ'])
		require.True(t, engines.Alphabet(network)['ſ'])
	}
}
