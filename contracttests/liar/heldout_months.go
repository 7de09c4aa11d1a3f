package liar

import (
	"encoding/json"
	"strconv"
	"sync"
	"time"
)

// epoch is what a status told at a time.
type epoch struct {
	at     time.Time
	record map[string]any
}

// tells lets what the status told before have a part in what it tells now. change is told both, and says which of them
// is to be remembered.
func tells(change func(then, now epoch, a *reply) epoch) lie {
	return func(honest server) server {
		var mu sync.Mutex
		last := map[string]epoch{}
		return func(c *call) *reply {
			a := honest(c)
			if extracted(c, a) {
				mu.Lock()
				defer mu.Unlock()
				if record := last[c.key()].record; record != nil {
					rest := number(object(a.body), "remainingPoints")
					record["pointsRemaining"], record["pointsUsed"] = encoded(rest), encoded(number(record, "pointsTotal")-rest)
				}
				return a
			}
			if !told(c, a) {
				return a
			}
			present := epoch{now(honest, c), object(a.body)}
			mu.Lock()
			defer mu.Unlock()
			then, seen := last[c.key()]
			if last[c.key()] = present; seen {
				last[c.key()] = change(then, present, a)
			}
			return a
		}
	}
}

func encoded(n int64) json.Number { return json.Number(strconv.FormatInt(n, 10)) }

// points gives a status the points of another.
func (a *reply) points(record map[string]any) {
	a.edit(func(o map[string]any) {
		for _, name := range []string{"pointsUsed", "pointsRemaining", "pointsTotal"} {
			o[name] = record[name]
		}
	})
}

func heldOutMonths() []Defect {
	d := func(name, explanation string, l lie) Defect {
		return Defect{Name: name, Area: "ledger", Explanation: explanation, lie: l}
	}
	return []Defect{
		d("month-resets-lazily", "The points of a new month are there only once something was spent.", tells(func(then, now epoch, a *reply) epoch {
			if number(now.record, "pointsUsed") == 0 && number(then.record, "pointsUsed") > 0 {
				a.points(then.record)
				return then
			}
			return now
		})),
		d("year-end-does-not-reset", "A new month brings points only if its number is greater.", tells(func(then, now epoch, a *reply) epoch {
			if now.at.Year() > then.at.Year() && now.at.Month() <= then.at.Month() {
				a.points(then.record)
				return then
			}
			return now
		})),
		d("idle-months-add-up", "After months without a call the allowances of all are there.", tells(func(then, now epoch, a *reply) epoch {
			months := 12*(now.at.Year()-then.at.Year()) + int(now.at.Month()-then.at.Month())
			if months > 1 {
				more := int64(months-1) * number(now.record, "pointsTotal")
				a.edit(func(o map[string]any) {
					o["pointsRemaining"], o["pointsTotal"] = number(o, "pointsRemaining")+more, number(o, "pointsTotal")+more
				})
			}
			return now
		})),
		d("next-reset-skips-short-month", "Late in a month the reset is told for the month after a shorter one.", resetBy(func(at, reset time.Time) time.Time {
			if at.AddDate(0, 1, 0).Day() != at.Day() {
				return reset.AddDate(0, 1, 0)
			}
			return reset
		})),
		d("next-reset-is-now", "At the first instant of a month the reset is told as that instant.", resetBy(func(at, reset time.Time) time.Time {
			if at.Day() == 1 && at.Equal(at.Truncate(24*time.Hour)) {
				return at
			}
			return reset
		})),
	}
}

// resetBy changes nextReset by the time that the account lives in.
func resetBy(change func(at, reset time.Time) time.Time) lie {
	return func(honest server) server {
		return func(c *call) *reply {
			a := honest(c)
			if c.api() && a.status == 402 {
				at := now(honest, c)
				a.edit(func(o map[string]any) {
					s, _ := o["nextReset"].(string)
					if t, err := time.Parse(time.RFC3339, s); err == nil {
						o["nextReset"] = change(at, t).Format(time.RFC3339)
					}
				})
			}
			return a
		}
	}
}
