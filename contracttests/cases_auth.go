package contracttests

import (
	"context"
	"encoding/base64"
	"net/http"
	"strings"
)

// refused are ways to say who is calling that must not open the door, by the case that tries them.
var refused = []struct {
	name, explanation string
	tries             func(key string) []request
}{
	{"no-key", "A request without a key is refused.", func(string) []request {
		return []request{{}, with("Bearer", "Bearer"), with("", "")}
	}},
	{"other-scheme", "Only the scheme Bearer is a way to present a key.", func(k string) []request {
		basic := base64.StdEncoding.EncodeToString([]byte(k + ":"))
		return []request{
			with(k, "$UNCIAL_KEY"), with("Token "+k, "Token $UNCIAL_KEY"), with("Digest "+k, "Digest $UNCIAL_KEY"),
			with("Basic "+basic, "Basic $(printf %s: $UNCIAL_KEY | base64 -w0)"),
		}
	}},
	{"unknown-key", "A key that nobody was given is refused, however much it looks like one that was.", func(k string) []request {
		const made = "ocr_live_000000000000000000000000000000000000"
		return []request{
			with("Bearer "+made, "Bearer "+made), with("Bearer x", "Bearer x"), with("Bearer x"+k, "Bearer x$UNCIAL_KEY"),
			with("Bearer "+k[1:], "Bearer ${UNCIAL_KEY#?}"), with("Bearer "+swapCase(k), "Bearer <the key, upper and lower case swapped>"),
			with("Bearer "+strings.Repeat("k", 3000), "Bearer $(printf k%.0s {1..3000})"),
		}
	}},
	{"malformed-key", "A header that holds more than one key, or something that cannot be one, is refused.", func(k string) []request {
		return []request{
			with("Bearer "+k+" "+k, "Bearer $UNCIAL_KEY $UNCIAL_KEY"), with("Bearer "+k+","+k, "Bearer $UNCIAL_KEY,$UNCIAL_KEY"),
			with("Bearer\t"+k, "Bearer\t$UNCIAL_KEY"), with(`Bearer "`+k+`"`, `Bearer \"$UNCIAL_KEY\"`), with("Bearer "+k+";", "Bearer $UNCIAL_KEY;"),
			{auth: []credential{bearer(k), {"Bearer x", "Bearer x"}}},
			{auth: []credential{{"Bearer x", "Bearer x"}, bearer(k)}},
		}
	}},
	{"key-elsewhere", "A key anywhere but in the header Authorization does not count.", func(k string) []request {
		return []request{
			{query: "access_token=" + k},
			{query: "api_key=" + k},
			{query: "key=" + k},
			{header: http.Header{"X-Api-Key": {k}}},
			{header: http.Header{"Cookie": {"key=" + k}}},
			{header: http.Header{"Proxy-Authorization": {"Bearer " + k}}},
		}
	}},
}

func with(value, shell string) request {
	return request{auth: []credential{{value, shell}}}
}

func swapCase(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' {
			return r - 'a' + 'A'
		}
		if r >= 'A' && r <= 'Z' {
			return r - 'A' + 'a'
		}
		return r
	}, s)
}

// dress makes a request without an address into one of the operation.
func dress(r request, operation string) *request {
	if operation == "status" {
		r.method, r.path = http.MethodGet, "/status"
		return &r
	}
	r.job = &job{image: ImagePrinted}
	return &r
}

func authCases() (cases []Case) {
	for _, op := range []string{"status", "extract"} {
		for _, class := range refused {
			cases = append(cases, Case{
				Name: op + "/401/" + class.name, Operation: op, Status: 401, Needs: []string{needKey(KeyOK)},
				Explanation: class.explanation,
				Check:       do(func(ctx context.Context, s *session) error { return s.refuses(ctx, op, class.tries(s.Keys[KeyOK][0])) }),
			})
		}
		for _, scenario := range []string{KeyExpired, KeyRevoked} {
			cases = append(cases, Case{
				Name: op + "/401/" + scenario, Operation: op, Status: 401, Needs: []string{needKey(scenario)},
				Explanation: "A key that is " + scenario + " is refused.",
				Check: do(func(ctx context.Context, s *session) error {
					return s.refuses(ctx, op, []request{{auth: []credential{bearer(s.Keys[scenario][0])}}})
				}),
			})
		}
	}
	return append(cases, Case{
		Name: "extract/401/before-everything", Operation: "extract", Status: 401, Needs: []string{needKey(KeyOK)},
		Explanation: "The key is looked at first: without one nothing else about a request is told.",
		Check:       do(keyBeforeEverything),
	}, Case{
		Name: "status/200/scheme-in-any-case", Operation: "status", Status: 200, Needs: []string{needKey(KeyOK)},
		Extractions: 2,
		Explanation: "The name of a scheme may be written in any case (RFC 9110, section 11.1).",
		Check: do(func(ctx context.Context, s *session) error {
			a, err := s.account(ctx, KeyOK, 2, 0)
			if err != nil {
				return err
			}
			for _, scheme := range []string{"bearer", "BEARER"} {
				auth := []credential{{scheme + " " + a.key, scheme + " $UNCIAL_KEY"}}
				if err := s.sendAll(ctx, &request{account: a, auth: auth, method: http.MethodGet, path: "/status"},
					&request{account: a, auth: auth, body: []byte(`{}`), faults: []string{"imageUrl"}}); err != nil {
					return err
				}
			}
			return nil
		}),
	})
}

// refuses sends requests that must all get a 401.
func (s *session) refuses(ctx context.Context, operation string, tries []request) error {
	for _, try := range tries {
		if _, err := s.send(ctx, dress(try, operation)); err != nil {
			return err
		}
	}
	return nil
}

func keyBeforeEverything(ctx context.Context, s *session) error {
	for _, r := range []request{
		{body: []byte(`{`)},
		{body: []byte(`{"imageUrl":1,"unknown":true}`)},
		{body: []byte{}},
		{body: []byte("imageUrl=x"), header: http.Header{"Content-Type": {"application/x-www-form-urlencoded"}}},
		{body: []byte(`{}`), header: http.Header{"Idempotency-Key": {""}}},
		{body: []byte(`{}`), query: "page=1"},
		*oversized(nil),
	} {
		if _, err := s.send(ctx, &r); err != nil {
			return err
		}
	}
	_, err := s.send(ctx, &request{method: http.MethodGet, path: "/status", query: "verbose=1"})
	return err
}
