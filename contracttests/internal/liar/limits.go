package liar

import (
	"bytes"
	"fmt"
	"net/http"
	"time"
)

const (
	neverLimited = "status/200/free-and-never-limited"
	usedUp       = "extract/429/window-used-up"
	limitRace    = "extract/429/at-once"
	limitResets  = "extract/429/resets"
	clockWindow  = "clock/window"
	serverFails  = "extract/500/image"
)

// countDefects count the wrong requests, or the wrong number of them.
func countDefects() []row {
	return []row{
		// Only authenticated POST /extract counts, good or bad.
		{"counts requests for the status", neverLimited, counts(1, isStatusRecord)},
		{"counts every tenth request for the status", neverLimited, counted(account, every(10), isStatusRecord, count(1))},
		{"counts a 404", notFound, counts(1, status(404))},
		{"counts an extraction twice", fallByTen, counts(1, isResult)},
		// A request that is refused has counted, or a loop of bad requests would never be stopped.
		{"does not count a malformed request", malformed, counts(-1, status(400))},
		{"does not count a malformed Idempotency-Key", eachRule, counts(-1, both(status(400), bodyHas("Idempotency-Key")))},
		{"does not count an image that cannot be fetched", badImage, counts(-1, isUnfetched)},
		{"does not count a 402", noPoints, counts(-1, status(402))},
		{"does not count a 500", serverFails, counts(-1, status(500))},
		{"does not count a repeat", replayCase, repeats(count(-1))},
		{"does not count another request with a used Idempotency-Key", conflictCase, counts(-1, isConflict)},
		// Windows that begin at 0 or end at n-1.
		{"does not count the first request of an account", fallByTen, counted(account, only(1), both(isExtraction, not(status(401))), count(-1))},
		{"does not count every twentieth request", walk, counted(account, every(20), both(isExtraction, not(status(401))), count(-1))},
		// A counter without a lock.
		{"counts only one of several concurrent requests", "extract/200/at-once", overlapping(account, isExtraction, count(-1))},
		{"does not count the first request of the second window", clockWindow, counted(account, only(2), windowBegins, count(-1))},
		// The window belongs to the account, and all of its keys share it.
		{"counts what any account requests for all accounts", "extract/200/accounts-are-apart", remember(everyone, func(m *shared, _ server, c *call, a *reply) {
			if c.isExtract() && a.status != http.StatusUnauthorized {
				m.add(c.key(), 1)
			}
			addLeft(a, -m.byOthers(c.key())%40)
		})},
	}
}

// reportedDefects count correctly and report another number.
func reportedDefects() []row {
	return []row{
		// RateLimit reports the state after the request, in every answer of the account.
		{"always reports a full window", fallByTen, on(not(status(429)), rewindow(func(a *reply, left, seconds int64) (int64, int64) {
			if limit, ok := policy(a); ok {
				return limit, seconds
			}
			return left, seconds
		}))},
		{"reports in RateLimit the requests left before the request", fallByTen, on(both(isExtraction, not(status(429))), func(_ *call, a *reply) { addLeft(a, 1) })},
		// A zero taken for a missing value.
		{"always reports at least one request left", usedUp, on(always, rewindow(func(_ *reply, left, seconds int64) (int64, int64) { return max(1, left), seconds }))},
		{"reports requests left in a 429", usedUp, on(status(429), reheader(func(_, seconds int64) (int64, int64) { return 10, seconds }))},
		// The header, the nested record and the flat field report the same state.
		{"reports one request fewer in the record than in the header", statusRecord, on(isStatusRecord, addToWindow("remaining", -1))},
		{"reports one request more as rateLimitRemaining", statusRecord, on(isStatusRecord, add("rateLimitRemaining", 1))},
		{"doubles the limit of the record", statusRecord, on(isStatusRecord, inside("rateLimit", func(r object) { r["limit"] = number(r, "limit") * 2 }))},
		{"reports ten times the limit everywhere", statusRecord, on(always, func(c *call, a *reply) {
			if limit, ok := policy(a); ok {
				a.header.Set("RateLimit-Policy", fmt.Sprintf(`"account";q=%d;w=60`, limit*10))
				inside("rateLimit", func(r object) { r["limit"] = limit * 10 })(c, a)
			}
		})},
		// A limiter that adapts: the contract has one limit per plan.
		{"halves the limit after five requests", fallByTen, counted(account, from(6), always, apply(func(_ *call, a *reply) {
			if limit, ok := policy(a); ok {
				a.header.Set("RateLimit-Policy", fmt.Sprintf(`"account";q=%d;w=60`, limit/2))
			}
		}))},
		{"mixes up the RateLimit of accounts that call concurrently", "extract/200/accounts-at-once", swapped(func(a, of *reply) {
			if v := of.header.Get("RateLimit"); v != "" && a.status != http.StatusUnauthorized {
				a.header.Set("RateLimit", v)
			}
		})},
	}
}

