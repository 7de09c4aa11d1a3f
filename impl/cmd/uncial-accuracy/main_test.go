package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"uncial/impl/ocr/reading"
	"uncial/internal/accuracy"
)

func TestOptions_check(t *testing.T) {
	t.Parallel()
	require.NoError(t, options{Jobs: 2, Without: []string{"enlarge", "missed"}}.check())
	require.ErrorContains(t, options{Jobs: 3}.check(), "--jobs: 3 is out of range")
	require.EqualError(t, options{Jobs: 1, Without: []string{"enlarge", "mised"}}.check(),
		`--without: unknown step "mised"; choose among `+strings.Join(reading.Steps(), ", "))
	require.ErrorContains(t, options{Jobs: 1, Ablation: true, JSON: true}.check(), "--ablation prints only a table of print and handwriting")
	require.ErrorContains(t, options{Jobs: 1, Und: true, Weak: true}.check(), "--und prints a table of its own")
	require.ErrorContains(t, options{Jobs: 1, Lines: true, Enhance: true}.check(), "--lines reads nothing")
}

func TestAblate(t *testing.T) {
	t.Parallel()
	page := func(kind, truth, text string) outcome {
		return outcome{
			Page: accuracy.Page{ID: kind, Kind: kind}, Score: accuracy.Compare(truth, text), Read: accuracy.Reading{Text: text, CPUSeconds: 2},
			changedBy: map[string]bool{"torn-lines": true, "missed": kind == "printed"},
		}
	}
	var left []string
	kept := map[string][]string{} // pages that were not read again
	var out strings.Builder
	err := ablate(options{Without: []string{"turn"}}, &out, func(o options, known []outcome) ([]outcome, error) {
		name := strings.Join(o.Without, "+")
		left = append(left, name)
		for _, k := range known {
			if k.Page.ID != "" {
				kept[name] = append(kept[name], k.Page.ID)
			}
		}
		if slices.Contains(o.Without, "layout") || slices.Contains(o.Without, "torn-lines") {
			return []outcome{page("printed", "ten letters", "ten lettXrs"), page("handwritten", "abcd", "abcd")}, nil
		}
		return []outcome{page("printed", "ten letters", "ten letters"), page("handwritten", "abcd", "abcX")}, nil
	})
	require.NoError(t, err)
	require.Equal(t, "turn", left[0], "first with everything that was requested")
	require.Contains(t, left, "turn+missed")
	require.NotContains(t, left, "turn+turn", "a step that is left out anyway has no row")
	require.NotContains(t, left, "turn+vote", "corrections are not measured without --enhance")
	rows := map[string][]string{}
	for line := range strings.Lines(out.String()) {
		if fields := strings.Fields(line); len(fields) > 1 {
			rows[fields[0]] = fields[1:]
		}
	}
	require.Equal(t, []string{"0.0000", "0.2500", "0.500", "2.00"}, rows["(nothing)"])
	require.NotContains(t, kept, "turn", "the first run reads all pages")
	require.NotContains(t, kept, "turn+torn-lines", "the step changes both pages")
	require.Equal(t, []string{"handwritten"}, kept["turn+missed"])
	require.Equal(t, []string{"printed", "handwritten"}, kept["turn+order"])
	require.Equal(t, []string{"+0.0909", "-0.2500", "+0.250", "+0.00", "2", "2"}, rows["torn-lines"])
	require.Equal(t, []string{"+0.0000", "+0.0000", "+0.000", "+0.00", "1", "0"}, rows["missed"])
}

func TestPrintFound(t *testing.T) {
	t.Parallel()
	page := func(id, language, found, text string) foundPage {
		return foundPage{
			ID: id, Language: language, Found: found,
			Score: accuracy.Compare("abcd", "abcd"), Read: accuracy.Reading{CPUSeconds: 1},
			UndScore: accuracy.Compare("abcd", text), UndRead: accuracy.Reading{CPUSeconds: 2},
		}
	}
	var out strings.Builder
	require.NoError(t, printFound(&out, []foundPage{page("1", "de", "de", "abcd"), page("2", "de", "en", "abcX"), page("3", "la", "la", "abcd")}))
	var rows []string
	for line := range strings.Lines(out.String()) {
		rows = append(rows, strings.Join(strings.Fields(line), " "))
	}
	require.Equal(t, []string{
		"pages right CER named CER und cpu named cpu und", "de 2 0.50 0.0000 0.1250 1.00 2.00", "la 1 1.00 0.0000 0.0000 1.00 2.00",
		"mean of languages 3 0.75 0.0000 0.0625 1.00 2.00", "2: en was found instead of de",
	}, rows)
}

func TestRun_MissingFolder(t *testing.T) {
	t.Parallel()
	for _, dir := range []string{"/nowhere", t.TempDir()} {
		require.ErrorContains(t, run(t.Context(), options{Jobs: 1, Dir: dir}), "Expected a folder with an index.json")
	}
}
