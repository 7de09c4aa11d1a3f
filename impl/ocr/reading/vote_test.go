package reading_test

import (
	"context"
	"image"
	"slices"
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

// doubtfulPage returns a source that reads a page as "the hovfe stands", and each line again as "the house stands".
func doubtfulPage() *scripted {
	return &scripted{says: map[string]said{
		"eng":      {"the hovfe stands", 0.6},
		"eng line": {"the house stands", 0.99},
		"eng raw":  {"the house stands", 0.99},
	}}
}

func TestRead_vote(t *testing.T) {
	t.Parallel()
	page := decode.Page{Image: ocrtest.Page("few")}
	plain, err := reading.Read(t.Context(), page, reading.Options{Language: "en"}, doubtfulPage())
	require.NoError(t, err)
	require.Equal(t, "the hovfe stands", plain.Page.Text())
	require.Empty(t, plain.Edits)

	enhanced, err := reading.Read(t.Context(), page, reading.Options{Language: "en", Enhance: true}, doubtfulPage())
	require.NoError(t, err)
	require.Equal(t, "the house stands", enhanced.Page.Text())
	require.Len(t, enhanced.Edits, 1)
	edit := enhanced.Edits[0]
	require.Equal(t, []string{"hovfe", "house", "vote"}, []string{edit.Before, edit.After, edit.Rule})
	require.Equal(t, plain.Page.Blocks[0].Lines[0].Words[1].Box, edit.Box)

	enhanced, err = reading.Read(t.Context(), page, reading.Options{Language: "en", Enhance: true, Without: []string{"vote"}}, doubtfulPage())
	require.NoError(t, err)
	require.Equal(t, "the hovfe stands", enhanced.Page.Text())
	require.Empty(t, enhanced.Edits)
}

func TestRead_voteSkipsSureLines(t *testing.T) {
	t.Parallel()
	src := &scripted{says: map[string]said{"eng": {"the house stands", 0.99}, "eng line": {"the hovfe stands", 0.99}}}
	result, err := reading.Read(t.Context(), decode.Page{Image: ocrtest.Page("few")}, reading.Options{Language: "en", Enhance: true}, src)
	require.NoError(t, err)
	require.Equal(t, "the house stands", result.Page.Text())
	require.Equal(t, []string{"eng"}, src.read)
}

// schooled is a Source whose network for print reads each strip as one text, with boxes that divide the strip's width.
type schooled struct {
	mixed
	network string
	later   string // what the network reads after call `first`, counted from 0, if that is different
	first   int
	sure    float64 // its confidence, 0..100
	asked   []string
	widths  [][]int // of the strips of each call
}

func (s *schooled) For(string) []string { return []string{"eng"} }

func (s *schooled) Has(model string) bool {
	return model == own.Print || model == own.Greek || model == own.Iberian || s.scripted.Has(model)
}

func (s *schooled) Read(ctx context.Context, img *image.Gray, dpi int, model string, mode tesseract.Mode) ([]document.Block, error) {
	blocks, err := s.scripted.Read(ctx, img, dpi, model, mode)
	for w := range document.Words(blocks) {
		w.Signals = &document.Signals{Letters: w.Confidence}
	}
	return blocks, err
}

func (s *schooled) ReadStrips(_ context.Context, model string, strips []*image.Gray) ([][]tesseract.Word, error) {
	words := strings.Fields(s.network)
	if s.later != "" && len(s.asked) > s.first {
		words = strings.Fields(s.later)
	}
	s.asked, s.widths = append(s.asked, model), append(s.widths, nil)
	out := make([][]tesseract.Word, len(strips))
	for i, strip := range strips {
		w := strip.Rect.Dx()
		s.widths[len(s.widths)-1] = append(s.widths[len(s.widths)-1], w)
		for k, word := range words {
			out[i] = append(out[i], tesseract.Word{
				Text: word, Box: image.Rect(w*k/len(words), 10, w*(k+1)/len(words)-4, 40),
				Confidence: s.sure, Signals: &document.Signals{Letters: s.sure / 100},
			})
		}
	}
	return out, nil
}

func TestRead_network(t *testing.T) {
	t.Parallel()
	const read, network = "the hovfe stands upon the hill and town", "the house stands upon the hill and town"
	for _, c := range []struct {
		why           string
		own, sure     float64
		network, want string
		without       []string
	}{
		{"corrects a doubtful word that the network reads otherwise", 0.8, 99, network, network, nil},
		{"keeps a line that both read in the same way", 0.8, 99, read, read, nil},
		{"does not believe a network that is not sure of this print", 0.9, 5, "tnc house ftuncs npom tnc mill amd towm", read, nil},
		{"corrects a line that is sure too", 0.999, 99, network, network, nil},
		{"can be left out", 0.8, 99, network, read, []string{"network"}},
	} {
		src := &schooled{network: c.network, sure: c.sure}
		src.says = map[string]said{"eng": {read, c.own}}
		result, err := reading.Read(t.Context(), decode.Page{Image: ocrtest.Page("few")}, reading.Options{Language: "en", Without: c.without}, src)
		require.NoError(t, err, c.why)
		require.Equal(t, c.want, result.Page.Text(), c.why)
		require.Empty(t, result.Edits, "%s: the reading must not be accepted as a correction", c.why)
	}
}

func TestNetworkWords(t *testing.T) {
	t.Parallel()
	read := []tesseract.Word{{Text: "12¼4", Confidence: 90, Box: image.Rect(0, 0, 10, 10)}, {Text: " "}, {Text: "4½2d."}, {Text: "½4"}}
	words := reading.NetworkWords(own.Print, read, func(r image.Rectangle) document.Box { return document.BoxOf(r.Add(image.Pt(5, 5))) })
	var texts []string
	for _, w := range words {
		texts = append(texts, w.Text)
	}
	require.Equal(t, []string{"12¼", "4½d.", "½4"}, texts)
	require.Equal(t, document.Word{Text: "12¼", Box: document.Box{X: 5, Y: 5, W: 10, H: 10}, Confidence: 0.9, Model: own.Print}, words[0])
}

func TestLinesByDoubt(t *testing.T) {
	t.Parallel()
	line := func(text string, confidence float64, w, h int) document.Line {
		box := document.Box{W: w, H: h}
		return document.Line{Box: box, Words: []document.Word{{Text: text, Box: box, Confidence: confidence}}}
	}
	handwritten := line("by hand", .1, 300, 30)
	handwritten.Handwritten = true
	var got []string
	for _, l := range reading.LinesByDoubt([]document.Block{block(
		line("sure", .9, 300, 30), line("up the page", .1, 30, 300), line("II", .2, 20, 30), handwritten, line("doubtful", .5, 300, 30),
	)}) {
		got = append(got, l.Text())
	}
	require.Equal(t, []string{"II", "doubtful", "sure"}, got)
}

// TestRead_networkAccents checks that print keeps accents that its network learnt from rendered lines alone, or not at all. For
// a tag without a language, the words decide.
func TestRead_networkAccents(t *testing.T) {
	t.Parallel()
	const spanish, swedish, french = "la gradería ó las", "han låg på en bänk och såg ut över gården", "il n'a pas été dans la maison où nous étions"
	for _, c := range []struct{ language, read, network, want string }{
		{"es", spanish, "la graderia o las", spanish},
		{"fr", spanish, "la graderia o las", "la graderia o las"},
		{"sv", swedish, "han lag pa en bänk och sag ut över garden", swedish},
		{"und-Latn", swedish, "han lag pa en bänk och sag ut över garden", swedish},
		{"und-Latn", "Władysław, Długa", "Wladyslaw, Dluga", "Władysław, Długa"},
		{"und-Latn", french, "il n'a pas ete dans la maison ou nous étions", "il n'a pas ete dans la maison ou nous étions"},
	} {
		src := &schooled{network: c.network, sure: 99}
		src.says = map[string]said{"eng": {c.read, 0.8}}
		result, err := reading.Read(t.Context(), decode.Page{Image: ocrtest.Page("few")}, reading.Options{Language: c.language}, src)
		require.NoError(t, err, c.language)
		require.Equal(t, c.want, result.Page.Text(), c.language)
	}
}

// TestRead_networkVotes checks that the enhancement reads doubtful lines with the network at several widths.
func TestRead_networkVotes(t *testing.T) {
	t.Parallel()
	page := decode.Page{Image: ocrtest.Page("few")}
	src := &schooled{network: "the hovfe stands", later: "the house stands", sure: 99}
	src.says = map[string]said{"eng": {"the hovfe stands", 0.6}, "eng line": {"the hovfe stands", 0.6}, "eng raw": {"the hovfe stands", 0.6}}
	result, err := reading.Read(t.Context(), page, reading.Options{Language: "en", Enhance: true}, src)
	require.NoError(t, err)
	require.Equal(t, "the house stands", result.Page.Text())
	require.Len(t, src.asked, 4, "once before the vote, and three times for it")
	strip := src.widths[0][0]
	for i, factor := range []float64{1, 0.93, 1.07} {
		require.InDelta(t, factor*float64(strip), src.widths[i+1][0], 1)
	}
	require.Len(t, result.Edits, 1)
	edit := result.Edits[0]
	require.Equal(t, []string{"hovfe", "house"}, []string{edit.Before, edit.After})
	require.Equal(t, edit.Box, result.Page.Blocks[0].Lines[0].Words[1].Box)
}

// fewSure is a Source that reads twelve lines. In the first `doubtful` lines, the fifth word is doubtful.
type fewSure struct {
	schooled
	text     string
	doubtful int
	slowCall int // the call of the network that does not end before the deadline; 0 for none
}

func (f *fewSure) ReadStrips(ctx context.Context, model string, strips []*image.Gray) ([][]tesseract.Word, error) {
	read, err := f.schooled.ReadStrips(ctx, model, strips)
	if len(f.asked) == f.slowCall {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	return read, err
}

func (f *fewSure) Read(_ context.Context, img *image.Gray, _ int, model string, _ tesseract.Mode) ([]document.Block, error) {
	var lines []document.Line
	for i := range 12 {
		line := row(img.Rect.Min.X+40, img.Rect.Min.Y+70+80*i, 0.99, strings.Fields(f.text)...)
		for k := range line.Words {
			w := &line.Words[k]
			w.Model, w.Signals = model, &document.Signals{Letters: 0.99}
		}
		if i < f.doubtful {
			line.Words[4].Confidence = 0.6
		}
		lines = append(lines, line)
	}
	return []document.Block{block(lines...)}, nil
}

// reads reads a page of twelve lines. It returns the lines, the number of edits, and the number of strips in each call of the
// network.
func (f *fewSure) reads(ctx context.Context, t *testing.T, o reading.Options) (lines []document.Line, edits int, calls []int) {
	t.Helper()
	return f.readsAs(ctx, t, o, f)
}

// readsAs is like reads, for a Source that embeds f.
func (f *fewSure) readsAs(ctx context.Context, t *testing.T, o reading.Options, src reading.Source) (lines []document.Line, edits int, calls []int) {
	t.Helper()
	f.says = map[string]said{"eng": {}}
	o.Without = append(o.Without, "missed", "faint")
	result, err := reading.Read(ctx, decode.Page{Image: ocrtest.Page(slices.Repeat([]string{"some good words before house stands near the"}, 12)...)}, o, src)
	require.NoError(t, err)
	for _, call := range f.widths {
		calls = append(calls, len(call))
	}
	return result.Page.Blocks[0].Lines, len(result.Edits), calls
}

// TestRead_networkProbe checks that a network that cannot read the sure words of a page reads only a sample of it. A network
// that can also reads the rest.
func TestRead_networkProbe(t *testing.T) {
	t.Parallel()
	for network, want := range map[string][]int{"some good words bcfore house stands near the sea shore": {8, 4}, "sxmx gxxd wxrds bxfxrx hxxsx stxxds": {8}} {
		src := &fewSure{schooled{network: network, sure: 99}, "some good words before house stands near the sea shore", 12, 0}
		_, _, strips := src.reads(t.Context(), t, reading.Options{Language: "en"})
		require.Equal(t, want, strips, network)
	}
}

// TestRead_networkReadsAllLines checks that the network reads and corrects all lines, and with enhancement half of the page at
// three widths if it is doubtful.
func TestRead_networkReadsAllLines(t *testing.T) {
	t.Parallel()
	const read, network = "some good words hefore house stands near the sea shore", "some good words before house stands near the sea shore"
	for _, c := range []struct {
		enhance  bool
		doubtful int
		calls    []int
	}{
		{false, 8, []int{8, 4}},
		{true, 8, []int{8, 4, 6, 6, 6}},
		{true, 0, []int{8, 4}},
	} {
		src := &fewSure{schooled{network: network, sure: 99}, read, c.doubtful, 0}
		lines, edits, calls := src.reads(t.Context(), t, reading.Options{Language: "en", Enhance: c.enhance})
		require.Equal(t, c.calls, calls)
		require.Zero(t, edits)
		for _, line := range lines {
			require.Equal(t, network, line.Text())
		}
	}
}

// TestRead_voteAllOrNothing checks that no line is changed if the time ends before the doubtful lines are read at all widths.
func TestRead_voteAllOrNothing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		src := &fewSure{
			schooled{
				network: "some good words hefore house stands near the sea shore", later: "some good words before house stands near the sea shore", first: 1, sure: 99,
			},
			"some good words hefore house stands near the sea shore", 8, 5,
		}
		lines, edits, calls := src.reads(ctx, t, reading.Options{Language: "en", Enhance: true})
		require.Equal(t, []int{8, 4, 6, 6, 6}, calls)
		require.Zero(t, edits)
		for _, line := range lines {
			require.Equal(t, src.text, line.Text())
		}
	})
}

