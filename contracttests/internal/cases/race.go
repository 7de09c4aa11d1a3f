package cases

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"

	"uncial/contracttests/internal/expect"
	"uncial/contracttests/internal/model"
)

// race sends requests of one account concurrently. All must be valid, or all invalid, and have either the same
// Idempotency-Key or none. The order in which the server takes them is unknown, but how many get which status is known. The
// error is a *skip if the window reset during the race, because two windows may then have counted.
func (s *session) race(ctx context.Context, a *model.Account, requests []*model.Request) ([]*model.Exchange, error) {
	exchanges, errs := make([]*model.Exchange, len(requests)), make([]error, len(requests))
	want, reset, started := predict(a, requests), a.Window.Reset, a.Instant()
	var running sync.WaitGroup
	for i, r := range requests {
		r.Concurrent = true
		running.Go(func() { exchanges[i], errs[i] = s.send(ctx, r) })
	}
	running.Wait()
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	got := map[int]int64{}
	for _, x := range exchanges {
		got[x.Status]++
		if x.Status != http.StatusOK {
			continue
		}
		if problems := s.readings.CheckResult(x); len(problems) > 0 {
			return nil, &failure{x, problems}
		}
		if first := exchanges[0]; x.Request.IdempotencyKey() != "" && !expect.SameJSON(x.Body, first.Body) {
			return nil, fail(x, "concurrent requests with one Idempotency-Key must all get the same answer")
		}
	}
	// The account is updated before the verdict, so that one problem is not reported twice.
	if x, problem := a.Absorb(exchanges); problem != "" {
		return nil, fail(x, "%s", problem)
	}
	if !maps.Equal(got, want) {
		// Around the reset the server may have counted in two windows.
		if started.Before(reset.Add(a.Slack())) && !a.Instant().Before(reset.Add(-a.Slack())) {
			return nil, &skip{"the window reset during the race"}
		}
		return nil, fail(exchanges[0], "%d concurrent requests must get these statuses: %s; they got %s", len(requests), statuses(want), statuses(got))
	}
	return exchanges, nil
}

// statuses describes how many requests got which status, such as "1 x 200, 4 x 402". Statuses that none got are left out.
func statuses(counts map[int]int64) string {
	var all []string
	for _, status := range slices.Sorted(maps.Keys(counts)) {
		if n := counts[status]; n > 0 {
			all = append(all, fmt.Sprintf("%d x %d", n, status))
		}
	}
	return strings.Join(all, ", ")
}

// predict says how many of the requests must get which status.
func predict(a *model.Account, requests []*model.Request) map[int]int64 {
	n := int64(len(requests))
	// The rate limit comes first, then the shape, then the points.
	through := min(n, a.Room())
	paid := min(through, a.Points.Left/model.Cost)
	want := map[int]int64{http.StatusTooManyRequests: n - through}
	switch r := requests[0]; {
	case len(r.Wrong) > 0:
		want[http.StatusBadRequest] = through
	case r.IdempotencyKey() != "" && paid > 0: // charged once
		want[http.StatusOK] = through
	default:
		want[http.StatusOK], want[http.StatusPaymentRequired] = paid, through-paid
	}
	maps.DeleteFunc(want, func(_ int, n int64) bool { return n == 0 })
	return want
}
