package reading_test

import (
	"context"
	"image"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"uncial/impl/ocr/decode"
	"uncial/impl/ocr/lexicon"
	"uncial/impl/ocr/ocrtest"
	"uncial/impl/ocr/reading"
	"uncial/impl/ocr/tesseract"
	"uncial/internal/document"
)

// scripted is a Source that returns a scripted line of text for each model.
type scripted struct {
	says map[string]said
	read []string // the models in the order in which they were used
}

type said struct {
	text       string
	confidence float64
}

func (*scripted) For(language string) []string {
	if language == "en" {
		return []string{"eng"}
	}
	return nil
}

func (*scripted) Languages() []string { return []string{"en"} }

func (s *scripted) Has(models string) bool {
	for model := range strings.SplitSeq(models, "+") {
		if _, ok := s.says[model]; !ok {
			return false
		}
	}
	return true
}

func (*scripted) Lexicon(string) *lexicon.Lexicon { return nil }

func (*scripted) Alphabet(string) lexicon.Alphabet {
	known := lexicon.Alphabet{}
	for _, r := range "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZſ" {
		known[r] = true
	}
	return known
}

func (s *scripted) Read(_ context.Context, img *image.Gray, _ int, model string, mode tesseract.Mode) ([]document.Block, error) {
	switch mode {
	case tesseract.SingleLine:
		model += " line"
	case tesseract.RawLine:
		model += " raw"
	}
	s.read = append(s.read, model)
	if s.says[model].text == "" {
		return nil, nil
	}
	line := row(img.Rect.Min.X, img.Rect.Min.Y+40, s.says[model].confidence, strings.Fields(s.says[model].text)...)
	for i := range line.Words {
		w := &line.Words[i]
		// The mean confidence of a word's characters is higher than the confidence of the word, which depends on the worst
		// character.
		w.Model, w.Signals = model, &document.Signals{Letters: (1 + w.Confidence) / 2}
	}
	return []document.Block{block(line)}, nil
}

// torn is a Source whose layout analysis finds only the first line of a page; says has the others as "MODEL rest".
type torn struct{ scripted }

func (s *torn) Read(ctx context.Context, img *image.Gray, dpi int, model string, mode tesseract.Mode) ([]document.Block, error) {
	if mode == tesseract.SingleColumn {
		model += " rest"
	}
	return s.scripted.Read(ctx, img, dpi, model, mode)
}

// TestRead_modelsOfWholePage checks that models are compared by their readings of the whole page.
func TestRead_modelsOfWholePage(t *testing.T) {
	t.Parallel()
	const first, rest = "the first line", "and the clear text of all the others that follow, each as clear as it is"
	for why, c := range map[string]struct {
		sure float64
		read string
	}{
		"keeps a model that reads the rest with confidence":   {0.97, "eng, eng rest"},
		"tries another model if the rest is in doubt as well": {0.6, "eng, eng rest, early_print, early_print rest"},
	} {
		src := &torn{scripted{says: map[string]said{
			"eng": {first, 0.6}, "early_print": {"the ſirst line", 0.7}, "eng rest": {rest, c.sure}, "early_print rest": {rest, 0.8},
		}}}
		page := decode.Page{Image: ocrtest.Page(slices.Repeat([]string{"some good words"}, 6)...)}
		result, err := reading.Read(t.Context(), page, reading.Options{Language: "en", Without: []string{"sample", "resize", "missed", "faint"}}, src)
		require.NoError(t, err, why)
		require.Contains(t, result.Page.Text(), rest, why)
		require.Equal(t, strings.Contains(c.read, "early"), strings.Contains(result.Page.Text(), "ſirst"), why)
		require.Equal(t, c.read, strings.Join(src.read, ", "), why)
	}
}

// partial is a Source that reads the first lines of a page, and nothing in parts of it.
type partial struct {
	scripted
	lines int
}

func (s *partial) Read(_ context.Context, _ *image.Gray, _ int, model string, mode tesseract.Mode) ([]document.Block, error) {
	s.read = append(s.read, model)
	if mode == tesseract.SingleColumn {
		return nil, nil
	}
	var lines []document.Line
	for i := range s.lines {
		lines = append(lines, spread("somegoodwords", i, ocrtest.Left, 600))
	}
	return []document.Block{block(lines...)}, nil
}

// TestRead_mostlyUnread checks that a page is in doubt if most of its letters are outside the lines that were read.
func TestRead_mostlyUnread(t *testing.T) {
	t.Parallel()
	for lines, isDoubtful := range map[int]bool{1: true, 12: false} {
		src := &partial{lines: lines}
		page := decode.Page{Image: ocrtest.Page(slices.Repeat([]string{"some good words"}, 12)...)}
		result, err := reading.Read(t.Context(), page, reading.Options{Language: "en", Without: []string{"sample", "missed", "faint"}}, src)
		require.NoError(t, err)
		require.Equal(t, isDoubtful, len(src.read) > 2, "a page in doubt is read at another size: %v", src.read)
		require.Equal(t, isDoubtful, result.Page.Confidence < 0.5, "%v", result.Page.Confidence)
	}
}

