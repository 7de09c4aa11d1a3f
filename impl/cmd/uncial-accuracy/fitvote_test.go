package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"uncial/impl/ocr/correct"
	"uncial/internal/accuracy"
	"uncial/internal/document"
)

// voted returns a page of a collection that was read as "on the hill", "the hovfe", "stands", with 50 candidates of some
// evidence for "hovfe".
func voted(collection, candidate string, evidence correct.Evidence) outcome {
	var lines []document.Line
	for i, text := range []string{"on the hill", "the hovfe", "stands"} {
		line := document.Line{Box: document.Box{Y: 30 * i, W: 100, H: 20}}
		for j, word := range strings.Fields(text) {
			line.Words = append(line.Words, document.Word{Text: word, Box: document.Box{X: 30 * j, Y: 30 * i, W: 20, H: 20}})
		}
		lines = append(lines, line)
	}
	line := votedLine{words: lines[1].Words}
	for range 50 {
		line.candidates = append(line.candidates, correct.Candidate{From: 1, To: 2, Words: []document.Word{{Text: candidate}}, Evidence: evidence})
	}
	return outcome{
		Page: accuracy.Page{Collection: collection}, truth: "on the hill\nthe house\nstands", voted: []votedLine{line},
		document: &document.Document{Pages: []document.Page{{Blocks: []document.Block{document.BlockOf(lines)}}}},
	}
}

func TestFitVote(t *testing.T) {
	t.Parallel()
	right, wrong := correct.Evidence{1, 1}, correct.Evidence{1, -1}
	var out strings.Builder
	require.NoError(t, fitVote(&out, "voteWeights", []outcome{voted("a", "house", right), voted("a", "hqvfx", wrong), voted("b", "house", right), voted("b", "hqvfx", wrong)}))
	var constant, evidence float64
	_, err := fmt.Sscanf(out.String(), "voteWeights = Evidence{%f, %f,", &constant, &evidence)
	require.NoError(t, err, out.String())
	require.InDelta(t, 0, constant, 0.5)
	require.Greater(t, evidence, 2.0)
	require.Contains(t, out.String(), "probability 0.45: 100 candidates, 200 characters corrected, 0 spoilt")
}

func TestFitVote_withoutLines(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	o := voted("a", "house", correct.Evidence{1, 1})
	o.voted[0].candidates = nil
	require.ErrorContains(t, fitVote(&out, "voteWeights", []outcome{o}), "no line has candidates")
	require.ErrorContains(t, options{FitVote: true}.check(), "--jobs")
	require.ErrorContains(t, options{FitVote: true, Jobs: 1, JSON: true}.check(), "leave out")
	require.NoError(t, options{FitVote: true, Jobs: 1}.check())
}
