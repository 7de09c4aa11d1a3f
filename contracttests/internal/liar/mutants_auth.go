package liar

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"unicode"
)

// keyForm says whether a call presents a key in some form.
type keyForm func(c *call, key string) bool

// authMutants accept what is not the whole key in the header Authorization. Each one does so for one operation or for both.
func authMutants() (all []row) {
	operations := []named[when]{
		{"", always}, {" for GET /status", func(c *call, _ *reply) bool { return c.isStatus() }}, {" for extractions", isExtraction},
	}
	for i, f := range slices.Concat(keyCuts(), keyAdditions(), keySpellings(), keySchemes(), keyPlaces()) {
		if strings.Contains(f.name, "body") {
			i = 2
		}
		op := pick(operations, i)
		all = append(all, mutant("accepts "+f.name+op.name, admitSeen(op.of, f.of)))
	}
	return append(all, sessionMutants()...)
}

// presents holds for calls whose bearer token is what f makes of a key.
func presents(f func(key string) string) keyForm {
	return func(c *call, key string) bool { return bearerText(c) == f(key) && f(key) != key }
}

// bearerText is what follows the scheme of a single Authorization header.
func bearerText(c *call) string {
	values := c.request.Header["Authorization"]
	if len(values) != 1 || len(values[0]) < 7 || !strings.EqualFold(values[0][:7], "Bearer ") {
		return ""
	}
	return values[0][7:]
}

func keyCuts() (all []named[keyForm]) {
	for _, n := range []int{1, 2, 3, 4, 6, 8, 12} {
		all = append(all, named[keyForm]{fmt.Sprintf("a key without its last %d characters", n), presents(func(k string) string { return k[:max(0, len(k)-n)] })})
	}
	for _, n := range []int{1, 2, 4, 9} {
		all = append(all, named[keyForm]{fmt.Sprintf("a key without its first %d characters", n), presents(func(k string) string { return k[min(len(k), n):] })})
	}
	for _, n := range []int{1, 2, 4, 6, 10} {
		all = append(all, named[keyForm]{fmt.Sprintf("a key whose last %d characters are wrong", n), func(c *call, k string) bool {
			t := bearerText(c)
			return t != k && len(t) == len(k) && len(k) > n && t[:len(k)-n] == k[:len(k)-n]
		}})
	}
	return append(all, named[keyForm]{"a key without a character in its middle", presents(func(k string) string { return k[:len(k)/2] + k[len(k)/2+1:] })},
		named[keyForm]{"a key with a wrong character in its middle", func(c *call, k string) bool {
			t := bearerText(c)
			return t != k && len(t) == len(k) && t[:len(k)/2] == k[:len(k)/2] && t[len(k)/2+1:] == k[len(k)/2+1:]
		}})
}

func keyAdditions() (all []named[keyForm]) {
	for _, end := range []string{"x", "0", "=", "==", ".", "_", "-", "/", "~", "+", "AA", "%00", "*", "%20", "#", "?", ":"} {
		all = append(all, named[keyForm]{fmt.Sprintf("a key followed by %q", end), presents(func(k string) string { return k + end })})
	}
	for _, start := range []string{"x", "0", "-", "Bearer ", "."} {
		all = append(all, named[keyForm]{fmt.Sprintf("a key after %q", start), presents(func(k string) string { return start + k })})
	}
	return append(all, named[keyForm]{"anything that contains a key", func(c *call, k string) bool { return strings.Contains(bearerText(c), k) && bearerText(c) != k }},
		named[keyForm]{"anything that begins with a key", func(c *call, k string) bool { return strings.HasPrefix(bearerText(c), k) && bearerText(c) != k }},
		named[keyForm]{"a key twice", presents(func(k string) string { return k + k })})
}

