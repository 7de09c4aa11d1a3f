//go:build traincheck

package train_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"image"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"text/tabwriter"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"uncial/impl/groundtruth"
	"uncial/impl/ocr/models/own"
	"uncial/impl/ocr/neural"
	"uncial/impl/ocr/neural/training"
	"uncial/impl/ocr/ocrtest"
	"uncial/impl/ocr/pipe"
	"uncial/impl/train"
	"uncial/internal/accuracy"
)

// The check trains on at most maxPages pages and holds back at least minHeld others.
const maxPages, minHeld = 40, 10

// goal is what training on some pages must reach on other pages of the collection.
type goal struct {
	pages  int
	less   float64 // minimum share of the base model's errors that training must remove
	maxCER float64
}

var goals = []goal{{2, 0.15, 1}, {10, 0.30, 1}, {maxPages, 0.50, 0.12}}

// TestTrainCheck fine-tunes the shipped model on pages of the folder UNCIAL_TRAIN_PAGES and measures, as the service reads
// them, the error in lines of the folder's other pages. `make train-check` runs it.
func TestTrainCheck(t *testing.T) { //nolint:paralleltest // PyTorch needs the cores
	folder := os.Getenv("UNCIAL_TRAIN_PAGES")
	require.NotEmpty(t, folder, "UNCIAL_TRAIN_PAGES: give a folder with at least 50 transcribed pages of one hand")
	pages, _, err := groundtruth.Find(folder)
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(pages), maxPages+minHeld, "pages of the folder")
	mine, others := spread(pages, maxPages)
	held, worker := link(t, others), ocrtest.MustBuildWorker(t)

	var table bytes.Buffer
	w := tabwriter.NewWriter(&table, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "pages\tlines\tCER before\tCER now\tless\tgoal\tminutes\tCPU minutes\t")
	for _, g := range goals {
		some, _ := spread(mine, g.pages)
		o := options(t, worker, link(t, some))
		o.HeldBack, o.Minutes, o.Passes, o.Threads, o.Progress = []string{held}, 60, 20, runtime.GOMAXPROCS(0), os.Stderr
		began, spent := time.Now(), cpuOfChildren(t)
		result, err := train.Run(t.Context(), o)
		require.NoError(t, err)
		minutes, cpu := time.Since(began).Minutes(), (cpuOfChildren(t) - spent).Minutes()
		before, now := heldBackError(t, o.Out, ""), heldBackError(t, o.Out, result.Model)
		less := 1 - now/before
		fmt.Fprintf(w, "%d\t%d\t%.4f\t%.4f\t%.0f %%\t%.0f %%\t%.1f\t%.1f\t\n", g.pages, result.Lines, before, now, 100*less, 100*g.less, minutes, cpu)
		assert.GreaterOrEqual(t, less, g.less, "%d pages", g.pages)
		assert.LessOrEqual(t, now, g.maxCER, "%d pages", g.pages)
	}
	require.NoError(t, w.Flush())
	t.Logf("%d pages are held back.\n%s", len(others), table.String())
}

// spread returns n of the pages at even intervals, and all the others.
func spread(pages []groundtruth.Page, n int) (some, others []groundtruth.Page) {
	for i, p := range pages {
		if (i+1)*n/len(pages) > i*n/len(pages) {
			some = append(some, p)
		} else {
			others = append(others, p)
		}
	}
	return some, others
}

// link returns a folder with links to the files of pages.
func link(tb testing.TB, pages []groundtruth.Page) string {
	tb.Helper()
	folder := tb.TempDir()
	for _, p := range pages {
		for _, path := range []string{p.XML, p.Image} {
			absolute, err := filepath.Abs(path)
			require.NoError(tb, err)
			require.NoError(tb, os.Symlink(absolute, filepath.Join(folder, filepath.Base(path))))
		}
	}
	return folder
}

func cpuOfChildren(tb testing.TB) time.Duration {
	tb.Helper()
	var usage syscall.Rusage
	require.NoError(tb, syscall.Getrusage(syscall.RUSAGE_CHILDREN, &usage))
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// heldBackError returns the folded CER of a model file on the lines that the training run with output out held back. If model
// is "", it is the shipped one.
func heldBackError(tb testing.TB, out, model string) float64 {
	tb.Helper()
	network, characters := own.HandsFiles()
	net, err := neural.Load(network)
	if model != "" {
		net, err = neural.Open(model)
	}
	require.NoError(tb, err)
	language, err := neural.LoadLanguage(characters)
	require.NoError(tb, err)
	recognizer := neural.NewRecognizer(net, language)
	ink, err := os.ReadFile(out + ".training/lines.u8")
	require.NoError(tb, err)
	rows, err := os.Open(out + ".training/lines.jsonl")
	require.NoError(tb, err)
	defer rows.Close() //nolint:errcheck // only read
	var sum accuracy.Rate
	for s := bufio.NewScanner(rows); s.Scan(); {
		var row training.Line
		require.NoError(tb, json.Unmarshal(s.Bytes(), &row))
		if !row.Held {
			continue
		}
		strip := image.NewGray(image.Rect(0, 0, row.Width, pipe.StripHeight))
		for i, v := range ink[row.Offset:][:len(strip.Pix)] {
			strip.Pix[i] = 255 - v
		}
		var read []string
		for _, word := range recognizer.Read(strip) {
			read = append(read, word.Text)
		}
		c := accuracy.Compare(row.Text, strings.Join(read, " ")).FoldedCER
		sum.Errors, sum.Length = sum.Errors+c.Errors, sum.Length+c.Length
	}
	return sum.Value()
}
