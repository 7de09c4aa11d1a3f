package client_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"uncial/impl/client"
)

// mustFill calls enter until no further page may be sent, and returns how many pages were.
func mustFill(t *testing.T, p *client.Pace) (n int) {
	t.Helper()
	for {
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		err := p.Enter(ctx)
		cancel()
		if err != nil {
			require.ErrorIs(t, err, context.DeadlineExceeded)
			return n
		}
		n++
	}
}

func TestPace(t *testing.T) {
	t.Parallel()
	p := client.NewPace(8)
	leave := func(n int, isRead bool) {
		for range n {
			p.Leave(isRead)
		}
	}
	assert.Equal(t, 8, mustFill(t, p))
	p.SlowDown(0)
	leave(8, false)
	assert.Equal(t, 4, mustFill(t, p), "half as many")
	p.SlowDown(0)
	p.SlowDown(0)
	p.SlowDown(0)
	leave(4, false)
	assert.Equal(t, 1, mustFill(t, p), "at least one")
	leave(1, true)
	for range 3 {
		require.NoError(t, p.Enter(t.Context()))
		p.Leave(true)
	}
	assert.Equal(t, 2, mustFill(t, p), "one more after some successes")
	leave(2, true)
	for range 200 {
		require.NoError(t, p.Enter(t.Context()))
		p.Leave(true)
	}
	assert.Equal(t, 8, mustFill(t, p), "never more than --jobs")
	leave(8, true)

	const wait = 300 * time.Millisecond
	start := time.Now()
	p.SlowDown(wait)
	p.SlowDown(0)
	require.NoError(t, p.Enter(t.Context()))
	assert.GreaterOrEqual(t, time.Since(start), wait, "nothing is sent before the service allows it")
}

func TestHosts(t *testing.T) {
	t.Parallel()
	short := func() context.Context {
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		t.Cleanup(cancel)
		return ctx
	}
	h := client.NewHosts(true)
	release, err := h.Wait(t.Context(), "a.test")
	require.NoError(t, err)
	_, err = h.Wait(short(), "a.test")
	require.ErrorIs(t, err, context.DeadlineExceeded, "one at a time")
	for _, other := range []string{"b.test", "", ""} {
		_, err = h.Wait(t.Context(), other)
		require.NoError(t, err)
	}
	release()
	release, err = h.Wait(t.Context(), "a.test")
	require.NoError(t, err)
	release()
	h.RecordPause("a.test", time.Hour)
	h.RecordPause("", time.Hour)
	_, err = h.Wait(short(), "a.test")
	require.ErrorIs(t, err, context.DeadlineExceeded, "the server asked clients to wait")
	_, err = h.Wait(t.Context(), "")
	require.NoError(t, err)

	h = client.NewHosts(false)
	for range 3 {
		_, err = h.Wait(t.Context(), "a.test")
		require.NoError(t, err, "--jobs was given")
	}
}
