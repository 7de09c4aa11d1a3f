//go:build !race

// The race detector makes reading slower and finds no races in C code, so tests that read many whole pages run without it, like
// this one.

package reading_test

import (
	"bufio"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"uncial/impl/ocr/models"
	"uncial/impl/ocr/ocrtest"
	"uncial/impl/ocr/reading"
	"uncial/internal/accuracy"
	"uncial/internal/language"
)

// floor is the accuracy that a page must reach.
type floor struct {
	maxFoldedCER float64
	minBoWF1     float64
}

func mustFloors(tb testing.TB) map[string]floor {
	tb.Helper()
	f, err := os.Open("testdata/floors.tsv")
	require.NoError(tb, err)
	defer func() { require.NoError(tb, f.Close()) }()
	floors := map[string]floor{}
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if strings.HasPrefix(lines.Text(), "#") {
			continue
		}
		fields := strings.Split(lines.Text(), "\t")
		require.Len(tb, fields, 3, lines.Text())
		cer, err := strconv.ParseFloat(fields[1], 64)
		require.NoError(tb, err)
		f1, err := strconv.ParseFloat(fields[2], 64)
		require.NoError(tb, err)
		floors[fields[0]] = floor{cer, f1}
	}
	return floors
}

// TestAccuracy reads every page of the folder (see ocrtest.MustPages) that has a floor.
func TestAccuracy(t *testing.T) {
	t.Parallel()
	folder, floors := ocrtest.MustPages(t), mustFloors(t)
	set, err := models.Find(ocrtest.Tessdata)
	require.NoError(t, err)
	var pages []accuracy.Page
	for _, p := range folder.Pages {
		if _, ok := floors[p.ID]; ok {
			pages = append(pages, p)
		}
	}
	require.NotEmpty(t, pages, "no page of the folder has a floor in testdata/floors.tsv")
	const readers = 2
	for r := range readers {
		t.Run("reader "+strconv.Itoa(r+1), func(t *testing.T) {
			t.Parallel()
			engines := MustEngines(t, 6)
			for i := r; i < len(pages); i += readers {
				p, limit := pages[i], floors[pages[i].ID]
				data, truth, err := folder.Load(p)
				require.NoError(t, err)
				tag, err := language.Match(p.Language, set.Languages())
				require.NoError(t, err)
				doc, err := reading.File(t.Context(), data, reading.Options{Language: tag}, engines)
				require.NoError(t, err, p.ID)
				score := accuracy.Compare(truth, doc.Text())
				assert.LessOrEqual(t, score.FoldedCER.Value(), limit.maxFoldedCER, "folded CER of %s", p.ID)
				assert.GreaterOrEqual(t, score.BoWF1, limit.minBoWF1, "bag-of-words F1 of %s", p.ID)
				if p.Kind == "printed" && limit.maxFoldedCER < 0.08 {
					assert.Greater(t, doc.Confidence, 0.8, "confidence of %s", p.ID)
				}
			}
		})
	}
}
