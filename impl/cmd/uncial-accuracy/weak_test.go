package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"uncial/impl/ocr/correct"
	"uncial/impl/ocr/reading"
	"uncial/internal/accuracy"
	"uncial/internal/document"
)

// readPage returns the outcome of a page of one line whose words have a confidence and evidence.
func readPage(truth, text string, confidences ...float64) outcome {
	line := document.Line{}
	o := outcome{Page: accuracy.Page{ID: "a/1", Kind: "printed", Language: "en"}, truth: truth, Score: accuracy.Compare(truth, text)}
	for i, w := range strings.Fields(text) {
		line.Words = append(line.Words, document.Word{Text: w, Confidence: confidences[i], Box: document.Box{X: 100 * i, W: 90, H: 20}})
		o.evidence[0] = append(o.evidence[0], reading.Evidence{1, confidences[i]})
	}
	page := document.Page{Width: 1000, Height: 100, Blocks: []document.Block{document.BlockOf([]document.Line{line})}}
	page.Doubts = []document.Doubt{{Box: document.Box{X: 900, W: 50, H: 20}, Reason: document.UnreadInk, Characters: 4}}
	o.document = &document.Document{Pages: []document.Page{page}}
	return o
}

func TestPrintWeak(t *testing.T) {
	t.Parallel()
	pages, err := scoreAll([]outcome{readPage("Whan that Aprille with his", "Whan thot Aprille with", 0.9, 0.2, 0.95, 0.9)})
	require.NoError(t, err)
	require.Equal(t, 0, pages[0].Missed, "the place that is listed as not read has the missed word")
	require.Len(t, pages[0].Words, 5)
	require.True(t, pages[0].Words[1].Listed)

	written, err := json.Marshal(pages)
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "words.json")
	require.NoError(t, os.WriteFile(path, written, 0o600))
	again, err := loadWords([]string{path})
	require.NoError(t, err)
	require.Equal(t, pages[0].Words[1].Text, again[0].Words[1].Text)
	var out strings.Builder
	require.NoError(t, printWeak(&out, again))
	require.Regexp(t, `all printed +1 +5 +1\.000 +0\.11\d +\d\.\d+ +0\.250 `, out.String())
	require.Regexp(t, `1\.000 +1\.000\n`, out.String(), "half of the text has all errors, and a quarter all misread characters")

	_, err = loadWords([]string{filepath.Join(t.TempDir(), "none.json")})
	require.ErrorContains(t, err, "--words")
	o := readPage("a", "a", 1)
	o.evidence[0] = nil
	_, err = scoreAll([]outcome{o})
	require.ErrorContains(t, err, "a/1")
}

func TestFitWeights(t *testing.T) {
	t.Parallel()
	want := reading.Evidence{-1, 2}
	random := rand.New(rand.NewPCG(1, 2))
	var pages []pageWords
	for range 10 {
		p := pageWords{Page: accuracy.Page{Kind: "printed"}}
		for range 2000 {
			e := reading.Evidence{1, random.Float64()}
			s := accuracy.WordScore{Characters: 1}
			if random.Float64() > correct.Probability(want[:], e[:]) {
				s.Errors = 1
			}
			p.Words, p.Evidence = append(p.Words, s), append(p.Evidence, &wordEvidence{Values: e})
		}
		pages = append(pages, p)
	}
	var out strings.Builder
	require.NoError(t, fitWeights(&out, pages))
	var constant, own float64
	_, err := fmt.Sscanf(out.String(), "printWeights = Evidence{%f, %f,", &constant, &own)
	require.NoError(t, err, out.String())
	require.InDelta(t, want[0], constant, 0.15)
	require.InDelta(t, want[1], own, 0.25)
	require.NotContains(t, out.String(), "handwritingWeights", "there is no handwriting")
}