func keySpellings() []named[keyForm] {
	first := func(k string, f func(string) string, n int) string { return f(k[:n]) + k[n:] }
	last := func(k string, f func(string) string, n int) string { return k[:len(k)-n] + f(k[len(k)-n:]) }
	return []named[keyForm]{
		{"a key in capitals", presents(strings.ToUpper)},
		{"a key whose prefix is in capitals", presents(func(k string) string { return first(k, strings.ToUpper, 8) })},
		{"a key whose first letter is a capital", presents(func(k string) string { return first(k, strings.ToUpper, 1) })},
		{"a key whose last letters are capitals", presents(func(k string) string { return last(k, strings.ToUpper, 4) })},
		{"a key with hyphens for underscores", presents(replacing("_", "-"))},
		{"a key without underscores", presents(replacing("_", ""))},
		{"a key in base64", presents(func(k string) string { return base64.StdEncoding.EncodeToString([]byte(k)) })},
		{"a key in base64 without padding", presents(func(k string) string { return base64.RawURLEncoding.EncodeToString([]byte(k)) })},
		{"a key in hex", presents(func(k string) string { return hex.EncodeToString([]byte(k)) })},
		{"a key with a percent-encoded underscore", presents(replacing("_", "%5F"))},
		{"a percent-encoded key", presents(percentEncoded)},
		{"a reversed key", presents(reversed)},
		{"a key in single quotes", presents(func(k string) string { return "'" + k + "'" })},
		{"a key in angle brackets", presents(func(k string) string { return "<" + k + ">" })},
		{"a key with a blank in it", presents(func(k string) string { return k[:12] + " " + k[12:] })},
		{"a key whose letters are rotated by 13", presents(func(k string) string { return strings.Map(rot13, k) })},
	}
}

func rot13(r rune) rune {
	switch {
	case unicode.IsLower(r) && r < 128:
		return 'a' + (r-'a'+13)%26
	case unicode.IsUpper(r) && r < 128:
		return 'A' + (r-'A'+13)%26
	}
	return r
}

func reversed(s string) string {
	r := []rune(s)
	slices.Reverse(r)
	return string(r)
}

// percentEncoded writes every byte as an escape.
func percentEncoded(s string) string {
	var b strings.Builder
	for _, c := range []byte(s) {
		fmt.Fprintf(&b, "%%%02X", c)
	}
	return b.String()
}

func keySchemes() (all []named[keyForm]) {
	for _, scheme := range []string{"Token", "Key", "ApiKey", "Api-Key", "Digest", "Negotiate", "Bear", "Bearers", "OAuth", "JWT", "Bearer:", "X-Bearer"} {
		all = append(all, named[keyForm]{"the scheme " + scheme, func(c *call, k string) bool { return c.authorization() == scheme+" "+k }})
	}
	for _, sign := range []string{"=", ":", ","} {
		all = append(all, named[keyForm]{fmt.Sprintf("%q between Bearer and the key", sign), func(c *call, k string) bool { return strings.EqualFold(c.authorization(), "Bearer"+sign+k) }})
	}
	basic := func(credential func(key string) string) keyForm {
		return func(c *call, k string) bool {
			return c.authorization() == "Basic "+base64.StdEncoding.EncodeToString([]byte(credential(k)))
		}
	}
	return append(all, named[keyForm]{"the key as the password of Basic", basic(func(k string) string { return ":" + k })},
		named[keyForm]{"the key as user and password of Basic", basic(func(k string) string { return k + ":" + k })},
		named[keyForm]{"the key as Basic without a colon", basic(func(k string) string { return k })},
		named[keyForm]{"the second of two credentials in one header", func(c *call, k string) bool { return strings.HasSuffix(c.authorization(), ", Bearer "+k) }},
		named[keyForm]{"the first of two credentials in one header", func(c *call, k string) bool { return strings.HasPrefix(c.authorization(), "Bearer "+k+", ") }})
}

