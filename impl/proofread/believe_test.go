package proofread_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"uncial/impl/proofread"
)

func TestIsMisreading(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		why, read, meant string
		want             bool
	}{
		{"two letters read for one", "rnaiſon", "maiſon", true},
		{"a letter of similar shape", "thc", "the", true},
		{"two of them in a long word", "comrnittce", "committee", true},
		{"a speck in a word", "hau·e", "haue", true},
		{"a stroke that is an l", "wi|l", "will", true},
		{"long s for f", "wifdom", "wiſdom", true},
		{"the same word", "maiſon", "maiſon", false},
		{"long s to round s", "eſtoit", "estoit", false},
		{"oi to ai", "avoit", "avait", false},
		{"an accent put right", "piéce", "pièce", false},
		{"an accent added", "apres", "après", false},
		{"an abbreviation expanded", "hõneur", "honneur", false},
		{"u to v", "vniuers", "univers", false},
		{"y to i", "roy", "roi", false},
		{"shew to show", "shew", "show", false},
		{"a to e in an ending", "dependant", "dependent", false},
		{"a diphthong of another time", "coelum", "caelum", false},
		{"u to i in Latin", "maxumus", "maximus", false},
		{"c for t before i", "antient", "ancient", false},
		{"n to m before p", "conpte", "compte", false},
		{"z to x", "deuz", "deux", false},
		{"two v to a w", "vvhich", "which", false},
		{"a hyphen taken away", "to-day", "today", false},
		{"an apostrophe taken away", "grand'mere", "grandmere", false},
		{"a point taken away", "v.g", "vg", false},
		{"a letter added", "tems", "temps", false},
		{"a letter taken away", "faict", "fait", false},
		{"another word of its length", "rnaiſon", "château", false},
		{"a Roman numeral", "xvi", "xxi", false},
		{"a Roman numeral that ends in j", "viij", "xiij", false},
		{"a word for a Roman numeral", "xiv", "wiv", false},
		{"a Roman numeral for a word", "nii", "xii", false},
		{"a name", "Rornans", "Romans", false},
		{"a name after an article", "d'Arragnan", "d'Artagnan", false},
		{"a capital comes in", "rnaiſon", "Maiſon", false},
		{"a number with a fraction", "3½", "8½", false},
		{"a superscript number", "rnaiſon²", "maiſon²", false},
		{"a letter of another alphabet", "rnaison", "mаison", false},
		{"a direction mark", "rnaiſon", "mai\u202eſon", false},
	} {
		require.Equal(t, c.want, proofread.IsMisreading(c.read, c.meant), "%s: %s, %s", c.why, c.read, c.meant)
	}
}
