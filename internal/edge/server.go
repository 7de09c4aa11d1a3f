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

// Limits of a connection, against peers that are slow on purpose. A body of 28 MiB needs 2 Mbit/s to arrive within readTimeout.
// writeTimeout counts from the end of the header and covers reading, working and answering; the answer of an operation gets
// answerTime of its own.
const (
	readHeaderTimeout = 10 * time.Second
	readTimeout       = 2 * time.Minute
	writeTimeout      = 5 * time.Minute
	idleTimeout       = 2 * time.Minute
	maxHeaderBytes    = 64 << 10
)

// cancelTime is how long handlers have to return after their contexts are cancelled.
const cancelTime = 2 * time.Second

// NewServer returns an http.Server for the handler, with a limit on everything that a peer can prolong. Its own errors go to
// the logger; nil stands for slog.Default().
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
		DisableGeneralOptionsHandler: true, // OPTIONS * is a path that does not exist
		ErrorLog:                     slog.NewLogLogger(logger.Handler(), slog.LevelWarn),
	}
}

// Serve serves on the listener, which it closes, until ctx ends. Then it accepts no new requests and waits up to grace for
// those in progress; after that it cancels their contexts, and shortly after closes their connections. It returns nil if no
// request was interrupted.
func Serve(ctx context.Context, srv *http.Server, ln net.Listener, grace time.Duration) error {
	// Requests must outlive ctx, so they get a context that is cancelled only after the grace period.
	base, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	srv.BaseContext = func(net.Listener) context.Context { return base }
	served := make(chan error, 1)
	go func() { served <- srv.Serve(libraryErrors{ln}) }()
	select {
	case err := <-served:
		return err
	case <-ctx.Done():
	}
	err := shutdown(base, srv, grace)
	if err != nil {
		err = fmt.Errorf("interrupted requests that had not finished within %v: %w", grace, err)
		cancel()
		if late := shutdown(context.WithoutCancel(ctx), srv, cancelTime); late != nil {
			err = errors.Join(err, srv.Close())
		}
	}
	if why := <-served; !errors.Is(why, http.ErrServerClosed) {
		err = errors.Join(err, why)
	}
	return err
}

// shutdown stops the server and waits for its requests, for at most wait.
func shutdown(ctx context.Context, srv *http.Server, wait time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	return srv.Shutdown(ctx)
}
