package client_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"uncial/gen"
)

// TestExtractCmd_Run_IIIF checks that an archive's IIIF server is asked for one image at a time, unless --jobs says otherwise.
func TestExtractCmd_Run_IIIF(t *testing.T) {
	t.Parallel()
	iiif := func(i int) string {
		if i%2 == 0 {
			return fmt.Sprintf("https://iiif.example.org/%d/info.json", i)
		}
		return fmt.Sprintf("https://IIIF.example.org/%d/full/max/0/default.jpg", i)
	}
	plain := func(i int) string { return fmt.Sprintf("https://images.example.org/%d.jpg", i) }
	for _, c := range []struct {
		name  string
		image func(i int) string
		flags []string
		limit int64
	}{
		{"one from a IIIF server", iiif, nil, 1},
		{"two from another server", plain, nil, 2},
		{"as many as --jobs says", iiif, []string{"--jobs=3"}, 3},
	} {
		t.Run("requests "+c.name, func(t *testing.T) {
			t.Parallel()
			var running, peak atomic.Int64
			_, url := mustFake(t, func(string) gen.ExtractResponseObject {
				if n := running.Add(1); n > peak.Load() {
					peak.Store(n)
				}
				time.Sleep(30 * time.Millisecond)
				running.Add(-1)
				return nil
			})
			args := c.flags
			for i := range 8 {
				args = append(args, c.image(i))
			}
			stdout, stderr, status := extract(t.Context(), t, url, args...)
			require.Zero(t, status, stderr)
			assert.Equal(t, 8, strings.Count(stdout, "\n"))
			assert.Equal(t, c.limit, peak.Load())
		})
	}
}

// TestExtractCmd_Run_BlankFailedAbsent keeps three states apart: a blank page has an empty file, a page that failed has none
// and fails the run, and so does an image that is not there.
func TestExtractCmd_Run_BlankFailedAbsent(t *testing.T) {
	t.Parallel()
	_, url := mustFake(t, func(text string) gen.ExtractResponseObject {
		switch text {
		case "blank.jpg":
			return gen.Extract200JSONResponse{ExtractionJSONResponse: gen.ExtractionJSONResponse{Body: gen.Extraction{Success: true, PointsUsed: 10}}}
		case "failed.jpg":
			return invalid("imageUrl: no image")
		}
		return nil
	})
	out := t.TempDir()
	files := mustFiles(t, "blank.jpg", "failed.jpg", "good.jpg")
	_, stderr, status := extract(t.Context(), t, url, append(files, "absent.jpg", "--out", out)...)
	assert.Equal(t, 1, status)
	assert.Contains(t, stderr, "2 of 4 pages read")
	require.Len(t, mustNames(t, out), 2)
	blank, err := os.ReadFile(filepath.Join(out, "blank.txt"))
	require.NoError(t, err)
	assert.Empty(t, blank)
	assert.FileExists(t, filepath.Join(out, "good.txt"))
}
