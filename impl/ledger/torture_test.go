//go:build torture

package ledger_test

import (
	"os"
	"regexp"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"uncial/impl/ledger"
	"uncial/impl/store/storetest"
)

const (
	tortureEntries = 10_000_000
	// maxAuditMemory bounds the memory of this process, in bytes, while it audits a SQLite file.
	maxAuditMemory = 256 << 20
)

// peakMemory returns the peak of the memory that this process has occupied, in bytes.
func peakMemory(tb testing.TB) int64 {
	tb.Helper()
	status, err := os.ReadFile("/proc/self/status")
	require.NoError(tb, err)
	found := regexp.MustCompile(`VmHWM:\s*([0-9]+) kB`).FindSubmatch(status)
	require.NotNil(tb, found)
	kib, err := strconv.ParseInt(string(found[1]), 10, 64)
	require.NoError(tb, err)
	return kib << 10
}

// TestTorture_Audit audits ten million entries, archives them, and audits what remains.
func TestTorture_Audit(t *testing.T) {
	b := newBook(t, storetest.SQLite(t))
	b.mustChangePlan("million")
	b.mustCharge(b.request(), "")
	started := time.Now()
	b.insertHolds(tortureEntries / 2)
	t.Logf("made %d entries in %v", b.mustCount(`entries`), time.Since(started).Round(time.Second))
	started = time.Now()
	b.requireAudit()
	t.Logf("audited them in %v; this process took at most %d MiB", time.Since(started).Round(time.Second), peakMemory(t)>>20)
	require.Less(t, peakMemory(t), int64(maxAuditMemory))

	b = b.retaining(ledger.MinRetention)
	b.clock.Advance(60 * 24 * time.Hour)
	started = time.Now()
	archived, sweeps := 0, 0
	for ; ; sweeps++ {
		swept, err := b.Sweep(t.Context())
		require.NoError(t, err)
		if swept.Archived == 0 {
			break
		}
		archived += swept.Archived
	}
	took := time.Since(started)
	t.Logf("archived %d holds in %d sweeps of %v", archived, sweeps, (took / time.Duration(max(sweeps, 1))).Round(time.Millisecond))
	require.Equal(t, tortureEntries/2+1, archived)
	b.requireAudit()
	require.Less(t, peakMemory(t), int64(maxAuditMemory))
}
