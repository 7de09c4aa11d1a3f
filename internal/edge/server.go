package edge

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"
)

// Limits of a connection. A body of 28 MiB within readTimeout needs 2 Mbit/s; writeTimeout is for everything from the
// headers on, but the door gives the answer of an extraction its own time, however long the work took.
const (
	readHeaderTimeout = 10 * time.Second
	readTimeout       = 2 * time.Minute
	writeTimeout      = 5 * time.Minute
	idleTimeout       = 2 * time.Minute
	maxHeaderBytes    = 64 << 10
)

// cutShort is how long handlers have to end after their contexts were cancelled.
const cutShort = 2 * time.Second

// NewServer is the http.Server for a door: with limits on everything that a peer can stretch, and its own complaints
// in the logger, slog.Default() where that is nil.
func NewServer(h http.Handler, logger *slog.Logger) *http.Server {
	if logger == nil {
		logger = slog.Default()
	}
	return &http.Server{
		Handler:                      h,
		ReadHeaderTimeout:            readHeaderTimeout,
		ReadTimeout:                  readTimeout,
		WriteTimeout:                 writeTimeout,
		IdleTimeout:                  idleTimeout,
		MaxHeaderBytes:               maxHeaderBytes,
		DisableGeneralOptionsHandler: true,
		ErrorLog:                     slog.NewLogLogger(logger.Handler(), slog.LevelWarn),
	}
}

// Serve serves on the listener, which it closes, until ctx ends. It then takes no new requests and gives those under
// way the time of grace; after that it cancels their contexts, and soon cuts their connections. The error is nil where
// no request was cut short.
func Serve(ctx context.Context, srv *http.Server, ln net.Listener, grace time.Duration) error {
	base, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	srv.BaseContext = func(net.Listener) context.Context { return base }
	served := make(chan error, 1)
	go func() { served <- srv.Serve(ln) }()
	select {
	case err := <-served:
		return err
	case <-ctx.Done():
	}
	err := shutdown(base, srv, grace)
	if err != nil {
		err = fmt.Errorf("requests were cut short that had not ended after %v: %w", grace, err)
		cancel()
		if late := shutdown(context.WithoutCancel(ctx), srv, cutShort); late != nil {
			err = errors.Join(err, srv.Close())
		}
	}
	if why := <-served; !errors.Is(why, http.ErrServerClosed) {
		err = errors.Join(err, why)
	}
	return err
}

func shutdown(ctx context.Context, srv *http.Server, wait time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	return srv.Shutdown(ctx)
}
