package mock

import (
	"container/list"
	"context"
	"time"

	"uncial/internal/contract"
)

// maxReplies is the maximum number of stored replies, for all keys together. Beyond it the oldest are dropped, so a
// repeat of a very old request is charged again. A test rarely repeats a request after a thousand others.
const maxReplies = 1024

// outcome is what an answer with status 200 depends on in addition to the request. The two give the same bytes again, so a
// reply need not store the answer itself.
type outcome struct {
	remaining int64     // points after the extraction
	at        time.Time // when it was answered
	delay     time.Duration
	seed      uint64
	minimal   bool
}

// reply belongs to an Idempotency-Key of one key of the mock. Its request is running, or its outcome is stored; a request
// that failed leaves no reply, so that the client may try again.
type reply struct {
	id      hash // digest of the Idempotency-Key
	key     *key
	request [32]byte      // fingerprint
	done    chan struct{} // closed when the request ends; repeats wait for it
	outcome outcome
	element *list.Element // in state.replies; nil while the request is running
}

// hasExpired reports whether the Idempotency-Key is free again. A running request never expires.
func (r *reply) hasExpired(now time.Time) bool {
	return r.element != nil && !now.Before(r.outcome.at.Add(contract.ReplyLifetime))
}

// begin reserves the Idempotency-Key for the request, or finds the stored outcome of an equal one. While another request
// with the Idempotency-Key is running it waits. Without an error, exactly one of reserved and stored is not nil.
func (s *state) begin(ctx context.Context, keyName string, id hash, request [32]byte) (reserved *reply, stored *outcome, err error) {
	for {
		var running chan struct{}
		gone := s.use(keyName, func(k *key, now time.Time) {
			r := k.replies[id]
			if r != nil && r.hasExpired(now) {
				s.dropReply(r)
				r = nil
			}
			switch {
			case r == nil:
				reserved = &reply{id: id, key: k, request: request, done: make(chan struct{})}
				k.replies[id] = reserved
			case r.request != request:
				err = contract.IdempotencyKeyReused()
			case r.element != nil:
				stored = &r.outcome
			default:
				running = r.done
			}
		})
		if gone != nil {
			return nil, nil, gone
		}
		if running == nil {
			return reserved, stored, err
		}
		select {
		case <-running:
		case <-ctx.Done():
			return nil, nil, ctx.Err()
		}
	}
}

// end ends the request that reserved the Idempotency-Key. A success stores its outcome; a failure frees the Idempotency-Key.
// Repeats that wait are released in both cases, and the first of them then runs after a failure. It must be called exactly
// once.
func (s *state) end(r *reply, o outcome, succeeded bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	close(r.done)
	switch {
	case s.keys[r.key.name] != r.key: // the key was reset or forgotten in the meantime
	case !succeeded:
		s.dropReply(r)
	default:
		r.outcome, r.element = o, s.replies.PushBack(r)
		if s.replies.Len() > maxReplies {
			s.dropReply(s.replies.Front().Value.(*reply))
		}
	}
}

// dropReply forgets the reply, stored or running, and frees its Idempotency-Key.
func (s *state) dropReply(r *reply) {
	delete(r.key.replies, r.id)
	if r.element != nil {
		s.replies.Remove(r.element)
	}
}