// keyPlaces are where keys do not belong.
func keyPlaces() (all []named[keyForm]) {
	for _, name := range []string{
		"X-Auth-Token", "Api-Key", "Apikey", "X-Access-Token", "X-Authorization", "Authentication", "Proxy-Authorization", "Ocp-Apim-Subscription-Key", "X-Goog-Api-Key",
		"X-Token", "Token", "X-Forwarded-Authorization", "X-Uncial-Key", "X-Amz-Security-Token", "X-Original-Authorization",
	} {
		all = append(all, named[keyForm]{"a key in the header " + name, func(c *call, k string) bool {
			v := c.request.Header.Get(name)
			return v == k || v == "Bearer "+k
		}})
	}
	for _, name := range []string{"key", "apikey", "apiKey", "token", "auth", "authorization", "bearer", "api-key", "jwt", "access-token"} {
		all = append(all, named[keyForm]{"a key in the query as " + name, func(c *call, k string) bool {
			v := c.request.URL.Query().Get(name)
			return v == k || v == "Bearer "+k
		}})
	}
	for _, name := range []string{"token", "access_token", "session", "Authorization", "api_key", "auth"} {
		all = append(all, named[keyForm]{"a key in the cookie " + name, func(c *call, k string) bool {
			cookie, err := c.request.Cookie(name)
			return err == nil && (cookie.Value == k || strings.HasSuffix(cookie.Value, " "+k) || cookie.Value == url.QueryEscape("Bearer "+k))
		}})
	}
	for _, name := range []string{"apiKey", "api_key", "key", "token", "access_token", "authorization"} {
		all = append(all, named[keyForm]{"a key in the body as " + name, func(c *call, k string) bool {
			v := c.field(name)
			return v != "" && (v == k || v == "Bearer "+k)
		}})
	}
	return append(all, named[keyForm]{"a key in a form in the body", func(c *call, k string) bool { return strings.Contains(string(c.body), "access_token="+k) }})
}

// admitSeen accepts calls that present a key in the given form. It knows the keys that the honest server has accepted.
func admitSeen(w when, form keyForm) lie {
	return func(honest server) server {
		var seen sync.Map
		return func(c *call) *reply {
			a := honest(c)
			if !c.isAPI() || a.status != http.StatusUnauthorized {
				if t := bearerText(c); t != "" && c.isAPI() {
					seen.Store(t, true)
				}
				return a
			}
			if !w(c, a) {
				return a
			}
			seen.Range(func(key, _ any) bool {
				k, _ := key.(string)
				if len(k) < 16 || !form(c, k) {
					return true
				}
				other := c.withKey(k)
				other.request.URL.RawQuery = ""
				if c.isExtract() && strings.Contains(string(c.body), k) {
					other.body = []byte(`{"imageUrl":"https://mock.invalid/printed"}`)
					other.request.Header.Set("Content-Type", "application/json")
				}
				a = honest(other)
				return false
			})
			return a
		}
	}
}

// sessionMutants remember who called.
func sessionMutants() []row {
	withCookie := func(cookie string, w when) lie {
		return func(honest server) server {
			var sessions sync.Map
			return func(c *call) *reply {
				a := honest(c)
				if got, err := c.request.Cookie(cookie); err == nil && a.status == http.StatusUnauthorized && c.authorization() == "" {
					if key, ok := sessions.Load(got.Value); ok {
						return honest(c.withKey(key.(string)))
					}
				}
				if w(c, a) && c.key() != "" {
					id := hex.EncodeToString([]byte(reversed(c.key())))[:12]
					sessions.Store(id, c.key())
					a.header.Add("Set-Cookie", cookie+"="+id+"; Path=/; HttpOnly")
				}
				return a
			}
		}
	}
	byConnection := func(w when) lie {
		return func(honest server) server {
			var callers sync.Map
			return func(c *call) *reply {
				a := honest(c)
				switch {
				case !c.isAPI():
				case a.status != http.StatusUnauthorized && c.key() != "":
					callers.Store(c.request.RemoteAddr, c.key())
				case c.authorization() == "" && w(c, a):
					if key, ok := callers.Load(c.request.RemoteAddr); ok {
						return honest(c.withKey(key.(string)))
					}
				}
				return a
			}
		}
	}
	return []row{
		mutant("accepts the cookie of a session that a status began", withCookie("sid", isStatusRecord)),
		mutant("accepts the cookie of a session that an extraction began", withCookie("JSESSIONID", isResult)),
		mutant("accepts the cookie of a session that an error began", withCookie("session", status(400))),
		mutant("takes requests without a key on a connection for those of its last caller", byConnection(always)),
		mutant("takes extractions without a key on a connection for those of its last caller", byConnection(isExtraction)),
	}
}
