package client_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/alecthomas/kong"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"uncial/gen"
	"uncial/impl/client"
)

func TestExtractCmd_Run(t *testing.T) {
	t.Parallel()
	f, url := mustFake(t, nil)
	files := mustFiles(t, "page.jpg")
	stdout, stderr, status := extract(t.Context(), t, url, files[0])
	assert.Equal(t, "page.jpg\n", stdout)
	assert.Empty(t, stderr)
	assert.Zero(t, status)
	require.Len(t, f.requests, 1)
	assert.Nil(t, f.requests[0].Language, "unset options are left to the service")
	assert.Nil(t, f.requests[0].Enhance)
}

func TestExtractCmd_Run_Options(t *testing.T) {
	t.Parallel()
	f, url := mustFake(t, nil)
	stdout, _, status := extract(t.Context(), t, url, "--language", "de-Latf", "--enhance", "--format", "alto", "https://images.example.org/1.jpg")
	assert.Contains(t, stdout, `CONTENT="https://images.example.org/1.jpg"`)
	assert.Zero(t, status)
	assert.Equal(t, "de-Latf", *f.requests[0].Language)
	assert.True(t, *f.requests[0].Enhance)
	assert.Equal(t, "https://images.example.org/1.jpg", f.requests[0].ImageURL, "URLs are sent as they are")
}

func TestExtractCmd_Run_Order(t *testing.T) {
	t.Parallel()
	var names []string
	for i := range 40 {
		names = append(names, fmt.Sprintf("%02d.png", i))
	}
	f, url := mustFake(t, func(text string) gen.ExtractResponseObject {
		if text == "00.png" || text == "17.png" {
			time.Sleep(100 * time.Millisecond) // the others overtake it
		}
		return nil
	})
	stdout, stderr, status := extract(t.Context(), t, url, append([]string{"--jobs", "4"}, mustFiles(t, names...)...)...)
	assert.Equal(t, strings.Join(names, "\n")+"\n", stdout)
	assert.Empty(t, stderr)
	assert.Zero(t, status)
	assert.Len(t, f.keys, 40, "each image has its own Idempotency-Key")
}

func TestExtractCmd_Run_JSON(t *testing.T) {
	t.Parallel()
	_, url := mustFake(t, nil)
	files := mustFiles(t, "a.jpg", "b&c.jpg")
	for _, args := range [][]string{{"--json"}, {"--format", "json"}, {"--json", "--format", "hocr"}} {
		stdout, _, status := extract(t.Context(), t, url, append(args, files...)...)
		assert.Zero(t, status)
		lines := strings.Split(strings.TrimSuffix(stdout, "\n"), "\n")
		require.Len(t, lines, 2)
		for i, line := range lines {
			var got struct {
				Image, Text, Document string
				Confidence            float64
				PointsUsed            int
			}
			require.NoError(t, json.Unmarshal([]byte(line), &got))
			assert.Equal(t, files[i], got.Image)
			assert.Equal(t, filepath.Base(files[i]), got.Text)
			assert.InDelta(t, 0.9, got.Confidence, 0)
			assert.Equal(t, 10, got.PointsUsed)
			assert.Equal(t, len(args) == 3, got.Document != "")
		}
	}
}

func TestExtractCmd_Run_OutputFiles(t *testing.T) {
	t.Parallel()
	_, url := mustFake(t, nil)
	files := mustFiles(t, "a/page.jpg", "b/page.tif", "b/Page.png", "c/page-2.jpg", "d/.hidden", "d/two.dots.jpg")
	out := filepath.Join(t.TempDir(), "new", "texts")
	images := append(files,
		"https://iiif.example.org/ark%3A%2F1/info.json", "https://images.example.org/x/y.jpg?size=1", "https://images.example.org", "data:image/png;base64,YWJj")
	stdout, stderr, status := extract(t.Context(), t, url, append([]string{"--out", out}, images...)...)
	assert.Empty(t, stdout)
	assert.Regexp(t, `^10 of 10 pages read; 100 points used, 90 left; \d+s\n$`, stderr)
	assert.Zero(t, status)
	want := map[string]string{
		"page.txt": "a/page.jpg", "page-2.txt": "b/page.tif", "Page-3.txt": "b/Page.png", "page-2-2.txt": "c/page-2.jpg",
		"hidden.txt": "d/.hidden", "two.dots.txt": "d/two.dots.jpg",
		"1.txt": images[6], "y.txt": images[7], "image.txt": images[8], "image-2.txt": "abc",
	}
	for name, text := range want {
		got, err := os.ReadFile(filepath.Join(out, name))
		require.NoError(t, err)
		assert.Equal(t, text+"\n", string(got), name)
	}
	assert.Len(t, mustNames(t, out), len(want), "no temporary file is left behind")
}

func TestExtractCmd_Run_Extensions(t *testing.T) {
	t.Parallel()
	_, url := mustFake(t, nil)
	file := mustFiles(t, "page.jpg")[0]
	for _, c := range []struct{ args, name string }{
		{"--format=text", "page.txt"},
		{"--format=json", "page.json"},
		{"--format=hocr", "page.hocr"},
		{"--format=alto", "page.alto.xml"},
		{"--format=page", "page.page.xml"},
		{"--format=tsv", "page.tsv"},
		{"--format=alto --json", "page.json"},
	} {
		out := t.TempDir()
		_, _, status := extract(t.Context(), t, url, append(strings.Fields(c.args), "--out", out, file)...)
		assert.Zero(t, status)
		assert.FileExists(t, filepath.Join(out, c.name))
	}
}

func TestExtractCmd_Run_Environment(t *testing.T) {
	f, url := mustFake(t, nil)
	t.Setenv("UNCIAL_URL", url)
	t.Setenv("UNCIAL_KEY", "ocr_live_x")
	cmd := client.ExtractCmd{Stdout: &bytes.Buffer{}}
	parser, err := kong.New(&cmd)
	require.NoError(t, err)
	_, err = parser.Parse([]string{"https://images.example.org/1.jpg"})
	require.NoError(t, err)
	require.NoError(t, cmd.Run(t.Context()))
	assert.Len(t, f.requests, 1)
}