// TestRead_networkIsEvidence checks that words that the network reads too get more confidence than those that it reads
// otherwise or does not read.
func TestRead_networkIsEvidence(t *testing.T) {
	t.Parallel()
	confidence := func(network string, sure float64) float64 {
		src := &schooled{network: network, sure: sure}
		src.says = map[string]said{"eng": {"the house stands", 0.8}}
		result, err := reading.Read(t.Context(), decode.Page{Image: ocrtest.Page("few")}, reading.Options{Language: "en"}, src)
		require.NoError(t, err)
		require.Equal(t, "the house stands", result.Page.Text())
		return result.Page.Blocks[0].Lines[0].Words[1].Confidence
	}
	confirmed := confidence("the house stands", 90)
	require.Greater(t, confirmed, confidence("thc housc standz", 5))
	require.Greater(t, confirmed, confidence("", 0))
}

// TestRead_networkOfScript checks which network reads a page, by its script.
func TestRead_networkOfScript(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		language, read, by, want string
		networks                 []string
	}{
		{"en", "the hovfe stands", "the house stands", "the house stands", []string{own.Print}},
		{"en", "the λόγος τοῦ stands", "the λόγος τὸν stands", "the λόγος τὸν stands", []string{own.Print, own.Greek}},
		{"es", "la hovfe stands", "la house stands", "la house stands", []string{own.Iberian}},
		{"ru", "дом", "abc", "дом", nil},
	} {
		src := &schooled{network: c.by, sure: 99}
		src.says = map[string]said{"eng": {c.read, 0.8}}
		result, err := reading.Read(t.Context(), decode.Page{Image: ocrtest.Page("few")}, reading.Options{Language: c.language}, src)
		require.NoError(t, err)
		require.Equal(t, c.want, result.Page.Text())
		require.Equal(t, c.networks, src.asked)
		if len(c.networks) > 0 {
			writer := c.networks[len(c.networks)-1]
			require.True(t, slices.ContainsFunc(result.Page.Blocks[0].Lines[0].Words, func(w document.Word) bool { return w.Model == writer }))
		}
	}
}

