//go:build torture

package workerpool_test

import (
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"uncial/impl/ocr"
	"uncial/impl/ocr/ocrtest"
	"uncial/impl/ocr/workerpool"
)

const (
	soakTime = 90 * time.Second
	// maxSoakGrowth is the maximum by which the memory of a worker may grow, in MiB, after the first third of the time.
	maxSoakGrowth = 50
)

// TestTorture_Soak reads pages in two languages without a pause, and watches the memory of the workers.
func TestTorture_Soak(t *testing.T) {
	p, ps := MustOpenEngine(t, workerpool.Options{Worker: ocrtest.MustBuildWorker(t), Workers: 2, Queue: 8, MaxPages: 1 << 20})
	pages := pagesOf(t, func(word string) []string {
		return []string{"This page is about the " + word, "and about nothing else."}
	})
	var read atomic.Int64
	var readers sync.WaitGroup
	started := time.Now()
	for r := range 4 {
		readers.Go(func() {
			for i := r; time.Since(started) < soakTime; i++ {
				doc, err := p.Recognize(t.Context(), ocr.Request{Image: pages[i%len(words)], Language: []string{"en", "fr"}[i%2]})
				if err != nil {
					t.Error(err)
					return
				}
				assert.Contains(t, doc.Text(), words[i%len(words)])
				read.Add(1)
			}
		})
	}
	time.Sleep(soakTime / 3)
	before := ps.residentMiB(t)
	readers.Wait()
	after := ps.residentMiB(t)
	t.Logf("read %d pages in %v; memory of the workers in MiB: %v after a third of the time, %v at the end",
		read.Load(), time.Since(started).Round(time.Second), before, after)
	for pid := range after {
		require.Contains(t, before, pid, "no worker was replaced")
		require.Less(t, after[pid], before[pid]+maxSoakGrowth)
	}
	require.Zero(t, p.Stats().Restarts)
}

// residentMiB returns the memory of each process, by its ID.
func (ps *processes) residentMiB(t *testing.T) map[int]int {
	t.Helper()
	all := map[int]int{}
	ps.pids.Range(func(pid, _ any) bool {
		text, err := os.ReadFile("/proc/" + strconv.Itoa(pid.(int)) + "/statm")
		if assert.NoError(t, err) {
			pages, err := strconv.Atoi(strings.Fields(string(text))[1])
			assert.NoError(t, err)
			all[pid.(int)] = pages * os.Getpagesize() >> 20
		}
		return true
	})
	return all
}
