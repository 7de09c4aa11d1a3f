package liar

import (
	"fmt"
	"slices"
	"time"
)

// calendarMutants miscount on some days of the calendar only.
func calendarMutants() []row {
	return slices.Concat(monthEndMutants(), missedResetMutants(), earlyResetMutants(), slowStepMutants(), windowCalendarMutants())
}

// timesOfYear are kinds of months and years, by the time on the account's clock.
func timesOfYear() (all []named[func(t time.Time) bool]) {
	type kind = named[func(t time.Time) bool]
	leap := func(year int) bool { return time.Date(year, 2, 29, 0, 0, 0, 0, time.UTC).Day() == 29 }
	for m := time.January; m <= time.December; m++ {
		all = append(all, kind{m.String(), func(t time.Time) bool { return t.Month() == m }})
	}
	return append(all,
		kind{"February of a leap year", func(t time.Time) bool { return t.Month() == time.February && leap(t.Year()) }},
		kind{"February of a year that is no leap year", func(t time.Time) bool { return t.Month() == time.February && !leap(t.Year()) }},
		kind{"February 2100", func(t time.Time) bool { return t.Month() == time.February && t.Year() == 2100 }},
		kind{"months of 30 days", func(t time.Time) bool { return nextMonthStart(t).AddDate(0, 0, -1).Day() == 30 }},
		kind{"months of 31 days", func(t time.Time) bool { return nextMonthStart(t).AddDate(0, 0, -1).Day() == 31 }},
		kind{"months before a shorter one", func(t time.Time) bool {
			return nextMonthStart(t).AddDate(0, 1, -1).Day() < nextMonthStart(t).AddDate(0, 0, -1).Day()
		}},
		kind{"years from 2038", func(t time.Time) bool { return t.Unix() > 1<<31-1 }}, kind{"years from 2106", func(t time.Time) bool { return t.Unix() > 1<<32-1 }},
		kind{"years from 2100", func(t time.Time) bool { return t.Year() >= 2100 }}, kind{"years from 2262", func(t time.Time) bool { return t.Year() > 2261 }},
		kind{"the first day of a month", func(t time.Time) bool { return t.UTC().Day() == 1 }}, kind{"the last day of a month", func(t time.Time) bool { return nextMonthStart(t).Sub(t) <= 24*time.Hour }},
		kind{"the last second of a month", func(t time.Time) bool { return nextMonthStart(t).Sub(t) <= time.Second }}, kind{"the last second of a year", func(t time.Time) bool {
			return t.UTC().Month() == time.December && nextMonthStart(t).Sub(t) <= time.Second
		}},
	)
}

func nextMonthStart(t time.Time) time.Time {
	t = t.UTC()
	return time.Date(t.Year(), t.Month()+1, 1, 0, 0, 0, 0, time.UTC)
}

func monthStart(t time.Time) time.Time {
	t = t.UTC()
	return time.Date(t.Year(), t.Month(), 1, 0, 0, 0, 0, time.UTC)
}

// monthEndMutants report nextReset wrongly at some times of the year.
func monthEndMutants() (all []row) {
	ways := []named[func(r time.Time) time.Time]{
		{"a day early", func(r time.Time) time.Time { return r.AddDate(0, 0, -1) }},
		{"a day late", func(r time.Time) time.Time { return r.AddDate(0, 0, 1) }},
		{"an hour early", func(r time.Time) time.Time { return r.Add(-time.Hour) }},
		{"a month late", func(r time.Time) time.Time { return r.AddDate(0, 1, 0) }},
		{"a year early", func(r time.Time) time.Time { return r.AddDate(-1, 0, 0) }},
		{"a second early", func(r time.Time) time.Time { return r.Add(-time.Second) }},
	}
	for i, k := range timesOfYear() {
		way := pick(ways, i)
		all = append(all, mutant(fmt.Sprintf("reports nextReset %s in %s", way.name, k.name), nextReset(func(at, r time.Time) time.Time {
			if k.of(at.UTC()) {
				return way.of(r)
			}
			return r
		})))
	}
	return all
}

