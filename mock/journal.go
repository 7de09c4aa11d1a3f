package mock

import (
	"bytes"
	"io"
	"net/http"
	"time"
)

// Limits of the journal, which keep the process under 25 MB.
const (
	maxRecords    = 500     // the most recent
	maxRecordBody = 4 << 10 // bytes kept of each body
)

// record is a request that the mock received, for a test to inspect.
type record struct {
	ID        string      `json:"requestId"`
	Key       string      `json:"key"` // the bearer token as sent, or ""
	Time      time.Time   `json:"time"`
	Method    string      `json:"method"`
	Path      string      `json:"path"`
	Query     string      `json:"query"`
	Headers   http.Header `json:"headers"`
	Body      string      `json:"body"`      // what was read of it: empty if the headers were enough to refuse the request
	Truncated bool        `json:"truncated"` // whether the body was longer than Body
	Status    int         `json:"status"`    // of the response, as far as it was sent
	Fault     string      `json:"fault,omitempty"`
}

// journal is a ring of the most recent records. The zero value is usable.
type journal struct {
	records []record
	next    int // index of the next record once the ring is full
}

// add replaces the oldest record once the ring is full.
func (j *journal) add(r record) {
	if len(j.records) < maxRecords {
		j.records = append(j.records, r)
		return
	}
	j.records[j.next] = r
	j.next = (j.next + 1) % maxRecords
}

// recordsOf returns the records of one key, or with "" all records, oldest first.
func (j *journal) recordsOf(key string) []record {
	found := make([]record, 0, len(j.records))
	for i := range j.records {
		if r := j.records[(j.next+i)%len(j.records)]; key == "" || r.Key == key {
			found = append(found, r)
		}
	}
	return found
}

// deleteRequests drops the requests of a key. The others keep their order.
func (j *journal) deleteRequests(key string) {
	var rest journal
	for _, r := range j.recordsOf("") {
		if r.Key != key {
			rest.add(r)
		}
	}
	*j = rest
}

// copiedBody is a request body that keeps a copy of the first bytes read from it. It never reads by itself: a request that is
// refused by its headers keeps its body unread, as in production.
type copiedBody struct {
	io.ReadCloser
	kept []byte
	more bool // whether bytes beyond kept were read
}

// Read keeps at most maxRecordBody bytes of the body; more says that there were others.
func (c *copiedBody) Read(p []byte) (int, error) {
	n, err := c.ReadCloser.Read(p)
	room := min(n, maxRecordBody-len(c.kept))
	c.kept = append(c.kept, p[:room]...)
	c.more = c.more || room < n
	return n, err
}

// answerRecorder is a ResponseWriter that remembers the status of the final response. It holds a response that has a fault.
type answerRecorder struct {
	http.ResponseWriter
	exchange *exchange
	status   int
	held     *bytes.Buffer // nil unless the response has a fault
}

// WriteHeader remembers the first final status (1xx are not) and holds the answer back if it has a fault.
func (w *answerRecorder) WriteHeader(status int) {
	if w.status == 0 && status >= http.StatusOK {
		w.status = status
		if w.exchange.fault.kind != "" {
			w.held = &bytes.Buffer{}
		}
	}
	if w.held == nil {
		w.ResponseWriter.WriteHeader(status)
	}
}

// Write passes the answer on, or holds it back if it must be damaged as a whole.
func (w *answerRecorder) Write(p []byte) (int, error) {
	if w.status == 0 {
		w.WriteHeader(http.StatusOK)
	}
	if w.held != nil {
		return w.held.Write(p)
	}
	return w.ResponseWriter.Write(p)
}

// Unwrap lets http.ResponseController reach the connection.
func (w *answerRecorder) Unwrap() http.ResponseWriter { return w.ResponseWriter }
