package workerpool

import (
	"crypto/sha256"
	"sync"
	"time"
)

const (
	// refusalTime is the time for which an image is refused after it used up its deadline.
	refusalTime = 10 * time.Minute
	// maxExhaustedImages is the maximum number of images that are remembered: 10,000 take about 1 MB.
	maxExhaustedImages = 10_000
	// An image is remembered if it used a core for at least 1/exhaustedDivisor of the deadline. An image that ran out of time
	// because the machine was busy has used less.
	exhaustedDivisor = 2
)

// exhaustedReason is the message to callers.
const exhaustedReason = "reading this image timed out less than ten minutes ago; send a smaller image or fewer pages"

// digest identifies an image of an account.
type digest [sha256.Size]byte

// newDigest includes the account, so that accounts cannot find out which images others have sent.
func newDigest(account string, image []byte) digest {
	h := sha256.New()
	h.Write([]byte(account))
	h.Write([]byte{0})
	h.Write(image)
	return digest(h.Sum(nil))
}

// exhaustedImages remembers images that used up their deadline, so that repeated requests for them cost nothing. It is safe for
// concurrent use.
type exhaustedImages struct {
	now func() time.Time

	mu    sync.Mutex
	until map[digest]time.Time
	order []digest // the keys of until, oldest first
}

func newExhaustedImages(now func() time.Time) *exhaustedImages {
	return &exhaustedImages{now: now, until: map[digest]time.Time{}}
}

// isEmpty reports whether no image is remembered. Callers then need not compute the digest of an image.
func (e *exhaustedImages) isEmpty() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return len(e.order) == 0
}

// add remembers an image. If there are too many, it forgets the oldest one.
func (e *exhaustedImages) add(d digest) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if _, known := e.until[d]; known {
		return
	}
	if len(e.order) >= maxExhaustedImages {
		e.drop(1)
	}
	e.until[d] = e.now().Add(refusalTime)
	e.order = append(e.order, d)
}

// has reports whether the image must be refused, and forgets images whose time is over.
func (e *exhaustedImages) has(d digest) bool {
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

// drop forgets the n oldest images. The caller holds mu.
func (e *exhaustedImages) drop(n int) {
	for _, old := range e.order[:n] {
		delete(e.until, old)
	}
	e.order = e.order[n:]
}