// TestRead_greekOfWholePage checks that a page that is read again with Greek keeps what its layout analysis leaves out.
func TestRead_greekOfWholePage(t *testing.T) {
	t.Parallel()
	const rest = "and the clear text of all the others that follow"
	src := &torn{scripted{says: map[string]said{
		"eng": {"see dydpes pirot Tedxpos", 0.5}, "eng rest": {rest, 0.6}, "grc": {}, "grc line": {"ἄνδρες φίλοι Τεῦκρος", 0.9},
		"eng+grc": {"see ἄνδρες φίλοι Τεῦκρος", 0.93}, "eng+grc rest": {rest, 0.9},
	}}}
	page := decode.Page{Image: ocrtest.Page(slices.Repeat([]string{"some good words"}, 8)...)}
	result, err := reading.Read(t.Context(), page, reading.Options{Language: "en", Without: []string{"sample", "missed", "faint"}}, src)
	require.NoError(t, err)
	require.Contains(t, result.Page.Text(), "Τεῦκρος")
	require.Contains(t, result.Page.Text(), rest)
}

// row returns a line of words that begins at (x, y), 12 pixels a letter and 30 high.
func row(x, y int, confidence float64, words ...string) document.Line {
	line := document.Line{}
	for _, w := range words {
		box := document.Box{X: x, Y: y, W: 12 * len([]rune(w)), H: 30}
		line.Words = append(line.Words, document.Word{Text: w, Box: box, Confidence: confidence, Model: "eng"})
		line.Box = line.Box.Union(box)
		x += box.W + 12
	}
	return line
}

func block(lines ...document.Line) document.Block {
	b := document.Block{Lines: lines}
	for _, l := range lines {
		b.Box = b.Box.Union(l.Box)
	}
	return b
}

func TestRead_models(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		why  string
		says map[string]said
		text string
		read string
	}{
		{
			"keeps a confident reading as the only one",
			map[string]said{"eng": {"clean modern print", 0.95}, "early_print": {"never asked", 1}, "grc": {}},
			"clean modern print", "eng",
		},
		{
			"tries early print if the first is in doubt",
			map[string]said{"eng": {"fome wifdom here", 0.7}, "early_print": {"ſome wiſdom here", 0.85}},
			"ſome wiſdom here", "eng, early_print",
		},
		{
			"keeps early print if the first is only slightly more confident",
			map[string]said{"eng": {"fome wifdom here", 0.86}, "early_print": {"ſome wiſdom here", 0.84}},
			"ſome wiſdom here", "eng, early_print",
		},
		{
			"keeps the first if it is clearly more confident",
			map[string]said{"eng": {"faint typescript here", 0.87}, "early_print": {"ſaint typeſcript bere", 0.7}},
			"faint typescript here", "eng, early_print",
		},
		{
			"does not try early print if that model cannot write the letters of the page",
			map[string]said{"eng": {"źródło łaska próżno świętość", 0.87}, "early_print": {"zrodlo laska prozno swietosc", 0.9}},
			"źródło łaska próżno świętość", "eng",
		},
		{
			"adds Greek if the page shows Greek",
			map[string]said{"eng": {"see dydpes pirot Tedxpos", 0.5}, "grc": {}, "grc line": {"ἄνδρες φίλοι Τεῦκρος", 0.9}, "eng+grc": {"see ἄνδρες φίλοι Τεῦκρος", 0.93}},
			"see ἄνδρες φίλοι Τεῦκρος", "eng, grc line, eng+grc",
		},
		{
			"does not add Greek if the Greek model is not confident",
			map[string]said{"eng": {"rnnd iswlk doubtful", 0.59}, "grc": {}, "grc line": {"τηηδ ισωλκ δουβ", 0.4}, "early_print": {"mad walk doubtful", 0.9}},
			"mad walk doubtful", "eng, grc line, early_print",
		},
		{
			"tries another size if all readings are in doubt",
			map[string]said{"eng": {"not everything legible", 0.75}},
			"not everything legible", "eng, eng",
		},
		{
			"tries the middle of the page in all four orientations if hardly anything can be correct",
			map[string]said{"eng": {"hardly anything legible", 0.6}},
			"hardly anything legible", "eng, eng, eng, eng, eng, eng",
		},
	} {
		src := &scripted{says: c.says}
		// The page has fewer letters than the text that is read, so that no ink seems to be missed.
		result, err := reading.Read(t.Context(), decode.Page{Image: ocrtest.Page("few")}, reading.Options{Language: "en"}, src)
		require.NoError(t, err, c.why)
		require.Equal(t, c.text, result.Page.Text(), c.why)
		require.Equal(t, c.read, strings.Join(src.read, ", "), c.why)
	}
}