// missedResetMutants restore no points, or too many, in some months or after some gaps.
func missedResetMutants() (all []row) {
	months := func(then, now time.Time) int { return 12*(now.Year()-then.Year()) + int(now.Month()-then.Month()) }
	miss := func(name string, missed func(then, now time.Time) bool) {
		all = append(all, mutant("restores no points "+name, keepUsed(func(then, now time.Time) bool { return months(then, now) > 0 && missed(then, now) })))
	}
	for _, k := range timesOfYear()[:22] {
		miss("in "+k.name, func(_, now time.Time) bool { return k.of(now) })
	}
	for _, n := range []int{2, 3, 6, 11, 12, 13, 24, 36, 120} {
		miss(fmt.Sprintf("after %d months without a call", n), func(then, now time.Time) bool { return months(then, now) == n })
	}
	miss("if the year changes", func(then, now time.Time) bool { return now.Year() != then.Year() })
	miss("if only the year changes", func(then, now time.Time) bool { return now.Year() != then.Year() && now.Month() == then.Month() })
	miss("if the day of the month is the same", func(then, now time.Time) bool { return now.Day() == then.Day() })
	miss("if the day of the month is lower", func(then, now time.Time) bool { return now.Day() < then.Day() })
	miss("within the first second of a month", func(_, now time.Time) bool { return now.Sub(monthStart(now)) < time.Second })
	miss("within the first hour of a month", func(_, now time.Time) bool { return now.Sub(monthStart(now)) < time.Hour })
	miss("within 30 days of the last call", func(then, now time.Time) bool { return now.Sub(then) < 30*24*time.Hour })
	for _, n := range []int{2, 3, 12, 13} {
		all = append(all, mutant(fmt.Sprintf("adds an allowance after %d months without a call", n), followStatus(func(then, now statusAt, a *reply) statusAt {
			if months(then.at.UTC(), now.at.UTC()) == n {
				a.edit(func(o object) { addPoints(o, number(o, "pointsTotal")) })
			}
			return now
		})))
	}
	return all
}

// keepUsed reports the used points of an earlier month in a new one, as long as it lasts.
func keepUsed(missed func(then, now time.Time) bool) lie {
	type memory struct {
		at    time.Time
		used  int64
		extra int64
		month time.Time
	}
	return remember(account, func(m *memory, honest server, c *call, a *reply) {
		if !isResult(c, a) && !isStatusRecord(c, a) {
			return
		}
		now := c.now(honest).UTC()
		if !m.month.Equal(monthStart(now)) {
			m.extra = 0
			if !m.at.IsZero() && missed(m.at, now) {
				m.extra = m.used
			}
		}
		record := c.status(honest).object()
		m.at, m.used, m.month = now, number(record, "pointsUsed")+m.extra, monthStart(now)
		shift(a, m.extra)
	})
}

// giveBack restores the points at some moments within a month.
func giveBack(given func(then, now time.Time) bool) lie {
	type memory struct {
		at    time.Time
		back  int64
		month time.Time
	}
	return remember(account, func(m *memory, honest server, c *call, a *reply) {
		if !isResult(c, a) && !isStatusRecord(c, a) {
			return
		}
		now := c.now(honest).UTC()
		switch {
		case !m.month.Equal(monthStart(now)):
			m.back, m.month = 0, monthStart(now)
		case !m.at.IsZero() && given(m.at, now):
			m.back = number(c.status(honest).object(), "pointsUsed")
			if isResult(c, a) {
				m.back -= 10
			}
		}
		m.at = now
		shift(a, -m.back)
	})
}

