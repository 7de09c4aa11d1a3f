package liar

import (
	"net/http"
	"strings"
	"sync"
	"time"
)

func ledgerLies() []Defect {
	d := func(name, explanation string, l lie) Defect {
		return Defect{Name: name, Area: "ledger", Explanation: explanation, lie: l}
	}
	onStatus := func(code int) charge {
		return func(c *call, a *reply, _ int) int64 {
			if c.extracts() && a.status == code {
				return 10
			}
			return 0
		}
	}
	return []Defect{
		d("charges-400", "A malformed request is charged.", charges(onStatus(400))),
		d("charges-unreadable-image", "An image that cannot be read is charged.", charges(func(_ *call, a *reply, _ int) int64 {
			if a.status == 400 && strings.Contains(string(a.body), "image could not") {
				return 10
			}
			return 0
		})),
		d("charges-402", "A request that cannot be paid is charged what is left.", charges(func(_ *call, a *reply, _ int) int64 {
			if a.status == 402 {
				return 1
			}
			return 0
		})),
		d("charges-429", "A request beyond the limit is charged.", charges(onStatus(429))),
		d("charges-500", "A request on which the server fails is charged.", charges(onStatus(500))),
		d("charges-status", "Asking for the status costs a point.", charges(func(c *call, a *reply, _ int) int64 {
			if told(c, a) {
				return 1
			}
			return 0
		})),
		d("charges-404", "A request to where nothing is costs points.", charges(func(_ *call, a *reply, _ int) int64 {
			if a.status == 404 {
				return 10
			}
			return 0
		})),
		d("charges-twice", "Each extraction is charged twice, though only one is told.", func(honest server) server {
			return func(c *call) *reply {
				a := honest(c)
				if extracted(c, a) && c.idempotencyKey() == "" {
					honest(c)
				}
				return a
			}
		}),
		d("charges-15-when-enhanced", "An enhanced extraction costs 15 points.", charges(func(c *call, a *reply, _ int) int64 {
			if extracted(c, a) && c.asks()["enhance"] == true {
				return 5
			}
			return 0
		})),
		d("charges-more-for-documents", "A format with a document costs a point more.", charges(func(c *call, a *reply, _ int) int64 {
			if extracted(c, a) && c.asksFor("format") == "tsv" {
				return 1
			}
			return 0
		})),
		d("blank-page-is-free", "A blank page is not charged.", charges(func(c *call, a *reply, _ int) int64 {
			if extracted(c, a) && object(a.body)["text"] == "" {
				return -10
			}
			return 0
		})),
		d("every-seventh-is-free", "Every seventh extraction of an account is not charged.", charges(func(c *call, a *reply, n int) int64 {
			if extracted(c, a) && n%7 == 0 {
				return -10
			}
			return 0
		})),
		d("remaining-before-the-charge", "An extraction tells what was left before it.", fields(extracted, func(o map[string]any) { o["remainingPoints"] = number(o, "remainingPoints") + 10 })),
		d("remaining-constant", "Extractions always tell the same points left.", set(extracted, "remainingPoints", 9990)),
		d("status-lags", "The status tells the points of the question before.", func(honest server) server {
			var mu sync.Mutex
			last := map[string]map[string]any{}
			return func(c *call) *reply {
				a := honest(c)
				if !told(c, a) {
					return a
				}
				mu.Lock()
				defer mu.Unlock()
				now := object(a.body)
				if old := last[c.key()]; old != nil {
					a.edit(func(o map[string]any) {
						o["pointsUsed"], o["pointsRemaining"] = old["pointsUsed"], old["pointsRemaining"]
					})
				}
				last[c.key()] = now
				return a
			}
		}),
		d("used-does-not-rise", "The points used stay what they were.", set(told, "pointsUsed", 0)),
		d("sum-is-off", "Used and remaining points do not make the total.", fields(told, func(o map[string]any) { o["pointsTotal"] = number(o, "pointsTotal") + 10 })),
		d("total-shrinks", "The total falls with what is left.", fields(told, func(o map[string]any) {
			o["pointsTotal"], o["pointsUsed"] = o["pointsRemaining"], 0
		})),
		d("plan-of-another", "The plan has another name than its allowance.", set(told, "plan", "archive")),
		d("402-tells-nothing-left", "A 402 always tells that nothing is left.", fields(status(402), func(o map[string]any) { o["remainingPoints"] = max(0, number(o, "remainingPoints")-2) })),
		d("402-tells-enough-left", "A 402 tells that there are points enough.", set(status(402), "remainingPoints", 500)),
		d("402-with-ten-left", "Ten points are not enough for an extraction of ten.", func(honest server) server {
			return func(c *call) *reply {
				if c.extracts() && left(honest, c) == 10 {
					empty := honest(c.as("ocr_test_empty_liar"))
					empty.edit(func(o map[string]any) {
						if _, ok := o["remainingPoints"]; ok {
							o["remainingPoints"] = 10
						}
					})
					return empty
				}
				return honest(c)
			}
		}),
		d("overdraft", "An account with some points left may overdraw.", func(honest server) server {
			return func(c *call) *reply {
				a := honest(c)
				if o := object(a.body); a.status == 402 && number(o, "remainingPoints") > 0 {
					b := honest(c.as("ocr_test_ok_liar"))
					b.edit(func(o map[string]any) { o["remainingPoints"] = 0 })
					return b
				}
				return a
			}
		}),
		d("empty-extracts-blank", "A blank page is read without points.", func(honest server) server {
			return func(c *call) *reply {
				a := honest(c)
				if a.status == 402 && strings.HasSuffix(c.asksFor("imageUrl"), "/blank") {
					return honest(c.as("ocr_test_ok_liar"))
				}
				return a
			}
		}),
		d("race-overspends", "Requests at the same time all pass where only one can be paid.", func(honest server) server {
			var mu sync.Mutex
			first := map[string]time.Time{}
			return func(c *call) *reply {
				a := honest(c)
				mu.Lock()
				defer mu.Unlock()
				if extracted(c, a) && strings.Contains(c.key(), "_low_") {
					first[c.key()] = time.Now()
				}
				if a.status == 402 && time.Since(first[c.key()]) < 10*time.Millisecond {
					return honest(c.as("ocr_test_ok_liar"))
				}
				return a
			}
		}),
		d("next-reset-in-30-days", "The reset is told as 30 days from now.", nextReset(func(t time.Time) time.Time { return t.AddDate(0, 0, -1) })),
		d("next-reset-a-month-late", "The reset is told a month late.", nextReset(func(t time.Time) time.Time { return t.AddDate(0, 1, 0) })),
		d("next-reset-last-second", "The reset is told as the last second of the month.", nextReset(func(t time.Time) time.Time { return t.Add(-time.Second) })),
		d("next-reset-a-year-late", "The reset at the end of a year is told a year late.", nextReset(func(t time.Time) time.Time {
			if t.Month() == time.January {
				return t.AddDate(1, 0, 0)
			}
			return t
		})),
		d("next-reset-in-february-late", "The reset at the end of February is told on the 3rd of March.", nextReset(func(t time.Time) time.Time {
			if t.Month() == time.March {
				return t.AddDate(0, 0, 2)
			}
			return t
		})),
		d("month-does-not-reset", "A new month brings no points.", monthly(func(then, now map[string]any) {
			now["pointsUsed"], now["pointsRemaining"] = then["pointsUsed"], then["pointsRemaining"]
		})),
		d("month-carries-over", "What was left of a month is added to the next.", monthly(func(then, now map[string]any) {
			now["pointsTotal"] = number(now, "pointsTotal") + number(then, "pointsRemaining")
			now["pointsRemaining"] = number(now, "pointsRemaining") + number(then, "pointsRemaining")
		})),
		d("month-resets-early", "The points are back a second before the month ends.", fields(told, func(o map[string]any) {
			if r, ok := o["rateLimit"].(map[string]any); ok {
				if t := time.Unix(number(r, "reset"), 0).UTC(); t.Day() == 1 && t.Hour() == 0 && t.Minute() == 0 {
					o["pointsUsed"], o["pointsRemaining"] = 0, o["pointsTotal"]
				}
			}
		})),
		d("caller-gone-is-charged", "An extraction whose caller has gone is charged.", charges(func(c *call, _ *reply, _ int) int64 {
			if c.extracts() && c.request.Context().Err() != nil {
				return 10
			}
			return 0
		})),
		d("running-extractions-not-used", "The points of an extraction that runs do not count as used.", func(honest server) server {
			var mu sync.Mutex
			running := map[string]int64{}
			return func(c *call) *reply {
				if c.extracts() {
					mu.Lock()
					running[c.key()] += 10
					mu.Unlock()
					defer func() {
						mu.Lock()
						running[c.key()] -= 10
						mu.Unlock()
					}()
				}
				a := honest(c)
				mu.Lock()
				defer mu.Unlock()
				if told(c, a) {
					shift(a, -running[c.key()])
				}
				return a
			}
		}),
		d("accounts-share-points", "All accounts draw on the same points.", func(honest server) server {
			var mu sync.Mutex
			var spent int64
			own := map[string]int64{}
			return func(c *call) *reply {
				a := honest(c)
				mu.Lock()
				defer mu.Unlock()
				if extracted(c, a) {
					spent += 10
					own[c.key()] += 10
				}
				if told(c, a) {
					shift(a, spent-own[c.key()])
				}
				return a
			}
		}),
	}
}

