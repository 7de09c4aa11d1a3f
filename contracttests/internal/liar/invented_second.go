package liar

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

// secondDefects are a second set, written like inventedDefects. testdata/invented-second.tsv has all of them, with the sentences that they
// break, and what the suite caught of them at that time; those that cannot show on the mock are only there.
func secondDefects() []row {
	return slices.Concat(secondImages(), secondContents(), secondKeys(), secondNegotiation(), secondRepeats(), secondCalendar(),
		secondShapes(), secondLeaks(), secondServed())
}

// secondContents write documents wrongly.
func secondContents() []row {
	return []row{
		{"cmyk-without-profile", formatPDF, document("pdf", func(s string) string {
			file, _ := base64.StdEncoding.DecodeString(s) // the honest server's
			return base64.StdEncoding.EncodeToString(bytes.ReplaceAll(file, []byte("[/Indexed /DeviceRGB"), []byte("[/Indexed/DeviceCMYK")))
		})},
		{"smooth-bilevel-pictures", formatPDF, document("pdf", func(s string) string {
			file, _ := base64.StdEncoding.DecodeString(s) // the honest server's
			return base64.StdEncoding.EncodeToString(bytes.ReplaceAll(file, []byte("/Type /XObject /Subtype /Image /Width"), []byte("/Subtype/Image/Interpolate true/Width")))
		})},
	}
}

// secondKeys accept what is not a valid key, or check it too late or too eagerly.
func secondKeys() []row {
	return []row{
		{"idempotency-key-before-key", "extract/401/before-everything", instead(both(extraction, status(http.StatusUnauthorized)), func(honest server, c *call, a *reply) *reply {
			values := c.request.Header["Idempotency-Key"]
			if len(values) == 0 || len(values) == 1 && values[0] != "" && len(values[0]) < 256 && !strings.ContainsFunc(values[0], func(r rune) bool { return r <= ' ' || r > '~' }) {
				return a
			}
			return honest(c.as(archiveKey))
		})},
		{"basic-without-password", "status/401/other-scheme", func(honest server) server {
			return func(c *call) *reply {
				a := honest(c)
				user, password, ok := c.request.BasicAuth()
				if !c.isAPI() || a.status != http.StatusUnauthorized || !ok || password != "" || user == "" || len(c.request.Header["Authorization"]) != 1 {
					return a
				}
				return honest(c.as(user))
			}
		}},
		{"key-of-connection", "status/401/cookies", func(honest server) server {
			var keys sync.Map // by connection
			return func(c *call) *reply {
				connection := c.request.RemoteAddr
				if len(c.request.Header["Authorization"]) == 0 && c.isAPI() {
					if key, ok := keys.Load(connection); ok {
						return honest(c.as(key.(string)))
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
			c.as(whole.(string)).malformed(honest)
		}
		return a
	}
}

// secondNegotiation spoil errors for some requests.
func secondNegotiation() []row {
	return []row{
		{"request-id-of-connection", "status/401/cookies", func(honest server) server {
			var ids sync.Map // by connection
			return func(c *call) *reply {
				a := honest(c)
				if id := a.header.Get("X-Request-Id"); id != "" {
					first, _ := ids.LoadOrStore(c.request.RemoteAddr, id)
					a.header.Set("X-Request-Id", first.(string))
				}
				return a
			}
		}},
		{"paths-are-cleaned", notFound, on(status(http.StatusNotFound), func(c *call, a *reply) {
			path := c.request.URL.Path
			if strings.Contains(path, "//") || strings.Contains(path, "/./") || strings.Contains(path, "/../") {
				*a = reply{http.StatusMovedPermanently, http.Header{"Location": {"/api/v1/status"}, "Content-Type": {"text/html; charset=utf-8"}}, []byte(`<a href="/api/v1/status">Moved Permanently</a>.`)}
			}
		})},
		{"no-german-404", "elsewhere/404/negotiation", on(both(status(404, 405), asking(func(c *call) bool {
			return strings.HasPrefix(strings.ToLower(c.request.Header.Get("Accept-Language")), "de")
		})), set("error", ""))},
		{"chunks-in-old-http", "status/401/negotiation", on(both(failed, asking(func(c *call) bool { return c.request.ProtoMajor == 1 && c.request.ProtoMinor == 0 })), func(_ *call, a *reply) {
			a.header.Set("Transfer-Encoding", "chunked")
			a.body = fmt.Appendf(nil, "%x\r\n%s\r\n0\r\n\r\n", len(a.body), a.body)
		})},
	}
}

// secondRepeats break the replay of answers.
func secondRepeats() []row {
	return []row{
		{"402-keeps-the-key", "extract/402/errors-are-not-kept", bindsKeys(status(http.StatusPaymentRequired))},
		{"running-conflict-joins", "extract/400/replay-of-another-request-at-once", conflictJoins},
		{"fingerprint-of-64-kib", "extract/400/replay-of-a-similar-request", recall(repeatable, func(first *[]byte, _ server, c *call) {
			const most = 64 << 10
			switch {
			case *first == nil:
				*first = c.body
			case len(c.body) > most && len(*first) > most && bytes.Equal(c.body[:most], (*first)[:most]):
				c.body = *first
			}
		})},
	}
}

// secondCalendar keep points and windows wrongly.
func secondCalendar() []row {
	isCapped := asking(func(c *call) bool { return strings.HasPrefix(c.key(), "ocr_test_capped") })
	return []row{
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
				if extracted(c, a) {
					*first += 10
				}
			case a.status == http.StatusTooManyRequests && *first != 0:
				set("remainingPoints", *first)(c, a)
			}
		})},
		{"cap-not-released", "extract/400/capped-image", charges(10, both(unfetched, isCapped))},
		{"cap-shown-late", "extract/402/capped", on(both(reported, isCapped), edit(func(o object) {
			if number(o, "pointsRemaining") >= 10 {
				o["pointsTotal"] = 10_000
				o["pointsRemaining"] = 10_000 - number(o, "pointsUsed")
			}
		}))},
		{"cap-resets-in-30-days", "extract/402/capped", instead(status(http.StatusPaymentRequired), func(honest server, c *call, a *reply) *reply {
			if a.object()["limitedBy"] == "key" {
				set("nextReset", c.now(honest).Add(30*24*time.Hour).UTC().Format(time.RFC3339))(c, a)
			}
			return a
		})},
	}
}
