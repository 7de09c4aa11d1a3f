package edge_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"uncial/gen"
	"uncial/internal/edge"
)

// mustDial connects with a deadline for everything.
func mustDial(t *testing.T, address string) net.Conn {
	t.Helper()
	conn, err := net.DialTimeout("tcp", address, 5*time.Second)
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	require.NoError(t, conn.SetDeadline(time.Now().Add(20*time.Second)))
	return conn
}

// mustAnswer reads one answer and returns its status.
func mustAnswer(t *testing.T, r *bufio.Reader) int {
	t.Helper()
	res, err := http.ReadResponse(r, &http.Request{Method: http.MethodPost})
	require.NoError(t, err)
	_, err = io.Copy(io.Discard, res.Body)
	require.NoError(t, err)
	require.NoError(t, res.Body.Close())
	return res.StatusCode
}

func head(key string, headers ...string) string {
	return "POST /api/v1/extract HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nAuthorization: Bearer " + key + "\r\n" +
		strings.Join(headers, "\r\n") + "\r\n\r\n"
}

func TestHandler_RefusesBeforeASlowBodyArrives(t *testing.T) {
	t.Parallel()
	address := serve(t, mustNew(t, nil))
	for name, framing := range map[string]string{"a small body": "Content-Length: 100", "a large body": "Content-Length: 9000000", "chunks": "Transfer-Encoding: chunked"} {
		t.Run("refuses "+name, func(t *testing.T) {
			t.Parallel()
			conn := mustDial(t, address)
			started := time.Now()
			_, err := io.WriteString(conn, head("ocr_test_unknown", framing)+"1")
			require.NoError(t, err)
			assert.Equal(t, http.StatusUnauthorized, mustAnswer(t, bufio.NewReader(conn)))
			assert.Less(t, time.Since(started), 3*time.Second, "it does not wait for the body")
		})
	}
}

// Many clients send the whole body before they look for an answer. Without reading on, the server would reset the connection,
// and its answer would be lost.
func TestHandler_ReadsTheBodyThatItRefuses(t *testing.T) {
	t.Parallel()
	address := serve(t, mustNew(t, nil))
	for name, c := range map[string]struct {
		key       string
		megabytes int
		want      int
	}{
		"of an unknown key": {"ocr_test_unknown", 26, http.StatusUnauthorized},
		"that is too large": {goodKey, 100, http.StatusBadRequest},
	} {
		t.Run("reads a body "+name, func(t *testing.T) {
			t.Parallel()
			conn := mustDial(t, address)
			_, err := io.WriteString(conn, head(c.key, fmt.Sprintf("Content-Length: %d000000", c.megabytes)))
			require.NoError(t, err)
			for range c.megabytes {
				_, err := conn.Write(make([]byte, 1_000_000))
				require.NoError(t, err)
			}
			answers := bufio.NewReader(conn)
			assert.Equal(t, c.want, mustAnswer(t, answers))
			_, err = answers.ReadByte()
			assert.ErrorIs(t, err, io.EOF, "the connection ends, and not with a reset")
		})
	}
}

func TestHandler_KeepsTheConnectionAfterASmallRefusedBody(t *testing.T) {
	t.Parallel()
	conn := mustDial(t, serve(t, mustNew(t, nil)))
	answers := bufio.NewReader(conn)
	for range 2 {
		_, err := io.WriteString(conn, head("ocr_test_unknown", "Content-Length: 2")+"{}")
		require.NoError(t, err)
		assert.Equal(t, http.StatusUnauthorized, mustAnswer(t, answers))
	}
}

// A busy client sends the rest of a small body after the refusal, and reads only then.
func TestHandler_AnswersBeforeTheRestOfASmallBody(t *testing.T) {
	t.Parallel()
	conn := mustDial(t, serve(t, mustNew(t, nil)))
	_, err := io.WriteString(conn, head("ocr_test_unknown", "Content-Length: 200000")+"{")
	require.NoError(t, err)
	time.Sleep(200 * time.Millisecond)
	for range 199 {
		_, err = io.WriteString(conn, strings.Repeat(" ", 1000))
		require.NoError(t, err)
	}
	assert.Equal(t, http.StatusUnauthorized, mustAnswer(t, bufio.NewReader(conn)))
}

// The context of later requests is that of the connection, which an expired deadline would end.
func TestHandler_KeepsTheContextAfterALateRefusalWithoutABody(t *testing.T) {
	t.Parallel()
	handler := mustNew(t, nil)
	ended := make(chan error, 2)
	conn := mustDial(t, serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ended <- r.Context().Err()
		r.Body = io.NopCloser(r.Body) // as the mock does, which keeps bodies
		handler.ServeHTTP(w, r)
		time.Sleep(100 * time.Millisecond) // a slow machine
	})))
	answers := bufio.NewReader(conn)
	for range 2 {
		_, err := io.WriteString(conn, "GET /api/v1/status HTTP/1.1\r\nHost: x\r\n\r\n")
		require.NoError(t, err)
		assert.Equal(t, http.StatusUnauthorized, mustAnswer(t, answers))
		assert.NoError(t, <-ended)
	}
}