// windowBegins holds for the first request that counts in a window.
func windowBegins(c *call, a *reply) bool {
	left, _, ok := window(a)
	limit, known := policy(a)
	return ok && known && c.isExtract() && left+1 == limit
}

// windowDefects report or keep the wrong time.
func windowDefects() []row {
	return []row{
		// A sliding window or a token bucket. The contract has fixed windows of 60 seconds.
		{"begins the window anew with each request", clockWindow, on(always, rewindow(func(_ *reply, left, _ int64) (int64, int64) { return left, 60 }))},
		{"keeps a window of two minutes", fallByTen, on(always, rewindow(func(_ *reply, left, seconds int64) (int64, int64) { return left, seconds + 60 }))},
		{"always reports 60 seconds in RateLimit", clockWindow, on(always, reheader(func(left, _ int64) (int64, int64) { return left, 60 }))},
		{"reports 0 seconds in the RateLimit of the status", statusRecord, on(isStatusRecord, reheader(func(left, _ int64) (int64, int64) { return left, 0 }))},
		{"reports five seconds too few in the RateLimit of extractions", fallByTen, on(isExtraction, reheader(func(left, seconds int64) (int64, int64) { return left, max(0, seconds-5) }))},
		// `reset` is in Unix seconds, and agrees with `t` of RateLimit.
		{"reports a reset that has passed", statusRecord, on(isStatusRecord, addToWindow("reset", -120))},
		{"reports the reset a minute late", statusRecord, on(isStatusRecord, addToWindow("reset", 60))},
		{"reports the reset an hour late", statusRecord, on(isStatusRecord, addToWindow("reset", 3600))},
		{"reports the reset in milliseconds", statusRecord, on(isStatusRecord, inside("rateLimit", func(r object) { r["reset"] = number(r, "reset") * 1000 }))},
		{"reports the reset as seconds from now", statusRecord, on(isStatusRecord, inside("rateLimit", func(r object) { r["reset"] = 42 }))},
		// A window ends at the reported instant, and its end affects nothing else.
		{"keeps the window used up after its reset", limitResets, remember(account, func(used *bool, _ server, _ *call, a *reply) {
			if a.status == http.StatusTooManyRequests {
				*used = true
			} else if left, _, _ := window(a); *used {
				addLeft(a, -left)
			}
		})},
		{"gives the points back with a new window", clockWindow, windowGivesPoints()},
		{"resets the window a second late", clockWindow, windowResetsLate()},
		// A caller that retries would be locked out for ever.
		{"begins the window anew with each 429", usedUp, remember(account, func(until *time.Time, honest server, c *call, a *reply) {
			at := c.now(honest)
			if a.status == http.StatusTooManyRequests {
				*until = at.Add(time.Minute)
				a.header.Set("Retry-After", "60")
			}
			if left, _, ok := window(a); ok && until.After(at) {
				setWindow(a, left, int64(until.Sub(at)/time.Second))
			}
		})},
	}
}

