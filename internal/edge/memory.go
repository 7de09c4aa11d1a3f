package edge

import (
	"runtime/debug"
	"sync/atomic"
	"time"

	"uncial/internal/fair"
)

const (
	// defaultMemory is room for 38 images of 20 MiB.
	defaultMemory = 768 << 20
	// oneImage is what an account gets whatever the others use, in bytes: room for the largest image, and for the smaller buffer
	// that it has just outgrown.
	oneImage = 40 << 20
	// burst is the use of memory, in bytes, after which unused memory is returned to the system at once. The garbage collector
	// alone keeps it for minutes.
	burst = 128 << 20
	// releaseDelay is how long after a burst memory is returned to the system: by then the last request no longer refers to its
	// image.
	releaseDelay = time.Second
)

// memory is what bodies and images of requests in progress occupy, shared between accounts.
type memory struct {
	places     *fair.Places
	afterBurst atomic.Bool // memory is to be returned once little is used
}

// newMemory returns the memory that accounts share, of that many bytes and the reserve of fair.Places.
func newMemory(bytes int64) *memory {
	return &memory{places: fair.NewPlaces(bytes, oneImage)}
}

// open returns the reservation of one request, which close ends.
func (m *memory) open(a fair.Account) (reservation *fair.Reservation, closeReservation func()) {
	reservation = m.places.Reserve(a)
	return reservation, func() {
		if m.places.Used() >= burst {
			m.afterBurst.Store(true)
		}
		reservation.Close()
		if m.places.Used() < burst/2 && m.afterBurst.CompareAndSwap(true, false) {
			time.AfterFunc(releaseDelay, debug.FreeOSMemory)
		}
	}
}