// RFC 9112, section 6.1: a proxy in between may have believed the other header, and the second request would be smuggled.
func TestHandler_ClosesTheConnectionAfterContentLengthWithTransferEncoding(t *testing.T) {
	t.Parallel()
	for name, request := range map[string]string{
		"an extraction": head(goodKey, "Content-Length: 5", "Transfer-Encoding: chunked") + fmt.Sprintf("%x\r\n%s\r\n0\r\n\r\n", len(smallBody), smallBody),
		"a probe":       "GET /healthz HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
	} {
		t.Run("of "+name, func(t *testing.T) {
			t.Parallel()
			conn := mustDial(t, serve(t, mustNew(t, nil)))
			_, err := io.WriteString(conn, request+head(goodKey, fmt.Sprint("Content-Length: ", len(smallBody)))+smallBody)
			require.NoError(t, err)
			answers := bufio.NewReader(conn)
			assert.Equal(t, http.StatusOK, mustAnswer(t, answers))
			_, err = answers.ReadByte()
			assert.Error(t, err, "the second request gets no answer")
		})
	}
}

func TestHandler_CountsAClientThatLeftAs499(t *testing.T) {
	t.Parallel()
	statuses := make(chan int, 1)
	started := make(chan struct{})
	d := mustNew(t, func(o *edge.Options) { o.Answered = func(_ string, status int) { statuses <- status } })
	d.server.extract = func(ctx context.Context, _ gen.ExtractRequestObject) (gen.ExtractResponseObject, error) {
		close(started)
		<-ctx.Done()
		return nil, ctx.Err()
	}
	conn := mustDial(t, serve(t, d))
	_, err := io.WriteString(conn, head(goodKey, fmt.Sprint("Content-Length: ", len(smallBody)))+smallBody)
	require.NoError(t, err)
	<-started
	require.NoError(t, conn.Close())
	assert.Equal(t, 499, <-statuses)
	assert.Contains(t, d.log.String(), `"level":"INFO"`)
	assert.NotContains(t, d.log.String(), `"level":"ERROR"`)
	assert.NotContains(t, d.log.String(), "SERVER_ERROR")
}

// A browser sends the whole form before it shows an answer, also one that a page refuses at once.
func TestHandler_ReadsTheFormThatAPageRefuses(t *testing.T) {
	t.Parallel()
	page := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) })
	address := serve(t, mustNew(t, func(o *edge.Options) { o.Subtrees = map[string]http.Handler{"/pages/": page} }))
	conn := mustDial(t, address)
	const megabytes = 40
	_, err := fmt.Fprintf(conn, "POST /pages/one HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n", megabytes*1_000_000)
	require.NoError(t, err)
	for range megabytes {
		_, err := conn.Write(make([]byte, 1_000_000))
		require.NoError(t, err)
	}
	answers := bufio.NewReader(conn)
	assert.Equal(t, http.StatusTeapot, mustAnswer(t, answers))
	_, err = io.WriteString(conn, "GET /pages/two HTTP/1.1\r\nHost: x\r\n\r\n")
	require.NoError(t, err)
	assert.Equal(t, http.StatusTeapot, mustAnswer(t, answers), "the connection can be used again")
}

func TestHandler_EndsAFormThatIsTooSlow(t *testing.T) {
	t.Parallel()
	for name, header := range map[string]string{"at once": "", "after 100 Continue": "Expect: 100-continue\r\n"} {
		t.Run("that begins "+name, func(t *testing.T) {
			t.Parallel()
			requireSlowFormEnds(t, header)
		})
	}
}

// requireSlowFormEnds sends a part of a form with a further header, and waits for the end of its reading.
func requireSlowFormEnds(t *testing.T, header string) {
	t.Helper()
	failed := make(chan error, 1)
	page := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, err := io.Copy(io.Discard, r.Body)
		failed <- err
		w.WriteHeader(http.StatusRequestTimeout)
	})
	address := serve(t, mustNew(t, func(o *edge.Options) { o.Subtrees = map[string]http.Handler{"/pages/": page} }))
	conn := mustDial(t, address)
	_, err := io.WriteString(conn, "POST /pages/one HTTP/1.1\r\nHost: x\r\n"+header+"Content-Length: 1000000\r\n\r\n1")
	require.NoError(t, err)
	answers := bufio.NewReader(conn)
	if header != "" {
		require.Equal(t, http.StatusContinue, mustAnswer(t, answers))
	}
	assert.Equal(t, http.StatusRequestTimeout, mustAnswer(t, answers))
	assert.ErrorIs(t, <-failed, os.ErrDeadlineExceeded)
}
