package cases

import (
	"encoding/base64"
	"net/http"
	"strings"
	"unicode"

	"uncial/contracttests/internal/model"
)

// madeUp has the form of a key, but belongs to no account.
const madeUp = "ocr_live_000000000000000000000000000000000000"

// refused are credentials that a server must refuse, by the case that tries them.
var refused = []struct {
	name, explanation string
	tries             []ask
}{
	// The scheme without a key and an empty header are no key either.
	{"no-key", "A request without a key is refused.", []ask{{}, ask{}.auth("Bearer"), ask{}.auth("")}},
	{"other-scheme", "Only the scheme Bearer can present a key.", []ask{
		ask{}.auth("$UNCIAL_KEY"), ask{}.auth("Token $UNCIAL_KEY"), ask{}.auth("Digest $UNCIAL_KEY"),
		made("Basic $(printf %s: $UNCIAL_KEY | base64 -w0)", func(key string) string { return "Basic " + base64.StdEncoding.EncodeToString([]byte(key+":")) }),
	}},
	// Made-up, truncated, extended and oversized keys find prefix comparisons, trimming and length limits that fail
	// with a 500.
	{"unknown-key", "An unknown key is refused, however similar to a valid one.", []ask{
		ask{}.auth("Bearer " + madeUp), ask{}.auth("Bearer x"), ask{}.auth("Bearer x$UNCIAL_KEY"),
		made("Bearer ${UNCIAL_KEY#?}", func(key string) string { return "Bearer " + key[1:] }),
		made("Bearer <the key, upper and lower case swapped>", func(key string) string { return "Bearer " + swapCase(key) }),
		made("Bearer $(printf k%.0s {1..3000})", func(string) string { return "Bearer " + strings.Repeat("k", 3000) }),
	}},
	// Two headers are refused in both orders: servers and proxies differ in which one they use.
	{"malformed-key", "A header with more than one key, or with something that cannot be a key, is refused.", []ask{
		ask{}.auth("Bearer $UNCIAL_KEY $UNCIAL_KEY"), ask{}.auth("Bearer $UNCIAL_KEY,$UNCIAL_KEY"), ask{}.auth("Bearer\t$UNCIAL_KEY"),
		ask{}.auth(`Bearer \"$UNCIAL_KEY\"`), ask{}.auth("Bearer $UNCIAL_KEY;"),
		ask{}.auth("Bearer $UNCIAL_KEY", "Bearer x"), ask{}.auth("Bearer x", "Bearer $UNCIAL_KEY"),
	}},
	// Keys in URLs end up in logs, so servers must not accept them.
	{"key-elsewhere", "A key outside the header Authorization does not count.", []ask{
		ask{}.query("access_token=$UNCIAL_KEY"), ask{}.query("api_key=$UNCIAL_KEY"), ask{}.query("key=$UNCIAL_KEY"),
		ask{}.header("X-Api-Key", "$UNCIAL_KEY"), ask{}.header("Cookie", "key=$UNCIAL_KEY"), ask{}.header("Proxy-Authorization", "Bearer $UNCIAL_KEY"),
	}},
}

// made is a request with a credential that a program makes from the key; shell is how a shell makes it.
func made(shell string, value func(key string) string) ask {
	return ask{credentials: []credential{func(key string) model.Credential { return model.Credential{Value: value(key), Shell: shell} }}}
}

// swapCase makes a different key, because keys are case-sensitive.
func swapCase(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLower(r) {
			return unicode.ToUpper(r)
		}
		return unicode.ToLower(r)
	}, s)
}

// authRows tries each credential on both operations. The requests are otherwise valid, so that only the credential can be
// the reason for a refusal.
func authRows() (rows []row) {
	for _, operation := range []string{"status", "extract"} {
		requests := func(tries []ask) (asks []ask) {
			for _, a := range tries {
				if operation == "status" {
					a.Method, a.Path = http.MethodGet, "/status"
				} else {
					a.Job = &model.Job{Image: printed}
				}
				asks = append(asks, a.by(nobody))
			}
			return asks
		}
		for _, class := range refused {
			rows = append(rows, row{name: operation + "/401/" + class.name, explanation: class.explanation, asks: requests(class.tries)})
		}
		for _, scenario := range []string{model.KeyExpired, model.KeyRevoked} {
			// The scenario decides which key is used; without one the case is skipped.
			rows = append(rows, row{
				name: operation + "/401/" + scenario, account: scenario, explanation: "A key that is " + scenario + " is refused.",
				build: func(s *session) []ask { return requests([]ask{ask{}.auth("Bearer " + s.Keys[scenario][0])}) },
			})
		}
	}
	anyCase := func(scheme string) []ask {
		return []ask{status().auth(scheme + " $UNCIAL_KEY"), invalid().auth(scheme + " $UNCIAL_KEY")}
	}
	return append(rows, row{
		name: "extract/401/before-everything", explanation: "The key is checked first: without one, the answer reveals nothing else about a request.",
		build: func(*session) []ask {
			// Invalid in every way that the server could report instead of the missing key.
			asks := []ask{
				body(`{`), body(`{"imageUrl":1,"unknown":true}`), body(""), body("imageUrl=x").header("Content-Type", "application/x-www-form-urlencoded"),
				body(`{}`).header("Idempotency-Key", ""), body(`{}`).query("page=1"), oversized(), status().query("verbose=1"),
			}
			for i := range asks {
				asks[i] = asks[i].by(nobody)
			}
			return asks
		},
	}, row{
		name: "status/200/scheme-in-any-case", explanation: "The name of a scheme may be written in any letter case (RFC 9110, section 11.1).",
		asks: append(anyCase("bearer"), anyCase("BEARER")...),
	})
}
