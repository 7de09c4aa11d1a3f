package guess_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"uncial/internal/language/guess"
)

// shipped are the tags that the service ships models for.
var shipped = []string{"de", "de-Latf", "en", "enm", "es", "es-x-old", "fr", "frm", "grc", "it", "it-x-old", "la", "nl", "pt", "und-Latf", "und-Latn"}

func TestOf(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ text, want string }{
		"English":                          {"It was the best of times, it was the worst of times", "en"},
		"Middle English":                   {"Whan that Aprille with his shoures soote hath perced to the roote, than longen folk to goon on pilgrimages, and specially from every shires ende they wende", "enm"},
		"German":                           {"Die Verkaufspreise der Kunstwerke werden auf dem Bureau mitgeteilt", "de"},
		"German in Fraktur":                {"mit einer ſehr wohlklingenden Stimme ſprach ſie; ſie ward ſtill, und wahrſcheinlich", "de-Latf"},
		"French":                           {"Le premier étage de la maison était garni de rideaux", "fr"},
		"early French":                     {"Droit de ueneurs et de chiens conuient rendre. Puis ſoit fouaile et batu par laccord des aſſiſtens", "frm"},
		"French with accents":              {"Et comme il prend plaiſir à voir de ſi beaux jours, en nous donnant des fruits de vos fécondes veilles", "fr"},
		"French read with f":               {"Et comme il prend plaifir 4 voir fes beaux jours dans fon jardin", "fr"},
		"Latin":                            {"Gallia est omnis divisa in partes tres, quarum unam incolunt Belgae", "la"},
		"Latin with u":                     {"in quo uidemus qui sunt et quae fuerunt per omnia", "la"},
		"Italian":                          {"Nel mezzo del cammin di nostra vita mi ritrovai per una selva oscura, che la diritta via era smarrita", "it"},
		"early Italian":                    {"Hauendo il Principe deliberato di mandare alle parti sue, & non potendo egli hauere gli huomini che uoleua", "it-x-old"},
		"Spanish":                          {"En un lugar de la Mancha, de cuyo nombre no quiero acordarme, había un hidalgo y él era muy valiente", "es"},
		"early Spanish":                    {"En vn lugar de la Mancha auia vn hidalgo, y dixo que no queria fazer assi como dezir", "es-x-old"},
		"Dutch":                            {"Het was in den tijd dat de schepen niet naar huis konden", "nl"},
		"Portuguese":                       {"As armas e os barões assinalados que da ocidental praia não foram em uma nau", "pt"},
		"Ancient Greek":                    {"μῆνιν ἄειδε θεὰ καὶ τὴν ἐν τῷ οὐλομένην τὸν δὲ", "grc"},
		"no language in names and figures": {"Dupont 1843 Martin 1851 Bernard 1860", ""},
		"no language in an empty text":     {"", ""},
		"no language in single letters":    {"x y z q 7 .", ""},
	} {
		t.Run("recognizes "+name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, c.want, guess.Of(c.text, shipped).Tag)
		})
	}
}

func TestOf_offeredTags(t *testing.T) {
	t.Parallel()
	fraktur := "ſie ſprach mit einer ſehr wohlklingenden Stimme"
	require.Equal(t, "de", guess.Of(fraktur, []string{"de", "en"}).Tag, "a stage that is not offered is not guessed")
	require.Equal(t, "de-Latf", guess.Of("Die Kunst der Stadt und das Meer", []string{"de-Latf", "en"}).Tag, "the only one of its language")
	require.Equal(t, "frm", guess.Of("Le premier étage de la maison", []string{"frm", "en"}).Tag)
	require.Empty(t, guess.Of("the end of it", []string{"ceb", "und-Latn"}).Tag, "languages without words are not guessed")
	require.Empty(t, guess.Of("the end of it", nil).Tag)
}

func TestIsOlder(t *testing.T) {
	t.Parallel()
	for tag, want := range map[string]bool{"frm": true, "it-x-old": true, "fr": false, "de-Latf": false, "": false} {
		require.Equal(t, want, guess.IsOlder(tag), tag)
	}
}

func TestOf_Evidence(t *testing.T) {
	t.Parallel()
	few, many := guess.Of("une table", shipped), guess.Of("une table de chêne avec deux bancs, un coffre fermé et une armoire où l'on a trouvé du linge", shipped)
	require.Less(t, few.Evidence, many.Evidence)
	same := guess.Of("de la", []string{"fr", "es"})
	require.Zero(t, same.Evidence, "words of both languages tell nothing")
	require.Positive(t, guess.Of("ſie iſt mit der Stimme", []string{"de", "de-Latf", "en"}).Evidence, "Fraktur is not another language")
}

func TestOf_Foreign(t *testing.T) {
	t.Parallel()
	for text, isForeign := range map[string]bool{
		"det är en gammal historia som han inte kunde glömma":                                true,
		"nie było go w domu, ale ona już tam jest":                                           true,
		"Un Deews ſazzija: Lai Gaiſma tohp: tad tappe Gaiſma, un tas notikke tā":             true,
		"hogy nem volt még olyan szép, mint az a nagy":                                       true,
		"nie bylo go w domu, kiedy matka do niej przyszla, ale bylo juz jasno, i on tez nie": true,
		"It was the best of times":                                                           false,
		"ſie ſprach mit einer ſehr wohlklingenden Stimme":                                    false,
		"Droit de ueneurs et de chiens conuient rendre":                                      false,
		"Dupont 1843": false,
	} {
		foreign := guess.Of(text, shipped).Foreign
		require.Equal(t, isForeign, foreign > 6, "%s: %.1f", text, foreign)
	}
	require.Negative(t, guess.Of("die Stadt und das Meer", []string{"de-Latf"}).Foreign, "German is offered, in Fraktur")
	require.Positive(t, guess.Of("et est non", nil).Foreign)
}

// TestOf_fixtures guesses the texts of the mock, which are in the public domain. The French ones are spelled and accented as in
// modern editions, so that their stage does not show; the German ones get the long s of Fraktur.
func TestOf_fixtures(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../../../mock/fixtures/*.txt")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		content, err := os.ReadFile(file)
		require.NoError(t, err)
		want := strings.TrimSuffix(filepath.Base(file), ".txt")
		for text := range strings.SplitSeq(string(content), "%%\n") {
			header, text, _ := strings.Cut(text, "\n\n")
			if want == "de-Latf" {
				text = strings.ReplaceAll(text, "s", "ſ")
			}
			got := guess.Of(text, shipped).Tag
			if want == "frm" && got == "fr" {
				continue
			}
			assert.Equal(t, want, got, header)
		}
	}
}
