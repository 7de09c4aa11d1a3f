package reading_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"uncial/impl/ocr/decode"
	"uncial/impl/ocr/ocrtest"
	"uncial/impl/ocr/reading"
)

// TestRead_ownLetters checks that letters that a language does not have become those of the language, by the words of the page
// if the tag names none.
func TestRead_ownLetters(t *testing.T) {
	t.Parallel()
	const (
		danish, french    = "og han var klœdt i en blaa Œdelsten af Sœl", "il a le cœur et une sœur dans la maison"
		romanian, turkish = "Şi nu era din acea casă, ci din alta, pe care o ţineau şi ei", "ve bu bir iş için daha çok şey var"
	)
	for _, c := range []struct{ language, read, want string }{
		{"da", danish, "og han var klædt i en blaa Ædelsten af Sæl"},
		{"nb-NO", danish, "og han var klædt i en blaa Ædelsten af Sæl"},
		{"und-Latn", danish, "og han var klædt i en blaa Ædelsten af Sæl"},
		{"und-Latn", french, french},
		{"fr", danish, danish},
		{"und-Latn", "Mœurs et coutumes de Paris", "Mœurs et coutumes de Paris"},
		{"und-Latn", "fœdera et pœna", "fœdera et pœna"},
		{"und-Latn", "Œuvre du XV siècle", "Œuvre du XV siècle"},
		{"und-Latn", romanian, "Și nu era din acea casă, ci din alta, pe care o țineau și ei"},
		{"und-Latn", turkish, turkish},
		{"en", "for 3 Ibs. and ½ Ib. of flour or 24Ibs.", "for 3 lbs. and ½ lb. of flour or 24lbs."},
		{"en", "1 Ib. p. 37, in 1854 Ib. ii. 5, ² Ib. iv, Ibsen", "1 Ib. p. 37, in 1854 Ib. ii. 5, ² Ib. iv, Ibsen"},
		{"de", "nach $ 459 und $$ 7 f.", "nach § 459 und §§ 7 f."},
		{"de", "100 $ und $ 250", "100 $ und $ 250"},
		{"de", "für $ 250 und 3 Dollar", "für $ 250 und 3 Dollar"},
		{"de", "Häuser, Öfen, Küche, Töne, übel, überfãllt, São", "Häuser, Öfen, Küche, Töne, übel, überfällt, São"},
		{"de", "Häuser für 5 $ übel geräumt über fãllt", "Häuser für 5 $ übel geräumt über fällt"},
		{"de", "für den Hof in kõmender Zeit", "für den Hof in kõmender Zeit"},
		{"de", "in jrẽ Häuser kõmen darũb vnd frõlich", "in jrẽ Häuser kõmen darũb vnd frõlich"},
		{"fr", "les Ibs. et 3 Ib.", "les Ibs. et 3 Ib."},
	} {
		src := &schooled{network: c.read, sure: 99}
		src.says = map[string]said{"eng": {c.read, 0.9}}
		result, err := reading.Read(t.Context(), decode.Page{Image: ocrtest.Page("few")}, reading.Options{Language: c.language}, src)
		require.NoError(t, err)
		require.Equal(t, c.want, result.Page.Text(), c.language)
	}
}

// TestRead_ownLetters_edits checks that edits are in the letters of the text.
func TestRead_ownLetters_edits(t *testing.T) {
	t.Parallel()
	src := &schooled{network: "og han klœdte hovfe", later: "og han klœdte house", sure: 99}
	src.says = map[string]said{}
	for _, model := range []string{"eng", "eng line", "eng raw"} {
		src.says[model] = said{"og han klœdte hovfe", 0.6}
	}
	result, err := reading.Read(t.Context(), decode.Page{Image: ocrtest.Page("few")}, reading.Options{Language: "da", Enhance: true}, src)
	require.NoError(t, err)
	require.Contains(t, result.Page.Text(), "klædte")
	for _, e := range result.Edits {
		require.NotContains(t, e.Before+e.After, "œ")
	}
	require.NotEmpty(t, result.Edits)
}
