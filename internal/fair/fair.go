// Package fair divides scarce resources among accounts: places (Places, Semaphore), memory (Places, Reservation) and the time
// of workers (Queue). It knows accounts by a label and a weight only; package edge puts them into the context of a request, and
// package remote sends them on to engines. The users of this package (internal/edge, impl/fetch and impl/ocr/workerpool) decide
// what is divided, and how much of it there is.
//
// Shares follow the weights of the accounts that use something at the moment, with one exception: the accounts of one weight
// together never outweigh a single account with a higher weight. So a hundred accounts on a free plan leave half to one paying
// account. An account that is alone gets everything except a small reserve, which lets the next account start immediately.
//
// Start with Places.Take, which has the rule, and Queue.Take.
package fair

import (
	"context"
	"errors"
)

// ErrFull means that the account has used up its share, or that nothing is left. The same request may succeed a little later.
var ErrFull = errors.New("no place is free for this account")

// Account identifies an account that shares a resource. The zero value stands for all callers who name no account.
type Account struct {
	Label  string // opaque; equal labels are one account
	Weight int    // 1 and more; 0 counts as 1
}

// weight returns the weight, which is at least 1.
func (a Account) weight() int { return max(a.Weight, 1) }

type accountKey struct{}

// NewContext returns a context whose work is for the account.
func NewContext(ctx context.Context, a Account) context.Context {
	return context.WithValue(ctx, accountKey{}, a)
}

// FromContext returns the account that the work is for, the zero Account if none is named.
func FromContext(ctx context.Context) Account {
	a, _ := ctx.Value(accountKey{}).(Account)
	return a
}

// weights counts the accounts of each weight that take part at the moment.
type weights map[int]int

func (w weights) add(weight int) { w[weight]++ }

func (w weights) remove(weight int) {
	if w[weight]--; w[weight] == 0 {
		delete(w, weight)
	}
}

// effective returns the effective weight of one account of that weight among those that take part: the weight itself, unless
// all accounts of that weight together would outweigh a single heavier one.
func (w weights) effective(weight int) float64 {
	count := w[weight]
	together := count * weight
	for heavier := range w {
		if heavier > weight {
			together = min(together, heavier)
		}
	}
	return float64(together) / float64(max(count, 1))
}

// sum returns the effective weight of all accounts that take part.
func (w weights) sum() (sum float64) {
	for weight, count := range w {
		sum += w.effective(weight) * float64(count)
	}
	return sum
}
