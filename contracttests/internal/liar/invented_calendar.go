package liar

import (
	"math"
	"net/http"
	"strconv"
	"time"
)

// inventedCalendar miscount months, years and windows.
func inventedCalendar() []row {
	overflowing := func(t time.Time) time.Time {
		t = t.UTC()
		return monthStart(time.Date(t.Year(), t.Month()+1, t.Day(), 0, 0, 0, 0, time.UTC))
	}
	return []row{
		{"add-a-month-overflows", "clock/month", chain(
			nextReset(func(at, _ time.Time) time.Time { return overflowing(at) }), resetAt(overflowing),
		)},
		{"month-without-year", clockYear, keepUsed(func(then, now time.Time) bool { return then.Month() == now.Month() })},
		{"gaps-add-up", clockYear, remember(account, func(m *struct {
			at    time.Time
			bonus int64
		}, honest server, c *call, a *reply,
		) {
			now := c.now(honest).UTC()
			if a.status == http.StatusUnauthorized || now.IsZero() || !c.isExtract() && !c.isStatus() {
				return
			}
			if n := 12*(now.Year()-m.at.Year()) + int(now.Month()-m.at.Month()); !m.at.IsZero() && n > 0 {
				m.bonus = int64(n-1) * number(c.status(honest).object(), "pointsTotal")
			}
			if m.at = now; m.bonus == 0 || a.status != http.StatusOK {
				return
			}
			a.edit(func(o object) {
				for _, name := range []string{"remainingPoints", "pointsRemaining", "pointsTotal"} {
					if _, ok := o[name]; ok {
						o[name] = number(o, name) + m.bonus
					}
				}
			})
		})},
		{"window-slides", "clock/window", slidingWindow},
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

// slidingWindow begins the window of an account anew with each counted request, and keeps its count.
func slidingWindow(honest server) server {
	type slide struct {
		end   time.Time
		used  int64
		limit int64
	}
	var memories memory[slide]
	return func(c *call) (a *reply) {
		if name := account(c); name == "" || !c.isExtract() && !c.isStatus() {
			return honest(c)
		}
		refused := false
		now := c.now(honest)
		if c.isExtract() {
			memories.use(c.key(), func(m *slide) {
				if refused = m.limit > 0 && m.used >= m.limit && now.Before(m.end); refused {
					m.end = now.Add(time.Minute)
				}
			})
		}
		if refused {
			a = honest(c.as("ocr_test_ratelimited_liar"))
		} else {
			a = honest(c)
		}
		_, seconds, ok := window(a)
		if !ok {
			return a
		}
		memories.use(c.key(), func(m *slide) {
			switch {
			case refused:
				setWindow(a, 0, 60)
				a.header.Set("Retry-After", "60")
				a.header.Set("RateLimit-Policy", `"account";q=`+strconv.FormatInt(m.limit, 10)+`;w=60`)
			case c.isExtract() && a.status != http.StatusTooManyRequests:
				m.limit, _ = policy(a)
				if !now.Before(m.end) {
					m.used = 0
				}
				m.used++
				m.end = now.Add(time.Minute)
				setWindow(a, max(0, m.limit-m.used), 60)
			case c.isStatus() && now.Before(m.end):
				seconds = int64(math.Ceil(m.end.Sub(now).Seconds()))
				setWindow(a, max(0, m.limit-m.used), seconds)
			}
		})
		return a
	}
}
