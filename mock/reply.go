package mock

import (
	"container/list"
	"context"
	"time"

	"uncial/internal/edge"
)

// Answers to requests with an Idempotency-Key are kept this long, and so many of them; beyond that the oldest go.
const (
	replyLife  = 24 * time.Hour
	maxReplies = 1024
)

// replyID is a digest of the Idempotency-Key.
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
	key     *key
	request hash          // digest of the request
	done    chan struct{} // closed when the request has ended
	answer  answered
	place   *list.Element // in the world's kept; nil while the request is under way
}

// over is true where the answer was given so long before that its Idempotency-Key is free again.
func (r *reply) over(now time.Time) bool {
	return r.place != nil && !now.Before(r.answer.at.Add(replyLife))
}

// begin takes the Idempotency-Key for the request, or finds what was answered before. While another request with the
// key is under way it waits for its end. Exactly one of mine and earlier is not nil where there is no error.
func (w *world) begin(ctx context.Context, keyName string, id replyID, request hash) (mine *reply, earlier *answered, err error) {
	for {
		var running chan struct{}
		known := w.use(keyName, func(k *key, now time.Time) {
			r := k.replies[id]
			if r != nil && r.over(now) {
				w.dropReply(r)
				r = nil
			}
			switch {
			case r == nil:
				mine = &reply{id: id, key: k, request: request, done: make(chan struct{})}
				k.replies[id] = mine
			case r.request != request:
				err = edge.KeyReused()
			case r.place != nil:
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
	case w.keys[r.key.name] != r.key: // the key was reset or forgotten meanwhile
	case !well:
		w.dropReply(r)
	default:
		r.answer, r.place = a, w.kept.PushBack(r)
		if w.kept.Len() > maxReplies {
			w.dropReply(w.kept.Front().Value.(*reply))
		}
	}
}

// dropReply forgets the reply.
func (w *world) dropReply(r *reply) {
	delete(r.key.replies, r.id)
	if r.place != nil {
		w.kept.Remove(r.place)
	}
}
