package liar

import (
	"crypto/rand"
	"net/http"
	"strings"
	"sync"
	"time"
)

// inventedKeys accept what is not a valid key. That X-Forwarded-For is believed is left out: the mock has no keys with ranges
// of addresses.
func inventedKeys() []row {
	return []row{
		{"key-compared-by-prefix", "status/401/malformed-key", retry(func(honest server, c *call, token string) string {
			if strings.HasPrefix(token, "ocr_test_expired") || strings.HasPrefix(token, "ocr_test_revoked") {
				return ""
			}
			for n := len(token) - 1; n > len("ocr_test_") && n < 512; n-- {
				if c.as(token[:n]).status(honest).status == http.StatusOK {
					return token[:n]
				}
			}
			return ""
		})},
		{"session-cookie-replaces-key", "status/401/cookies", sessionCookie(15 * time.Minute)},
		{"revoked-key-cached", "status/401/revoked-meanwhile", remember(wholeKey, func(last *struct {
			at     time.Time
			answer *reply
		}, honest server, c *call, a *reply,
		) {
			switch {
			case reported(c, a):
				last.at, last.answer = c.now(honest), a.clone()
			case c.isStatus() && a.status == http.StatusUnauthorized && last.answer != nil && c.as(c.key()).status(honest).status == http.StatusUnauthorized:
				if now := c.now(honest); !now.IsZero() && now.Sub(last.at) < time.Minute {
					*a = *last.answer.clone()
				}
			}
		})},
	}
}

// wholeKey names an account by a key that is presented as it must be.
func wholeKey(c *call) string {
	if !c.isAPI() || c.request.URL.RawQuery != "" {
		return ""
	}
	return bearerText(c)
}

// retry answers calls that are refused with 401 as those with another key, unless it is "".
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
			return honest(c.as(key))
		}
	}
}

// sessionCookie begins a session with each success.
func sessionCookie(lasts time.Duration) lie {
	type session struct {
		key string
		at  time.Time
	}
	return func(honest server) server {
		var sessions sync.Map
		return func(c *call) *reply {
			if cookie, err := c.request.Cookie("uncial_session"); err == nil && c.isAPI() && len(c.request.Header["Authorization"]) == 0 {
				if s, ok := sessions.Load(cookie.Value); ok && time.Since(s.(session).at) < lasts {
					return honest(c.as(s.(session).key))
				}
			}
			a := honest(c)
			if c.isAPI() && a.status == http.StatusOK && c.key() != "" {
				id := rand.Text()
				sessions.Store(id, session{c.key(), time.Now()})
				a.header.Add("Set-Cookie", "uncial_session="+id+"; Path=/; HttpOnly")
			}
			return a
		}
	}
}
