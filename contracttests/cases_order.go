package contracttests

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"time"
)

func orderCases() []Case {
	return []Case{{
		Name: "extract/400/before-402", Operation: "extract", Status: 400, Needs: []string{needKey(KeyEmpty)}, Extractions: 7,
		Explanation: "The shape of a request is looked at before the points: without points a malformed request is a 400.",
		Check: do(func(ctx context.Context, s *session) error {
			a, err := s.account(ctx, KeyEmpty, 7, 0)
			if err != nil {
				return err
			}
			good := (&job{image: ImagePrinted}).body(s.Target)
			if err := s.sendAll(ctx, malformed(a, false)...); err != nil {
				return err
			}
			if err := s.sendAll(ctx, &request{account: a, body: good, faults: []string{"Idempotency-Key"}, header: http.Header{"Idempotency-Key": {""}}},
				&request{account: a, job: &job{image: ImagePrinted, language: unsupported}, faults: []string{"language"}}); err != nil {
				return err
			}
			return nil
		}),
	}, {
		Name: "extract/402/before-the-image", Operation: "extract", Status: 402, Needs: []string{needKey(KeyEmpty)}, Extractions: 2,
		Explanation: "The points are looked at before the image: without points an image that cannot be had is a 402.",
		Check: do(func(ctx context.Context, s *session) error {
			a, err := s.account(ctx, KeyEmpty, 2, 0)
			if err != nil {
				return err
			}
			return s.sendAll(ctx, &request{account: a, job: &job{image: ImageUnfetchable}}, &request{account: a, job: &job{image: ImageNotAnImage}})
		}),
	}}
}

// malformed are requests that are wrong in different ways.
func malformed(a *account, rush bool) []*request {
	return []*request{
		{account: a, rush: rush, body: []byte(`{`), faults: []string{"body"}},
		{account: a, rush: rush, body: []byte(`{"imageUrl":""}`), faults: []string{"imageUrl"}},
		{account: a, rush: rush, body: []byte(`x`), faults: []string{"Content-Type"}, header: http.Header{"Content-Type": {"text/plain"}}},
		{account: a, rush: rush, body: []byte(`{}`), faults: []string{"imageUrl", "Idempotency-Key"}, header: http.Header{"Idempotency-Key": {""}}},
		{account: a, rush: rush, body: []byte(`{}`), faults: []string{"imageUrl", "page"}, query: "page=1"},
	}
}

func limitCases() []Case {
	const most = 130 // beyond that a window is too large to be used up by a test
	return []Case{{
		Name: "extract/429/window-used-up", Operation: "extract", Status: 429, Needs: []string{needKey(KeyRateLimited)}, Extractions: most, Points: 20,
		Explanation: "Once the requests of the window are used up every extraction is a 429, good or bad; it says when to try again, costs nothing, and all else is still answered.",
		Check:       do(windowUsedUp),
	}, {
		Name: "extract/429/resets", Operation: "extract", Status: 429, Needs: []string{needKey(KeyRateLimited)}, Extractions: most, Points: 10,
		Explanation: "When the window resets, as Retry-After said, requests are let through again, and the Idempotency-Key of one that was refused is free.",
		Check:       do(windowResets),
	}, {
		Name: "extract/429/at-once", Operation: "extract", Status: 429, Needs: []string{needKey(KeyRateLimited)}, Extractions: most,
		Explanation: "Of many requests at the same time exactly as many are let through as the window has left.",
		Check:       do(limitAtOnce),
	}}
}

// limited is an account whose window can be used up.
func (s *session) limited(ctx context.Context, fresh bool) (*account, error) {
	reason := "the account mapped to \"ratelimited\" allows too many requests a minute to use them up; a plan with 10 to 60 is best"
	for _, a := range s.accounts[KeyRateLimited] {
		if err := s.open(ctx, a); err != nil {
			return nil, err
		}
		if a.room() == 0 && fresh && !a.usedUp {
			reason = "the window of \"ratelimited\" was used up before the run, and may be so forever"
			continue
		}
		if a.window.limit <= 120 {
			return a, nil
		}
	}
	return nil, &skip{reason}
}

// useUp sends cheap requests until none is left in the window.
func (s *session) useUp(ctx context.Context, a *account) error {
	a.usedUp = true
	for range a.window.left {
		x, err := s.send(ctx, &request{account: a, rush: true, body: []byte(`{}`), faults: []string{"imageUrl"}})
		if err != nil {
			return err
		}
		if x.Status == http.StatusTooManyRequests {
			return nil
		}
	}
	return nil
}

