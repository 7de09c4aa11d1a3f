//go:build !race

// The race detector makes the clients of this test twice as slow, and the program that it measures is built without it.

package mock_test

import (
	"fmt"
	"net/http"
	"os"
	"regexp"
	"runtime"
	"strconv"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCommand_StaysUnder25MB(t *testing.T) {
	if testing.Short() {
		t.Skip("sends 100,000 requests")
	}
	if runtime.GOOS != "linux" {
		t.Skip("reads /proc")
	}
	p := MustStart(t)
	const requests, workers = 100_000, connections
	client := &http.Transport{MaxIdleConnsPerHost: workers, MaxConnsPerHost: workers}
	t.Cleanup(client.CloseIdleConnections)
	var wg sync.WaitGroup
	failed := make(chan error, workers)
	for w := range workers {
		wg.Go(func() {
			for i := range requests / workers {
				// 12,500 keys, each its own account; every request keeps a reply for its Idempotency-Key.
				r := extractionAt(p.base, fmt.Sprintf("ocr_test_ok_%d_%d", w, i/8), extractionBody)
				r.Header.Set("Idempotency-Key", strconv.Itoa(i))
				if err := send(client, r); err != nil {
					failed <- err
					return
				}
			}
		})
	}
	wg.Wait()
	close(failed)
	require.NoError(t, <-failed)
	now, peak := memory(t, p.cmd.Process.Pid)
	t.Logf("after %d requests: %.1f MB resident, %.1f MB at most", requests, float64(now)/1e6, float64(peak)/1e6)
	require.Less(t, now, 25_000_000)
}

// memory returns the resident memory of a process, now and at its peak, in bytes.
func memory(t *testing.T, pid int) (now, peak int) {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	require.NoError(t, err)
	read := func(name string) int {
		match := regexp.MustCompile(name + `:\s+(\d+) kB`).FindSubmatch(status)
		require.NotNil(t, match, name)
		kb, err := strconv.Atoi(string(match[1]))
		require.NoError(t, err)
		return kb * 1024
	}
	return read("VmRSS"), read("VmHWM")
}
