package ledger_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"uncial/impl/ledger"
	"uncial/impl/store"
)

// If these are set, the test binary is the process to be killed.
const (
	victimDatabase = "UNCIAL_TEST_VICTIM_DATABASE"
	victimAccount  = "UNCIAL_TEST_VICTIM_ACCOUNT"
)

func TestMain(m *testing.M) {
	if url := os.Getenv(victimDatabase); url != "" {
		fmt.Fprintln(os.Stderr, spendForever(url, os.Getenv(victimAccount)))
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// spendForever charges points in four goroutines and prints a line after each charge.
func spendForever(url, accountID string) error {
	ctx := context.Background()
	st, err := store.Open(ctx, url, store.Options{})
	if err != nil {
		return err
	}
	now := func() time.Time { return midMarch }
	l := ledger.New(st, ledger.Options{Now: now})
	failure := make(chan error)
	for range 4 {
		go func() {
			for {
				h, err := l.Hold(ctx, ledger.HoldRequest{AccountID: accountID, Points: 1, TTL: time.Minute})
				if err != nil {
					failure <- err
					return
				}
				if _, err := l.Settle(ctx, h, nil); err != nil {
					failure <- err
					return
				}
				fmt.Println(h.ID)
			}
		}()
	}
	return <-failure
}

// mustKill starts a process that charges points, kills it after it has reported this number of charges (one per line), and
// returns how many it reported in all.
func (b book) mustKill(lines int64) int64 {
	b.Helper()
	ctx, cancel := context.WithTimeout(b.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, os.Args[0])
	cmd.Env = append(os.Environ(), victimDatabase+"="+b.url, victimAccount+"="+b.id)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	require.NoError(b, err)
	require.NoError(b, cmd.Start())
	var said int64
	for s := bufio.NewScanner(out); s.Scan(); {
		if said++; said == lines {
			require.NoError(b, cmd.Process.Kill()) // SIGKILL
		}
	}
	require.Error(b, cmd.Wait())
	require.GreaterOrEqual(b, said, lines, "the process failed before it was killed")
	return said
}

func TestLedger_Crash(t *testing.T) {
	bookTests{"neither loses points nor charges twice when a process is killed": func(t book) {
		t.mustChangePlan("million")
		t.mustHold(t.request())
		var charged int64
		for range 3 {
			charged += t.mustKill(100)
		}
		held, err := t.Balance(t.Context(), t.id)
		require.NoError(t, err)
		t.requireAudit()
		t.clock.Advance(time.Hour)
		_, err = t.Sweep(t.Context())
		require.NoError(t, err)
		t.requireAudit()
		after, err := t.Balance(t.Context(), t.id)
		require.NoError(t, err)
		require.Less(t, after.Used, held.Used, "held points were returned")
		require.GreaterOrEqual(t, after.Used, charged, "every reported charge is in the books")
		require.LessOrEqual(t, after.Used, charged+3*4, "at most one unreported charge per goroutine and process")
		t.Logf("3 processes killed while they charged: %d charges reported, %d in the books, %d held points returned", charged, after.Used, held.Used-after.Used)
	}}.run(t)
}
