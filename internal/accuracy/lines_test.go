package accuracy_test

import (
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"uncial/internal/accuracy"
)

func box(x, y, w, h float64) accuracy.Polygon {
	return accuracy.Polygon{{x, y}, {x + w, y}, {x + w, y + h}, {x, y + h}}
}

func TestCompareLines(t *testing.T) {
	t.Parallel()
	truth := []accuracy.TrueLine{{"ten letter s", box(100, 100, 500, 50)}, {"four", box(100, 200, 500, 50)}}
	for _, c := range []struct {
		name  string
		found []accuracy.Polygon
		want  accuracy.LineScore
	}{
		{"counts characters without spaces", []accuracy.Polygon{box(100, 100, 500, 50), box(100, 200, 500, 50)}, accuracy.LineScore{OneToOne: 14}},
		{"accepts lines that are half as high again", []accuracy.Polygon{box(100, 90, 500, 75), box(100, 190, 500, 75)}, accuracy.LineScore{OneToOne: 14}},
		{"rejects lines that are three times as high", []accuracy.Polygon{box(100, 50, 500, 130)}, accuracy.LineScore{Missed: 14}},
		{"calls two lines in one merged", []accuracy.Polygon{box(100, 95, 500, 160)}, accuracy.LineScore{Merged: 14}},
		{"calls halves of a line split", []accuracy.Polygon{box(100, 100, 240, 50), box(360, 100, 240, 50)}, accuracy.LineScore{Split: 10, Missed: 4}},
		{"calls a third of a line missed", []accuracy.Polygon{box(100, 100, 160, 50)}, accuracy.LineScore{Missed: 14}},
		{"calls everything missed if nothing is found", nil, accuracy.LineScore{Missed: 14}},
		{"matches a found line once", []accuracy.Polygon{box(100, 100, 500, 50), box(100, 100, 500, 45)}, accuracy.LineScore{OneToOne: 10, Missed: 4}},
		{"ignores polygons without an area", []accuracy.Polygon{{}, {{1, 1}, {math.NaN(), 2}, {3, 3}}, {{0, 0}, {1e300, 0}, {5, 1e300}}}, accuracy.LineScore{Missed: 14}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			c.want.Characters, c.want.True, c.want.Found = 14, 2, len(c.found)
			require.Equal(t, c.want, accuracy.CompareLines(truth, c.found))
		})
	}
	t.Run("calls two cells of a row in one line merged", func(t *testing.T) {
		t.Parallel()
		row := []accuracy.TrueLine{{"a", box(100, 100, 200, 50)}, {"b", box(320, 100, 200, 50)}}
		require.Equal(t, 2, accuracy.CompareLines(row, []accuracy.Polygon{box(100, 100, 420, 50)}).Merged)
	})
}

func TestLineScore_Plus(t *testing.T) {
	t.Parallel()
	a := accuracy.LineScore{Characters: 10, OneToOne: 4, Merged: 3, Split: 2, Missed: 1, True: 2, Found: 3}
	require.Equal(t, accuracy.LineScore{Characters: 20, OneToOne: 8, Merged: 6, Split: 4, Missed: 2, True: 4, Found: 6}, a.Plus(a))
}

func TestFolder_Lines(t *testing.T) {
	t.Parallel()
	open := func(t *testing.T, lines string) *accuracy.Folder {
		t.Helper()
		dir := t.TempDir()
		index := `[{"id": "a", "collection": "c", "lang": "fr", "image": "a.png", "ground_truth": "a.txt"}]`
		require.NoError(t, os.WriteFile(filepath.Join(dir, "index.json"), []byte(index), 0o600))
		if lines != "" {
			require.NoError(t, os.WriteFile(filepath.Join(dir, "lines.json"), []byte(lines), 0o600))
		}
		f, err := accuracy.OpenFolder(dir)
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, f.Close()) })
		return f
	}
	got, err := open(t, `{"a": {"width": 9, "lines": [{"text": "x", "baseline": [[0, 1]], "polygon": [[1, 2], [3.5, 4], [5, 6]]}]}}`).Lines()
	require.NoError(t, err)
	require.Equal(t, map[string][]accuracy.TrueLine{"a": {{"x", accuracy.Polygon{{1, 2}, {3.5, 4}, {5, 6}}}}}, got)
	_, err = open(t, "").Lines()
	require.ErrorContains(t, err, "lines.json")
	_, err = open(t, `{"a": 5}`).Lines()
	require.ErrorContains(t, err, "lines.json")
}
