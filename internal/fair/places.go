package fair

import (
	"sync"
	"time"
)

// reserveDivisor is the divisor for the reserve: one eighth of the places is added to them.
const reserveDivisor = 8

// yieldTime is how long after a refusal the accounts that hold more than their share must give something back.
const yieldTime = time.Second

// Places is a number of equal things, such as slots or bytes, that accounts use for a while. An account that is alone can have
// all of them; beyond them there is a small reserve for the next account. It is safe for concurrent use.
type Places struct {
	alone func() int64 // what an account without competition gets; may change
	floor int64        // what one account gets as long as anything is left, fixed; 0 if there is no reserve

	mu      sync.Mutex
	used    int64
	held    map[string]holding // by label; only those above 0
	weights weights            // of the accounts in held
	refused time.Time          // when an account last got less than its share
}

// holding is the places that one account uses. Its weight is fixed at the first use: a plan may change in the meantime.
type holding struct {
	places int64
	weight int
}

// NewPlaces returns n places to share, and a reserve of an eighth more, but at least twice floor. floor is the number of places
// that each account may use as long as they are free, however many other accounts there are: enough for one request. The last
// floor is kept for accounts with a weight above 1.
func NewPlaces(n, floor int64) *Places {
	return newPlaces(func() int64 { return n }, floor)
}

// newPlaces is NewPlaces with a number that may change: n is called whenever it is needed. A floor of 0 means no reserve.
func newPlaces(n func() int64, floor int64) *Places {
	return &Places{alone: n, floor: floor, held: map[string]holding{}, weights: weights{}}
}

// Take takes n places for the account, or none. Three rules apply, the most generous first:
//   - An account gets up to its floor while anything is left; an account of weight 1, only while another floor stays free.
//   - It gets up to its fair share while half of the reserve stays free. A heavier account gets it while anything is left:
//     otherwise many light accounts, which take each place that becomes free, would keep it at its floor.
//   - It gets more than its share only while the whole reserve stays free.
func (p *Places) Take(a Account, n int64) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.take(a, n)
}

// take is Take for callers that hold mu.
func (p *Places) take(a Account, n int64) bool {
	alone := p.alone()
	held := p.held[a.Label].places
	reserve := p.reserve(alone)
	keptOfFloor, keptOfShare := p.floor, reserve/2
	if a.weight() > 1 {
		keptOfFloor, keptOfShare = 0, 0
	}
	left := alone + reserve - p.used - n
	isFloor := held+n <= p.floor && left >= keptOfFloor
	isWithinShare := float64(held+n) <= min(p.share(a, alone+reserve), float64(alone))
	isShare := isWithinShare && left >= keptOfShare
	if left < 0 || !isFloor && !isShare && left < reserve {
		if isWithinShare {
			p.refused = time.Now()
		}
		return false
	}
	if n > 0 {
		p.add(a, n)
	}
	return true
}

// reserve returns the number of places beyond those that an account without competition gets.
func (p *Places) reserve(alone int64) int64 {
	if p.floor == 0 {
		return 0
	}
	return max(alone/reserveDivisor, 2*p.floor)
}

// mustYield reports whether the account holds more than its share while another gets less than its own.
func (p *Places) mustYield(a Account) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if time.Since(p.refused) > yieldTime {
		return false
	}
	alone := p.alone()
	return float64(p.held[a.Label].places) > p.share(a, alone+p.reserve(alone))
}

// share returns the account's part of the total among all that hold something, itself included. It needs mu.
func (p *Places) share(a Account, total int64) float64 {
	weight := a.weight()
	if h, ok := p.held[a.Label]; ok {
		weight = h.weight
	} else {
		p.weights.add(weight)
		defer p.weights.remove(weight)
	}
	return float64(total) * p.weights.effective(weight) / p.weights.sum()
}

// add changes what the account uses by n. It needs mu.
func (p *Places) add(a Account, n int64) {
	h, ok := p.held[a.Label]
	if !ok {
		h.weight = a.weight()
		p.weights.add(h.weight)
	}
	p.used += n
	if h.places += n; h.places == 0 {
		delete(p.held, a.Label)
		p.weights.remove(h.weight)
		return
	}
	p.held[a.Label] = h
}

// Give gives back n places that the account has taken, at most as many as it still holds.
func (p *Places) Give(a Account, n int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.give(a, n)
}

func (p *Places) give(a Account, n int64) {
	if n != 0 {
		p.add(a, -n)
	}
}

// Used returns the number of places in use.
func (p *Places) Used() int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.used
}
