//go:build !race

package reading_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/goitalic"
	"golang.org/x/image/font/gofont/gomono"
	"golang.org/x/image/font/gofont/goregular"

	"uncial/impl/ocr/decode"
	"uncial/impl/ocr/ocrtest"
	"uncial/impl/ocr/reading"
	"uncial/internal/accuracy"
)

// TestRead_cleanText allows the enhancement to change one in a thousand correct words.
func TestRead_cleanText(t *testing.T) {
	t.Parallel()
	engines := MustEngines(t, 4)
	faces := []face{{"regular", goregular.TTF, 12}, {"italic", goitalic.TTF, 9}, {"bold", gobold.TTF, 11}, {"mono", gomono.TTF, 8}}
	harmed, right := 0, 0
	for i, c := range cleanTexts {
		for _, f := range faces[i%2:][:3] {
			truth := accuracy.Tokens(c.text)
			page := decode.Page{Image: ocrtest.PageIn(f.ttf, f.points, wrapped(truth, 44)...), DPI: 300}
			result, err := reading.Read(t.Context(), page, reading.Options{Language: c.language, Enhance: true}, engines)
			require.NoError(t, err)
			for _, w := range accuracy.Tokens(result.Page.Text()) {
				if slices.Contains(truth, w) {
					right++
				}
			}
			for _, e := range result.Edits {
				if slices.Contains(truth, e.Before) {
					harmed++
					t.Logf("%s, %s: %q became %q", c.language, f.name, e.Before, e.After)
				}
			}
		}
	}
	require.Greater(t, right, 1000)
	require.LessOrEqual(t, harmed*1000, right, "%d of %d words", harmed, right)
}

type face struct {
	name   string
	ttf    []byte
	points float64
}

// wrapped breaks words into lines of at most width characters.
func wrapped(words []string, width int) []string {
	var lines []string
	line := ""
	for _, w := range words {
		if line != "" && len([]rune(line))+1+len([]rune(w)) > width {
			lines = append(lines, line)
			line = ""
		}
		line = strings.TrimSpace(line + " " + w)
	}
	return append(lines, line)
}

// cleanTexts is from Austen, Pride and Prejudice (1813); Goethe, Die Leiden des jungen Werthers (1774); Flaubert, Madame
// Bovary (1857); Cervantes, Don Quijote (1605); Manzoni, I promessi sposi (1840); Caesar, De bello Gallico.
var cleanTexts = []struct{ language, text string }{
	{"en", `It is a truth universally acknowledged, that a single man in possession of a good fortune, must be in want of a
wife. However little known the feelings or views of such a man may be on his first entering a neighbourhood, this truth is so
well fixed in the minds of the surrounding families, that he is considered as the rightful property of some one or other of
their daughters.`},
	{"de", `Eine wunderbare Heiterkeit hat meine ganze Seele eingenommen, gleich den süßen Frühlingsmorgen, die ich mit ganzem
Herzen genieße. Ich bin allein und freue mich meines Lebens in dieser Gegend, die für solche Seelen geschaffen ist wie die
meine. Ich bin so glücklich, mein Bester, so ganz in dem Gefühle von ruhigem Dasein versunken, daß meine Kunst darunter leidet.`},
	{"fr", `Nous étions à l'étude, quand le Proviseur entra, suivi d'un nouveau habillé en bourgeois et d'un garçon de classe.
Ceux qui dormaient se réveillèrent, et chacun se leva comme surpris dans son travail. Le Proviseur
nous fit signe de nous rasseoir; puis, se tournant vers le maître d'études.`},
	{"es", `En un lugar de la Mancha, de cuyo nombre no quiero acordarme, no ha mucho tiempo que vivía un hidalgo de los de lanza
en astillero, adarga antigua, rocín flaco y galgo corredor. Una olla de algo más vaca que carnero, salpicón las más noches,
duelos y quebrantos los sábados, lantejas los viernes, algún palomino de añadidura los domingos, consumían las tres partes de
su hacienda.`},
	{"it", `Quel ramo del lago di Como, che volge a mezzogiorno, tra due catene non interrotte di monti, tutto a seni e a golfi, a
seconda dello sporgere e del rientrare di quelli, vien, quasi a un tratto, a ristringersi, e a prender corso e figura di fiume,
tra un promontorio a destra, e un'ampia costiera dall'altra parte.`},
	{"la", `Gallia est omnis divisa in partes tres, quarum unam incolunt Belgae, aliam Aquitani, tertiam qui ipsorum lingua Celtae,
nostra Galli appellantur. Hi omnes lingua, institutis, legibus inter se differunt. Gallos ab Aquitanis Garumna flumen, a Belgis
Matrona et Sequana dividit. Horum omnium fortissimi sunt Belgae.`},
}
