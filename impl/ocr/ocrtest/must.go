package ocrtest

import (
	"bytes"
	"image"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// patience is the maximum time that tests wait for an event that must happen. The promised times are shorter, but test machines
// are busy.
const patience = 30 * time.Second

// MustPNG encodes an image as a PNG file.
func MustPNG(tb testing.TB, img image.Image) []byte {
	tb.Helper()
	var file bytes.Buffer
	require.NoError(tb, png.Encode(&file, img))
	return file.Bytes()
}

// MustBuildWorker builds the command uncial-worker and returns its absolute path. It needs cgo and takes seconds, so use the
// scripted worker (MustSelf) where no image needs to be read.
func MustBuildWorker(tb testing.TB) string {
	tb.Helper()
	path := filepath.Join(tb.TempDir(), "uncial-worker")
	out, err := exec.Command("go", "build", "-o", path, "uncial/impl/cmd/uncial-worker").CombinedOutput() //nolint:gosec // a path in the test's own folder
	require.NoErrorf(tb, err, "%s", out)
	return path
}

// MustSelf returns the path of the test binary, which is also the scripted worker: see MaybeWorker.
func MustSelf(tb testing.TB) string {
	tb.Helper()
	path, err := os.Executable()
	require.NoError(tb, err)
	return path
}

// Eventually waits until condition is true, and fails the test after 30 s. It checks every millisecond, so condition must be
// cheap. event completes "timed out waiting until ...", as in "the queue is full".
func Eventually(tb testing.TB, event string, condition func() bool) {
	tb.Helper()
	for end := time.Now().Add(patience); !condition(); time.Sleep(time.Millisecond) {
		require.True(tb, time.Now().Before(end), "timed out waiting until %s", event)
	}
}
