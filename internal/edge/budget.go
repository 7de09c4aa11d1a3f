package edge

import (
	"sync"
)

const mib = 1 << 20

// budget is the memory, in MiB, that the bodies of extractions in progress may take. One account may have a quarter of
// it, and at least one largest body, so that slow or many requests of one caller never keep the others out.
type budget struct {
	total, share int64 // fixed

	mu     sync.Mutex
	used   int64
	shares map[string]int64 // by account, of those that have any
}

func newBudget(bodies int) *budget {
	const largest = maxBody / mib
	total := int64(bodies) * largest
	return &budget{total: total, share: max(largest, total/4), shares: map[string]int64{}}
}

// take reserves memory for a body of so many bytes, -1 where that is not known, or none is free. A body that is too
// large is never read.
func (b *budget) take(account string, length int64) (giveBack func(), ok bool) {
	weight := int64(maxBody / mib)
	switch {
	case length > maxBody:
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

func (b *budget) add(account string, weight int64) {
	b.used += weight
	if b.shares[account] += weight; b.shares[account] == 0 {
		delete(b.shares, account)
	}
}
