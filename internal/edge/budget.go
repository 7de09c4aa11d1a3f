package edge

import (
	"sync"

	"uncial/internal/request"
)

const (
	mib         = 1 << 20
	largestBody = request.MaxBody / mib // MiB
)

// budget is the memory, in MiB, for the bodies of requests in progress. One account may use a quarter of it, and at least
// one largest body, so that slow or many requests of one caller never keep the others out.
type budget struct {
	total, share int64 // of all accounts, of one; fixed

	mu     sync.Mutex
	used   int64
	shares map[string]int64 // used, by account; only those above 0
}

// newBudget returns a budget for the given number of largest bodies.
func newBudget(bodies int) *budget {
	total := int64(bodies) * largestBody
	return &budget{total: total, share: max(largestBody, total/4), shares: map[string]int64{}}
}

// reserve reserves memory for a body of length bytes, -1 if the length is not known. ok is false if there is not enough
// left. A body that is too large is refused unread and counts as 1 MiB.
func (b *budget) reserve(account string, length int64) (release func(), ok bool) {
	weight := int64(largestBody)
	switch {
	case length > request.MaxBody:
		weight = 1
	case length >= 0:
		weight = max(1, (length+mib-1)/mib)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.used+weight > b.total || b.shares[account]+weight > b.share {
		return nil, false
	}
	b.add(account, weight)
	return func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.add(account, -weight)
	}, true
}

// add changes what is used. It needs mu.
func (b *budget) add(account string, weight int64) {
	b.used += weight
	if b.shares[account] += weight; b.shares[account] == 0 {
		delete(b.shares, account)
	}
}