// refusalDefects answer 429 to the wrong requests, or say the wrong thing in it.
func refusalDefects() []row {
	retry := func(f func(seconds int64) string) lie { return on(status(429), retryAfter(f)) }
	through := func(w func(c *call) bool) lie { return replaceWhen(both(status(429), callIs(w)), answerForOther) }
	refused := func(w when) lie {
		return replaceWhen(w, func(honest server, c *call, a *reply) *reply {
			if left, _, ok := window(c.status(honest)); !ok || left > 0 {
				return a
			}
			return c.malformed(honest)
		})
	}
	return []row{
		// Each part of a request is checked at a place of its own, and some of them too early.
		{"checks the length of an Idempotency-Key before the rate limit", usedUp, through(func(c *call) bool { return len(c.idempotencyKey()) > 255 })},
		{"checks the end of the body before the rate limit", usedUp, through(func(c *call) bool { return bytes.HasSuffix(c.body, []byte("\x00")) })},
		// RFC 9110, section 10.2.3: whole seconds. A client that waits that long is accepted, and not long after the
		// reset.
		{"tells clients to retry at once", usedUp, retry(func(int64) string { return "0" })},
		{"tells clients to retry before the window resets", usedUp, retry(func(int64) string { return "1" })},
		{"tells clients to retry half a minute late", usedUp, retry(func(seconds int64) string { return fmt.Sprint(min(60, seconds+30)) })},
		{"sends Retry-After in milliseconds", usedUp, retry(func(seconds int64) string { return fmt.Sprint(seconds * 1000) })},
		{"tells clients to retry up to a second early", usedUp, replaceWhen(status(429), func(honest server, c *call, a *reply) *reply {
			if c.now(honest).Nanosecond() > 0 {
				retryAfter(func(seconds int64) string { return fmt.Sprint(max(0, seconds-1)) })(c, a)
			}
			return a
		})},
		{"tells clients to retry 30 seconds early in the first half of the window", "extract/429/every-second", retry(func(seconds int64) string {
			if seconds > 30 && seconds < 60 {
				seconds -= 30
			}
			return fmt.Sprint(seconds)
		})},
		{"tells clients to retry a second early in the first half of the window", "extract/429/every-second", retry(func(seconds int64) string {
			if seconds > 30 && seconds < 60 {
				seconds--
			}
			return fmt.Sprint(seconds)
		})},
		// A 429 costs nothing, so the points are those of the status.
		{"reports other points in a 429 than are left", usedUp, on(status(429), add("remainingPoints", 10))},
		// Exactly as many requests are accepted as the window has left.
		{"lets one request too many through", usedUp, counted(account, only(1), status(429), answer(answerForOther))},
		{"lets one concurrent request too many through", limitRace, overlapping(account, status(429), func(w when) lie {
			return counted(account, only(1), w, answer(answerForOther))
		})},
		{"refuses the last request of the window", usedUp, replaceWhen(both(isExtraction, status(400)), func(honest server, c *call, a *reply) *reply {
			if left, _, _ := window(a); left > 0 {
				return a
			}
			return honest(c)
		})},
		// GET /status has no 429, and requests to unknown paths belong to no account.
		{"refuses the status when the window is used up", usedUp, refused(isStatusRecord)},
		{"refuses a malformed request for the status when the window is used up", usedUp, refused(both(status(400), method("GET")))},
		{"refuses unknown paths and methods when the window is used up", usedUp, refused(status(404, 405))},
		{"refuses the status after 100 requests", neverLimited, counted(account, from(101), isStatusRecord, apply(recode(429)))},
		// Order of the checks: the window comes before shape, stored answers and size, or it would not protect anything.
		{"checks the shape before the window", usedUp, through(func(c *call) bool { return c.fields()["imageUrl"] == nil })},
		{"checks the Idempotency-Key before the window", usedUp, through(func(c *call) bool { return c.idempotencyKey() != "" })},
		{"checks the size of the body before the window", usedUp, through(func(c *call) bool { return len(c.body) > largeBody })},
		// The capacity comes before the points, so that a refusal moves none.
		{"checks the points before the capacity", "extract/500/before-402", replaceWhen(both(isExtraction, status(500)), refusePrintedPage)},
		{"does not say when to try again if it is busy", "extract/500/before-402", on(both(isExtraction, status(500)), header("Retry-After", ""))},
		{"says when to try again only to requests without Idempotency-Key", "extract/500/before-402", on(both(isKeyed, status(500)), header("Retry-After", ""))},
		{"checks the query before the window", usedUp, through(func(c *call) bool { return c.request.URL.RawQuery != "" })},
	}
}

// windowGivesPoints gives back the points used when more requests are left than before, as in a new window.
func windowGivesPoints() lie {
	type memory struct {
		left, given int64
		seen        bool
	}
	return remember(account, func(m *memory, _ server, c *call, a *reply) {
		left, _, ok := window(a)
		if !ok {
			return
		}
		if m.seen && left > m.left && isStatusRecord(c, a) {
			m.given = number(a.object(), "pointsUsed")
		}
		m.left, m.seen = left, true
		shift(a, -m.given)
	})
}

// windowResetsLate reports the previous window in the first second of a minute.
func windowResetsLate() lie {
	return remember(account, func(before **int64, honest server, c *call, a *reply) {
		left, _, ok := window(a)
		if !ok || !isStatusRecord(c, a) {
			return
		}
		if late := c.now(honest).Second() == 0; !late {
			*before = &left
		} else if *before != nil {
			setWindow(a, **before, 1)
		}
	})
}

// refusePrintedPage answers as if the points were checked first: an honest server answers every request for the image at hand
// that it is busy, so the refusal is that of another image.
func refusePrintedPage(honest server, c *call, a *reply) *reply {
	return refuseWithoutPoints(honest, c.withBody([]byte(`{"imageUrl":"http://mock.invalid/printed"}`)), a)
}
