package app_test

import (
	"context"
	"net"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"uncial/impl/app"
)

func TestApp_Run_NotifiesSystemd(t *testing.T) {
	socket := filepath.Join(t.TempDir(), "notify")
	conn, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: socket, Net: "unixgram"})
	require.NoError(t, err)
	defer func() { _ = conn.Close() }()
	t.Setenv("NOTIFY_SOCKET", socket)
	a, err := app.New(app.Options{
		Listen: "127.0.0.1:0", EngineURL: "http://127.0.0.1:1", Data: app.DataOptions{Database: "sqlite::memory:"}, Logger: quiet,
	})
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- a.Run(ctx) }()
	require.NoError(t, conn.SetReadDeadline(time.Now().Add(time.Minute)))
	message := make([]byte, 64)
	n, err := conn.Read(message)
	require.NoError(t, err)
	require.Equal(t, "READY=1", string(message[:n]))
	cancel()
	require.NoError(t, <-ended)
}