// TestRead_voteReadsWhatDiffers checks that a line is read in more ways only if the first new reading differs.
func TestRead_voteReadsWhatDiffers(t *testing.T) {
	t.Parallel()
	src := &scripted{says: map[string]said{"eng": {"the house stands", 0.9}, "eng line": {"the house stands", 0.9}}}
	_, err := reading.Read(t.Context(), decode.Page{Image: ocrtest.Page("few")}, reading.Options{Language: "en", Enhance: true}, src)
	require.NoError(t, err)
	require.Equal(t, []string{"eng", "eng line"}, src.read)
}

// slowLines never finishes reading a single line.
type slowLines struct{ *scripted }

func (s slowLines) Read(ctx context.Context, img *image.Gray, dpi int, model string, mode tesseract.Mode) ([]document.Block, error) {
	if mode != tesseract.Auto {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	return s.scripted.Read(ctx, img, dpi, model, mode)
}

func TestRead_voteWithoutTimeChangesNothing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		result, err := reading.Read(ctx, decode.Page{Image: ocrtest.Page("few")}, reading.Options{Language: "en", Enhance: true}, slowLines{doubtfulPage()})
		require.NoError(t, err)
		require.Equal(t, "the hovfe stands", result.Page.Text())
		require.Empty(t, result.Edits)
	})
}
