package liar

import (
	"encoding/base64"
	"net/http"
	"strings"
	"time"
)

// largeBody is more than any valid body has, in bytes.
const largeBody = 28 << 20

// keyDefects accept keys that belong to no account, or that are presented in a way that the contract forbids.
func keyDefects() []row {
	return []row{
		// A cache of keys outlives what it caches: expiry and revocation are looked up by one operation and forgotten by
		// the other.
		{"accepts an expired key", "status/401/expired", admit(func(c *call, _ string) bool { return strings.Contains(c.key(), "expired") })},
		{"accepts a revoked key", "status/401/revoked", admit(func(c *call, _ string) bool { return strings.Contains(c.key(), "revoked") })},
		{"accepts a revoked key for GET /status only", "status/401/revoked", admit(func(c *call, _ string) bool { return strings.Contains(c.key(), "revoked") && c.isStatus() })},
		{"accepts an expired key for extractions only", "extract/401/expired", admit(func(c *call, _ string) bool { return strings.Contains(c.key(), "expired") && c.isExtract() })},
		// An optional security requirement in the router, or a middleware that checks the header only if it is present.
		{"accepts requests without a key", "status/401/no-key", admit(func(c *call, _ string) bool { return c.authorization() == "" })},
		// Checks of the form of a key (prefix, CRC) must not replace the look-up.
		{"accepts any key that begins like one of the service", "status/401/unknown-key", admit(func(c *call, _ string) bool { return strings.HasPrefix(c.key(), "ocr_live_") })},
		// RFC 6750, section 2.1: the scheme is Bearer.
		{"accepts the key with any scheme", "status/401/other-scheme", admit(func(c *call, good string) bool {
			return strings.HasSuffix(c.authorization(), good) && !strings.Contains(c.authorization(), "Bearer")
		})},
		{"accepts the key as the user of Basic", "status/401/other-scheme", admit(func(c *call, good string) bool {
			user, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(c.authorization(), "Basic "))
			return err == nil && string(user) == good+":"
		})},
		// RFC 6750, section 2.3, allows access_token in the query; the contract does not, because addresses end up in
		// logs.
		{"accepts the key in the query", "status/401/key-elsewhere", admit(func(c *call, good string) bool { return c.request.URL.Query().Get("api_key") == good })},
		{"accepts the key as access_token", "status/401/key-elsewhere", admit(func(c *call, good string) bool { return c.request.URL.Query().Get("access_token") == good })},
		{"accepts the key in X-Api-Key", "status/401/key-elsewhere", admit(func(c *call, good string) bool { return c.request.Header.Get("X-Api-Key") == good })},
		{"accepts the key in a cookie", "status/401/key-elsewhere", admit(func(c *call, good string) bool { return strings.Contains(c.request.Header.Get("Cookie"), good) })},
		{"accepts the cookie of a session that a 402 began", "extract/401/in-every-state", sessionCookie(http.StatusPaymentRequired)},
		{"accepts the cookie of a session that a 429 began", "extract/401/in-every-state", sessionCookie(http.StatusTooManyRequests)},
		// A column with a case-insensitive collation.
		{"ignores letter case in keys", "status/401/unknown-key", admit(func(c *call, good string) bool { return strings.EqualFold(c.key(), good) && c.key() != good })},
		// Comparisons by suffix, prefix or LIKE.
		{"accepts the end of a key", "status/401/unknown-key", admit(func(c *call, good string) bool { return len(c.key()) > 8 && strings.HasSuffix(good, c.key()) })},
		{"accepts anything that ends with a key", "status/401/unknown-key", admit(func(c *call, good string) bool { return strings.HasSuffix(c.key(), good) && c.key() != good })},
	}
}

// headerDefects read the header Authorization wrongly.
func headerDefects() []row {
	return []row{
		// RFC 6750, section 2.1: the token is a b64token; nothing around it is part of it.
		{"accepts a key in quotes", "status/401/malformed-key", admit(func(c *call, good string) bool { return c.key() == `"`+good+`"` })},
		// Proxies disagree on which of two headers counts, so a server must accept neither.
		{"uses the first of two Authorization headers", "status/401/malformed-key", admit(func(c *call, good string) bool {
			all := c.request.Header["Authorization"]
			return len(all) == 2 && all[0] == "Bearer "+good
		})},
		{"uses the last of two Authorization headers", "status/401/malformed-key", admit(func(c *call, good string) bool {
			all := c.request.Header["Authorization"]
			return len(all) == 2 && all[1] == "Bearer "+good
		})},
		{"accepts a tab after Bearer", "status/401/malformed-key", rewrite(func(c *call) {
			c.request.Header.Set("Authorization", strings.Replace(c.authorization(), "Bearer\t", "Bearer ", 1))
		})},
		// A column that is shorter than the key. The prefix and the first characters of the secret suffice then.
		{"compares only the first 24 characters of a key", "status/401/unknown-key", admitSeen(always, func(c *call, key string) bool {
			t := bearerText(c)
			return len(t) >= 24 && len(key) >= 24 && t[:24] == key[:24]
		})},
		// RFC 9110, section 11.1: names of schemes are case-insensitive.
		{"refuses bearer in lower case", "status/200/scheme-in-any-case", rewrite(func(c *call) {
			if strings.HasPrefix(c.authorization(), "bearer ") {
				c.request.Header.Del("Authorization")
			}
		})},
		{"refuses bearer in lower case for extractions only", "status/200/scheme-in-any-case", rewrite(func(c *call) {
			if c.isExtract() && !strings.HasPrefix(c.authorization(), "Bearer") {
				c.request.Header.Del("Authorization")
			}
		})},
	}
}

