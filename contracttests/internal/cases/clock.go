package cases

import (
	"context"
	"fmt"
	"time"

	"uncial/contracttests/internal/model"
)

func later(d time.Duration) ask {
	return move(func(a *model.Account) time.Time { return a.Now.Add(d) })
}

// untilWindow moves the clock to the reset of the window, or to some time before it.
func untilWindow(before time.Duration) ask {
	return move(func(a *model.Account) time.Time { return a.Window.Reset.Add(-before) })
}

// untilMonth moves the clock to the first instant of the next month, or to some time before it.
func untilMonth(before time.Duration) ask {
	return move(func(a *model.Account) time.Time { return model.NextMonth(a.Now).Add(-before) })
}

// clockNeeds makes row.run choose an account whose clock stands still.
var clockNeeds = []string{model.NeedClock}

// clockRows move the clock of the target, for rules that no test can wait for. They come late, because an account
// whose clock was moved differs from the others.
var clockRows = []row{
	{
		// Requests at the beginning, in the middle and one second before the end find sliding windows and wrong
		// lengths.
		name: "clock/window", about: "extract/200", needs: clockNeeds, points: 20,
		explanation: "The window lasts 60 seconds from its beginning, however the requests are distributed, and its reset restores no points.",
		asks: []ask{
			read(blank), untilWindow(30 * time.Second), status(), invalid(), untilWindow(time.Second), status(), invalid(), untilWindow(0), status(),
			read(blank), untilWindow(30 * time.Second), status(), invalid(), untilWindow(time.Second), status(), invalid(), untilWindow(0), status(),
		},
	}, {
		// Two months in a row find resets that happen only once. Points spent in the last second must not be
		// carried over.
		name: "clock/month", about: "status/200", needs: clockNeeds, points: 50,
		explanation: "At the first instant of a month, UTC, and not a second earlier, the points are back to the plan's allowance; unused points are not carried over.",
		asks: []ask{
			read(blank), untilMonth(time.Second), status(), read(blank), untilMonth(0), status(),
			read(blank), untilMonth(time.Second), status(), read(blank), untilMonth(0), status(), read(blank),
		},
	}, {
		// A server that resets only accounts keeps the key limited.
		name: "clock/capped-month", about: "extract/200", account: model.KeyCapped, needs: clockNeeds, points: 20,
		explanation: "The cap of a key starts again with the month, as the allowance does.",
		asks: []ask{
			read(blank), untilMonth(time.Second), read(blank), status(), untilMonth(0), status(), read(blank), status(),
		},
	}, {
		// This case finds caps that reset on their anniversary, after 30 days, by the number of the month alone, or not at the end of
		// a year.
		name: "clock/capped-year", about: "extract/200", account: model.KeyCapped, needs: clockNeeds, points: 10 * (months + 2), extractions: 2 * (months + 1), build: cappedMonths,
		explanation: "The cap of a key starts again with each month of a year and with the next year, and not before.",
	}, {
		name: "clock/window-across-months", about: "extract/200", needs: clockNeeds, points: 30,
		explanation: "A window continues when a month ends, and the new month begins with the whole allowance.",
		asks: []ask{
			read(blank), untilWindow(0), untilMonth(20 * time.Second), read(blank), status(), untilMonth(time.Millisecond), invalid(), status(), untilMonth(0), status(), invalid(), read(blank), later(39 * time.Second), status(), invalid(), later(time.Second), status(), invalid(),
		},
	}, {
		// The last millisecond of a month finds rounding, and the first instant of the next one finds a reset that
		// is computed from stale points.
		name: "clock/next-reset", about: "extract/402", account: model.KeyEmpty, needs: clockNeeds, points: 10,
		explanation: "Until the last moment of a month, nextReset is the first instant of the next month, UTC; when the points return, an Idempotency-Key that got a 402 is free.",
		asks: []ask{
			read(printed), untilMonth(time.Millisecond), read(printed).keyed("a"), status(), untilMonth(0), status(), read(printed).keyed("a"),
		},
		extractions: 4, then: emptyAtOnce,
	}, {
		// See calendar.go for the instants.
		name: "clock/next-reset-all-year", about: "extract/402", account: model.KeyRateLimited, needs: clockNeeds, extractions: 1200, points: 11_000, check: checkCalendar,
		explanation: "Points, windows and nextReset follow the calendar: at every month end, in leap years, at year ends, after gaps, in small steps and far ahead.",
	}, {
		// Covers the ages at which caches forget, the ends of hours, days, weeks, months and years, and ages beyond the lifetime.
		name: "clock/replay", about: "extract/200", needs: clockNeeds, points: 10 * int64(2*len(ages)+len(boundaries)+2), extractions: int64(2*len(youngAges) + 2*len(ages) + 2*len(boundaries) + 2), build: replaysOverTime,
		explanation: "A stored answer is kept for 24 hours, across every boundary of the calendar, and no longer.",
	},
}

// cappedMonths spends points of a capped key in every month, and looks at its cap at the first and the last instant.
func cappedMonths(*session) (asks []ask) {
	asks = []ask{read(blank), status()}
	for range months {
		asks = append(asks, untilMonth(time.Millisecond), status(), untilMonth(0), status(), read(blank), status(), later(15*24*time.Hour), status())
	}
	return append(asks, move(func(a *model.Account) time.Time { return model.NextMonth(a.Now).AddDate(1, 0, 0) }), status(), read(blank), status())
}

// emptyAtOnce takes the points away at the first instant of a month: nextReset must then be a whole month later.
func emptyAtOnce(ctx context.Context, s *session, x []*model.Exchange) error {
	setter, ok := s.Control.(model.PointSetter)
	if !ok {
		return nil
	}
	a := x[0].Request.Account
	if err := setter.SetPoints(ctx, a.Key, model.Cost-1); err != nil {
		return fmt.Errorf("set the points of the target: %w", err)
	}
	a.Points = model.Points{Used: a.Points.Total - model.Cost + 1, Left: model.Cost - 1, Total: a.Points.Total}
	_, err := s.sendAs(ctx, a, read(printed))
	return err
}
