package liar

import (
	"encoding/base64"
	"net/http"
	"strings"
)

func authLies() []Defect {
	d := func(name, explanation string, l lie) Defect {
		return Defect{Name: name, Area: "auth", Explanation: explanation, lie: l}
	}
	return []Defect{
		d("expired-key-passes", "A key that has expired still works.", admit(func(c *call, _ string) bool { return strings.Contains(c.key(), "expired") })),
		d("revoked-key-passes", "A key that was revoked still works.", admit(func(c *call, _ string) bool { return strings.Contains(c.key(), "revoked") })),
		d("revoked-key-passes-for-status", "A revoked key may still ask for the status.", admit(func(c *call, _ string) bool {
			return strings.Contains(c.key(), "revoked") && c.asksStatus()
		})),
		d("expired-key-extracts", "An expired key may still extract.", admit(func(c *call, _ string) bool {
			return strings.Contains(c.key(), "expired") && c.extracts()
		})),
		d("no-key-passes", "A request without a key is let in.", admit(func(c *call, _ string) bool { return c.request.Header.Get("Authorization") == "" })),
		d("any-live-key-passes", "A key that looks like one of the service is let in.", admit(func(c *call, _ string) bool { return strings.HasPrefix(c.key(), "ocr_live_") })),
		d("scheme-ignored", "The key is accepted whatever the scheme is.", admit(func(c *call, good string) bool {
			return strings.HasSuffix(c.request.Header.Get("Authorization"), good) && !strings.Contains(c.request.Header.Get("Authorization"), "Bearer")
		})),
		d("basic-passes", "The key is accepted as the user of Basic.", admit(func(c *call, good string) bool {
			user, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(c.request.Header.Get("Authorization"), "Basic "))
			return err == nil && string(user) == good+":"
		})),
		d("key-in-query-passes", "The key is accepted in the query.", admit(func(c *call, good string) bool { return c.request.URL.Query().Get("api_key") == good })),
		d("access-token-in-query-passes", "The key is accepted as access_token.", admit(func(c *call, good string) bool {
			return c.request.URL.Query().Get("access_token") == good
		})),
		d("key-in-own-header-passes", "The key is accepted in X-Api-Key.", admit(func(c *call, good string) bool { return c.request.Header.Get("X-Api-Key") == good })),
		d("key-in-cookie-passes", "The key is accepted in a cookie.", admit(func(c *call, good string) bool { return strings.Contains(c.request.Header.Get("Cookie"), good) })),
		d("key-in-any-case", "Keys are compared without regard to case.", admit(func(c *call, good string) bool { return strings.EqualFold(c.key(), good) && c.key() != good })),
		d("end-of-key-passes", "The end of a key is enough.", admit(func(c *call, good string) bool {
			return c.key() != "" && strings.HasSuffix(good, c.key()) && len(c.key()) > 8
		})),
		d("more-than-the-key-passes", "Anything that ends with a key is enough.", admit(func(c *call, good string) bool { return strings.HasSuffix(c.key(), good) && c.key() != good })),
		d("first-of-two-keys", "Of two Authorization headers the first counts.", admit(func(c *call, good string) bool {
			all := c.request.Header.Values("Authorization")
			return len(all) == 2 && all[0] == "Bearer "+good
		})),
		d("last-of-two-keys", "Of two Authorization headers the last counts.", admit(func(c *call, good string) bool {
			all := c.request.Header.Values("Authorization")
			return len(all) == 2 && all[1] == "Bearer "+good
		})),
		d("quoted-key-passes", "A key in quotes is accepted.", admit(func(c *call, good string) bool { return c.key() == `"`+good+`"` })),
		d("scheme-in-lower-case-refused", "bearer in lower case is refused.", before(func(c *call) {
			if strings.HasPrefix(c.request.Header.Get("Authorization"), "bearer ") {
				c.request.Header.Del("Authorization")
			}
		})),
		d("shape-before-key", "A malformed request is told so before its key is looked at.", shapeBeforeKey),
		d("query-before-key", "A query parameter is complained of before the key is looked at.", func(honest server) server {
			return func(c *call) *reply {
				a := honest(c)
				if a.status == http.StatusUnauthorized && c.asksStatus() && c.request.URL.Query().Has("verbose") {
					return honest(c.as("ocr_test_ok_liar"))
				}
				return a
			}
		}),
		d("not-found-needs-key", "Where there is nothing, a request without a key is a 401.", after(status(404), func(c *call, a *reply) {
			if c.key() == "" {
				a.status = 401
				a.header.Set("WWW-Authenticate", "Bearer")
				a.edit(func(o map[string]any) {
					o["code"] = "INVALID_API_KEY"
					delete(o, "details")
				})
			}
		})),
	}
}

// as is the call with a key.
func (c *call) as(key string) *call {
	other := c.with(c.body)
	other.request.Header = c.request.Header.Clone()
	other.request.Header.Set("Authorization", "Bearer "+key)
	return other
}

// admit lets calls in that the honest server refuses, with a key that the call may have meant.
func admit(holds func(c *call, good string) bool) lie {
	return func(honest server) server {
		return func(c *call) *reply {
			a := honest(c)
			if !c.api() || a.status != http.StatusUnauthorized {
				return a
			}
			for _, good := range candidates(c) {
				if !holds(c, good) {
					continue
				}
				alike := c.as(good)
				alike.request.URL.RawQuery = ""
				if b := honest(alike); b.status != http.StatusUnauthorized {
					return b
				}
			}
			return a
		}
	}
}

// candidates are keys that a refused call may have meant: what in it looks like a key of the mock, and one that always works.
func candidates(c *call) []string {
	all := []string{"ocr_test_ok_liar"}
	places := append(c.request.Header.Values("Authorization"), c.request.URL.RawQuery, c.request.Header.Get("X-Api-Key"), c.request.Header.Get("Cookie"))
	for _, place := range places {
		if user, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(place, "Basic ")); err == nil {
			place = string(user)
		}
		place = strings.ToLower(place)
		for _, begin := range []string{"ocr_test_", "cr_test_"} {
			if _, rest, ok := strings.Cut(place, begin); ok {
				rest = strings.TrimRight(strings.FieldsFunc(rest, func(r rune) bool { return strings.ContainsRune(` ,;":&`, r) })[0], "=")
				all = append(all, "ocr_test_"+rest)
				break
			}
		}
	}
	return all
}

func shapeBeforeKey(honest server) server {
	return func(c *call) *reply {
		a := honest(c)
		if a.status != http.StatusUnauthorized || !c.extracts() {
			return a
		}
		if b := honest(c.as("ocr_test_ok_liar")); b.status == http.StatusBadRequest && !strings.Contains(string(b.body), "image") {
			return b
		}
		return a
	}
}
