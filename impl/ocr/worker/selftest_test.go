package worker_test

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"uncial/impl/ocr/models"
	"uncial/impl/ocr/ocrtest"
	"uncial/impl/ocr/worker"
)

// TestRun_BrokenModel checks that a worker with a broken model does not send a hello, so that it never counts as ready.
func TestRun_BrokenModel(t *testing.T) {
	t.Parallel()
	whole, err := os.ReadFile(filepath.Join(ocrtest.Tessdata, "deu.traineddata"))
	require.NoError(t, err)
	empty := slices.Repeat([]byte{0xff}, 4+8*24) // a header without components
	copy(empty, []byte{24, 0, 0, 0})
	for name, c := range map[string]struct {
		file    string
		content []byte
		want    string
	}{
		"a file of another kind":            {"deu", []byte("this was a model before the disk was full"), "deu.traineddata: not a little-endian traineddata file; install it again or remove it"},
		"a model that was cut short":        {"deu", whole[:len(whole)/2], "deu.traineddata: a component of the traineddata file is outside the file"},
		"an empty file":                     {"deu", nil, "deu.traineddata: the traineddata file is shorter than four bytes"},
		"a model that Tesseract cannot use": {"eng", empty, "worker: the first reading failed: language en: "},
	} {
		t.Run("does not start with "+name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			require.NoError(t, os.WriteFile(filepath.Join(dir, c.file+".traineddata"), c.content, 0o600))
			set, err := models.Find(dir)
			require.NoError(t, err)
			var out bytes.Buffer
			require.ErrorContains(t, worker.Run(bytes.NewReader(nil), &out, set), c.want)
			assert.Empty(t, out.Bytes(), "no hello")
		})
	}
}