// orderDefects check the key too late, or where none is needed.
func orderDefects() []row {
	return []row{
		// A login that is kept for the connection.
		{"accepts a request without a key if the one before had a key", "status/401/no-key", rememberCaller()},
		// Order of the checks: the key comes first, so that a stranger learns nothing about the API.
		{"reports the shape of a request before its key", "extract/401/before-everything", replaceWhen(both(isExtraction, status(401)), shapeBeforeKey)},
		{"reports a query parameter before the key", "extract/401/before-everything", replaceWhen(both(status(401), callIs(func(c *call) bool {
			return c.isStatus() && c.request.URL.Query().Has("verbose")
		})), answerForOther)},
		{"checks the length of an Idempotency-Key before the key", "extract/401/before-everything", replaceWhen(both(status(401), callIs(func(c *call) bool {
			return len(c.idempotencyKey()) > 255
		})), answerForOther)},
		{"reports the size of a body before the key", "extract/401/before-everything", replaceWhen(both(status(401), callIs(func(c *call) bool {
			return c.isExtract() && len(c.body) > largeBody
		})), answerForOther)},
		// An unknown path gets a 404 from everybody: only operations need a key.
		{"answers 401 to an unknown path without a key", "elsewhere/404/unknown-paths", on(both(status(404), isKeyless), unauthorized)},
		{"answers 401 to a wrong method without a key", "elsewhere/405/wrong-methods", on(both(status(405), isKeyless), unauthorized)},
		// An account without points may still ask for its status.
		{"answers 401 to the status of an account without points", "status/200/record", on(both(isStatusRecord, hasFewerPoints(1)), recode(401))},
		{"answers 402 to the status of an account with fewer than 10 points", "status/200/record", on(both(isStatusRecord, hasFewerPoints(10)), recode(402))},
		// A variable that keeps its value from the previous request.
		{"counts requests refused with 401 against the account that called last", "extract/200/replay", chargeLastCaller()},
	}
}

// hasFewerPoints holds for status records with fewer points left.
func hasFewerPoints(points int64) when {
	return func(_ *call, a *reply) bool { return number(a.object(), "pointsRemaining") < points }
}

// unauthorized makes an answer a 401.
func unauthorized(_ *call, a *reply) {
	a.status = http.StatusUnauthorized
	a.header.Set("WWW-Authenticate", "Bearer")
	a.header.Del("Allow")
	a.edit(func(o object) {
		o["code"] = "INVALID_API_KEY"
		delete(o, "details")
	})
}

// admit accepts calls that the honest server refuses, with a key that the call may have meant.
func admit(holds func(c *call, good string) bool) lie {
	return replaceWhen(status(http.StatusUnauthorized), func(honest server, c *call, a *reply) *reply {
		for _, good := range intendedKeys(c) {
			if !holds(c, good) {
				continue
			}
			accepted := c.withKey(good)
			accepted.request.URL.RawQuery = ""
			if b := honest(accepted); b.status != http.StatusUnauthorized {
				return b
			}
		}
		return a
	})
}

// intendedKeys are the keys that a refused call may have meant: one that always works, and whatever in it looks like a key
// of the mock.
func intendedKeys(c *call) []string {
	all := []string{okKey}
	for _, text := range append(c.request.Header.Values("Authorization"), c.request.URL.RawQuery, c.request.Header.Get("X-Api-Key"), c.request.Header.Get("Cookie")) {
		if user, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(text, "Basic ")); err == nil {
			text = string(user)
		}
		text = strings.ToLower(text)
		for _, prefix := range []string{"ocr_test_", "cr_test_"} { // the second lacks its first character on purpose
			if _, rest, ok := strings.Cut(text, prefix); ok {
				if end := strings.IndexAny(rest, ` ,;":&`); end >= 0 {
					rest = rest[:end]
				}
				all = append(all, "ocr_test_"+strings.TrimRight(rest, "="))
				break
			}
		}
	}
	return all
}

// shapeBeforeKey answers what a valid key would get, if that is about the shape of the request. Images are found out later,
// when the account is known.
func shapeBeforeKey(honest server, c *call, a *reply) *reply {
	if b := honest(c.withKey(okKey)); b.status == http.StatusBadRequest && !strings.Contains(string(b.body), "image") {
		return b
	}
	return a
}

// rememberCaller accepts requests without a key for a second after a request with one, as requests of the same caller.
func rememberCaller() lie {
	type caller struct {
		key string
		at  time.Time
	}
	return remember(everyone, func(last *caller, honest server, c *call, a *reply) {
		switch {
		case !c.isAPI() || a.status == http.StatusNotFound || a.status == http.StatusMethodNotAllowed:
		case a.status != http.StatusUnauthorized:
			*last = caller{c.key(), time.Now()}
		case c.authorization() == "" && time.Since(last.at) < time.Second:
			*a = *honest(c.withKey(last.key))
		}
	})
}

// chargeLastCaller counts extractions that are refused with 401 in the window of another account.
func chargeLastCaller() lie {
	type callers struct {
		last  string
		taken map[string]int64
	}
	return remember(everyone, func(m *callers, _ server, c *call, a *reply) {
		if m.taken == nil {
			m.taken = map[string]int64{}
		}
		if a.status == http.StatusUnauthorized && c.isExtract() {
			m.taken[m.last]++
		} else if _, _, ok := window(a); ok {
			m.last = c.key()
		}
		addLeft(a, -m.taken[c.key()])
	})
}
