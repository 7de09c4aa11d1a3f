package tesseract_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"uncial/impl/ocr/tesseract"
)

// Not parallel: it measures the memory of the process. A model of 1.1 MB takes 3.3 MB once it is loaded, and 11 MB with the
// table that legacy.c does not load.
func TestOpen_Memory(t *testing.T) {
	const engines, maxKiB = 6, 7 << 10 // memory of each
	MustOpen(t, "fra")                 // loads what all models share
	tesseract.ReleaseMemory(0)
	before := anonymousMemory(t)
	for range engines {
		MustOpen(t, "fra")
	}
	tesseract.ReleaseMemory(0)
	require.Less(t, anonymousMemory(t)-before, engines*maxKiB)
}

// anonymousMemory returns the resident memory of this process without the contents of files, in kilobytes.
func anonymousMemory(tb testing.TB) int {
	tb.Helper()
	status, err := os.ReadFile("/proc/self/status")
	require.NoError(tb, err)
	_, after, found := strings.Cut(string(status), "RssAnon:")
	require.True(tb, found)
	var kilobytes int
	_, err = fmt.Sscan(after, &kilobytes)
	require.NoError(tb, err)
	return kilobytes
}
