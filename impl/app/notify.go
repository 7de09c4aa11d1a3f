package app

import (
	"context"
	"fmt"
	"net"
	"os"
	"time"
)

// notifyReady tells systemd that the service answers requests, so that `systemctl restart` returns only then; see sd_notify(3).
// Without systemd, it does nothing.
func notifyReady(ctx context.Context) error {
	path := os.Getenv("NOTIFY_SOCKET")
	if path == "" {
		return nil
	}
	d := net.Dialer{Timeout: time.Second}
	conn, err := d.DialContext(ctx, "unixgram", path)
	if err != nil {
		return fmt.Errorf("tell systemd that the service is ready: %w", err)
	}
	defer func() { _ = conn.Close() }()
	_, err = conn.Write([]byte("READY=1"))
	return err
}
