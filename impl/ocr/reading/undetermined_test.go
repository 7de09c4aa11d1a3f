package reading_test

import (
	"context"
	"encoding/binary"
	"image"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"uncial/impl/ocr/decode"
	"uncial/impl/ocr/models/own"
	"uncial/impl/ocr/ocrtest"
	"uncial/impl/ocr/reading"
	"uncial/impl/ocr/tesseract"
	"uncial/internal/document"
)

// open requests that the language is detected.
var open = reading.Options{Language: "und"}

func TestRead_undetermined(t *testing.T) {
	t.Parallel()
	engines := MustEngines(t, 4)
	for want, lines := range map[string][]string{
		"en":       {"The ship came in this morning with the tide,", "and with it your parcel of books, which was", "kept for an hour by the harbour master."},
		"fr":       {"Inventaire des meubles trouvés dans la maison", "du notaire, dressé le troisième jour de septembre.", "Une table de chêne avec deux bancs pour les enfants."},
		"de":       {"Bericht über die Ausstellung der Stadt im Frühjahr.", "Die Säle waren jeden Tag gut besucht, und viele", "Gäste kamen auch von weither nach dem Fest."},
		"la":       {"Gallia est omnis divisa in partes tres, quarum unam", "incolunt Belgae, aliam qui ipsorum lingua Celtae,", "nostra Galli appellantur. Hi omnes inter se differunt."},
		"it":       {"Nel mezzo del cammin di nostra vita mi ritrovai", "per una selva oscura, che la diritta via era smarrita.", "Non so bene dire come io vi sono entrato allora."},
		"es":       {"En un lugar de la Mancha había un hidalgo y su", "caballo era muy viejo, pero él estaba contento", "con los libros que tenía desde hace muchos años."},
		"nl":       {"Het was in den tijd dat de schepen niet meer naar", "huis konden varen, en men wist van de zee alleen", "wat de oude man daar over had verteld."},
		"pt":       {"As armas e os barões assinalados não foram em uma", "nau para o mar, mas ficaram com o seu senhor até", "ao fim do dia, como ele também lhes havia dito."},
		"enm":      {"Whan that Aprille with hise shoures soote hath", "perced to the roote, thanne seyde the knyght to hem", "that they sholde nat wende fro hir lond, ne noon other."},
		"it-x-old": {"Hauendo il Principe deliberato di mandare, et non", "potendo egli hauere gli huomini che haueua, disse", "che doue era la parte piu forte, et poi uno ando."},
		"es-x-old": {"En vna tierra auia vn rey, y dixo que no auia de", "fazer assi como dezir, y que la muger estaua con", "los que fuessen muy lexos, quando ouo mucho mal."},
	} {
		t.Run(want, func(t *testing.T) {
			page := decode.Page{Image: ocrtest.Page(lines...), DPI: 300}
			found, err := reading.Read(t.Context(), page, open, engines)
			require.NoError(t, err)
			require.Equal(t, want, found.Language, found.Page.Text())
			named, err := reading.Read(t.Context(), page, reading.Options{Language: want}, engines)
			require.NoError(t, err)
			require.Equal(t, named, found, "a caller who names the language that was found gets the same reading")
		})
	}
}

// TestRead_undeterminedForeign checks that a page in a language without a model is read with the model for all Latin letters.
func TestRead_undeterminedForeign(t *testing.T) {
	t.Parallel()
	engines := MustEngines(t, 3)
	for name, lines := range map[string][]string{
		"Swedish": {"Det var en gammal man som bodde på gården,", "och han hade inte varit där så länge att någon", "kunde säga när han först kom till oss."},
		"Czech":   {"Byl to jeho starý přítel, který už dávno nebyl", "v tom městě, ale když se vrátil, ještě si na něj", "všichni pamatovali a měli ho rádi."},
	} {
		page := decode.Page{Image: ocrtest.Page(lines...), DPI: 300}
		found, err := reading.Read(t.Context(), page, open, engines)
		require.NoError(t, err)
		require.Equal(t, "und-Latn", found.Language, name)
		require.Equal(t, strings.Join(lines, "\n"), found.Page.Text())
		named, err := reading.Read(t.Context(), page, reading.Options{Language: "und-Latn"}, engines)
		require.NoError(t, err)
		require.Equal(t, named, found)
	}
}

func TestRead_undeterminedScript(t *testing.T) {
	t.Parallel()
	page := decode.Page{Image: ocrtest.Page("Και το βιβλιο του ανθρωπου ηταν στην πολη", "και ολοι οι φιλοι του ηλθαν να το δουν"), DPI: 300}
	found, err := reading.Read(t.Context(), page, open, MustEngines(t, 3))
	require.NoError(t, err)
	require.Equal(t, "grc", found.Language, found.Page.Text())
	require.Contains(t, found.Page.Text(), "φιλοι")
}

