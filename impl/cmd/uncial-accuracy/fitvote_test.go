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

// voted returns a page of a collection whose lines were read as "the hovfe", with a candidate of some evidence for "hovfe" in each.
func voted(collection, candidate string, evidence correct.Evidence) outcome {
	o := outcome{Page: accuracy.Page{Collection: collection}, truth: "on the hill\nthe house\nstands"}
	line := votedLine{words: []document.Word{{Text: "the"}, {Text: "hovfe"}}}
	for range 50 {
		line.candidates = append(line.candidates, correct.Candidate{From: 1, To: 2, Words: []document.Word{{Text: candidate}}, Evidence: evidence})
	}
	o.voted = []votedLine{line}
	return o
}

func TestFitVote(t *testing.T) {
	t.Parallel()
	right, wrong := correct.Evidence{1, 1}, correct.Evidence{1, -1}
	var out strings.Builder
	require.NoError(t, fitVote(&out, []outcome{voted("a", "house", right), voted("a", "hqvfx", wrong), voted("b", "house", right), voted("b", "hqvfx", wrong)}))
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
	o.truth = "nothing of the kind is written there"
	o.voted[0].words[0].Text = "XXXXXXXXXXXXXXXX"
	require.ErrorContains(t, fitVote(&out, []outcome{o}), "no candidate")
	require.ErrorContains(t, options{FitVote: true}.check(), "--jobs")
	require.ErrorContains(t, options{FitVote: true, Jobs: 1}.check(), "add --enhance")
}
