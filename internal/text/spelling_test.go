package text_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"uncial/internal/text"
)

func TestOnlyRespells(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, word, correction string
		want                   bool
	}{
		{"the same word", "maison", "maison", false},
		{"an accent added", "apres", "après", true},
		{"an accent corrected", "piéce", "pièce", true},
		{"v for u", "vniuers", "univers", true},
		{"i for y", "roy", "roi", true},
		{"ai for oi", "étoit", "était", true},
		{"oi for ai", "était", "étoit", true},
		{"round s for long s", "eſtoit", "estoit", true},
		{"z for s", "deuz", "deus", true},
		{"m for n before p", "conpte", "compte", true},
		{"m for n elsewhere", "conte", "comte", false},
		{"a for o elsewhere", "mot", "mat", false},
		{"capitals", "Roy", "roi", true},
		{"a misread letter", "libcrty", "liberty", false},
		{"a misread letter and a respelled one", "auoit", "avoir", false},
		{"an abbreviation expanded", "hõneur", "honeur", false},
		{"words of different lengths", "faict", "fait", false},
	} {
		require.Equal(t, c.want, text.OnlyRespells(c.word, c.correction), c.name)
	}
}

func TestMayCorrect(t *testing.T) {
	t.Parallel()
	for word, want := range map[string]bool{
		"maiſon": true, "(maiſon,": true, "Paris": false, "d'Artagnan": false, "1547": false, "3½": false, "viij": false, "—": false,
	} {
		require.Equal(t, want, text.MayCorrect(word), word)
	}
}

func TestCore(t *testing.T) {
	t.Parallel()
	before, core, after := text.Core("«d'un,»")
	require.Equal(t, []string{"«", "d'un", ",»"}, []string{before, core, after})
	before, core, after = text.Core("--")
	require.Equal(t, "--", before+core+after)
	require.Empty(t, core)
}
