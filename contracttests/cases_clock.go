package contracttests

import (
	"context"
	"fmt"
	"net/http"
	"time"
)

func clockCases() []Case {
	c := func(name, operation string, status int, extractions, points int64, explanation string, check body, needs ...string) Case {
		return Case{
			Name: name, Operation: operation, Status: status, Extractions: extractions, Points: points,
			Needs: append(needs, NeedClock), Explanation: explanation, Check: do(check),
		}
	}
	return []Case{
		c("clock/window", "extract", 200, 6, 20, "The window lasts 60 seconds from its beginning, however the requests lie in it, and its reset gives no points back.", clockWindow, needKey(KeyOK)),
		c("clock/month", "status", 200, 8, 50, "At the first instant of a month, UTC, and not a second before, the points are back to the plan's allowance; what was left is not carried over.", clockMonth, needKey(KeyOK)),
		c("clock/next-reset", "extract", 402, 6, 10, "nextReset is the first instant of the next month, UTC, to the last moment of this one; with the points an Idempotency-Key that got a 402 comes free.", clockNextReset, needKey(KeyEmpty)),
		c("clock/next-reset-all-year", "extract", 402, 70, 640, "nextReset is the first instant of the next month at the end of a year and in February as well.", clockYear, needKey(KeyRateLimited)),
		c("clock/replay", "extract", 200, 6, 20, "A stored answer is kept for 24 hours and not longer.", clockReplay, needKey(KeyOK)),
	}
}

// clockAccount is an account that no later case relies on the time of: the one used last.
func (s *session) clockAccount(ctx context.Context, scenario string, paid int) (*account, error) {
	a, err := s.account(ctx, scenario, paid+2, paid)
	if err != nil {
		return nil, err
	}
	if a.now.IsZero() {
		return nil, &skip{"the clock of the target runs; it must stand still between moves"}
	}
	return a, nil
}

// at moves the clock and asks for the status.
func (s *session) at(ctx context.Context, a *account, t time.Time) error {
	if err := s.moveTo(ctx, a, t); err != nil {
		return err
	}
	return s.settled(ctx, a)
}

func clockWindow(ctx context.Context, s *session) error {
	a, err := s.clockAccount(ctx, KeyOK, 2)
	if err != nil {
		return err
	}
	for range 2 {
		if _, err := s.extract(ctx, a, job{image: ImageBlank}); err != nil {
			return err
		}
		reset := a.window.reset
		for _, before := range []time.Duration{30 * time.Second, time.Second} {
			if t := reset.Add(-before); t.After(a.now) {
				if err := s.at(ctx, a, t); err != nil {
					return err
				}
			}
			if _, err := s.send(ctx, &request{account: a, body: []byte(`{}`), faults: []string{"imageUrl"}}); err != nil {
				return err
			}
		}
		if err := s.at(ctx, a, reset); err != nil {
			return err
		}
	}
	return nil
}

func clockMonth(ctx context.Context, s *session) error {
	a, err := s.clockAccount(ctx, KeyOK, 4)
	if err != nil {
		return err
	}
	for range 2 {
		reset := nextMonth(a.now)
		for _, t := range []time.Time{reset.Add(-time.Second), reset} {
			if _, err := s.extract(ctx, a, job{image: ImageBlank}); err != nil {
				return err
			}
			if err := s.at(ctx, a, t); err != nil {
				return err
			}
		}
	}
	_, err = s.extract(ctx, a, job{image: ImageBlank})
	return err
}

func clockNextReset(ctx context.Context, s *session) error {
	a, err := s.clockAccount(ctx, KeyEmpty, 0)
	if err != nil {
		return err
	}
	if _, err := s.extract(ctx, a, job{image: ImagePrinted}); err != nil {
		return err
	}
	if err := s.moveTo(ctx, a, nextMonth(a.now).Add(-time.Millisecond)); err != nil {
		return err
	}
	id := s.idempotencyKey()
	if err := s.sendAll(ctx, keyed(a, id, job{image: ImagePrinted})); err != nil {
		return err
	}
	if err := s.settled(ctx, a); err != nil {
		return err
	}
	// With the new month the account is no longer empty.
	if err := s.at(ctx, a, nextMonth(a.now)); err != nil {
		return err
	}
	if err := s.sendAll(ctx, keyed(a, id, job{image: ImagePrinted})); err != nil {
		return err
	}
	return s.emptyAtOnce(ctx, a)
}

// emptyAtOnce wants the reset after the next where an account is out of points at the first instant of a month.
func (s *session) emptyAtOnce(ctx context.Context, a *account) error {
	purse, ok := s.Control.(Purse)
	if !ok {
		return nil
	}
	if err := purse.SetPoints(ctx, a.key, cost-1); err != nil {
		return fmt.Errorf("set the points of the target: %w", err)
	}
	a.points = points{a.points.total - cost + 1, cost - 1, a.points.total}
	if _, err := s.extract(ctx, a, job{image: ImagePrinted}); err != nil {
		return err
	}
	return nil
}

// clockYear spends a small allowance in December and again in February.
func clockYear(ctx context.Context, s *session) error {
	const smallest = 300 // points; more would take too many requests
	for _, a := range s.accounts[KeyRateLimited] {
		if err := s.open(ctx, a); err != nil {
			return err
		}
		if err := s.readClock(ctx, a); err != nil {
			return err
		}
		if a.now.IsZero() || a.points.total > smallest || a.window.limit < 2 {
			continue
		}
		year := a.now.Year()
		for _, at := range []time.Time{time.Date(year, 12, 31, 23, 0, 0, 0, time.UTC), time.Date(year+1, 2, 28, 23, 0, 0, 0, time.UTC)} {
			if err := s.at(ctx, a, at); err != nil {
				return err
			}
			if err := s.spendAll(ctx, a); err != nil {
				return err
			}
		}
		return nil
	}
	return &skip{fmt.Sprintf("it needs an account of \"ratelimited\" with at most %d points a month", smallest)}
}

// spendAll extracts until the answer is a 402.
func (s *session) spendAll(ctx context.Context, a *account) error {
	for {
		x, err := s.extract(ctx, a, job{image: ImageBlank})
		if err != nil || x.Status == http.StatusPaymentRequired {
			return err
		}
	}
}

func clockReplay(ctx context.Context, s *session) error {
	a, err := s.clockAccount(ctx, KeyOK, 2)
	if err != nil {
		return err
	}
	id := s.idempotencyKey()
	j := job{image: ImagePrinted}
	if err := s.sendAll(ctx, keyed(a, id, j)); err != nil {
		return err
	}
	for _, after := range []time.Duration{idempotencyTTL - time.Second, 2 * time.Second} {
		if err := s.moveTo(ctx, a, a.now.Add(after)); err != nil {
			return err
		}
		if err := s.sendAll(ctx, keyed(a, id, j)); err != nil {
			return err
		}
		if err := s.settled(ctx, a); err != nil {
			return err
		}
	}
	return nil
}
