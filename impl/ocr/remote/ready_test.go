package remote_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"uncial/impl/ocr"
	"uncial/impl/ocr/remote"
)

func TestClient_Ready_isTrueWhereOneEngineCanRead(t *testing.T) {
	t.Parallel()
	state := func(ready int) http.Handler {
		return remote.Handler(&fake{load: func() ocr.Load { return ocr.Load{Workers: 2, Ready: ready, Queue: 8} }}, nil)
	}
	cl, servers := MustCluster(t, state(0), state(2))
	c := MustDial(t, cl.url, remote.Options{Lookup: cl.lookup, Refresh: time.Hour})
	require.NoError(t, c.Ready(t.Context()))
	_, err := c.Languages(t.Context())
	require.NoError(t, err)
	servers[1].Close()
	require.EqualError(t, c.Ready(t.Context()), "no engine answers with a worker that can read")
	_, err = c.Languages(t.Context())
	require.NoError(t, err, "what was true a while ago")

	cl.set()
	none := MustDial(t, cl.url, remote.Options{Lookup: cl.lookup, Refresh: time.Hour})
	require.Error(t, none.Ready(t.Context()), "the name stands for nothing")
}

func TestClient_Ready_endsWithItsContext(t *testing.T) {
	t.Parallel()
	held := make(chan struct{})
	var mute atomic.Bool
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if mute.Load() {
			<-held
		}
		_, _ = io.WriteString(w, `{"workers":1,"ready":1}`)
	}))
	t.Cleanup(server.Close)
	t.Cleanup(func() { close(held) })
	c := MustDial(t, server.URL, remote.Options{Refresh: time.Hour})
	mute.Store(true)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	require.Error(t, c.Ready(ctx))
	require.NoError(t, t.Context().Err())
}

func TestClient_Stats(t *testing.T) {
	t.Parallel()
	f := &fake{load: func() ocr.Load { return ocr.Load{Workers: 1, Ready: 1, Queue: 9, Queued: 5} }}
	cl, _ := MustCluster(t, remote.Handler(f, nil), http.HandlerFunc(dying))
	c := MustDial(t, cl.url, remote.Options{Lookup: cl.lookup, Refresh: time.Hour, Shun: time.Hour})
	for range 3 {
		_, err := c.Recognize(t.Context(), request())
		require.NoError(t, err)
	}
	require.Equal(t, remote.Stats{Engines: 2, Avoided: 1, Requests: 4, Died: 1, Repeated: 1}, c.Stats())
}