func TestRead_otherSize(t *testing.T) {
	t.Parallel()
	first := []document.Block{block(row(100, 100, .5, "all", "that", "was", "read"))}
	words, exists, err := reading.OtherReading(t.Context(), &scripted{says: map[string]said{"eng": {"read again", .4}}}, image.Pt(600, 200), first)
	require.NoError(t, err)
	require.True(t, exists)
	require.Equal(t, 2, words)
	_, exists, err = reading.OtherReading(t.Context(), &scripted{}, image.Pt(tesseract.MaxSide, 200), first)
	require.NoError(t, err)
	require.False(t, exists, "a sheet that would become too large is not read again")
}

func TestRead_blank(t *testing.T) {
	t.Parallel()
	paper := image.NewGray(image.Rect(0, 0, 400, 600))
	for i := range paper.Pix {
		paper.Pix[i] = uint8(230 + i*7919%13) // its grain
	}
	for why, img := range map[string]*image.Gray{"white": ocrtest.Page(), "with a grain": paper} {
		src := &scripted{says: map[string]said{"eng": {"a word", 0.9}}}
		result, err := reading.Read(t.Context(), decode.Page{Image: img}, reading.Options{Language: "en", Enhance: true}, src)
		require.NoError(t, err, why)
		require.Empty(t, result.Page.Blocks, why)
		require.Equal(t, img.Rect.Dy(), result.Page.Height, why)
		require.Empty(t, src.read, why)
	}
}

func TestRead_confidence(t *testing.T) {
	t.Parallel()
	confidence := func(own float64, page string) float64 {
		src := &scripted{says: map[string]said{"eng": {"twenty letters here", own}}}
		result, err := reading.Read(t.Context(), decode.Page{Image: ocrtest.Page(page)}, reading.Options{Language: "en"}, src)
		require.NoError(t, err)
		return result.Page.Confidence
	}
	rising := []float64{}
	for _, own := range []float64{0, 0.3, 0.5, 0.8, 0.9, 1} {
		rising = append(rising, confidence(own, "twenty letters here"))
	}
	require.True(t, slices.IsSorted(rising), rising)
	require.Less(t, rising[1], 0.4)
	require.Greater(t, rising[5], 0.95)
	require.LessOrEqual(t, rising[5], 1.0)
	much := strings.Repeat("much more stands here that was not read ", 2)
	require.Less(t, confidence(0.5, much), rising[2], "missed writing lowers it")
}

func TestDropScraps(t *testing.T) {
	t.Parallel()
	text := row(0, 0, .9, "a", "line", "of", "honest", "text", "that", "was", "read", "well")
	scraps := row(0, 100, .3, "S", "e", "—", "1", "L")
	require.Equal(t, textOf([]document.Block{block(text)}), textOf(reading.DropScraps([]document.Block{block(text), block(scraps)})), "drops scraps of a woodcut")
	require.Len(t, reading.DropScraps([]document.Block{block(text), block(row(0, 100, .95, "7"))}), 2, "keeps the page number")
	year := row(0, 100, .5, "M.", "D", "C.", "Xx", "V", "Ie.")
	require.Len(t, reading.DropScraps([]document.Block{block(text), block(year)}), 2, "keeps the year of a title page")
	hand := []document.Block{block(row(0, 0, .3, "a", "b", "c")), block(row(0, 50, .35, "hardly", "legible"))}
	require.Equal(t, hand, reading.DropScraps(hand), "drops nothing if everything is in doubt")
	require.Empty(t, reading.DropScraps(nil))
}

// shallow returns a line whose box is only 8 pixels high.
func shallow(line document.Line) document.Line {
	line.Box.H = 8
	return line
}

func TestDropScraps_descenders(t *testing.T) {
	t.Parallel()
	text := row(100, 100, .94, "elle", "est", "la", "même", "partout,", "promulguait", "mon", "amphytrion")
	for why, c := range map[string]struct {
		line document.Line
		kept bool
	}{
		"descenders of the line above": {row(160, 115, .7, ">", "P", ">", "P", "P"), false},
		"a line of words":              {row(160, 115, .7, "et", "la", "nuit"), true},
		"numbers below the line":       {row(160, 140, .7, "1", "7", "3"), true},
		"numbers beside the line":      {row(700, 115, .7, "1", "7", "3"), true},
		"numbers level with the line":  {row(160, 100, .7, "1", "7", "3"), true},
		"numbers read with confidence": {row(160, 115, .95, "1", "7", "3"), true},
		"a mark within the line":       {shallow(row(160, 118, .7, ".")), true},
	} {
		require.Equal(t, c.kept, len(reading.DropScraps([]document.Block{block(text), block(c.line)})) == 2, why)
	}
}

