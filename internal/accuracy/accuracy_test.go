package accuracy_test

import (
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"uncial/internal/accuracy"
)

func TestFolded(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ why, in, strict, folded string }{
		{"collapses white space", " a \n\tb\r\n", "a b", "a b"},
		{"drops marks without width", "\ufeffa\u00adb\u200bc", "abc", "abc"},
		{"composes characters", "e\u0301", "é", "é"},
		{"joins lines at a hyphen", "ver-\nbum", "ver- bum", "verbum"},
		{"joins lines at the double hyphen of Gothic print", "ver⸗  \n\n  bum", "ver⸗ bum", "verbum"},
		{"keeps a dash at a line end", "a -\nb", "a - b", "a - b"},
		{"keeps a hyphen at the end of the text", "ver-", "ver-", "ver-"},
		{"keeps a hyphen inside a line", "a - b", "a - b", "a - b"},
		{"folds long s", "ſeſt", "ſeſt", "sest"},
		{"folds ligatures of type", "ﬁﬂﬅ", "ﬁﬂﬅ", "fiflst"},
		{"keeps æ and œ, which are letters", "æœ", "æœ", "æœ"},
		{"folds small e above a vowel", "Ma\u0364nner", "Ma\u0364nner", "Männer"},
		{"folds quotes and dashes", "„a“ ‚b’ – — ‘‘c’’", "„a“ ‚b’ – — ‘‘c’’", `"a" 'b' - - "c"`},
		{"folds the ellipsis", "a…", "a…", "a..."},
		{"keeps u and v apart", "vniuers", "vniuers", "vniuers"},
	} {
		require.Equal(t, c.strict, accuracy.Strict(c.in), c.why)
		require.Equal(t, c.folded, accuracy.Folded(c.in), c.why)
	}
}

func TestCompare(t *testing.T) {
	t.Parallel()
	s := accuracy.Compare("the quick brown\nfox", "fox the quick brawn")
	require.InDelta(t, 2.0/3, s.BoWF1*8/9, 1e-9, "three of four words, in any order")
	require.Equal(t, accuracy.Rate{Errors: 3, Length: 4}, s.WER)

	same := accuracy.Compare("wiſe men", "wise  men")
	require.Equal(t, accuracy.Rate{Errors: 1, Length: 8}, same.CER)
	require.Zero(t, same.FoldedCER.Errors)
	require.InDelta(t, 1, same.BoWF1, 0)
	require.InDelta(t, 0.1, same.CalibrationError(0.9), 1e-9)

	junk := accuracy.Compare("a", "lots of junk")
	require.InDelta(t, 0.3, junk.CalibrationError(0.3), 1e-9, "no more than every character is wrong")
	require.InDelta(t, 1, accuracy.Compare("", "x").CER.Value(), 0)
	require.InDelta(t, 0, accuracy.Compare("", "").CER.Value(), 0)
}

func TestSummary_Add(t *testing.T) {
	t.Parallel()
	var s accuracy.Summary
	require.True(t, math.IsNaN(s.BoWF1()))
	s.Add(accuracy.Compare("aaaaaaaaa", "aaaaaaaaa"), accuracy.Reading{Confidence: 1, Seconds: 1, CPUSeconds: 3})
	s.Add(accuracy.Compare("b", "c"), accuracy.Reading{Confidence: 0.5, Seconds: 2, CPUSeconds: 4})
	require.InDelta(t, 0.1, s.FoldedCER.Value(), 1e-9)
	require.InDelta(t, 0.5, s.BoWF1(), 1e-9)
	require.InDelta(t, 0.75, s.Confidence(), 1e-9)
	require.InDelta(t, 0.25, s.CalibrationError(), 1e-9)
	require.InDelta(t, 1.5, s.Seconds(), 1e-9)
	require.InDelta(t, 3.5, s.CPUSeconds(), 1e-9)
}

func TestOpenFolder(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ why, index, err string }{
		{"not an array", `{}`, "index.json"},
		{"no pages", `[]`, "no pages listed"},
		{"no ground truth", `[{"id":"a/b","collection":"a","lang":"en","image":"a/b.png"}]`, "page 1: id, collection"},
	} {
		dir := t.TempDir()
		write(t, dir, "index.json", c.index)
		_, err := accuracy.OpenFolder(dir)
		require.ErrorContains(t, err, c.err, c.why)
	}
	_, err := accuracy.OpenFolder(t.TempDir())
	require.ErrorIs(t, err, os.ErrNotExist)
}

func TestFolder_Load(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, "index.json", `[
		{"id":"a/b","collection":"a","lang":"en","image":"b.png","ground_truth":"b.gt.txt"},
		{"id":"a/c","collection":"a","lang":"en","image":"../b.png","ground_truth":"b.gt.txt"}]`)
	write(t, dir, "b.png", "image")
	write(t, dir, "b.gt.txt", "Seine &amp; Oise")
	folder, err := accuracy.OpenFolder(dir)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, folder.Close()) })

	image, truth, err := folder.Load(folder.Pages[0])
	require.NoError(t, err)
	require.Equal(t, "image", string(image))
	require.Equal(t, "Seine & Oise", truth)
	_, _, err = folder.Load(folder.Pages[1])
	require.Error(t, err, "a path out of the folder is refused")
}

func write(tb testing.TB, dir, name, content string) {
	tb.Helper()
	require.NoError(tb, os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600))
}
