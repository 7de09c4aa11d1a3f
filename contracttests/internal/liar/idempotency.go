package liar

import (
	"bytes"
	"context"
	"strings"
	"time"
)

const (
	replayCase    = "extract/200/replay"
	replayApart   = "extract/200/replay-apart"
	replayRace    = "extract/200/replay-at-once"
	conflictCase  = "extract/400/replay-of-another-request"
	everyConflict = "extract/400/replay-of-every-other-value"
	clockReplay   = "clock/replay"
)

// replayDefects answer repeats wrongly, or treat other requests as repeats.
func replayDefects() []row {
	return []row{
		// A client that lost an answer repeats its request: it must not pay twice.
		{"ignores the Idempotency-Key", replayCase, rewrite(func(c *call) { c.request.Header.Del("Idempotency-Key") })},
		// A replay is the stored answer byte for byte; request id and window are those of the repeat itself.
		{"reports the current points in a repeat", replayCase, repeats(answer(func(honest server, c *call, a *reply) *reply {
			set("remainingPoints", c.pointsLeft(honest))(c, a)
			return a
		}))},
		{"reports in a repeat that it cost nothing", replayCase, repeats(apply(set("pointsUsed", 0)))},
		{"reports another processing time in a repeat", replayCase, repeats(apply(set("processingTime", 1)))},
		{"marks a repeat with a field", replayCase, repeats(apply(set("replayed", true)))},
		{"answers 409 to a repeat", replayCase, repeats(apply(recode(409)))},
		{"leaves the document out of a repeat", replayCase, repeats(apply(drop("document")))},
		{"leaves Cache-Control out of a repeat", replayCase, repeats(apply(header("Cache-Control", "")))},
		{"sends the first X-Request-Id with a repeat", replayCase, firstHeader("X-Request-Id")},
		{"sends the first RateLimit with a repeat", replayCase, firstHeader("RateLimit")},
		// Clients tell by the header what a run cost.
		{"leaves Idempotency-Replayed out of a repeat", replayCase, repeats(apply(header("Idempotency-Replayed", "")))},
		{"sends Idempotency-Replayed: yes", replayCase, repeats(apply(header("Idempotency-Replayed", "yes")))},
		{"marks the first answer as a repeat", replayCase, on(both(isResult, isKeyed), header("Idempotency-Replayed", "true"))},
		{"marks a conflict as a repeat", conflictCase, on(both(status(400), isKeyed), header("Idempotency-Replayed", "true"))},
		{"marks the answer to an Idempotency-Key that another account has used", replayApart, remember(func(c *call) string { return c.idempotencyKey() }, func(seen *bool, _ server, c *call, a *reply) {
			if *seen && isResult(c, a) {
				a.header.Set("Idempotency-Replayed", "true")
			}
			*seen = true
		})},
		{"leaves Idempotency-Replayed out of concurrent repeats", replayRace, overlapping(repeatable, isResult, apply(header("Idempotency-Replayed", "")))},
		// The store of replies is asked before the API key is checked.
		{"answers a repeat without an API key", replayCase, remember(func(c *call) string { return c.idempotencyKey() }, func(stored *[]byte, _ server, c *call, a *reply) {
			switch {
			case a.status == 401 && *stored != nil:
				a.status, a.body = 200, *stored
				a.header.Del("WWW-Authenticate")
			case isResult(c, a):
				*stored = a.body
			}
		})},
		// The server did the work; that its answer did not arrive is no reason to charge for the repeat.
		{"charges again after a caller hung up", "extract/200/caller-hung-up", chargeAbandoned()},
		{"keeps no reply for an answer that was reset", "extract/200/answer-reset", forgetAnswersTo("mock.invalid/reset")},
		{"keeps no reply for an answer that was cut off", "extract/200/answer-cut", forgetAnswersTo("mock.invalid/cut")},
		{"keeps no reply for an answer with a wrong length", "extract/200/answer-wrong-length", forgetAnswersTo("mock.invalid/length")},
		// A replay costs nothing, so it needs no points.
		{"refuses a repeat when no points are left", "extract/200/replay-without-points", repeats(answer(refuseWithoutPoints))},
		{"refuses waiting repeats when the points suffice only for the first", "extract/200/replay-at-once-without-points", overlapping(repeatable, isResult, answer(refuseWithoutPoints))},
		// A repeat waits for the first. The IETF draft of the header has 409 here; the statuses of the contract are closed.
		{"answers 409 to a concurrent repeat", replayRace, overlapping(repeatable, isExtraction, apply(recode(409)))},
		{"carries out every concurrent repeat", replayRace, overlapping(repeatable, isExtraction, answer(carryOut))},
		// Keys have 255 characters at most and are compared byte by byte, not by prefix, collation or pattern.
		{"compares only the first 40 characters of an Idempotency-Key", replayApart, rename(func(k string) string { return k[:min(40, len(k))] })},
		{"ignores letter case in an Idempotency-Key", replayApart, rename(strings.ToLower)},
		{"takes an underscore in an Idempotency-Key for any character", replayApart, keysAsPatterns()},
		// A store that looks only at the Idempotency-Key shows one customer the page of another.
		{"finds stored answers of other accounts", replayApart, remember(func(c *call) string { return c.idempotencyKey() }, replayFirst(isResult))},
		// 1 to 255 visible ASCII characters, one header.
		{"refuses an Idempotency-Key of 255 characters", replayApart, rename(func(k string) string {
			if len(k) > 128 {
				return k + strings.Repeat("k", 256)
			}
			return k
		})},
		{"accepts an Idempotency-Key of 256 characters", eachRule, rename(func(k string) string { return k[:min(255, len(k))] })},
		{"accepts a blank in an Idempotency-Key", eachRule, rename(replacing(" ", "_"))},
		{"ignores an empty Idempotency-Key", eachRule, rewrite(func(c *call) {
			if v := c.request.Header["Idempotency-Key"]; len(v) == 1 && v[0] == "" {
				c.request.Header.Del("Idempotency-Key")
			}
		})},
		{"uses the first of two Idempotency-Key headers", eachRule, rewrite(func(c *call) {
			if v := c.request.Header.Values("Idempotency-Key"); len(v) > 1 {
				c.request.Header.Set("Idempotency-Key", v[0])
			}
		})},
	}
}

