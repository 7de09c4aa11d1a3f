package mock

import (
	"io"
	"net/http"
	"time"
)

// The journal keeps so many requests, and so much of each body.
const (
	maxRecords    = 500
	maxRecordBody = 4 << 10 // bytes
)

// record is one request that was received, for a test to look at.
type record struct {
	ID        string      `json:"requestId"`
	Key       string      `json:"key"` // the bearer token as it was sent; "" without one
	Time      time.Time   `json:"time"`
	Method    string      `json:"method"`
	Path      string      `json:"path"`
	Query     string      `json:"query"`
	Headers   http.Header `json:"headers"`
	Body      string      `json:"body"`      // as far as the mock read it: nothing where the headers were enough to refuse it
	Truncated bool        `json:"truncated"` // the body was longer than what is kept of it
	Status    int         `json:"status"`    // of the answer
}

// journal is a ring of the records last added. The zero value is ready.
type journal struct {
	records []record
	next    int // where the next record goes once the ring is full
}

func (j *journal) add(r record) {
	if len(j.records) < maxRecords {
		j.records = append(j.records, r)
		return
	}
	j.records[j.next] = r
	j.next = (j.next + 1) % maxRecords
}

// of are the records of one key, or all with "", the oldest first.
func (j *journal) of(key string) []record {
	found := make([]record, 0, len(j.records))
	for i := range j.records {
		if r := j.records[(j.next+i)%len(j.records)]; key == "" || r.Key == key {
			found = append(found, r)
		}
	}
	return found
}

// forget drops the records of one key.
func (j *journal) forget(key string) {
	var rest journal
	for _, r := range j.of("") {
		if r.Key != key {
			rest.add(r)
		}
	}
	*j = rest
}

// copied is a body that keeps a copy of the beginning of what is read from it.
type copied struct {
	io.ReadCloser
	kept []byte
	more bool
}

func (c *copied) Read(p []byte) (int, error) {
	n, err := c.ReadCloser.Read(p)
	room := min(n, maxRecordBody-len(c.kept))
	c.kept = append(c.kept, p[:room]...)
	c.more = c.more || room < n
	return n, err
}

// watched is an answer that notes its status.
type watched struct {
	http.ResponseWriter
	status int
}

func (w *watched) WriteHeader(status int) {
	if w.status == 0 && status >= http.StatusOK {
		w.status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

// Unwrap lets http.ResponseController reach the connection.
func (w *watched) Unwrap() http.ResponseWriter { return w.ResponseWriter }
