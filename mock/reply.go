package mock

import (
	"context"
	"time"

	"uncial/internal/edge"
)

// Answers to requests with an Idempotency-Key are kept this long, and so many of them; beyond that the oldest go.
const (
	replyLife  = 24 * time.Hour
	maxReplies = 1024
)

// replyID is a digest of the API key and the Idempotency-Key.
type replyID hash

// answered is what, beside the request, an answer is made of. From both it can be made again, byte by byte.
type answered struct {
	remaining int64     // points after it
	at        time.Time // when it was given
	delay     time.Duration
	seed      uint64
	minimal   bool
}

// reply is an answer to a request with an Idempotency-Key: under way, or kept.
type reply struct {
	id      replyID
	key     string        // API key
	request hash          // digest of the request
	done    chan struct{} // closed when the request has ended; nil once the answer is kept
	answer  answered
}

// kept is true where the request ended well and left an answer.
func (r *reply) kept() bool { return r.done == nil }

// begin takes the Idempotency-Key for the request, or finds what was answered before. While another request with the
// key is under way it waits for its end. Exactly one of mine and earlier is not nil where there is no error.
func (w *world) begin(ctx context.Context, keyName string, id replyID, request hash) (mine *reply, earlier *answered, err error) {
	for {
		var running chan struct{}
		known := w.use(keyName, func(_ *key, now time.Time) {
			r := w.replies[id]
			if r != nil && r.kept() && !now.Before(r.answer.at.Add(replyLife)) {
				r = nil
			}
			switch {
			case r == nil:
				mine = &reply{id: id, key: keyName, request: request, done: make(chan struct{})}
				w.replies[id] = mine
			case r.request != request:
				err = edge.KeyReused()
			case r.kept():
				earlier = &r.answer
			default:
				running = r.done
			}
		})
		if !known {
			return nil, nil, errGone
		}
		if running == nil {
			return mine, earlier, err
		}
		select {
		case <-running:
		case <-ctx.Done():
			return nil, nil, ctx.Err()
		}
	}
}

// end ends the request of a reply that begin gave. Where it ended well, repeats are answered with a for as long as
// replies are kept; otherwise the Idempotency-Key is free again.
func (w *world) end(r *reply, a answered, well bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	close(r.done)
	switch {
	case w.replies[r.id] != r: // the mock was reset meanwhile
	case !well:
		delete(w.replies, r.id)
	default:
		r.done, r.answer = nil, a
		w.kept.PushBack(r)
		w.dropOldReplies()
	}
}

func (w *world) dropOldReplies() {
	for w.kept.Len() > maxReplies {
		oldest := w.kept.Remove(w.kept.Front()).(*reply)
		if w.replies[oldest.id] == oldest {
			delete(w.replies, oldest.id)
		}
	}
}
