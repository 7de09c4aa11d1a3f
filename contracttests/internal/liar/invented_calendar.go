package liar

import (
	"math"
	"time"
)

// inventedCalendar miscount months, years and days.
func inventedCalendar() []row {
	overflowing := func(t time.Time) time.Time {
		t = t.UTC()
		return monthStart(time.Date(t.Year(), t.Month()+1, t.Day(), 0, 0, 0, 0, time.UTC))
	}
	return []row{
		{"add-a-month-overflows", "clock/month", chain(
			nextReset(func(at, _ time.Time) time.Time { return overflowing(at) }), resetAt(overflowing),
		)},
		{"store-emptied-at-midnight", "clock/replay", forgetWhen(func(first, now time.Time) bool {
			return first.UTC().Format(time.DateOnly) != now.UTC().Format(time.DateOnly)
		})},
		{"month-without-year", clockYear, keepUsed(func(then, now time.Time) bool { return then.Month() == now.Month() })},
		{"reset-capped-at-2038", clockYear, on(reported, inside("rateLimit", func(r object) {
			if number(r, "reset") > math.MaxInt32 {
				r["reset"] = math.MaxInt32
			}
		}))},
	}
}

// resetAt restores the points at the instant that follows from the last charge.
func resetAt(next func(charged time.Time) time.Time) lie {
	type memory struct {
		reset, month time.Time
		used, extra  int64
	}
	return remember(account, func(m *memory, honest server, c *call, a *reply) {
		if !extracted(c, a) && !reported(c, a) {
			return
		}
		now := c.now(honest).UTC()
		if !m.month.Equal(monthStart(now)) {
			if m.extra = 0; now.Before(m.reset) {
				m.extra = m.used
			}
			m.month = monthStart(now)
		}
		used := number(c.status(honest).object(), "pointsUsed") + m.extra
		if extracted(c, a) && used > m.used {
			m.reset = next(now)
		}
		m.used = used
		shift(a, m.extra)
	})
}