func TestRead_undeterminedHandwriting(t *testing.T) {
	t.Parallel()
	engines := MustEngines(t, 3)
	require.True(t, engines.Has(own.Hands))
	_, data, _ := ocrtest.MustPage(t, ocrtest.MustPages(t), "cremma-mss19-fr/lettre-soeur-marie_01R_P1S3SS2P118_001", "rendered-hand/lettre")
	found, err := reading.File(t.Context(), data, open, engines)
	require.NoError(t, err)
	require.Equal(t, "fr", found.Language)
	require.Equal(t, MustRead(t, engines, "fr", data), found)
}

func TestRead_undeterminedWithoutWords(t *testing.T) {
	t.Parallel()
	engines := MustEngines(t, 3)
	found, err := reading.Read(t.Context(), decode.Page{Image: ocrtest.Page()}, open, engines)
	require.NoError(t, err)
	require.Equal(t, "und", found.Language, "a blank page is in no language")
	found, err = reading.Read(t.Context(), decode.Page{Image: ocrtest.Page("Dupont 1843 Martin 1851", "Bernard 1860 Robert 1871"), DPI: 300}, open, engines)
	require.NoError(t, err)
	require.Equal(t, "und-Latn", found.Language, "names show only the script")
	require.Contains(t, found.Page.Text(), "Martin 1851")
}

func TestFile_undetermined(t *testing.T) {
	t.Parallel()
	french := ocrtest.Page("Inventaire des meubles trouvés dans la maison", "du notaire, dressé le troisième jour de septembre.", "Une table de chêne avec deux bancs pour les enfants.")
	english := ocrtest.Page("The ship came in with the tide and was kept.")
	doc, err := reading.File(t.Context(), tiffOf(english, french, ocrtest.Page()), open, MustEngines(t, 3))
	require.NoError(t, err)
	require.Equal(t, "fr", doc.Language, "the language of most of the text")
	require.Equal(t, []string{"en", "", ""}, []string{doc.Pages[0].Language, doc.Pages[1].Language, doc.Pages[2].Language})
	require.Len(t, doc.Pages, 3)
	require.Equal(t, []string{"eng", "fra"}, []string{firstModel(&doc.Pages[0]), firstModel(&doc.Pages[1])}, "each page must be read in its own language")
}

// tiffOf encodes pages in grey, uncompressed (TIFF 6.0, section 4).
func tiffOf(pages ...*image.Gray) []byte {
	const short, long = 3, 4 // types of fields
	le := binary.LittleEndian
	file := []byte{'I', 'I', 42, 0, 0, 0, 0, 0}
	link := 4 // the position of the offset of the next directory
	for _, page := range pages {
		width, height, strip := uint32(page.Rect.Dx()), uint32(page.Rect.Dy()), uint32(len(file))
		file = append(file, page.Pix...)
		le.PutUint32(file[link:], uint32(len(file)))
		fields := [][3]uint32{{256, long, width}, {257, long, height}, {258, short, 8}, {259, short, 1}, {262, short, 1}, {273, long, strip}, {278, long, height}, {279, long, width * height}}
		file = le.AppendUint16(file, uint16(len(fields)))
		for _, f := range fields { // tag, type, count and value
			file = le.AppendUint16(le.AppendUint16(file, uint16(f[0])), uint16(f[1]))
			file = le.AppendUint32(le.AppendUint32(file, 1), f[2])
		}
		link = len(file)
		file = append(file, 0, 0, 0, 0)
	}
	return file
}

func firstModel(p *document.Page) string { return p.Blocks[0].Lines[0].Words[0].Model }

// alsoGreek is a source with models for English and Greek.
type alsoGreek struct{ scripted }

func (*alsoGreek) Languages() []string { return []string{"en", "grc"} }

func (*alsoGreek) For(language string) []string {
	return map[string][]string{"en": {"eng"}, "grc": {"grc"}}[language]
}

// TestRead_undeterminedScript_fewLetters checks that a few letters of another script, as they are read in scribbles, do not
// decide the script.
func TestRead_undeterminedScript_fewLetters(t *testing.T) {
	t.Parallel()
	for greek, want := range map[string]string{"τε 22": "en", "πᾶσι γὰρ ἀνθρώποισι": "grc"} {
		src := &alsoGreek{}
		src.says = map[string]said{"eng line": {"rre Ar", 0.3}, "grc line": {greek, 0.6}, "eng": {"rre Ar", 0.3}, "grc": {greek, 0.6}}
		found, err := reading.Read(t.Context(), decode.Page{Image: ocrtest.Page("few letters", "on two lines"), DPI: 300}, open, src)
		require.NoError(t, err)
		require.Equal(t, want, found.Language)
	}
}

// german is a source with models for German in both types, and for early print.
type german struct{ scripted }

func (*german) Languages() []string { return []string{"de", "de-Latf"} }

func (*german) For(language string) []string {
	return map[string][]string{"de": {"deu"}, "de-Latf": {"frak"}}[language]
}

