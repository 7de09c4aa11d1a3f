package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"uncial/internal/accuracy"
	"uncial/internal/document"
)

func TestLoadRegions(t *testing.T) {
	t.Parallel()
	all, err := loadRegions("../../ocr/reading/testdata/regions.tsv")
	require.NoError(t, err)
	require.Greater(t, len(all), 40)
	for problem, line := range map[string]string{
		"an unknown kind":       "p\tmap\t0\t0\t1\t1\n",
		"a box without area":    "p\tprint\t5\t5\t5\t9\n",
		"a side off the page":   "p\tprint\t0\t0\t1001\t9\n",
		"a side in words":       "p\tprint\tleft\t0\t1\t9\n",
		"a missing side":        "p\tprint\t0\t0\t1\n",
		"a side above the page": "p\tprint\t0\t-1\t1\t9\n",
	} {
		path := filepath.Join(t.TempDir(), "labels.tsv")
		require.NoError(t, os.WriteFile(path, []byte(line), 0o600))
		_, err := loadRegions(path)
		require.ErrorContains(t, err, "--regions", problem)
	}
}

func TestPrintRegions(t *testing.T) {
	t.Parallel()
	line := func(x, y int, handwritten bool) document.Line {
		w := document.Word{Text: "word", Box: document.Box{X: x, Y: y, W: 100, H: 20}}
		return document.Line{Box: w.Box, Words: []document.Word{w}, Handwritten: handwritten}
	}
	page := document.Page{
		Width: 1000, Height: 2000,
		Blocks:   []document.Block{document.BlockOf([]document.Line{line(100, 100, false), line(100, 500, true)})},
		Graphics: []document.Graphic{{Box: document.Box{X: 500, Y: 1000, W: 300, H: 300}, Kind: document.Illustration}, {Box: document.Box{X: 10, Y: 1800, W: 90, H: 90}, Kind: document.Music}},
	}
	labels := []region{
		{"p", "print", 0, 0, 1000, 200},
		{"p", "print", 0, 200, 1000, 400},
		{"p", "handwriting", 0, 200, 1000, 400},
		{"p", "illustration", 500, 500, 800, 650},
		{"p", "illustration", 0, 500, 300, 650},
		{"other", "print", 0, 0, 9, 9},
	}
	var out bytes.Buffer
	require.NoError(t, printRegions(&out, labels, []outcome{{Page: accuracy.Page{ID: "p"}, document: &document.Document{Pages: []document.Page{page}}}}))
	require.Regexp(t, `print +2 +1\nhandwriting +1 +1\nillustration +2 +1\n`, out.String())
	require.Contains(t, out.String(), "p: the print at 0,200 was taken for handwriting")
	require.Contains(t, out.String(), "p: the illustration at 0,500 was not found")
	require.Contains(t, out.String(), "p: found an unlabelled music at 10,900 to 100,945")
}