// conflictDefects treat a different request with a used Idempotency-Key wrongly.
func conflictDefects() []row {
	return []row{
		// The key of another request is a mistake of the caller: a replay would give it the wrong page.
		{"replays the stored answer to another request", conflictCase, replayTo(isConflict)},
		{"replays the stored answer to a malformed request", conflictCase, replayTo(both(status(400), not(isConflict)))},
		// Other APIs answer 409 or 422. The contract requires a 400 that names the header.
		{"answers 409 to another request with a used Idempotency-Key", conflictCase, on(isConflict, recode(409))},
		{"answers 422 to another request with a used Idempotency-Key", conflictCase, on(isConflict, recode(422))},
		{"blames the body for a used Idempotency-Key", conflictCase, on(isConflict, raw(replacing(`"Idempotency-Key":`, `"body":`)))},
		{"carries out another request with a used Idempotency-Key", conflictCase, replaceWhen(isConflict, carryOut)},
		// Requests are the same if every field is: a fingerprint must cover them all.
		{"compares only the image of requests with one Idempotency-Key", conflictCase, ignoring("language", "enhance", "format")},
		{"does not compare the format of requests with one Idempotency-Key", conflictCase, ignoring("format")},
		{"does not compare enhance in requests with one Idempotency-Key", conflictCase, ignoring("enhance")},
		{"treats the formats json and text as equal in requests with one Idempotency-Key", everyConflict, confusing("format", "json", "text")},
		{"treats Spanish and Portuguese as equal in requests with one Idempotency-Key", everyConflict, confusing("language", "es", "pt")},
		{"treats two images as equal in requests with one Idempotency-Key", everyConflict, confusing("imageUrl", "https://mock.invalid/faded", "https://mock.invalid/signs")},
		{"replays an enhanced result to a request without enhancement", everyConflict, mistaking("enhance", false, true)},
		// Requests are compared even while the first one still runs.
		{"gives another request with the Idempotency-Key of a running one its answer", "extract/400/replay-of-another-request-at-once", conflictJoins},
	}
}