// earlyResetMutants restore the points before the month is over.
func earlyResetMutants() (all []row) {
	for _, day := range []int{28, 29, 30, 31, 15} {
		all = append(all, mutant(fmt.Sprintf("restores the points on day %d of a month", day), giveBack(func(then, now time.Time) bool { return then.Day() < day && now.Day() >= day })))
	}
	for _, zone := range []named[time.Duration]{{"Paris", time.Hour}, {"Tokyo", 9 * time.Hour}, {"Kiritimati", 14 * time.Hour}} {
		local := func(t time.Time) time.Month { return t.Add(zone.of).Month() }
		all = append(all, mutant("restores the points when the month begins in "+zone.name, giveBack(func(then, now time.Time) bool { return local(then) != local(now) && then.Month() == now.Month() })))
	}
	for _, zone := range []named[time.Duration]{{"London in summer", time.Hour}, {"New York", 5 * time.Hour}, {"Los Angeles", 8 * time.Hour}} {
		all = append(all, mutant("restores the points only when the month begins west of Greenwich: "+zone.name, keepUsed(func(then, now time.Time) bool {
			return monthStart(then) != monthStart(now) && now.Sub(monthStart(now)) < zone.of
		})))
	}
	for _, before := range []time.Duration{time.Second, 10 * time.Second, time.Minute, time.Hour, 24 * time.Hour} {
		all = append(all, mutant(fmt.Sprintf("restores the points %s before the month", before), giveBack(func(then, now time.Time) bool {
			return nextMonthStart(then).Sub(then) > before && nextMonthStart(now).Sub(now) <= before
		})))
	}
	return append(all,
		mutant("restores the points each day", giveBack(func(then, now time.Time) bool { return then.YearDay() != now.YearDay() })),
		mutant("restores the points each week", giveBack(func(then, now time.Time) bool {
			_, a := then.ISOWeek()
			_, b := now.ISOWeek()
			return a != b
		})),
		mutant("restores the points each hour", giveBack(func(then, now time.Time) bool { return !then.Truncate(time.Hour).Equal(now.Truncate(time.Hour)) })),
		mutant("restores the points with the window", giveBack(func(then, now time.Time) bool { return !then.Truncate(time.Minute).Equal(now.Truncate(time.Minute)) })),
		mutant("restores the points after a day without a call", giveBack(func(then, now time.Time) bool { return now.Sub(then) >= 24*time.Hour })),
		mutant("restores the points after a week without a call", giveBack(func(then, now time.Time) bool { return now.Sub(then) >= 7*24*time.Hour })),
		mutant("restores the points twice in a year: on 1 January and after 10 days", giveBack(func(then, now time.Time) bool {
			return now.Month() == time.January && then.Day() < 10 && now.Day() >= 10
		})),
	)
}

// slowStepMutants drift when the clock moves in many steps.
func slowStepMutants() (all []row) {
	for _, n := range []int{10, 25, 50} {
		all = append(all, mutant(fmt.Sprintf("forgets what was used after %d moves of the clock", n), func(honest server) server {
			moves := map[string]int{}
			return giveBackCounted(moves, n)(honest)
		}))
		all = append(all, mutant(fmt.Sprintf("charges a point more after %d moves of the clock", n), remember(account, func(m *struct {
			at time.Time
			n  int64
		}, honest server, c *call, a *reply,
		) {
			if !isResult(c, a) && !isStatusRecord(c, a) {
				return
			}
			if now := c.now(honest); !now.Equal(m.at) {
				m.at = now
				m.n++
			}
			if m.n >= int64(n) {
				shift(a, 1)
			}
		})))
	}
	return all
}

// giveBackCounted is giveBack at the nth move of an account's clock.
func giveBackCounted(moves map[string]int, n int) lie {
	return giveBack(func(then, now time.Time) bool {
		if then.Equal(now) {
			return false
		}
		moves[""]++
		return moves[""]%n == 0
	})
}

// windowCalendarMutants get windows wrong at boundaries of the calendar.
func windowCalendarMutants() (all []row) {
	for i, b := range []named[func(t time.Time) bool]{
		{"the last minute of a day", func(t time.Time) bool { return t.Hour() == 23 && t.Minute() == 59 }},
		{"the first minute of a day", func(t time.Time) bool { return t.Hour() == 0 && t.Minute() == 0 }},
		{"the last minute of an hour", func(t time.Time) bool { return t.Minute() == 59 }},
		{"the last minute of a month", func(t time.Time) bool { return nextMonthStart(t).Sub(t) <= time.Minute }},
		{"the first minute of a month", func(t time.Time) bool { return t.Sub(monthStart(t)) < time.Minute }},
		{"the last minute of a year", func(t time.Time) bool { return t.Month() == 12 && nextMonthStart(t).Sub(t) <= time.Minute }},
		{"years from 2038", func(t time.Time) bool { return t.Year() >= 2038 }},
		{"29 February", func(t time.Time) bool { return t.Month() == 2 && t.Day() == 29 }},
	} {
		way := pick([]named[func(left, seconds int64) (int64, int64)]{
			{"a second too long", func(left, s int64) (int64, int64) { return left, s + 1 }},
			{"with one request less", func(left, s int64) (int64, int64) { return max(0, left-1), s }},
			{"that ends at once", func(left, _ int64) (int64, int64) { return left, 0 }},
		}, i)
		all = append(all, mutant(fmt.Sprintf("reports a window %s in %s", way.name, b.name), replaceWhen(both(always, not(isKeyless)), func(honest server, c *call, a *reply) *reply {
			if left, seconds, ok := window(a); ok && b.of(c.now(honest).UTC()) {
				l, s := way.of(left, seconds)
				setWindow(a, l, s)
			}
			return a
		})))
	}
	return all
}