func windowUsedUp(ctx context.Context, s *session) error {
	a, err := s.limited(ctx, false)
	if err != nil {
		return err
	}
	if err := s.openWindow(ctx, a); err != nil {
		return err
	}
	if a.window.left > 1 && a.points.left >= cost {
		if _, err := s.send(ctx, keyed(a, "kept-"+s.name, job{image: ImagePrinted})); err != nil {
			return err
		}
	}
	if err := s.useUp(ctx, a); err != nil {
		return err
	}
	if s.Control != nil && !a.now.IsZero() { // where the window is whole, its length and what is left of it look alike
		if err := s.moveTo(ctx, a, a.window.reset.Add(-24700*time.Millisecond)); err != nil {
			return err
		}
	}
	large := oversized(a)
	large.rush = true
	requests := append(malformed(a, true), large)
	for _, image := range []string{ImagePrinted, ImageUnfetchable} {
		requests = append(requests, &request{account: a, rush: true, job: &job{image: image}})
	}
	again := keyed(a, "kept-"+s.name, job{image: ImagePrinted})
	again.rush = true
	for _, r := range append(requests, again) {
		x, err := s.send(ctx, r)
		if err != nil {
			return err
		}
		record, err := s.status(ctx, a)
		if err != nil {
			return err
		}
		if err := a.checkRetry(x, record); err != nil {
			return err
		}
	}
	return s.sendAll(ctx, &request{method: http.MethodGet, path: "/status", query: "verbose=1", faults: []string{"verbose"}, account: a},
		&request{method: http.MethodGet, path: "/nowhere", account: a}, &request{method: http.MethodPut, path: "/extract", body: []byte(`{}`), account: a})
}

// checkRetry wants a 429 to send nobody back before the window resets, where the clock stands still and can be compared.
func (a *account) checkRetry(x, record *Exchange) error {
	wait, err := strconv.Atoi(x.Header.Get("Retry-After"))
	window, _ := record.JSON["rateLimit"].(map[string]any)
	if a.now.IsZero() || x.Status != http.StatusTooManyRequests || err != nil || window == nil {
		return nil
	}
	reset := time.Unix(integer(window["reset"]), 0)
	if again := a.now.Add(time.Duration(wait) * time.Second); again.Before(reset) {
		return fail(x, "Retry-After is %d, but at %s the window, which resets at %s, is still used up", wait, again.UTC().Format("15:04:05.000"), clock(reset))
	}
	return nil
}

// shortest is how much of a window a case wants before it that is about one window.
const shortest = 15 * time.Second

// openWindow waits where the present window is about to end, so that it cannot end in the middle of the case.
func (s *session) openWindow(ctx context.Context, a *account) error {
	if left := a.window.reset.Sub(a.instant()); a.now.IsZero() && left > 0 && left < shortest && s.MaxWait >= shortest+a.slack() {
		return s.untilReset(ctx, a)
	}
	return nil
}

func windowResets(ctx context.Context, s *session) error {
	a, err := s.limited(ctx, true)
	if err != nil {
		return err
	}
	if err := s.useUp(ctx, a); err != nil {
		return err
	}
	id := s.idempotencyKey()
	refused := keyed(a, id, job{image: ImagePrinted})
	refused.rush = true
	x, err := s.send(ctx, refused)
	if err != nil {
		return err
	}
	if x.Status == http.StatusTooManyRequests {
		if err := s.untilReset(ctx, a); err != nil {
			return err
		}
	}
	if err := s.settled(ctx, a); err != nil {
		return err
	}
	if err := s.sendAll(ctx, &request{account: a, body: []byte(`{}`), faults: []string{"imageUrl"}}, keyed(a, id, job{image: ImagePrinted})); err != nil {
		return err
	}
	return nil
}

func limitAtOnce(ctx context.Context, s *session) error {
	a, err := s.limited(ctx, true)
	if err != nil {
		return err
	}
	if a.window.left < a.window.limit {
		if err := s.untilReset(ctx, a); err != nil {
			return err
		}
		if err := s.settled(ctx, a); err != nil {
			return err
		}
	}
	if err := s.openWindow(ctx, a); err != nil {
		return err
	}
	// All but a few requests one after the other, so that the race is small however large the window is.
	for range a.window.left - 5 {
		if _, err := s.send(ctx, &request{account: a, rush: true, body: []byte(`{}`), faults: []string{"imageUrl"}}); err != nil {
			return err
		}
	}
	left, reset := a.window.left, a.window.reset
	var requests []*request
	for range left + 5 {
		requests = append(requests, &request{account: a, rush: true, body: []byte(`{}`), faults: []string{"imageUrl"}})
	}
	exchanges, err := s.race(ctx, a, requests)
	if err != nil {
		return err
	}
	if !a.instant().Before(reset.Add(-a.slack())) {
		return &skip{"the window reset in the middle of the race"}
	}
	through := map[int]int64{}
	for _, x := range exchanges {
		through[x.Status]++
	}
	if through[http.StatusBadRequest] != left || through[http.StatusTooManyRequests] != int64(len(requests))-left {
		return fail(exchanges[0], "of %d requests at the same time %d must be let through: %s", len(requests), left, fmt.Sprint(through))
	}
	return nil
}
