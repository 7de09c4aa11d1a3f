package liar

import (
	"math"
	"net/http"
	"strings"
	"time"
)

// inventedCalendar miscount months, years and days.
func inventedCalendar() []row {
	overflowing := func(t time.Time) time.Time {
		t = t.UTC()
		return monthStart(time.Date(t.Year(), t.Month()+1, t.Day(), 0, 0, 0, 0, time.UTC))
	}
	isCapped := callIs(func(c *call) bool { return strings.HasPrefix(c.key(), "ocr_test_capped") })
	type seen struct {
		left  int64
		reset time.Time
	}
	berlin := time.FixedZone("", 3600)
	return []row{
		{"add-a-month-overflows", "clock/month", chain(
			nextReset(func(at, _ time.Time) time.Time { return overflowing(at) }), resetAt(overflowing),
		)},
		{"store-emptied-at-midnight", "clock/replay", forgetWhen(func(first, now time.Time) bool {
			return first.UTC().Format(time.DateOnly) != now.UTC().Format(time.DateOnly)
		})},
		{"month-without-year", clockYear, keepUsed(func(then, now time.Time) bool { return then.Month() == now.Month() })},
		{"reset-capped-at-2038", clockYear, on(isStatusRecord, inside("rateLimit", func(r object) {
			if number(r, "reset") > math.MaxInt32 {
				r["reset"] = math.MaxInt32
			}
		}))},
		{"429-begins-window", usedUp, remember(account, func(until *time.Time, honest server, c *call, a *reply) {
			at := c.now(honest)
			if a.status == http.StatusTooManyRequests {
				*until = at.Add(time.Minute)
				a.header.Set("Retry-After", "60")
			}
			if _, _, ok := window(a); ok && until.After(at) {
				setWindow(a, 0, int64(until.Sub(at)/time.Second))
			}
		})},
		{"429-with-old-points", usedUp, remember(account, func(first *int64, honest server, c *call, a *reply) {
			left, _, ok := window(a)
			limit, has := policy(a)
			switch {
			case !ok || !has || !c.isExtract():
			case left == limit-1:
				*first = c.pointsLeft(honest)
				if isResult(c, a) {
					*first += 10
				}
			case a.status == http.StatusTooManyRequests && *first != 0:
				set("remainingPoints", *first)(c, a)
			}
		})},
		{"cap-not-released", "extract/400/capped-image", charges(10, both(isUnfetched, isCapped))},
		{"cap-shown-late", "extract/402/capped", on(both(isStatusRecord, isCapped), edit(func(o object) {
			if number(o, "pointsRemaining") >= 10 {
				o["pointsTotal"] = 10_000
				o["pointsRemaining"] = 10_000 - number(o, "pointsUsed")
			}
		}))},
		{"cap-resets-in-30-days", "extract/402/capped", replaceWhen(status(http.StatusPaymentRequired), func(honest server, c *call, a *reply) *reply {
			if a.object()["limitedBy"] == "key" {
				set("nextReset", c.now(honest).Add(30*24*time.Hour).UTC().Format(time.RFC3339))(c, a)
			}
			return a
		})},
		{"windows-rolled-over-by-post", clockWindow, remember(account, func(m *seen, honest server, c *call, a *reply) {
			left, seconds, ok := window(a)
			at := c.now(honest)
			switch {
			case !ok || at.IsZero():
			case c.isExtract():
				m.left, m.reset = left, at.Add(time.Duration(seconds)*time.Second)
			case c.isStatus() && !m.reset.IsZero() && !at.Before(m.reset):
				setWindow(a, m.left, 0)
				a.edit(func(o object) {
					if r, ok := o["rateLimit"].(object); ok {
						r["reset"] = jsonNumber(m.reset.Unix())
					}
				})
			}
		})},
		{"too-many-pages-keep-their-points", everyOther, charges(10, both(status(http.StatusBadRequest), callIs(func(c *call) bool {
			p := pictureOf(c)
			return p != nil && p.pages > 10
		})))},
		{"wrong-content-type-is-not-counted", eachRule, counts(-1, both(status(http.StatusBadRequest), callIs(func(c *call) bool {
			return c.isExtract() && !strings.HasPrefix(strings.ToLower(c.request.Header.Get("Content-Type")), "application/json")
		})))},
		{"begins months in its own time zone", "extract/402/empty", nextReset(func(_, reset time.Time) time.Time {
			return time.Date(reset.Year(), reset.Month(), 1, 0, 0, 0, 0, berlin).UTC()
		})},
		{"reports the allowance of the account for a capped key", "extract/402/capped", on(both(isStatusRecord, callIs(func(c *call) bool { return strings.HasPrefix(c.key(), "ocr_test_capped") })), set("pointsTotal", 10_000))},
		{"reports the limit of one plan as that of all", statusRecord, on(always, func(_ *call, a *reply) {
			if a.header.Get("RateLimit-Policy") != "" {
				a.header.Set("RateLimit-Policy", `"account";q=60;w=60`)
			}
		})},
	}
}

// resetAt restores the points at the instant that follows from the last charge.
func resetAt(next func(charged time.Time) time.Time) lie {
	type memory struct {
		reset, month time.Time
		used, extra  int64
	}
	return remember(account, func(m *memory, honest server, c *call, a *reply) {
		if !isResult(c, a) && !isStatusRecord(c, a) {
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
		if isResult(c, a) && used > m.used {
			m.reset = next(now)
		}
		m.used = used
		shift(a, m.extra)
	})
}
