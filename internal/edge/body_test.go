package edge

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// connection records the read deadline that is set on it.
type connection struct {
	http.ResponseWriter
	deadline time.Time
}

func (c *connection) SetReadDeadline(at time.Time) error { c.deadline = at; return nil }

func TestBody_Read(t *testing.T) {
	t.Parallel()
	c := &connection{ResponseWriter: httptest.NewRecorder()}
	r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(strings.Repeat("x", 40<<20)))
	b := pace(c, r)
	wait := func() time.Duration { return c.deadline.Sub(b.started).Round(time.Second) }
	read := func(n int64) {
		t.Helper()
		_, err := io.CopyN(io.Discard, b, n)
		require.NoError(t, err)
	}
	read(1)
	require.Equal(t, graceTime, wait(), "a body may begin slowly")
	read(10 * minRate)
	read(1)
	require.Equal(t, graceTime+10*time.Second, wait(), "each 16 KiB are worth a second")
	read(30 << 20)
	read(1)
	require.Equal(t, readTimeout, wait(), "no body has more than two minutes")
	_, err := io.Copy(io.Discard, b)
	require.NoError(t, err)
	require.Zero(t, c.deadline, "the work has no deadline")
}
