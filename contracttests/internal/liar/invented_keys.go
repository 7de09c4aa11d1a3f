package liar

import (
	"crypto/rand"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

// inventedKeys accept what is not a valid key, or check it too late or too eagerly. A server that trusts any X-Forwarded-For is
// left out: the mock has no keys with ranges of addresses.
func inventedKeys() []row {
	const largest = 28 << 20
	refusedKey := both(status(http.StatusUnauthorized), callIs(func(c *call) bool { return c.key() != "" }))
	return []row{
		{"key-compared-by-prefix", "status/401/malformed-key", retry(func(honest server, c *call, token string) string {
			if strings.HasPrefix(token, "ocr_test_expired") || strings.HasPrefix(token, "ocr_test_revoked") {
				return ""
			}
			for n := len(token) - 1; n > len("ocr_test_") && n < 512; n-- {
				if c.withKey(token[:n]).status(honest).status == http.StatusOK {
					return token[:n]
				}
			}
			return ""
		})},
		{"session-cookie-replaces-key", "status/401/cookies", sessionCookie(http.StatusOK)},
		{"revoked-key-cached", "status/401/revoked-meanwhile", remember(wholeKey, func(last *struct {
			at     time.Time
			answer *reply
		}, honest server, c *call, a *reply,
		) {
			switch {
			case isStatusRecord(c, a):
				last.at, last.answer = c.now(honest), a.clone()
			case c.isStatus() && a.status == http.StatusUnauthorized && last.answer != nil && c.withKey(c.key()).status(honest).status == http.StatusUnauthorized:
				if now := c.now(honest); !now.IsZero() && now.Sub(last.at) < time.Minute {
					*a = *last.answer.clone()
				}
			}
		})},
		{"idempotency-key-before-key", "extract/401/before-everything", replaceWhen(both(isExtraction, status(http.StatusUnauthorized)), func(honest server, c *call, a *reply) *reply {
			values := c.request.Header["Idempotency-Key"]
			if len(values) == 0 || len(values) == 1 && values[0] != "" && len(values[0]) < 256 && !strings.ContainsFunc(values[0], func(r rune) bool { return r <= ' ' || r > '~' }) {
				return a
			}
			return honest(c.withKey(archiveKey))
		})},
		{"basic-without-password", "status/401/other-scheme", func(honest server) server {
			return func(c *call) *reply {
				a := honest(c)
				user, password, ok := c.request.BasicAuth()
				if !c.isAPI() || a.status != http.StatusUnauthorized || !ok || password != "" || user == "" || len(c.request.Header["Authorization"]) != 1 {
					return a
				}
				return honest(c.withKey(user))
			}
		}},
		{"key-of-connection", "status/401/cookies", func(honest server) server {
			var keys sync.Map // by connection
			return func(c *call) *reply {
				connection := c.request.RemoteAddr
				if len(c.request.Header["Authorization"]) == 0 && c.isAPI() {
					if key, ok := keys.Load(connection); ok {
						return honest(c.withKey(key.(string)))
					}
				}
				a := honest(c)
				if c.isAPI() && a.status < 400 {
					keys.Store(connection, c.key())
				}
				return a
			}
		}},
		{"guessing-locks-out", "status/401/unknown-key", guessingLocksOut},
		{"similar-key-counts", "extract/401/unknown-key", similarKeyCounts},
		{"token-beyond-ascii-is-500", "status/401/malformed-key", on(both(status(http.StatusUnauthorized), callIs(func(c *call) bool {
			return strings.ContainsFunc(c.authorization(), func(r rune) bool { return r > 0x7f })
		})), serverError)},
		{"invalid-token-in-www-authenticate", "status/401/unknown-key", on(both(status(http.StatusUnauthorized), callIs(func(c *call) bool { return c.authorization() != "" })), header("WWW-Authenticate", `Bearer error="invalid_token"`))},
		{"length-before-key", "extract/401/before-everything", on(both(both(isExtraction, status(http.StatusUnauthorized)), callIs(func(c *call) bool { return c.request.ContentLength > largest })), invalid("body", "is too large"))},
		{"cuts the key at the first comma", "status/401/malformed-key", replaceWhen(status(http.StatusUnauthorized), func(honest server, c *call, a *reply) *reply {
			key, _, cut := strings.Cut(c.key(), ",")
			if !cut || len(c.request.Header["Authorization"]) != 1 || !strings.HasPrefix(c.authorization(), "Bearer ") {
				return a
			}
			return honest(c.withKey(key))
		})},
		{"accepts an expired key for GET /status only", "status/401/expired", replaceWhen(both(status(http.StatusUnauthorized), callIs(func(c *call) bool { return c.isStatus() && strings.HasPrefix(c.key(), "ocr_test_expired") })), answerForOther)},
		{"answers 400 to keys that cannot be one of its own", "status/401/unknown-key", on(both(refusedKey, callIs(func(c *call) bool {
			return len(c.key()) > 128 || strings.ContainsAny(c.key(), "/+=")
		})), invalid("Authorization", "malformed key"))},
		{"takes an empty key for that of a demonstration", "status/401/no-key", replaceWhen(both(status(http.StatusUnauthorized), callIs(func(c *call) bool {
			return strings.EqualFold(strings.TrimSpace(c.authorization()), "bearer")
		})), answerForOther)},
	}
}

// wholeKey names an account by a correctly presented key.
func wholeKey(c *call) string {
	if !c.isAPI() || c.request.URL.RawQuery != "" {
		return ""
	}
	return bearerText(c)
}

// retry answers calls that are refused with 401 as if they had another key, unless that is "".
func retry(other func(honest server, c *call, token string) string) lie {
	return func(honest server) server {
		return func(c *call) *reply {
			a := honest(c)
			if !c.isAPI() || a.status != http.StatusUnauthorized {
				return a
			}
			token := strings.TrimSpace(bearerText(c))
			if token == "" {
				return a
			}
			key := other(honest, c, token)
			if key == "" {
				return a
			}
			return honest(c.withKey(key))
		}
	}
}

const sessionLifetime = 15 * time.Minute

// sessionCookie begins a session with each answer of one status.
func sessionCookie(begins int) lie {
	type session struct {
		key string
		at  time.Time
	}
	return func(honest server) server {
		var sessions sync.Map
		return func(c *call) *reply {
			if cookie, err := c.request.Cookie("uncial_session"); err == nil && c.isAPI() && len(c.request.Header["Authorization"]) == 0 {
				if s, ok := sessions.Load(cookie.Value); ok && time.Since(s.(session).at) < sessionLifetime {
					return honest(c.withKey(s.(session).key))
				}
			}
			a := honest(c)
			if c.isAPI() && a.status == begins && c.key() != "" {
				id := rand.Text()
				sessions.Store(id, session{c.key(), time.Now()})
				a.header.Add("Set-Cookie", "uncial_session="+id+"; Path=/; HttpOnly")
			}
			return a
		}
	}
}

// guessingLocksOut answers 429 to everyone for half a minute after twenty unknown keys.
func guessingLocksOut(honest server) server {
	var mu sync.Mutex
	var refused []time.Time
	var until time.Time
	return func(c *call) *reply {
		a := honest(c)
		if !c.isAPI() {
			return a
		}
		mu.Lock()
		defer mu.Unlock()
		now := time.Now()
		if now.Before(until) {
			if a.status < 400 {
				b := a.clone()
				b.status = http.StatusTooManyRequests
				b.header.Set("Retry-After", "30")
				b.body = []byte(`{"success":false,"error":"Too many requests.","code":"RATE_LIMITED","message":"try again in 30 seconds","remainingPoints":1}`)
				return b
			}
			return a
		}
		if a.status == http.StatusUnauthorized {
			refused = append(slices.DeleteFunc(refused, func(t time.Time) bool { return now.Sub(t) > time.Minute }), now)
			if len(refused) >= 20 {
				until, refused = now.Add(30*time.Second), nil
			}
		}
		return a
	}
}

// similarKeyCounts counts the extractions of a wrong key in the window of the key that it resembles.
func similarKeyCounts(honest server) server {
	var known sync.Map // whole keys, by all but their last four characters
	const last = 4
	return func(c *call) *reply {
		a := honest(c)
		key := c.key()
		if !c.isAPI() || len(key) <= last {
			return a
		}
		if a.status != http.StatusUnauthorized {
			known.Store(key[:len(key)-last], key)
		} else if whole, ok := known.Load(key[:len(key)-last]); ok && c.isExtract() {
			c.withKey(whole.(string)).malformed(honest)
		}
		return a
	}
}
