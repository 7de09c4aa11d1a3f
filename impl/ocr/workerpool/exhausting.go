package workerpool

import (
	"crypto/sha256"
	"sync"
	"time"
)

const (
	// memoryTime is how long an image that used up its time is refused at once.
	memoryTime = 10 * time.Minute
	// maxExhausting bounds the images that are remembered: 10,000 take about 1 MB.
	maxExhausting = 10_000
	// exhaustingShare is the part of its deadline, a half, that an image must have used of a core to be remembered. An image that ran
	// out of time because the machine was busy has used less.
	exhaustingShare = 2
)

// exhaustingReason is what callers are told.
const exhaustingReason = "this image took too long to read less than ten minutes ago; send a smaller image or fewer pages"

// digest identifies an image of an account.
type digest [sha256.Size]byte

// newDigest is of account and image together, so that no account learns which images others have sent.
func newDigest(account string, image []byte) digest {
	h := sha256.New()
	h.Write([]byte(account))
	h.Write([]byte{0})
	h.Write(image)
	return digest(h.Sum(nil))
}

// exhausting remembers images on which a worker used up its time, so that repeated requests for them cost nothing. It remembers them by
// account, because otherwise one account could find out what others send. It is safe for concurrent use.
type exhausting struct {
	now func() time.Time

	mu    sync.Mutex
	until map[digest]time.Time
	order []digest // from the oldest; all in until
}

func newExhausting(now func() time.Time) *exhausting {
	return &exhausting{now: now, until: map[digest]time.Time{}}
}

// isEmpty spares callers the digest of an image.
func (e *exhausting) isEmpty() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return len(e.order) == 0
}

// add remembers an image, and forgets the oldest if there are too many.
func (e *exhausting) add(d digest) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if _, known := e.until[d]; known {
		return
	}
	if len(e.order) >= maxExhausting {
		e.drop(1)
	}
	e.until[d] = e.now().Add(memoryTime)
	e.order = append(e.order, d)
}

// has reports whether the image must be refused.
func (e *exhausting) has(d digest) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	now, ended := e.now(), 0
	for ended < len(e.order) && !now.Before(e.until[e.order[ended]]) {
		ended++
	}
	e.drop(ended)
	_, known := e.until[d]
	return known
}

// drop forgets the n oldest. It needs mu.
func (e *exhausting) drop(n int) {
	for _, old := range e.order[:n] {
		delete(e.until, old)
	}
	e.order = e.order[n:]
}