// storageDefects store the wrong answers, or keep them for too short or too long a time.
func storageDefects() []row {
	return []row{
		// Only results are stored: after an error the key is free, so that a corrected request can use it.
		{"stores the answer to a malformed request", "extract/200/errors-are-not-kept", store(both(status(400), not(isConflict)))},
		{"stores the answer to an image that cannot be fetched", "extract/200/errors-are-not-kept", store(isUnfetched)},
		{"stores a 500", serverFails, store(status(500))},
		{"stores a 402", clockNextReset, store(status(402))},
		// 24 hours, by the clock of the account.
		{"forgets stored answers after an hour", clockReplay, forgetAfter(time.Hour)},
		{"forgets stored answers with the window", clockReplay, forgetAfter(time.Minute)},
		{"keeps stored answers for two days", clockReplay, remember(func(c *call) string {
			if id := repeatable(c); id != "" {
				return id + string(c.body)
			}
			return ""
		}, replayFirst(isResult))},
		{"keeps a stored answer for another day with each repeat", clockReplay, extendStoredAnswer()},
	}
}

// refuseWithoutPoints answers 402 if the account cannot pay another extraction.
func refuseWithoutPoints(honest server, c *call, a *reply) *reply {
	if c.pointsLeft(honest) >= 10 {
		return a
	}
	b := withoutPoints(honest, c)
	b.takeWindow(a)
	return b
}

// carryOut answers as if the request had no Idempotency-Key.
func carryOut(honest server, c *call, _ *reply) *reply { return honest(c.unkeyed()) }

// rename changes Idempotency-Keys on their way.
func rename(f func(key string) string) lie {
	return rewrite(func(c *call) {
		if len(c.request.Header["Idempotency-Key"]) == 1 && c.idempotencyKey() != "" {
			c.request.Header.Set("Idempotency-Key", f(c.idempotencyKey()))
		}
	})
}

// firstHeader sends with each repeat the header of the first answer.
func firstHeader(name string) lie {
	return remember(repeatable, func(first *string, _ server, c *call, a *reply) {
		switch {
		case !isResult(c, a):
		case *first == "":
			*first = a.header.Get(name)
		default:
			a.header.Set(name, *first)
		}
	})
}

// replayFirst answers with the first answer for which the condition holds, whenever it holds again.
func replayFirst(w when) func(first **reply, _ server, c *call, a *reply) {
	return func(first **reply, _ server, c *call, a *reply) {
		switch {
		case !w(c, a):
		case *first == nil:
			*first = a.clone()
		default:
			a.become(*first)
		}
	}
}

// replayTo answers with the stored result when the condition holds.
func replayTo(w when) lie {
	return remember(repeatable, func(stored **reply, _ server, c *call, a *reply) {
		if w(c, a) && *stored != nil {
			a.become(*stored)
		} else if isResult(c, a) {
			*stored = a.clone()
		}
	})
}

// store keeps answers for which the condition holds as if they were results.
func store(w when) lie {
	return remember(repeatable, func(stored **reply, _ server, c *call, a *reply) {
		if *stored != nil {
			a.become(*stored)
		} else if w(c, a) {
			*stored = a.clone()
		}
	})
}

