package realservice

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"uncial/internal/edge"
)

// MustServe starts a server in this process, as the programs do, and returns its address.
func MustServe(tb testing.TB, h http.Handler) string {
	tb.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(tb, err)
	ctx, stop := context.WithCancel(context.WithoutCancel(tb.Context()))
	done := make(chan error, 1)
	go func() { done <- edge.Serve(ctx, edge.NewServer(h, slog.New(slog.DiscardHandler)), ln, time.Minute) }()
	tb.Cleanup(func() {
		stop()
		require.NoError(tb, <-done)
	})
	return "http://" + ln.Addr().String()
}
