package fair_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"uncial/internal/fair"
)

func as(t *testing.T, label string) context.Context {
	t.Helper()
	return fair.NewContext(t.Context(), fair.Account{Label: label})
}

func TestSemaphore_Enter(t *testing.T) {
	t.Parallel()
	g := fair.NewSemaphore(func() int { return 1 })
	inside, leave, err := g.Enter(as(t, "a"))
	require.NoError(t, err)
	_, again, err := g.Enter(inside)
	require.NoError(t, err, "a request that is inside takes no second place")
	again()
	_, _, err = g.Enter(as(t, "a"))
	require.ErrorIs(t, err, fair.ErrFull, "the other place is the reserve")
	_, other, err := g.Enter(as(t, "b"))
	require.NoError(t, err)
	_, _, err = g.Enter(as(t, "c"))
	require.ErrorIs(t, err, fair.ErrFull)
	leave()
	other()
	_, leave, err = g.Enter(as(t, "c"))
	require.NoError(t, err)
	leave()
	var open *fair.Semaphore
	_, leave, err = open.Enter(as(t, "a"))
	require.NoError(t, err, "no semaphore lets everyone in")
	leave()
}

func TestSemaphore_Wait(t *testing.T) {
	t.Parallel()
	t.Run("lets the account in first that holds less", func(t *testing.T) {
		t.Parallel()
		g := fair.NewSemaphore(func() int { return 3 })
		_, first, err := g.Enter(as(t, "a"))
		require.NoError(t, err)
		_, second, err := g.Enter(as(t, "a"))
		require.NoError(t, err)
		_, third, err := g.Enter(as(t, "a"))
		require.NoError(t, err)
		_, fourth, err := g.Enter(as(t, "b"))
		require.NoError(t, err)
		order := make(chan string, 2)
		wait := func(label string, already int) {
			go func() {
				if _, _, err := g.Wait(as(t, label)); err == nil {
					order <- label
				}
			}()
			require.Eventually(t, func() bool { return g.Waiting() > already }, time.Second, time.Millisecond)
		}
		wait("a", 0)
		wait("c", 1)
		second()
		require.Equal(t, "c", <-order)
		third()
		fourth()
		first()
		require.Equal(t, "a", <-order)
	})
	t.Run("forgets a caller who leaves", func(t *testing.T) {
		t.Parallel()
		g := fair.NewSemaphore(func() int { return 1 })
		_, leave, err := g.Enter(as(t, "a"))
		require.NoError(t, err)
		_, reserve, err := g.Enter(as(t, "x"))
		require.NoError(t, err)
		defer reserve()
		ctx, cancel := context.WithCancel(as(t, "b"))
		cancel()
		_, _, err = g.Wait(ctx)
		require.ErrorIs(t, err, context.Canceled)
		leave()
		_, leave, err = g.Wait(as(t, "c"))
		require.NoError(t, err)
		leave()
	})
}

func TestReservation_Extend(t *testing.T) {
	t.Parallel()
	p := fair.NewPlaces(1<<20-1<<17, 1<<10)
	m := p.Reserve(fair.Account{Label: "a"})
	var buffer []byte
	var ok bool
	for len(buffer) < 400_000 {
		buffer, ok = m.Extend(buffer, 1000, 500_000)
		require.True(t, ok)
		buffer = append(buffer, make([]byte, 1000)...)
		require.LessOrEqual(t, p.Used(), max(int64(4*len(buffer)), 32<<10), "memory follows what has arrived")
	}
	require.EqualValues(t, cap(buffer), p.Used())
	unchanged, ok := m.Extend(buffer, 600_000, 2<<20)
	require.False(t, ok, "old and new buffer together are more than there is")
	require.Len(t, unchanged, len(buffer))
	m.Close()
	require.Zero(t, p.Used())
	require.False(t, m.Grow(1), "a worker that answers after its caller has left")
	m.Shrink(1)
	require.Zero(t, p.Used())
}

func TestSemaphore_Wait_Weights(t *testing.T) {
	t.Parallel()
	t.Run("gives turns by weight", func(t *testing.T) {
		t.Parallel()
		requireTurnsByWeight(t, fair.NewTurns(1))
	})
	t.Run("gives turns by weight after the plan of an account that waited has changed", func(t *testing.T) {
		t.Parallel()
		g := fair.NewTurns(1)
		_, leave, err := g.Wait(as(t, "first"))
		require.NoError(t, err)
		ended := make(chan struct{})
		for _, weight := range []int{1, 4, 1} {
			ctx := fair.NewContext(t.Context(), fair.Account{Label: "upgraded", Weight: weight})
			require.True(t, g.MayWait(ctx, 8))
			waiting := g.Waiting()
			go func() {
				if _, leave, err := g.Wait(ctx); err == nil {
					leave()
				}
				ended <- struct{}{}
			}()
			require.Eventually(t, func() bool { return g.Waiting() == waiting+1 }, 5*time.Second, time.Millisecond)
		}
		leave()
		for range 3 {
			<-ended
		}
		requireTurnsByWeight(t, g)
	})
}

// requireTurnsByWeight has twenty accounts of weight 1 and one of weight 2 wait, which has as many requests as all others.
func requireTurnsByWeight(t *testing.T, g *fair.Semaphore) {
	t.Helper()
	_, leave, err := g.Wait(as(t, "first"))
	require.NoError(t, err)
	order := make(chan string)
	for i := range 40 {
		account := fair.Account{Label: fmt.Sprint("free", i%20), Weight: 1}
		if i >= 20 {
			account = fair.Account{Label: "paying", Weight: 2}
		}
		go func() {
			_, leave, err := g.Wait(fair.NewContext(t.Context(), account))
			if err == nil {
				order <- account.Label
				leave()
			}
		}()
	}
	require.Eventually(t, func() bool { return g.Waiting() == 40 }, 5*time.Second, time.Millisecond)
	leave()
	paying := 0
	for range 20 {
		if <-order == "paying" {
			paying++
		}
	}
	require.InDelta(t, 10, paying, 2, "half of the turns, although twenty free accounts wait")
	for range 20 {
		<-order
	}
}

func TestSemaphore_MayWait(t *testing.T) {
	t.Parallel()
	g := fair.NewTurns(1)
	_, leave, err := g.Wait(as(t, "inside"))
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(as(t, "flooder"))
	waiting := 0
	for ; g.MayWait(ctx, 8); waiting++ {
		require.Less(t, waiting, 100)
		go func() { _, _, _ = g.Wait(ctx) }()
		require.Eventually(t, func() bool { return g.Waiting() == waiting+1 }, 5*time.Second, time.Millisecond)
	}
	require.Equal(t, 8, waiting, "an account that waits alone")
	require.True(t, g.MayWait(as(t, "other"), 8), "others may wait too")
	cancel()
	require.Eventually(t, func() bool { return g.Waiting() == 0 }, 5*time.Second, time.Millisecond)
	leave()
}