// ignoring replaces fields of requests with one Idempotency-Key by those of the first, so that they cannot differ.
func ignoring(names ...string) lie {
	return editByHistory(repeatable, func(first *object, _ server, c *call) {
		o := c.fields()
		if *first == nil || o == nil {
			*first = o
			return
		}
		for _, name := range names {
			if v, ok := (*first)[name]; ok {
				o[name] = v
			}
		}
		if string(encode(o)) == string(encode(*first)) {
			c.body = encode(o)
		}
	})
}

// confusing treats two values of a field as equal in requests with one Idempotency-Key.
func confusing(name, a, b string) lie { return chain(mistaking(name, a, b), mistaking(name, b, a)) }

// mistaking treats a value of a field as another one that the first request with its Idempotency-Key had.
func mistaking(name string, value, earlier any) lie {
	return editByHistory(repeatable, func(first *any, _ server, c *call) {
		v := c.fields()[name]
		if *first == nil {
			*first = v
		}
		if v == value && *first == earlier {
			c.body = edited(c.body, func(o object) { o[name] = earlier })
		}
	})
}

// forgetAfter makes a request with an old Idempotency-Key a new one, by the clock of the account.
func forgetAfter(age time.Duration) lie {
	return editByHistory(repeatable, func(first *time.Time, honest server, c *call) {
		now := c.now(honest)
		if first.IsZero() {
			*first = now
		}
		if now.Sub(*first) >= age {
			c.request.Header.Set("Idempotency-Key", c.idempotencyKey()+"-later")
		}
	})
}

// extendStoredAnswer counts the 24 hours of a stored answer from its last repeat.
func extendStoredAnswer() lie {
	type stored struct {
		at     time.Time
		body   []byte
		answer *reply
	}
	return remember(repeatable, func(s *stored, honest server, c *call, a *reply) {
		at := c.now(honest)
		switch {
		case !isResult(c, a):
		case s.answer != nil && bytes.Equal(s.body, c.body) && at.Sub(s.at) < 24*time.Hour:
			s.at = at
			a.become(s.answer)
		default:
			*s = stored{at, c.body, a.clone()}
		}
	})
}

// keysAsPatterns finds the Idempotency-Key of another request as LIKE of SQL would.
func keysAsPatterns() lie {
	alike := func(pattern, key string) bool {
		for i := range len(pattern) {
			if len(pattern) != len(key) || pattern[i] != '_' && pattern[i] != key[i] {
				return false
			}
		}
		return true
	}
	return editByHistory(account, func(seen *[]string, _ server, c *call) {
		key := c.idempotencyKey()
		if key == "" || len(c.request.Header["Idempotency-Key"]) > 1 {
			return
		}
		for _, old := range *seen {
			if alike(key, old) {
				c.request.Header.Set("Idempotency-Key", old)
				return
			}
		}
		*seen = append(*seen, key)
	})
}

// conflictJoins gives a request the answer of the running one with its Idempotency-Key.
func conflictJoins(honest server) server {
	var firsts firstRunning
	return func(c *call) *reply {
		id := repeatable(c)
		if id == "" {
			return honest(c)
		}
		defer firsts.end(id)
		body, _ := firsts.begin(id, c.body)
		return honest(c.withBody(body))
	}
}

// chargeAbandoned carries out an extraction once more for nobody if its caller has hung up.
func chargeAbandoned() lie {
	return func(honest server) server {
		return func(c *call) *reply {
			a := honest(c)
			if c.isExtract() && c.request.Context().Err() != nil {
				other := c.unkeyed()
				other.request = other.request.WithContext(context.WithoutCancel(other.request.Context()))
				honest(other)
			}
			return a
		}
	}
}

// forgetAnswersTo makes the server execute repeats of a request for the image again, instead of replaying the stored answer.
func forgetAnswersTo(image string) lie {
	return rewrite(func(c *call) {
		if strings.HasSuffix(c.field("imageUrl"), image) {
			c.request.Header.Del("Idempotency-Key")
		}
	})
}
