package liar

import (
	"strings"
	"time"
)

const (
	statusRecord = "status/200/record"
	fallByTen    = "extract/200/points-fall-by-10"
	lowPoints    = "extract/402/low"
	capped       = "extract/402/capped"
	walk         = "extract/200/walk"
	badImage     = "extract/400/image"
	runningGone  = "extract/running-and-gone"
)

// chargeDefects charge the wrong answers, the wrong price, or at the wrong moment. The points reported agree with each
// other, so that only the model of the account can tell.
func chargeDefects() []row {
	return []row{
		// Only a 200 is charged: the hold of anything else is released.
		{"charges a malformed request", malformed, charges(10, both(isExtraction, status(400)))},
		{"charges an image that cannot be fetched", badImage, charges(10, isUnfetched)},
		{"charges an unsupported language", "extract/400/language", charges(10, both(status(400), bodyHas("supported")))},
		{"charges a 402 one of the points that are left", noPoints, charges(1, status(402))},
		{"charges a 429", usedUp, charges(10, status(429))},
		{"charges a 500", serverFails, charges(10, both(isExtraction, status(500)))},
		{"charges a failed extraction with an Idempotency-Key", serverFails, charges(10, both(isUnread, isKeyed))},
		{"charges 1 point for GET /status", neverLimited, charges(1, isStatusRecord)},
		{"charges a 404", notFound, charges(10, status(404))},
		{"charges another request with a used Idempotency-Key", conflictCase, charges(10, isConflict)},
		{"charges a repeat", replayCase, repeats(charge(10))},
		// The context of the request ends with its caller, and the release with it.
		{"charges an extraction whose caller has gone", runningGone, charges(10, callIs(func(c *call) bool { return c.isExtract() && c.request.Context().Err() != nil }))},
		{"holds no points, and charges a while after the caller has gone", runningGone, chain(whileExtracting(func(n int64, a *reply) { shift(a, -10*n) }), remember(account, func(left *time.Time, _ server, c *call, a *reply) {
			switch {
			case c.isExtract() && c.request.Context().Err() != nil:
				*left = time.Now()
			case c.isExtract() && !left.IsZero():
				*left = left.Add(-delay) // the next extraction finds the charge, however soon it comes
			}
			if !left.IsZero() && time.Since(*left) > delay {
				shift(a, 10)
			}
		}))},
		// An internal retry that charges again.
		{"charges each extraction twice", fallByTen, replaceWhen(both(isResult, not(isKeyed)), func(honest server, c *call, a *reply) *reply {
			honest(c)
			return a
		})},
		// The price is 10 points whatever the request asks for.
		{"charges 15 points for an enhanced page", fallByTen, charges(5, both(isResult, field("enhance", true)))},
		{"charges 11 points for a page as tsv", fallByTen, charges(1, both(isResult, field("format", "tsv")))},
		{"charges nothing for a blank page", fallByTen, charges(-10, isBlank)},
		// Charges that are wrong only now and then show only in a long sequence.
		{"charges nothing for every seventh extraction", walk, counted(account, every(7), isResult, charge(-10))},
		{"charges 20 points for the twelfth extraction", walk, counted(account, only(12), isResult, charge(10))},
		{"gives 10 points away with the third 402", noPoints, counted(account, only(3), status(402), charge(-10))},
		// Ten points an image file, not a page.
		{"charges several pages one by one", severalPages, remember(account, func(taken *int64, _ server, c *call, a *reply) {
			if isResult(c, a) {
				*taken += 10 * int64(strings.Count(string(a.body), `\f`))
			}
			shift(a, *taken)
		})},
		{"charges 5 points more for an inline image than its answer says", inlineImage, remember(account, func(taken *int64, _ server, c *call, a *reply) {
			shift(a, *taken)
			if isResult(c, a) && strings.HasPrefix(c.field("imageUrl"), "data:") {
				*taken += 5
			}
		})},
		// Read, then write: the update of one overwrites that of the other.
		{"charges only one of several concurrent extractions", "extract/200/at-once", overlapping(account, isResult, charge(-10))},
		// Points are released before the answer is sent, not by a job in the background.
		{"returns the points of a failed extraction a request later", badImage, remember(account, func(late *bool, _ server, c *call, a *reply) {
			if *late && isStatusRecord(c, a) {
				shift(a, 10)
			}
			*late = isUnread(c, a)
		})},
		{"returns the points of a failed extraction a moment later", badImage, late(isUnread, 10)},
		{"shows the charge of an extraction a moment later", "extract/200/least-request", late(isResult, -10)},
	}
}

