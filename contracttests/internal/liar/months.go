package liar

import "time"

const (
	clockMonth     = "clock/month"
	clockNextReset = "clock/next-reset"
	clockYear      = "clock/next-reset-all-year"
)

// nextResetDefects report the end of the month wrongly.
func nextResetDefects() []row {
	return []row{
		// The reset is the first instant of the next calendar month, UTC.
		{"reports nextReset as 30 days from now", noPoints, nextReset(func(_, r time.Time) time.Time { return r.AddDate(0, 0, -1) })},
		{"reports nextReset a month late", noPoints, nextReset(func(_, r time.Time) time.Time { return r.AddDate(0, 1, 0) })},
		{"reports nextReset as the last second of the month", noPoints, nextReset(func(_, r time.Time) time.Time { return r.Add(-time.Second) })},
		{"reports nextReset a year late in December", clockYear, nextReset(func(_, r time.Time) time.Time {
			if r.Month() == time.January {
				return r.AddDate(1, 0, 0)
			}
			return r
		})},
		// Adding a number of days to the end of a month.
		{"reports nextReset as the 3rd of March in February", clockYear, nextReset(func(_, r time.Time) time.Time {
			if r.Month() == time.March {
				return r.AddDate(0, 0, 2)
			}
			return r
		})},
		// time.AddDate normalizes: a month after 31 January is 3 March.
		{"skips a shorter month in nextReset", clockNextReset, nextReset(func(at, r time.Time) time.Time {
			if at.AddDate(0, 1, 0).Day() != at.Day() {
				return r.AddDate(0, 1, 0)
			}
			return r
		})},
		// The boundary belongs to the new month.
		{"reports nextReset as now at the first instant of a month", clockNextReset, nextReset(func(at, r time.Time) time.Time {
			if at.Day() == 1 && at.Equal(at.Truncate(24*time.Hour)) {
				return at
			}
			return r
		})},
	}
}

// periodDefects restore the points at the wrong moment, or the wrong number of them.
func periodDefects() []row {
	return []row{
		// The allowance is there from the first instant of a month, does not add up, and is not carried over.
		{"restores no points in a new month", clockMonth, monthly(func(then, now object) {
			now["pointsUsed"], now["pointsRemaining"] = then["pointsUsed"], then["pointsRemaining"]
		})},
		{"adds the points left of a month to the next", clockMonth, monthly(func(then, now object) { addPoints(now, number(then, "pointsRemaining")) })},
		{"adds half of the points left of a month to the next", clockMonth, monthly(func(then, now object) { addPoints(now, number(then, "pointsRemaining")/2) })},
		{"restores the points a second before the month", clockMonth, on(isStatusRecord, edit(func(o object) {
			r, _ := o["rateLimit"].(object)
			if t := time.Unix(number(r, "reset"), 0).UTC(); t.Day() == 1 && t.Hour() == 0 && t.Minute() == 0 {
				o["pointsUsed"], o["pointsRemaining"] = 0, o["pointsTotal"]
			}
		}))},
		// A new period begins when something is written, but reading does not check for one.
		{"restores the points of a month only after an extraction", clockNextReset, followStatus(func(then, now statusAt, a *reply) statusAt {
			if number(now.record, "pointsUsed") == 0 && number(then.record, "pointsUsed") > 0 {
				a.tellPoints(then.record)
				return then
			}
			return now
		})},
		// Months compared without their years.
		{"restores no points in January", clockYear, followStatus(func(then, now statusAt, a *reply) statusAt {
			if now.at.Year() > then.at.Year() && now.at.Month() <= then.at.Month() {
				a.tellPoints(then.record)
				return then
			}
			return now
		})},
		{"adds up the allowances of months without a call", clockYear, followStatus(func(then, now statusAt, a *reply) statusAt {
			if months := 12*(now.at.Year()-then.at.Year()) + int(now.at.Month()-then.at.Month()); months > 1 {
				a.edit(func(o object) { addPoints(o, int64(months-1)*number(o, "pointsTotal")) })
			}
			return now
		})},
	}
}

// addPoints adds to the points of a status record that are left, and to their total.
func addPoints(o object, points int64) {
	o["pointsTotal"], o["pointsRemaining"] = number(o, "pointsTotal")+points, number(o, "pointsRemaining")+points
}

// nextReset changes nextReset, given the time on the account's clock.
func nextReset(f func(at, reset time.Time) time.Time) lie {
	return replaceWhen(status(402), func(honest server, c *call, a *reply) *reply {
		at := c.now(honest)
		a.edit(func(o object) {
			s, _ := o["nextReset"].(string)
			if t, err := time.Parse(time.RFC3339, s); err == nil {
				o["nextReset"] = f(at, t).Format(time.RFC3339)
			}
		})
		return a
	})
}

// monthly changes the records of a new month, given the last one of the month before.
func monthly(f func(then, now object)) lie {
	type months struct{ last, before object }
	return remember(account, func(m *months, _ server, c *call, a *reply) {
		if !isStatusRecord(c, a) {
			return
		}
		now := a.object()
		if number(m.last, "pointsUsed") > number(now, "pointsUsed") {
			m.before = m.last
		}
		if m.last = now; m.before != nil {
			a.edit(func(o object) { f(m.before, o) })
		}
	})
}

// statusAt is a status record and the time at which it was reported.
type statusAt struct {
	at     time.Time
	record object
}

// followStatus changes a status by the one before it, whose points follow the extractions since. f returns which of the
// two is remembered.
func followStatus(f func(then, now statusAt, a *reply) statusAt) lie {
	return remember(account, func(last *statusAt, honest server, c *call, a *reply) {
		switch {
		case isResult(c, a) && last.record != nil:
			left := number(a.object(), "remainingPoints")
			last.record["pointsRemaining"], last.record["pointsUsed"] = jsonNumber(left), jsonNumber(number(last.record, "pointsTotal")-left)
		case isStatusRecord(c, a):
			then := *last
			if *last = (statusAt{c.now(honest), a.object()}); then.record != nil {
				*last = f(then, *last, a)
			}
		}
	})
}
