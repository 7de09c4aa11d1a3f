//go:build !race

package reading_test

import (
	"image"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"uncial/impl/ocr/decode"
	"uncial/impl/ocr/imaging"
	"uncial/impl/ocr/ocrtest"
	"uncial/impl/ocr/reading"
)

// TestOptions_Changed reads pages again without steps that did not change them.
func TestOptions_Changed(t *testing.T) {
	t.Parallel()
	engines := MustEngines(t, 2)
	clean := ocrtest.Page(tale[:6]...)
	small := imaging.Resize(clean, clean.Rect.Dx()/3, clean.Rect.Dy()/3)
	for name, c := range map[string]struct {
		page               *image.Gray
		changed, unchanged []string
	}{
		"small letters":            {small, []string{"enlarge"}, []string{"level"}},
		"a page upside down":       {imaging.Turn(clean, 2), []string{"turn"}, nil},
		"a page that slopes":       {imaging.Rotate(clean, 2), []string{"level"}, []string{"slant", "turn"}},
		"a page at an angle":       {imaging.Rotate(clean, 20), []string{"slant"}, []string{"level", "turn"}},
		"print facing print":       {sideBySide(clean, clean), nil, []string{"fill-in", "doubtful-side", "facing", "faint", "turn", "doubtful-print"}},
		"print facing handwriting": {facing(true), []string{"fill-in"}, []string{"turn"}},
	} {
		read := func(without ...string) (text string, changed []string) {
			result, err := reading.Read(t.Context(), decode.Page{Image: c.page}, reading.Options{
				Language: "en", Without: without, Changed: func(step string) { changed = append(changed, step) },
			}, engines)
			require.NoError(t, err)
			return result.Page.Text(), changed
		}
		text, changed := read()
		require.Subset(t, changed, c.changed, name)
		for _, step := range c.unchanged {
			require.NotContains(t, changed, step, name)
		}
		unchanged := slices.DeleteFunc(reading.Steps(), func(step string) bool { return slices.Contains(changed, step) })
		require.Greater(t, len(unchanged), 5, name)
		again, _ := read(unchanged...)
		require.Equal(t, text, again, "%s, without %v", name, unchanged)
	}
}
