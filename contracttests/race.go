package contracttests

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"time"
)

// race sends requests of one account at the same time and holds each answer against the document and its own job. In
// which order the server took them is not known. The
// account is then as it must be after all of them; ask for the status to see whether the server agrees.
func (s *session) race(ctx context.Context, a *account, requests []*request) ([]*Exchange, error) {
	exchanges := make([]*Exchange, len(requests))
	errs := make([]error, len(requests))
	var wg sync.WaitGroup
	for i, r := range requests {
		r.free = true
		wg.Go(func() { exchanges[i], errs[i] = s.send(ctx, r) })
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	for _, x := range exchanges {
		if x.Status == http.StatusOK {
			if faults := s.checkResult(x); len(faults) > 0 {
				return nil, &failure{x, faults}
			}
		}
	}
	return exchanges, a.absorb(exchanges)
}

// absorb moves the model on by answers whose order is not known. An answer may or may not include what its neighbours
// were charged.
func (a *account) absorb(exchanges []*Exchange) error {
	before, charged := a.points.left, map[string]bool{} // repeats of one Idempotency-Key are charged once
	var counted int64
	for i, x := range exchanges {
		if x.Status != http.StatusTooManyRequests {
			counted++
		}
		if x.Status != http.StatusOK {
			continue
		}
		id := x.request.idempotencyKey()
		if id == "" {
			id = fmt.Sprintf("request %d", i)
		}
		charged[id] = true
	}
	n := int64(len(charged)) * cost
	a.points = points{a.points.used + n, before - n, a.points.total}
	a.spent += n
	for _, x := range exchanges {
		left, ok := x.integer("remainingPoints")
		if ok && (left < a.points.left || left > before || x.Status == http.StatusOK && left > before-cost) {
			return fail(x, "of %d points %d were charged to requests at the same time, but one answer says that %d are left", before, n, left)
		}
	}
	return a.absorbWindow(exchanges, counted)
}

func (a *account) absorbWindow(exchanges []*Exchange, counted int64) error {
	now := a.instant()
	if !now.Before(a.window.reset.Add(-a.slack())) {
		a.window.left, a.window.reset = a.window.limit, now // it may have reset meanwhile; the next answer tells
		a.unsure = true
		return nil
	}
	left := max(0, a.window.left-counted)
	for _, x := range exchanges {
		got, in, _, ok := headerWindow(x)
		if ok && (got < left || got > a.window.left) {
			return fail(x, "of %d requests %d were used at the same time, but one answer says that %d are left", a.window.left, counted, got)
		}
		if ok && a.window.left == a.window.limit {
			a.window.reset = a.time(x).Add(time.Duration(in) * time.Second).Truncate(time.Second)
		}
	}
	a.window.left = left
	return nil
}
