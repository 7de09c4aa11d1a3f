package proxy

import (
	"container/list"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"uncial/contracttests/internal/model"
)

// remembered is the maximum number of ids, and of replies, that the memory holds. The oldest are forgotten first.
const remembered = 50_000

// memory knows what the contract requires of later exchanges: each has an id of its own, and a repeat with the same
// Idempotency-Key gets the stored answer. It holds digests only, and belongs to one goroutine.
type memory struct {
	ids     *recent[string, struct{}]
	replies *recent[[sha256.Size]byte, reply]
}

// reply is what an Idempotency-Key stands for.
type reply struct {
	at                     time.Time
	image, request, answer [sha256.Size]byte
}

func newMemory() memory {
	return memory{newRecent[string, struct{}](remembered), newRecent[[sha256.Size]byte, reply](remembered)}
}

// compare compares an answer with earlier ones and remembers it.
func (m memory) compare(x *exchange, members map[string]any) (problems []string) {
	id := x.header.Get("X-Request-Id")
	if id != x.request.Header.Get("X-Request-Id") { // a caller may send its own
		if _, known := m.ids.get(id); known {
			problems = append(problems, fmt.Sprintf("the X-Request-Id %s was used for an earlier exchange", id))
		}
		m.ids.put(id, struct{}{})
	}
	key := x.request.Header.Get("Idempotency-Key")
	if key == "" || x.request.Method != http.MethodPost || x.status != http.StatusOK {
		return problems
	}
	var request map[string]any
	if json.Unmarshal(x.request.Body, &request) != nil {
		return problems
	}
	name := digest(x.request.Header.Get("Authorization"), key)
	now := reply{x.started, digest(request["imageUrl"]), digest(request), digest(members)}
	before, known := m.replies.get(name)
	switch {
	case !known, now.at.Sub(before.at) >= model.IdempotencyTTL:
		m.replies.put(name, now)
	case before.image != now.image:
		problems = append(problems, "another image with the Idempotency-Key of an earlier request got a 200; expected a 400")
	case before.request == now.request && before.answer != now.answer:
		problems = append(problems, "a repeat with the same Idempotency-Key got a different answer from the first request")
	}
	return problems
}

// digest identifies values by their JSON, in which the members of objects are sorted.
func digest(values ...any) [sha256.Size]byte {
	text, err := json.Marshal(values)
	if err != nil {
		panic(err) // decoded JSON can be encoded
	}
	return sha256.Sum256(text)
}

// recent is a map that forgets its oldest entries.
type recent[K comparable, V any] struct {
	limit   int
	entries map[K]V
	order   list.List // of K, oldest first
}

func newRecent[K comparable, V any](limit int) *recent[K, V] {
	return &recent[K, V]{limit: limit, entries: map[K]V{}}
}

func (r *recent[K, V]) get(k K) (V, bool) {
	v, ok := r.entries[k]
	return v, ok
}

// put remembers a value. At the limit it evicts the key that was inserted first, even if its value has changed since.
func (r *recent[K, V]) put(k K, v V) {
	if _, known := r.entries[k]; !known {
		r.order.PushBack(k)
	}
	r.entries[k] = v
	if r.order.Len() > r.limit {
		delete(r.entries, r.order.Remove(r.order.Front()).(K))
	}
}