// TestRead_undeterminedType checks that the model for roman type decides whether German is in Fraktur, and not a long s, which
// the model for early print sees everywhere.
func TestRead_undeterminedType(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		early string
		roman float64 // the confidence of the model for roman type
		want  string
	}{
		"roman type, with a long s": {"ſie iſt ſehr ſchön und das Haus ist groß", 0.92, "de"},
		"Fraktur":                   {"ſie iſt ſehr ſchön und das Haus iſt groß", 0.7, "de-Latf"},
		"Fraktur, without a long s": {"die Stadt und das Meer und der Wald mit den", 0.7, "de-Latf"},
	} {
		src := &german{}
		src.says = map[string]said{
			"early_print": {c.early, 0.9}, "early_print line": {c.early, 0.9},
			"deu": {c.early, c.roman}, "deu line": {c.early, c.roman}, "frak": {c.early, 0.9}, "frak line": {c.early, 0.9},
		}
		found, err := reading.Read(t.Context(), decode.Page{Image: ocrtest.Page("few letters", "on two lines"), DPI: 300}, open, src)
		require.NoError(t, err)
		require.Equal(t, c.want, found.Language, name)
	}
}

// bilingual is a source with models for English and French. It reads one text in single lines, and another text on the whole
// page.
type bilingual struct {
	scripted
	line, page string
}

func (*bilingual) Languages() []string { return []string{"en", "fr"} }

func (*bilingual) For(language string) []string {
	return map[string][]string{"en": {"eng"}, "fr": {"fra"}}[language]
}

func (b *bilingual) Read(ctx context.Context, img *image.Gray, dpi int, model string, mode tesseract.Mode) ([]document.Block, error) {
	b.says = map[string]said{model: {b.page, 0.95}, model + " line": {b.line, 0.95}}
	return b.scripted.Read(ctx, img, dpi, model, mode)
}

// slowBilingual is a bilingual source whose model for French reads the first word of a page, and then waits until the time runs
// out.
type slowBilingual struct{ bilingual }

func (l *slowBilingual) Read(ctx context.Context, img *image.Gray, dpi int, model string, mode tesseract.Mode) ([]document.Block, error) {
	blocks, err := l.bilingual.Read(ctx, img, dpi, model, mode)
	if model != "fra" || err != nil {
		return blocks, err
	}
	<-ctx.Done()
	return []document.Block{block(row(0, 40, 0.95, "une"))}, ctx.Err()
}

func TestRead_undeterminedAgain_late(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const french = "une table de chêne avec deux bancs dans la maison où nous avons été"
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		page := decode.Page{Image: ocrtest.Page("few letters", "on two lines"), DPI: 300}
		found, err := reading.Read(ctx, page, open, &slowBilingual{bilingual{line: "Dupont 1843", page: french}})
		require.NoError(t, err)
		require.Equal(t, "en", found.Language)
		require.Contains(t, found.Page.Text(), french, "all of the first reading")
		require.LessOrEqual(t, found.Page.Confidence, 0.3)
	})
}

// TestRead_undeterminedForeign_noModel checks that a page in a language without a model is read in the most similar one if no
// model reads all Latin letters.
func TestRead_undeterminedForeign_noModel(t *testing.T) {
	t.Parallel()
	const swedish = "han var inte den som hade sagt det till en man"
	src := &bilingual{line: swedish, page: swedish}
	found, err := reading.Read(t.Context(), decode.Page{Image: ocrtest.Page("few letters", "on two lines"), DPI: 300}, open, src)
	require.NoError(t, err)
	require.Equal(t, "en", found.Language)
}

func TestRead_undeterminedAgain(t *testing.T) {
	t.Parallel()
	const french = "une table de chêne avec deux bancs dans la maison où nous avons été"
	for name, c := range map[string]struct{ line, page, language, models string }{
		"the lines show it, and the page is read once":                        {french, french, "fr", "fra"},
		"only the whole page shows it, and the page is read again":            {"Dupont 1843", french, "fr", "eng, fra"},
		"neither shows it, and the page is read once":                         {"Dupont 1843", "Dupont 1843 Martin", "en", "eng"},
		"the whole page confirms a doubtful guess, and the page is read once": {"of", "the ship of the morning", "en", "eng"},
		"the whole page shows too little, and the page is read once":          {"of", "Dupont une", "en", "eng"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			src := &bilingual{line: c.line, page: c.page}
			found, err := reading.Read(t.Context(), decode.Page{Image: ocrtest.Page("few letters", "on two lines"), DPI: 300}, open, src)
			require.NoError(t, err)
			require.Equal(t, c.language, found.Language)
			var models []string
			for _, model := range src.read {
				if !strings.HasSuffix(model, " line") {
					models = append(models, model)
				}
			}
			require.Equal(t, c.models, strings.Join(models, ", "))
		})
	}
}
