package worker_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"uncial/impl/ocr/models"
	"uncial/impl/ocr/worker"
)

// TestRun_BrokenModel checks that a worker with a broken model does not send a hello, so that it never counts as ready.
func TestRun_BrokenModel(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "eng.traineddata"), []byte("this was a model before the disk was full"), 0o600))
	set, err := models.Find(dir)
	require.NoError(t, err)
	var out bytes.Buffer
	require.ErrorContains(t, worker.Run(bytes.NewReader(nil), &out, set), "worker: the first reading failed: language en: ")
	assert.Empty(t, out.Bytes(), "no hello")
}
