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
		{"two letters of similar shape in a long word", "comrnittce", "committee", true},
		{"a speck in a word", "hau·e", "haue", true},
		{"a vertical bar for an l", "wi|l", "will", true},
		{"f for long s", "wifdom", "wiſdom", true},
		{"the same word", "maiſon", "maiſon", false},
		{"long s to round s", "eſtoit", "estoit", false},
		{"oi to ai", "avoit", "avait", false},
		{"an accent corrected", "piéce", "pièce", false},
		{"an accent added", "apres", "après", false},
		{"an abbreviation expanded", "hõneur", "honneur", false},
		{"u to v", "vniuers", "univers", false},
		{"y to i", "roy", "roi", false},
		{"shew to show", "shew", "show", false},
		{"a to e in an ending", "dependant", "dependent", false},
		{"a diphthong of another period", "coelum", "caelum", false},
		{"u to i in Latin", "maxumus", "maximus", false},
		{"c for t before i", "antient", "ancient", false},
		{"n to m before p", "conpte", "compte", false},
		{"z to x", "deuz", "deux", false},
		{"double v to w", "vvhich", "which", false},
		{"a hyphen removed", "to-day", "today", false},
		{"an apostrophe removed", "grand'mere", "grandmere", false},
		{"a full stop removed", "v.g", "vg", false},
		{"a letter added", "tems", "temps", false},
		{"a letter removed", "faict", "fait", false},
		{"another word of the same length", "rnaiſon", "château", false},
		{"a Roman numeral", "xvi", "xxi", false},
		{"a Roman numeral that ends in j", "viij", "xiij", false},
		{"a word for a Roman numeral", "xiv", "wiv", false},
		{"a Roman numeral for a word", "nii", "xii", false},
		{"a name", "Rornans", "Romans", false},
		{"a name after an article", "d'Arragnan", "d'Artagnan", false},
		{"a letter made a capital", "rnaiſon", "Maiſon", false},
		{"a number with a fraction", "3½", "8½", false},
		{"a superscript number", "rnaiſon²", "maiſon²", false},
		{"a letter of another alphabet", "rnaison", "mаison", false},
		{"a direction mark", "rnaiſon", "mai\u202eſon", false},
	} {
		require.Equal(t, c.want, proofread.IsMisreading(c.read, c.meant), "%s: %s, %s", c.why, c.read, c.meant)
	}
}