// balanceDefects charge correctly and report something else.
func balanceDefects() []row {
	return []row{
		// remainingPoints and the status agree at once: both come from one statement.
		{"reports with each extraction the points before it", fallByTen, on(isResult, add("remainingPoints", 10))},
		{"reports the same remainingPoints with every extraction", fallByTen, on(isResult, set("remainingPoints", 9990))},
		{"always reports pointsUsed as 0", fallByTen, on(isStatusRecord, set("pointsUsed", 0))},
		// pointsUsed and pointsRemaining add up to pointsTotal at every moment.
		{"reports a pointsTotal that is not the sum", statusRecord, on(isStatusRecord, add("pointsTotal", 10))},
		{"lowers pointsTotal with each extraction", statusRecord, on(isStatusRecord, edit(func(o object) { o["pointsTotal"], o["pointsUsed"] = o["pointsRemaining"], 0 }))},
		{"doubles every allowance", statusRecord, on(isStatusRecord, edit(func(o object) {
			total := number(o, "pointsTotal") * 2
			o["pointsTotal"], o["pointsRemaining"] = total, total-number(o, "pointsUsed")
		}))},
		// Accounts may have any number of points: the scenario low has 12.
		{"rounds points to tens", lowPoints, on(isStatusRecord, edit(func(o object) {
			r := number(o, "pointsRemaining") / 10 * 10
			o["pointsRemaining"], o["pointsUsed"] = r, number(o, "pointsTotal")-r
		}))},
		// The plan catalogue ties name, allowance and rate limit together.
		{"names a plan that does not match the allowance", statusRecord, on(isStatusRecord, set("plan", "archive"))},
		{"names the plan free pro", statusRecord, on(isStatusRecord, edit(func(o object) {
			if o["plan"] == "free" {
				o["plan"] = "pro"
			}
		}))},
		// A cache or a replica that lags.
		{"reports the status of the request before", fallByTen, remember(account, func(last *object, _ server, c *call, a *reply) {
			if isStatusRecord(c, a) {
				now := a.object()
				if *last != nil {
					a.tellPoints(*last)
				}
				*last = now
			}
		})},
		{"reports a cached status", fallByTen, cachedStatus()},
	}
}

// ofCapped are the requests with a key that has a monthly cap.
func ofCapped(c *call, _ *reply) bool { return strings.HasPrefix(c.key(), "ocr_test_capped") }

// keepCapUsed reports the largest number of points ever used under the cap of a key.
func keepCapUsed(peak *int64, _ server, c *call, a *reply) {
	if !isStatusRecord(c, a) || !ofCapped(c, a) {
		return
	}
	o := a.object()
	*peak = max(*peak, number(o, "pointsUsed"))
	shift(a, *peak-number(o, "pointsUsed"))
}

