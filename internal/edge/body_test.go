package edge

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// connection records the read deadline that is set on it.
type connection struct {
	http.ResponseWriter
	deadline time.Time
}

func (c *connection) SetReadDeadline(at time.Time) error { c.deadline = at; return nil }

// chunks delivers each chunk after its pause.
type chunks []struct {
	pause time.Duration
	size  int
}

func (c *chunks) Read(p []byte) (int, error) {
	if len(*c) == 0 {
		return 0, io.EOF
	}
	next := (*c)[0]
	*c = (*c)[1:]
	time.Sleep(next.pause)
	return min(next.size, len(p)), nil
}

func TestBody_Read(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := &connection{ResponseWriter: httptest.NewRecorder()}
		r := httptest.NewRequest(http.MethodPost, "/", &chunks{{time.Second, 1}, {0, 20 * minRate}, {3 * time.Second, minRate}, {4 * time.Second, 1}, {}})
		b := pace(c, r)
		buffer := make([]byte, 40*minRate)
		read := func() time.Duration {
			t.Helper()
			began := time.Now()
			_, err := b.Read(buffer)
			require.NoError(t, err)
			return c.deadline.Sub(began).Round(100 * time.Millisecond)
		}
		require.Equal(t, graceTime, read(), "a body may begin slowly")
		require.Equal(t, graceTime-time.Second, read(), "one byte earns no time")
		time.Sleep(10 * time.Second)
		require.Equal(t, graceTime, read(), "much data does not earn a longer pause, and the server's own time does not count")
		require.Equal(t, graceTime-2*time.Second, read(), "each 16 KiB are worth a second")
		time.Sleep(readTimeout - 20*time.Second)
		require.Equal(t, -time.Second, read(), "four seconds were more than it had")
		_, err := b.Read(buffer)
		require.ErrorIs(t, err, io.EOF)
		require.Zero(t, c.deadline, "the work has no deadline")
	})
}

func TestBody_Read_EndsAfterTwoMinutes(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := &connection{ResponseWriter: httptest.NewRecorder()}
		b := pace(c, httptest.NewRequest(http.MethodPost, "/", &chunks{{0, 1}}))
		time.Sleep(readTimeout - time.Second)
		_, err := b.Read(make([]byte, 1))
		require.NoError(t, err)
		require.Equal(t, readTimeout, c.deadline.Sub(b.started))
	})
}
