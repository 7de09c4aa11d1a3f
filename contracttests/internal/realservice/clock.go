package realservice

import (
	"context"
	"time"

	"uncial/contracttests"
	"uncial/impl/store/storetest"
)

// Clock is a clock for a whole service that stands still until a test moves it. It is safe for concurrent use. All accounts
// share it, so that targets with this clock must set OneClock.
type Clock struct{ *storetest.Clock }

var _ contracttests.Control = Clock{}

// NewClock starts in the middle of a window, a day and a month, so that no case meets a reset by accident.
func NewClock() Clock {
	return Clock{storetest.NewClock(time.Date(2026, 1, 15, 12, 0, 7, 0, time.UTC))}
}

// Time is the current time of the service.
func (c Clock) Time() time.Time { return c.Clock.Now() }

// Now implements contracttests.Control: all accounts share the time.
func (c Clock) Now(context.Context, string) (now time.Time, frozen bool, err error) {
	return c.Time(), true, nil
}

// SetNow moves the time of all accounts.
func (c Clock) SetNow(_ context.Context, _ string, now time.Time) error {
	c.Set(now)
	return nil
}
