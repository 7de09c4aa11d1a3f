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

// Where these are set, the test binary is the process that is to be killed.
const (
	victimDatabase = "UNCIAL_TEST_VICTIM_DATABASE"
	victimAccount  = "UNCIAL_TEST_VICTIM_ACCOUNT"
)

func TestMain(m *testing.M) {
	if url := os.Getenv(victimDatabase); url != "" {
		fmt.Fprintln(os.Stderr, spendForEver(url, os.Getenv(victimAccount)))
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// spendForEver charges points from four goroutines and prints a line for each charge, once it is made.
func spendForEver(url, accountID string) error {
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

func TestLedger_aKilledProcessLosesNoPointAndChargesNoneTwice(t *testing.T) {
	t.Parallel()
	for _, db := range databases {
		t.Run(db.Name, func(t *testing.T) {
			t.Parallel()
			url := db.URL(t)
			b := mustBookAt(t, url)
			_, err := b.ChangePlan(t.Context(), b.id, "million")
			require.NoError(t, err)
			b.mustHold(t, b.request())
			var charged int64
			for range 3 {
				charged += mustKill(t, url, b.id, 100)
			}
			held, err := b.Balance(t.Context(), b.id)
			require.NoError(t, err)
			b.requireAudit(t)
			b.clock.Advance(time.Hour)
			_, err = b.Sweep(t.Context())
			require.NoError(t, err)
			b.requireAudit(t)
			after, err := b.Balance(t.Context(), b.id)
			require.NoError(t, err)
			require.Less(t, after.Used, held.Used, "what was held came back")
			require.GreaterOrEqual(t, after.Used, charged, "what was said to be charged is")
			require.LessOrEqual(t, after.Used, charged+3*4, "and at most what each goroutine had no time to say")
		})
	}
}

// mustKill starts a process that spends, kills it in the middle once it has said lines times that it has charged, and
// returns how often it said so altogether.
func mustKill(t *testing.T, url, accountID string, lines int64) int64 {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, os.Args[0])
	cmd.Env = append(os.Environ(), victimDatabase+"="+url, victimAccount+"="+accountID)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	var said int64
	for s := bufio.NewScanner(out); s.Scan(); {
		if said++; said == lines {
			require.NoError(t, cmd.Process.Kill()) // SIGKILL
		}
	}
	require.Error(t, cmd.Wait())
	require.GreaterOrEqual(t, said, lines, "it was to be killed, not to fail")
	return said
}