// charge is what a call costs beside what the honest server takes. n counts the calls of the account.
type charge func(c *call, a *reply, n int) int64

// charges keeps a second ledger for each key and tells the sum of both.
func charges(of charge) lie {
	return func(honest server) server {
		var mu sync.Mutex
		taken, calls := map[string]int64{}, map[string]int{}
		return func(c *call) *reply {
			a := honest(c)
			if !c.api() {
				return a
			}
			mu.Lock()
			defer mu.Unlock()
			if extracted(c, a) {
				calls[c.key()]++
			}
			taken[c.key()] += of(c, a, calls[c.key()])
			shift(a, taken[c.key()])
			return a
		}
	}
}

// shift moves the points that an answer tells.
func shift(a *reply, taken int64) {
	if taken == 0 {
		return
	}
	a.edit(func(o map[string]any) {
		for _, name := range []string{"remainingPoints", "pointsRemaining"} {
			if _, ok := o[name]; ok {
				o[name] = max(0, number(o, name)-taken)
			}
		}
		if _, ok := o["pointsRemaining"]; ok {
			o["pointsUsed"] = max(0, number(o, "pointsUsed")+taken)
		}
	})
}

// left is what the account of the call has.
func left(honest server, c *call) int64 {
	ask := c.with(nil)
	ask.request.Method, ask.request.URL.Path, ask.request.URL.RawQuery = http.MethodGet, "/api/v1/status", ""
	return number(object(honest(ask).body), "pointsRemaining")
}

func nextReset(change func(time.Time) time.Time) lie {
	return fields(status(402), func(o map[string]any) {
		s, _ := o["nextReset"].(string)
		if t, err := time.Parse(time.RFC3339, s); err == nil {
			o["nextReset"] = change(t).Format(time.RFC3339)
		}
	})
}

// monthly changes the first status of a new month and those after it, given the last one of the month before.
func monthly(change func(then, now map[string]any)) lie {
	return func(honest server) server {
		var mu sync.Mutex
		last, before := map[string]map[string]any{}, map[string]map[string]any{}
		return func(c *call) *reply {
			a := honest(c)
			if !told(c, a) {
				return a
			}
			mu.Lock()
			defer mu.Unlock()
			now := object(a.body)
			if then := last[c.key()]; then != nil && number(then, "pointsUsed") > number(now, "pointsUsed") {
				before[c.key()] = then
			}
			last[c.key()] = now
			if then := before[c.key()]; then != nil {
				a.edit(func(o map[string]any) { change(then, o) })
			}
			return a
		}
	}
}
