package tryit

import (
	"crypto/rand"
	"slices"
	"sync"
	"time"

	"uncial/internal/document"
)

// Bounds of a Shelf.
const (
	// lifetime is how long a reading is held: long enough to look at a page and download its formats.
	lifetime = 30 * time.Minute
	// maxReadings is how many readings one owner may hold; the oldest makes room for a new one.
	maxReadings = 5
	// maxShelfBytes bounds the memory of all readings together, by their estimated sizes.
	maxShelfBytes = 128 << 20
	// wordBytes is approximately the memory that a word with its box takes.
	wordBytes = 128
)

// Shelf holds readings in memory for their owners. The zero value is not usable; see NewShelf. It is safe for concurrent use.
type Shelf[Owner comparable] struct {
	now func() time.Time

	mu       sync.Mutex
	readings []held[Owner] // oldest first
	bytes    int
}

// held is a reading that only its owner can see, until it expires.
type held[Owner comparable] struct {
	id      string
	owner   Owner
	expires time.Time
	bytes   int
	reading *Reading
}

// NewShelf returns an empty shelf. now is the clock by which readings expire.
func NewShelf[Owner comparable](now func() time.Time) *Shelf[Owner] {
	return &Shelf[Owner]{now: now}
}

// Add holds a reading for its owner and returns its id, which nobody can guess. Older readings make room for it.
func (s *Shelf[Owner]) Add(owner Owner, r *Reading) (id string) {
	h := held[Owner]{id: rand.Text(), owner: owner, expires: s.now().Add(lifetime), bytes: size(r.Document), reading: r}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.expire()
	mine := 0
	for _, o := range s.readings {
		if o.owner == owner {
			mine++
		}
	}
	if mine >= maxReadings {
		s.remove(slices.IndexFunc(s.readings, func(o held[Owner]) bool { return o.owner == owner }))
	}
	for len(s.readings) > 0 && s.bytes+h.bytes > maxShelfBytes {
		s.remove(0)
	}
	s.readings = append(s.readings, h)
	s.bytes += h.bytes
	time.AfterFunc(lifetime, s.sweep)
	return h.id
}

// Find returns the reading of this owner that has the id, nil if there is none or it has expired. Another owner's id finds
// nothing.
func (s *Shelf[Owner]) Find(owner Owner, id string) *Reading {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.expire()
	for _, h := range s.readings {
		if h.id == id && h.owner == owner {
			return h.reading
		}
	}
	return nil
}

// Drop forgets all readings of the owners for whom isDropped returns true, as when a session ends.
func (s *Shelf[Owner]) Drop(isDropped func(Owner) bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, h := range slices.Backward(s.readings) {
		if isDropped(h.owner) {
			s.remove(i)
		}
	}
}

// sweep frees the memory of readings that are older than lifetime, even if the shelf is no longer used.
func (s *Shelf[Owner]) sweep() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.expire()
}

// expire removes the readings that are older than lifetime. The caller holds mu.
func (s *Shelf[Owner]) expire() {
	now := s.now()
	for len(s.readings) > 0 && !now.Before(s.readings[0].expires) {
		s.remove(0)
	}
}

// remove takes one reading away. The caller holds mu.
func (s *Shelf[Owner]) remove(i int) {
	s.bytes -= s.readings[i].bytes
	s.readings = slices.Delete(s.readings, i, i+1)
}

// size estimates the memory of a document.
func size(d *document.Document) int {
	bytes := len(d.Edits) * wordBytes
	for i := range d.Pages {
		bytes += len(d.Pages[i].Preview) + len(d.Pages[i].Picture)
		for w := range document.Words(d.Pages[i].Blocks) {
			bytes += wordBytes + len(w.Text)
		}
	}
	return bytes
}