func TestDropScraps_accents(t *testing.T) {
	t.Parallel()
	greek := row(0, 0, .9, "ἔνδον", "γὰρ", "ἁνὴρ", "ἄρτι", "τυγχάνει")
	latin := row(0, 0, .9, "a", "line", "of", "honest", "text")
	for name, c := range map[string]struct {
		text, line document.Line
		kept       bool
	}{
		"drops the accents above Greek":               {greek, row(0, 100, .75, "Y", "2", ",", "€", "͵", "9"), false},
		"keeps the same line on a page without Greek": {latin, row(0, 100, .75, "Y", "2", ",", "€", "͵", "9"), true},
		"keeps signs that were read with confidence":  {greek, row(0, 100, .95, "—", "1", "—", "2"), true},
		"keeps the page number":                       {greek, row(0, 100, .75, "—", "12", "—"), true},
		"keeps digits":                                {greek, row(0, 100, .75, "1", "2", "3", "4", "5"), true},
		"keeps words among signs":                     {greek, row(0, 100, .75, "τὰν", "ἦν", "—", "ἄν"), true},
	} {
		blocks := []document.Block{block(c.text), block(c.line)}
		require.Equal(t, c.kept, len(reading.DropScraps(blocks)) == 2, name)
	}
}

func TestSheet_onPage(t *testing.T) {
	t.Parallel()
	placed := reading.OnPage([]document.Block{block(row(700, 480, .9, "word"))}, image.Pt(1000, 1000), 2)
	box := placed[0].Lines[0].Words[0].Box
	require.InDelta(t, 702, box.X, 3)
	require.InDelta(t, 472, box.Y, 3, "the right half was rotated down and moves back up")
	back := reading.BoxOnSheet(box, image.Pt(1000, 1000), 2)
	require.InDelta(t, 700, back.X, 1)
	require.InDelta(t, 480, back.Y, 1)
}

func TestSheet_wordsOnSheet(t *testing.T) {
	t.Parallel()
	size := image.Pt(1000, 1000)
	line := row(100, 480, .9, strings.Split("ten words of one line that runs across the page", " ")...)
	slanted := reading.OnPage([]document.Block{block(line)}, size, 30)[0].Lines[0].Words
	want, got := document.WordsBox(line.Words), reading.WordsOnSheet(slanted, size, 30)
	require.InDelta(t, want.X, got.X, 2)
	require.InDelta(t, want.Y, got.Y, 2)
	require.InDelta(t, want.W, got.W, 4, "the ends of the line are not lost")
	require.InDelta(t, want.H, got.H, 4, "nor does it contain its neighbours")
}

func textOf(blocks []document.Block) string {
	page := document.Page{Blocks: blocks}
	return strings.ReplaceAll(page.Text(), "\n\n", "\n")
}

func TestRead_knownWords(t *testing.T) {
	t.Parallel()
	page := ocrtest.Page("Il était une fois un roi", "et la qzyxw du château")
	for _, enhanced := range []bool{true, false} {
		result, err := reading.Read(t.Context(), decode.Page{Image: page}, reading.Options{Language: "fr", Enhance: enhanced}, MustEngines(t, 2))
		require.NoError(t, err)
		known := map[string]bool{}
		for _, l := range result.Page.Blocks[0].Lines {
			for _, w := range l.Words {
				known[w.Text] = w.Known
			}
		}
		require.Equal(t, enhanced, known["château"], "%v", known)
		require.False(t, known["qzyxw"], "%v", known)
	}
}

func TestRead_SkipsStepsLeftOut(t *testing.T) {
	t.Parallel()
	require.Contains(t, reading.Steps(), "early-print")
	require.NotContains(t, reading.Steps(), "print", "a required step cannot be omitted")
	for _, c := range []struct {
		name    string
		without []string
		want    string
	}{
		{"runs all steps", nil, "eng, early_print"},
		{"omits a step", []string{"early-print"}, "eng, eng"},
		{"omits several steps", []string{"early-print", "resize"}, "eng"},
		{"runs a required step anyway", []string{"print", "early-print", "resize"}, "eng"},
	} {
		src := &scripted{says: map[string]said{"eng": {"fome wifdom here", 0.75}, "early_print": {"ſome wiſdom here", 0.85}}}
		_, err := reading.Read(t.Context(), decode.Page{Image: ocrtest.Page("few")}, reading.Options{Language: "en", Without: c.without}, src)
		require.NoError(t, err)
		require.Equal(t, c.want, strings.Join(src.read, ", "), c.name)
	}
}