// sharingDefects charge the wrong extraction or the wrong account.
func sharingDefects() []row {
	return []row{
		// A 402 is answered when fewer than 10 points are left, which need not be none.
		{"reports fewer points in a 402 than are left", lowPoints, on(status(402), edit(func(o object) { o["remainingPoints"] = max(0, number(o, "remainingPoints")-2) }))},
		{"reports enough points in a 402", noPoints, on(status(402), set("remainingPoints", 500))},
		{"reports the points used in a 402", noPoints, on(status(402), edit(func(o object) { o["remainingPoints"] = 10000 - number(o, "remainingPoints") }))},
		// limitedBy tells callers whether to raise the cap of the key or to upgrade the plan.
		{"names the account when the cap of the key is used up", capped, on(both(status(402), ofCapped), set("limitedBy", "account"))},
		{"names the key when the account has no points", "extract/402/limited-by", on(both(status(402), not(ofCapped)), set("limitedBy", "key"))},
		{"does not say which limit a 402 is about", "extract/402/limited-by", on(status(402), edit(func(o object) { delete(o, "limitedBy") }))},
		{"ignores the cap of a key", capped, replaceWhen(both(status(402), ofCapped), answerForOther)},
		{"reports the points of the account although fewer are left under the cap", capped, on(both(isStatusRecord, ofCapped), edit(func(o object) {
			o["pointsTotal"], o["pointsRemaining"] = number(o, "pointsTotal")+9500, number(o, "pointsRemaining")+9500
		}))},
		{"keeps the cap of a key used up in the new month", "clock/capped-month", remember(account, keepCapUsed)},
		// Off by one: > instead of >=.
		{"refuses an extraction when exactly 10 points are left", "extract/402/exact", func(honest server) server {
			return func(c *call) *reply {
				if c.isExtract() && c.pointsLeft(honest) == 10 {
					return withoutPoints(honest, c)
				}
				return honest(c)
			}
		}},
		// A check for any points instead of enough points.
		{"lets an account with 1 to 9 points overdraw", lowPoints, replaceWhen(both(status(402), func(_ *call, a *reply) bool { return number(a.object(), "remainingPoints") > 0 }), overdraw)},
		{"lets all concurrent extractions through if one can be paid", lowPoints, overlapping(account, status(402), answer(answerForOther))},
		{"reads a blank page without points", noPoints, replaceWhen(both(status(402), callIs(func(c *call) bool { return strings.HasSuffix(c.field("imageUrl"), "/blank") })), answerForOther)},
		// Holds count as used, or two extractions could be promised the same points.
		{"reports no points used while an extraction runs", runningGone, whileExtracting(func(n int64, a *reply) { shift(a, -10*n) })},
		{"reports the points of a running extraction as used and as left", runningGone, whileExtracting(func(_ int64, a *reply) { add("pointsRemaining", 10)(nil, a) })},
		// State of one account in a variable that all accounts share.
		{"charges what any account extracts to all accounts", "extract/200/accounts-are-apart", remember(everyone, func(m *shared, _ server, c *call, a *reply) {
			if isResult(c, a) {
				m.add(c.key(), 10)
			}
			if isStatusRecord(c, a) {
				shift(a, m.byOthers(c.key()))
			}
		})},
		{"mixes up the points of accounts that call concurrently", "extract/200/accounts-at-once", swapped(func(a, of *reply) {
			a.edit(func(o object) {
				if _, ok := o["remainingPoints"]; ok {
					o["remainingPoints"] = max(number(of.object(), "remainingPoints"), number(of.object(), "pointsRemaining"))
				}
			})
		})},
	}
}

// shared sums up what all accounts do.
type shared struct {
	sum int64
	own map[string]int64
}

func (s *shared) add(key string, n int64) {
	if s.own == nil {
		s.own = map[string]int64{}
	}
	s.sum, s.own[key] = s.sum+n, s.own[key]+n
}

func (s *shared) byOthers(key string) int64 { return s.sum - s.own[key] }

// late shifts the points of the status for a moment after answers for which the condition holds.
func late(w when, points int64) lie {
	return remember(account, func(last *time.Time, _ server, c *call, a *reply) {
		if w(c, a) {
			*last = time.Now()
		}
		if isStatusRecord(c, a) && time.Since(*last) < delay {
			shift(a, points)
		}
	})
}

// cachedStatus answers with a status that may be a moment old.
func cachedStatus() lie {
	type entry struct {
		at   time.Time
		body []byte
	}
	return remember(account, func(e *entry, _ server, c *call, a *reply) {
		if !isStatusRecord(c, a) {
			return
		}
		if e.body != nil && time.Since(e.at) < 2*delay {
			a.body = e.body
			return
		}
		*e = entry{time.Now(), a.body}
	})
}

// overdraw lets another account pay and reports that no points are left.
func overdraw(honest server, c *call, a *reply) *reply {
	b := answerForOther(honest, c, a)
	set("remainingPoints", 0)(c, b)
	return b
}

// withoutPoints answers 402, with the true number of points.
func withoutPoints(honest server, c *call) *reply {
	points := c.pointsLeft(honest)
	b := honest(c.withKey(emptyKey))
	if b.status == 402 {
		set("remainingPoints", points)(c, b)
	}
	return b
}

// tellPoints gives a status the points of another record.
func (a *reply) tellPoints(record object) {
	a.edit(func(o object) {
		for _, name := range []string{"pointsUsed", "pointsRemaining", "pointsTotal"} {
			o[name] = record[name]
		}
	})
}
