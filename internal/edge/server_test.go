package edge_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"uncial/gen"
	"uncial/internal/edge"
)

func TestNewServer_HasTimeouts(t *testing.T) {
	t.Parallel()
	var log strings.Builder
	srv := edge.NewServer(http.NotFoundHandler(), slog.New(slog.NewTextHandler(&log, nil)))
	assert.Positive(t, srv.ReadHeaderTimeout)
	assert.Positive(t, srv.ReadTimeout)
	assert.Positive(t, srv.IdleTimeout)
	assert.Positive(t, srv.MaxHeaderBytes)
	assert.Greater(t, srv.WriteTimeout, srv.ReadTimeout+time.Minute, "an extraction may take 60 s after its body was read")
	srv.ErrorLog.Print("a complaint")
	assert.Contains(t, log.String(), `level=WARN msg="a complaint"`)
}

// slow is a running service whose extractions wait for release, or for their context to end.
type slow struct {
	url      string
	started  chan struct{}
	release  chan struct{}
	stop     context.CancelFunc
	stopped  chan error
	listener net.Listener
}

func mustServe(t *testing.T, grace time.Duration) *slow {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	s := &slow{
		url: "http://" + ln.Addr().String(), listener: ln,
		started: make(chan struct{}), release: make(chan struct{}), stopped: make(chan error, 1),
	}
	d := mustNew(t, func(o *edge.Options) { o.Logger = slog.New(slog.DiscardHandler) })
	d.server.extract = func(ctx context.Context, _ gen.ExtractRequestObject) (gen.ExtractResponseObject, error) {
		close(s.started)
		select {
		case <-s.release:
			return gen.Extract200JSONResponse{}, nil
		case <-ctx.Done():
			return nil, fmt.Errorf("recognize: %w", ctx.Err())
		}
	}
	ctx, stop := context.WithCancel(t.Context())
	s.stop = stop
	go func() { s.stopped <- edge.Serve(ctx, edge.NewServer(d, nil), ln, grace) }()
	return s
}

// post sends an extraction and returns its status, 0 if there was no answer.
func (s *slow) post() <-chan int {
	status := make(chan int, 1)
	go func() {
		req, err := http.NewRequest(http.MethodPost, s.url+"/api/v1/extract", strings.NewReader(smallBody))
		if err != nil {
			status <- 0
			return
		}
		res, err := http.DefaultClient.Do(with(req))
		if err != nil {
			status <- 0
			return
		}
		defer func() { _ = res.Body.Close() }()
		_, _ = io.Copy(io.Discard, res.Body)
		status <- res.StatusCode
	}()
	return status
}

func TestServe_WaitsForRequestsInProgress(t *testing.T) {
	t.Parallel()
	s := mustServe(t, 30*time.Second)
	status := s.post()
	<-s.started
	s.stop()
	require.Eventually(t, func() bool {
		conn, err := net.Dial("tcp", s.listener.Addr().String())
		if err == nil {
			_ = conn.Close()
		}
		return err != nil
	}, 5*time.Second, 5*time.Millisecond, "no new connection is taken")
	close(s.release)
	assert.Equal(t, http.StatusOK, <-status)
	assert.NoError(t, <-s.stopped)
}

func TestServe_CancelsRequestsAfterTheGracePeriod(t *testing.T) {
	t.Parallel()
	s := mustServe(t, 20*time.Millisecond)
	status := s.post()
	<-s.started
	s.stop()
	assert.Equal(t, http.StatusInternalServerError, <-status, "the handler's context ends, and its answer still arrives")
	assert.ErrorIs(t, <-s.stopped, context.DeadlineExceeded)
}

func TestServe_ReturnsTheErrorOfTheListener(t *testing.T) {
	t.Parallel()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	require.NoError(t, ln.Close())
	require.ErrorIs(t, edge.Serve(t.Context(), edge.NewServer(nil, nil), ln, time.Second), net.ErrClosed)
}

// A caller without a key is turned away before it is told to send its body.
func TestHandler_RefusesBeforeTheBodyIsSent(t *testing.T) {
	t.Parallel()
	address := serve(t, mustNew(t, nil))
	head := "POST /api/v1/extract HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nExpect: 100-continue\r\nContent-Length: 20000000\r\n"
	res := raw(t, address, head+"\r\n")
	assert.Equal(t, http.StatusUnauthorized, res.StatusCode, "and not 100")
	res = raw(t, address, strings.Replace(head, "20000000", "40000000", 1)+"Authorization: Bearer "+goodKey+"\r\n\r\n")
	assert.Equal(t, http.StatusBadRequest, res.StatusCode, res.Body)
	assert.Contains(t, res.Body, `"body":"must be at most 28 MiB"`)
}
