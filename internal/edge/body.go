package edge

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"time"
)

const (
	// graceTime limits the wait for the first byte and every later pause, however fast the body arrived before, so that a client
	// that stops near the end of a large image does not hold its memory. minRate applies too.
	graceTime = 5 * time.Second
	minRate   = 16 << 10 // bytes a second; 128 kbit/s
	// smallBody is the size, in bytes, up to which a refused body that has arrived is read before the answer.
	smallBody = 256 << 10
	// arrivedTime is how long the rest of a small body may take without delaying the answer noticeably.
	arrivedTime = 20 * time.Millisecond
	// lingerTime is how long the rest of a refused body may take. It is read so that a client which is still sending gets the
	// answer and not a reset connection (RFC 9112, section 9.6).
	lingerTime = 10 * time.Second
	// maxLinger bounds the rest of a body that is read after the answer, in bytes. Many clients read no answer before they have
	// sent the whole body, such as a scan that somebody chose by mistake.
	maxLinger = 256 << 20
)

// body is the body of a request that must arrive at minRate.
type body struct {
	io.ReadCloser
	conn     *http.ResponseController
	started  time.Time
	patience time.Duration // how long the next read may wait
	ended    bool
}

// pace returns a body that must arrive at minRate. w is the server's own ResponseWriter. The request keeps its body,
// whose type tells net/http whether a client waits for "100 Continue".
func pace(w http.ResponseWriter, r *http.Request) *body {
	return &body{
		ReadCloser: r.Body, conn: http.NewResponseController(w), started: time.Now(), patience: graceTime,
		// The length counts even if the body is wrapped: while there is none, net/http waits for the next request, and a deadline
		// would end the context of all later requests on the connection.
		ended: r.Body == nil || r.Body == http.NoBody || r.ContentLength == 0,
	}
}

// Read implements io.Reader. The error of a body that is too slow is os.ErrDeadlineExceeded.
func (b *body) Read(p []byte) (int, error) {
	began := time.Now()
	deadline := began.Add(b.patience)
	if last := b.started.Add(readTimeout); deadline.After(last) {
		deadline = last
	}
	b.setDeadline(deadline)
	n, err := b.ReadCloser.Read(p)
	// Time between reads is not charged to the client.
	b.patience = min(b.patience-time.Since(began)+time.Duration(n)*time.Second/minRate, graceTime)
	if err != nil {
		b.ended = true
	}
	if errors.Is(err, io.EOF) {
		b.setDeadline(time.Time{}) // otherwise the deadline would cancel the request while the server works on it
	}
	return n, err
}

// setDeadline fails only where there is no connection, in tests.
func (b *body) setDeadline(at time.Time) { _ = b.conn.SetReadDeadline(at) }

// refuse answers a request whose body has not been read. The answer does not wait for the body: a client that sends slowly gets
// it at once, and the connection is closed after it. The rest of the body is still read for a while.
func (x *exchange) refuse(r *http.Request, b *body, err error) {
	switch {
	case b.ended || strings.EqualFold(r.Header.Get("Expect"), "100-continue"):
		x.fail(err)
		return
	case r.ContentLength >= 0 && r.ContentLength <= smallBody:
		// If the whole body has arrived already, the connection can be kept.
		b.setDeadline(time.Now().Add(arrivedTime))
		if _, unread := io.Copy(io.Discard, b.ReadCloser); unread == nil {
			b.setDeadline(time.Time{})
			x.fail(err)
			return
		}
	}
	_ = b.conn.EnableFullDuplex() // fails only where there is no connection
	x.Header().Set("Connection", "close")
	x.fail(err)
	_ = b.conn.Flush()
	b.setDeadline(time.Now().Add(lingerTime))
	_, _ = io.CopyN(io.Discard, b.ReadCloser, maxLinger) // whatever happens, the connection is closed
}

// servePage passes a request from a browser on. Its body must arrive at minRate. The part that the handler leaves is read
// after the answer, for readTimeout at most: browsers show no answer before they have sent the whole form.
func (x *exchange) servePage(page http.Handler, r *http.Request) {
	b := pace(x.ResponseWriter, r)
	if b.ended {
		page.ServeHTTP(x, r)
		return
	}
	// A client that waits for "100 Continue" sends nothing more after an answer.
	waits := strings.EqualFold(r.Header.Get("Expect"), "100-continue")
	paced := r.WithContext(r.Context()) // a copy, because the request keeps its body; see pace
	paced.Body = b
	if !waits {
		_ = b.conn.EnableFullDuplex() // or net/http ends the connection with the answer; fails only where there is none
	}
	page.ServeHTTP(x, paced)
	r.Pattern = paced.Pattern
	if b.ended || waits || x.status == 0 {
		return
	}
	_ = b.conn.Flush()
	_, _ = io.CopyN(io.Discard, b, maxLinger) // if it fails, the connection is closed
}
