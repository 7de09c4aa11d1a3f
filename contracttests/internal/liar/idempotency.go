package liar

import (
	"bytes"
	"strings"
	"sync"
	"time"
)

const (
	replayCase   = "extract/200/replay"
	replayApart  = "extract/200/replay-apart"
	replayRace   = "extract/200/replay-at-once"
	conflictCase = "extract/400/replay-of-another-request"
	clockReplay  = "clock/replay"
)

func replayDefects() []row {
	return []row{
		{"ignores the Idempotency-Key", replayCase, rewrite(func(c *call) { c.request.Header.Del("Idempotency-Key") })},
		{"tells the present points in a repeat", replayCase, onRepeatAsking(func(honest server, c *call, a *reply) {
			if points := c.pointsLeft(honest); points > 0 {
				set("remainingPoints", points)(c, a)
			}
		})},
		{"tells in a repeat that it cost nothing", replayCase, onRepeat(set("pointsUsed", 0))},
		{"tells another processing time in a repeat", replayCase, onRepeat(set("processingTime", 1))},
		{"marks a repeat with a field", replayCase, onRepeat(set("replayed", true))},
		{"answers 409 to a repeat", replayCase, onRepeat(recode(409))},
		{"leaves the document out of a repeat", replayCase, onRepeat(drop("document"))},
		{"leaves Cache-Control out of a repeat", replayCase, onRepeat(header("Cache-Control", ""))},
		{"sends the first X-Request-Id with a repeat", replayCase, firstHeader("X-Request-Id")},
		{"sends the first RateLimit with a repeat", replayCase, firstHeader("RateLimit")},
		{"answers a repeat without an API key", replayCase, remember(func(c *call) string { return c.idempotencyKey() }, func(stored *[]byte, _ server, c *call, a *reply) {
			switch {
			case a.status == 401 && *stored != nil:
				a.status, a.body = 200, *stored
				a.header.Del("WWW-Authenticate")
			case extracted(c, a):
				*stored = a.body
			}
		})},
		{"refuses a repeat when no points are left", "extract/200/replay-without-points", onRepeatAsking(refuseWithoutPoints)},
		{"refuses waiting repeats when the points are enough for the first alone", "extract/200/replay-at-once-without-points", amid(repeatable, extracted, answer(func(honest server, c *call, a *reply) *reply {
			refuseWithoutPoints(honest, c, a)
			return a
		}))},
		{"answers 409 to a repeat at the same time", replayRace, amid(repeatable, extraction, apply(recode(409)))},
		{"carries out every repeat at the same time", replayRace, amid(repeatable, extraction, answer(carryOut))},
		{"compares only the first 40 characters of an Idempotency-Key", replayApart, rename(func(k string) string { return k[:min(40, len(k))] })},
		{"ignores upper and lower case in an Idempotency-Key", replayApart, rename(strings.ToLower)},
		{"takes an underscore in an Idempotency-Key for any character", replayApart, keysAsPatterns},
		{"finds stored answers of other accounts", replayApart, remember(func(c *call) string { return c.idempotencyKey() }, replayFirst(extracted))},
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

func conflictDefects() []row {
	return []row{
		{"replays the stored answer to another request", conflictCase, replayTo(conflict)},
		{"replays the stored answer to a malformed request", conflictCase, replayTo(both(status(400), not(conflict)))},
		{"answers 409 to another request with a used Idempotency-Key", conflictCase, on(conflict, recode(409))},
		{"answers 422 to another request with a used Idempotency-Key", conflictCase, on(conflict, recode(422))},
		{"blames the body for a used Idempotency-Key", conflictCase, on(conflict, raw(replacing(`"Idempotency-Key":`, `"body":`)))},
		{"carries out another request with a used Idempotency-Key", conflictCase, instead(conflict, carryOut)},
		{"compares only the image of requests with one Idempotency-Key", conflictCase, ignoring("language", "enhance", "format")},
		{"does not compare the format of requests with one Idempotency-Key", conflictCase, ignoring("format")},
		{"does not compare enhance in requests with one Idempotency-Key", conflictCase, ignoring("enhance")},
		{"gives another request with the Idempotency-Key of a running one its answer", "extract/400/replay-of-another-request-at-once", conflictJoins},
	}
}

func storageDefects() []row {
	return []row{
		{"stores the answer to a malformed request", "extract/200/errors-are-not-kept", store(both(status(400), not(conflict)))},
		{"stores the answer to an image that cannot be fetched", "extract/200/errors-are-not-kept", store(unfetched)},
		{"stores a 500", serverFails, store(status(500))},
		{"stores a 402", clockNextReset, store(status(402))},
		{"forgets stored answers after an hour", clockReplay, forgetAfter(time.Hour)},
		{"forgets stored answers with the window", clockReplay, forgetAfter(time.Minute)},
		{"keeps stored answers for two days", clockReplay, remember(func(c *call) string {
			if id := repeatable(c); id != "" {
				return id + string(c.body)
			}
			return ""
		}, replayFirst(extracted))},
		{"keeps a stored answer for another day with each repeat", clockReplay, storedAnswerLivesOn},
	}
}

// onRepeatAsking changes the answers to repeats, and may ask the honest server first.
func onRepeatAsking(f func(honest server, c *call, a *reply)) lie {
	return counted(repeatable, from(2), both(extracted, keyed), answer(func(honest server, c *call, a *reply) *reply {
		f(honest, c, a)
		return a
	}))
}

func refuseWithoutPoints(honest server, c *call, a *reply) {
	if c.pointsLeft(honest) < 10 {
		b := withoutPoints(honest, c)
		b.takeWindow(a)
		*a = *b
	}
}

// carryOut answers as if the request had no Idempotency-Key.
func carryOut(honest server, c *call, _ *reply) *reply { return honest(c.without("Idempotency-Key")) }

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
		case !extracted(c, a):
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
		} else if extracted(c, a) {
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
	return func(honest server) server {
		var mu sync.Mutex
		first := map[string]object{}
		return func(c *call) *reply {
			id, o := repeatable(c), c.fields()
			if id == "" || o == nil {
				return honest(c)
			}
			mu.Lock()
			if first[id] == nil {
				first[id] = o
			}
			f := first[id]
			mu.Unlock()
			for _, name := range names {
				if v, ok := f[name]; ok {
					o[name] = v
				}
			}
			if string(encode(o)) == string(encode(f)) {
				return honest(c.with(encode(f)))
			}
			return honest(c)
		}
	}
}

// forgetAfter lets a request with an old Idempotency-Key be a new one, by the clock of the account.
func forgetAfter(age time.Duration) lie {
	return func(honest server) server {
		var mu sync.Mutex
		first := map[string]time.Time{}
		return func(c *call) *reply {
			id := repeatable(c)
			if id == "" || len(c.request.Header["Idempotency-Key"]) != 1 {
				return honest(c)
			}
			now := c.now(honest)
			mu.Lock()
			if first[id].IsZero() {
				first[id] = now
			}
			old := now.Sub(first[id]) >= age
			mu.Unlock()
			if old {
				other := c.with(c.body)
				other.request.Header.Set("Idempotency-Key", c.idempotencyKey()+"-later")
				return honest(other)
			}
			return honest(c)
		}
	}
}

func storedAnswerLivesOn(honest server) server {
	type stored struct {
		at     time.Time
		body   []byte
		answer *reply
	}
	return remember(repeatable, func(s *stored, honest server, c *call, a *reply) {
		at := c.now(honest)
		switch {
		case !extracted(c, a):
		case s.answer != nil && bytes.Equal(s.body, c.body) && at.Sub(s.at) < 24*time.Hour:
			s.at = at
			a.become(s.answer)
		default:
			*s = stored{at, c.body, a.clone()}
		}
	})(honest)
}

func keysAsPatterns(honest server) server {
	var mu sync.Mutex
	seen := map[string][]string{}
	alike := func(pattern, key string) bool {
		for i := range len(pattern) {
			if len(pattern) != len(key) || pattern[i] != '_' && pattern[i] != key[i] {
				return false
			}
		}
		return true
	}
	return func(c *call) *reply {
		return rename(func(key string) string {
			mu.Lock()
			defer mu.Unlock()
			for _, old := range seen[c.key()] {
				if alike(key, old) {
					return old
				}
			}
			seen[c.key()] = append(seen[c.key()], key)
			return key
		})(honest)(c)
	}
}

func conflictJoins(honest server) server {
	var mu sync.Mutex
	running := map[string][]byte{}
	return func(c *call) *reply {
		id := repeatable(c)
		if id == "" {
			return honest(c)
		}
		mu.Lock()
		first, runs := running[id]
		if !runs {
			running[id] = c.body
		}
		mu.Unlock()
		if runs {
			return honest(c.with(first))
		}
		defer func() {
			mu.Lock()
			defer mu.Unlock()
			delete(running, id)
		}()
		return honest(c)
	}
}
