// Package still is a clock for a whole service that stands still until a test moves it.
package still

import (
	"context"
	"time"

	"uncial/impl/store/storetest"
)

// Clock is a contracttests.Control of all accounts at once. It is safe for concurrent use.
type Clock struct{ clock *storetest.Clock }

// NewClock stands at an instant in the middle of a window, a day and a month.
func NewClock() *Clock {
	return &Clock{storetest.NewClock(time.Date(2026, 1, 15, 12, 0, 7, 0, time.UTC))}
}

// Time is where it stands.
func (c *Clock) Time() time.Time { return c.clock.Now() }

// Advance moves it on.
func (c *Clock) Advance(d time.Duration) { c.clock.Advance(d) }

// Now is the time of all accounts.
func (c *Clock) Now(context.Context, string) (now time.Time, frozen bool, err error) {
	return c.Time(), true, nil
}

// SetNow moves the time of all accounts.
func (c *Clock) SetNow(_ context.Context, _ string, now time.Time) error {
	c.clock.Set(now)
	return nil
}
