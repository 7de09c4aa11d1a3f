package fair

import (
	"context"
	"errors"
	"io"
	"sync"
)

const (
	// firstBuffer is the minimum, in bytes, that Extend allocates.
	firstBuffer = 32 << 10
	// growth is the factor by which a buffer grows. A small factor keeps the buffer close to its content, a large one copies less:
	// with 4, the copies of an image add up to half its size.
	growth = 4
)

// Reservation counts the memory that one request uses, in bytes, against the share of its account. A nil Reservation counts
// nothing and allows everything. It is safe for concurrent use.
type Reservation struct {
	places  *Places
	account Account

	mu     sync.Mutex
	used   int64
	closed bool // a worker may still send an answer after its caller has left
}

// Reserve returns an empty reservation for one request of the account. The caller must Close it when the request ends.
func (p *Places) Reserve(a Account) *Reservation { return &Reservation{places: p, account: a} }

// Grow takes n bytes more. It reports false, and takes nothing, if they would exceed the account's share or the reservation is
// closed.
func (m *Reservation) Grow(n int) bool {
	if m == nil {
		return true
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed || !m.places.Take(m.account, int64(n)) {
		return false
	}
	m.used += int64(n)
	return true
}

// MustYield reports whether the account holds more than its share while another gets less than its own. Bodies that still
// arrive are then given up: otherwise an account that took everything while it was alone would keep it for as long as it likes.
func (m *Reservation) MustYield() bool { return m != nil && m.places.mustYield(m.account) }

// Shrink gives n bytes back.
func (m *Reservation) Shrink(n int) {
	if m == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return
	}
	m.used -= int64(n)
	m.places.Give(m.account, int64(n))
}

// Close gives everything back. A closed reservation has no more memory.
func (m *Reservation) Close() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.places.Give(m.account, m.used)
	m.used, m.closed = 0, true
}

// Extend returns buffer with room for n more bytes. Memory grows with what has arrived: the capacity is a multiple of the
// content, up to limit. ok is false if the account has no memory left for it; the buffer is then unchanged.
func (m *Reservation) Extend(buffer []byte, n, limit int) (extended []byte, ok bool) {
	need := len(buffer) + n
	if need <= cap(buffer) {
		return buffer, true
	}
	size := max(need, min(max(growth*cap(buffer), firstBuffer), limit))
	if !m.Grow(size) {
		return buffer, false
	}
	// slices.Grow would allocate twice as much in a build with the race detector.
	extended = append(make([]byte, 0, size), buffer...)
	m.Shrink(cap(buffer))
	return extended, true
}

// ReadAll reads r to its end into a buffer that grows with what arrives, up to expected bytes and only as needed beyond.
// Errors: ErrFull if the account has no memory left, or those of r. What was read before the error is returned, and counted,
// too.
func (m *Reservation) ReadAll(r io.Reader, expected int) (body []byte, err error) {
	for {
		var ok bool
		if body, ok = m.Extend(body, 1, expected); !ok {
			return body, ErrFull
		}
		n, err := r.Read(body[len(body):cap(body)])
		body = body[:len(body)+n]
		if errors.Is(err, io.EOF) {
			return body, nil
		}
		if err != nil {
			return body, err
		}
	}
}

type meterKey struct{}

// WithReservation returns a context whose work uses the memory of the reservation.
func WithReservation(ctx context.Context, m *Reservation) context.Context {
	return context.WithValue(ctx, meterKey{}, m)
}

// ReservationFrom returns the reservation of the request, nil if it has none.
func ReservationFrom(ctx context.Context) *Reservation {
	m, _ := ctx.Value(meterKey{}).(*Reservation)
	return m
}
