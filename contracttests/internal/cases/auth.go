package cases

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"uncial/contracttests/internal/model"
)

// madeUp has the form of a key, but belongs to no account.
const madeUp = "ocr_live_000000000000000000000000000000000000"

// refused are credentials that a server must refuse, by the case that tries them. Most are made from a valid key by one kind of
// change; see credentials.go.
var refused = []struct {
	name, explanation string
	tries             []ask
}{
	// The scheme without a key and an empty header are no key either.
	{"no-key", "A request without a key is refused.", []ask{{}, ask{}.auth("Bearer"), ask{}.auth("")}},
	{"other-scheme", "Only the scheme Bearer can present a key.", otherSchemes()},
	// This case finds comparisons by prefix, suffix or pattern, columns that are too short, collations, decoders, and length
	// limits that fail with a 500.
	{"unknown-key", "An unknown key is refused, however similar to a valid one: cut, extended, in a different letter case, or encoded.", similarKeys()},
	// Two headers are refused in both orders: servers and proxies differ in which one they use.
	{"malformed-key", "A header with more than one key, or with something that cannot be a key, is refused.", malformedKeys()},
	// Keys in URLs end up in logs, so servers must not accept them.
	{"key-elsewhere", "A key outside the header Authorization does not count.", keysElsewhere()},
	// This case finds servers that trust headers added by proxies; callers can send such headers too.
	{"trusted-headers", "No other header replaces a missing key, whoever it claims the caller to be.", trustedHeaders()},
}

// authRows tries each credential on both operations. The requests are otherwise valid, so that only the credential can be
// the reason for a refusal.
func authRows() (rows []row) {
	for _, operation := range []string{"status", "extract"} {
		requests := func(tries []ask) (asks []ask) {
			for _, a := range tries {
				switch {
				case operation == "status" && a.Body != nil: // the status takes no body, with a key or without
					continue
				case operation == "status":
					a.Method, a.Path = http.MethodGet, "/status"
				case a.Body == nil:
					a.Job = &model.Job{Image: printed}
				}
				asks = append(asks, a.sentBy(nobody))
			}
			return asks
		}
		for _, class := range refused {
			// A refused request has no effect: the account whose key is imitated has its window and its points afterwards.
			asks := slices.Concat([]ask{invalid(), status()}, requests(class.tries), []ask{status()})
			rows = append(rows, row{name: operation + "/401/" + class.name, explanation: class.explanation, asks: asks})
		}
		// The scenario decides which key is used; without one the case is skipped.
		for _, key := range []struct{ scenario, explanation string }{
			{model.KeyExpired, "A key that is expired is refused."},
			{model.KeyRevoked, "A key that is revoked is refused."},
			{model.KeyOutside, "A key is refused from outside its IP ranges, whatever address a header names."},
		} {
			rows = append(rows, row{
				name: operation + "/401/" + key.scenario, account: key.scenario, explanation: key.explanation,
				build: func(s *session) (asks []ask) {
					for _, q := range append(requests([]ask{{}}), requests(claimedAddresses())...) {
						asks = append(asks, q.auth("Bearer "+s.Keys[key.scenario][0]))
					}
					return asks
				},
			})
		}
	}
	return append(rows, authSituations()...)
}

// authSituations are cases in which something besides the credential could decide: other mistakes, earlier requests, or the
// letter case of the scheme.
func authSituations() (rows []row) {
	anyCase := func(scheme string) []ask {
		return []ask{status().auth(scheme + " $UNCIAL_KEY"), invalid().auth(scheme + " $UNCIAL_KEY")}
	}
	return append(rows, row{
		name: "extract/401/before-everything", explanation: "The key is checked first: without one, the answer reveals nothing else about a request.",
		build: func(s *session) []ask {
			// These requests are invalid in every way that a server could report instead of the missing key.
			asks := []ask{
				body(`{`), body(`{"imageUrl":1,"unknown":true}`), body(""), body("imageUrl=x").header("Content-Type", "application/x-www-form-urlencoded"),
				body(`{}`).header("Idempotency-Key", ""), body(`{}`).query("page=1"), oversized(), status().query("verbose=1"),
			}
			asks = append(asks, s.brokenRequests(base)...)
			for i := range asks {
				asks[i] = asks[i].sentBy(nobody)
				asks[i].Wrong = nil
			}
			return asks
		},
	}, row{
		// This case finds sessions, and logins that a server keeps for a connection.
		name: "status/401/cookies", points: 20, extractions: 3, check: checkCookies,
		explanation: "A server remembers no caller: it refuses a request without a key even on the connection of an earlier caller, and with every cookie that it has set.",
	}, row{
		// This case finds checks that are skipped after a cache hit, after an error, or while an account is limited.
		name: "extract/401/in-every-state", needs: []string{needKey(model.KeyEmpty), needKey(model.KeyRateLimited)}, points: 10, extractions: maxExtractions, check: checkKeysInEveryState,
		explanation: "A request without a valid key is refused, whatever the account of a similar key has done before: after answers with every status, and after repeats.",
	}, row{
		// This case finds servers that keep keys, or the answers to their requests, in memory.
		name: "status/401/revoked-meanwhile", account: model.KeyRevocable, needs: []string{model.NeedRevoking}, points: 10, extractions: 2, check: checkRevoked,
		explanation: "A key that was just used is refused from the moment of its revocation, even for requests that it made before.",
	}, row{
		name: "status/200/scheme-in-any-case", explanation: "The name of a scheme may be written in any letter case (RFC 9110, section 11.1).",
		asks: append(anyCase("bearer"), anyCase("BEARER")...),
	})
}

// checkCookies calls with a key, in every way in which a server could begin a session, and then without one.
func checkCookies(ctx context.Context, s *session) error {
	a, err := s.account(ctx, model.KeyOK, 3, 2)
	if err != nil {
		return err
	}
	if _, err := s.sendAs(ctx, a, status(), read(printed), invalid()); err != nil {
		return err
	}
	for _, q := range []ask{status(), read(printed), status(), invalid()} {
		if cookies := s.cookies(); cookies != "" {
			q = q.header("Cookie", cookies)
		}
		q.Wrong = nil
		if _, err := s.send(ctx, s.request(q.sentBy(nobody), &senders{})); err != nil {
			return err
		}
	}
	return nil
}

// checkKeysInEveryState brings accounts into every state, and then sends requests with keys that resemble theirs, and without
// one.
func checkKeysInEveryState(ctx context.Context, s *session) error {
	kept := read(printed).format("hocr").header("Idempotency-Key", s.idempotencyKey())
	states := map[string][]ask{
		model.KeyOK: {status(), kept, kept, invalid(), get("/nowhere")}, model.KeyEmpty: {read(printed)}, model.KeyRateLimited: {invalid().rushed()}, model.KeyError: {status(), read(printed)},
	}
	for _, scenario := range slices.Sorted(maps.Keys(states)) {
		if len(s.accounts[scenario]) == 0 {
			continue
		}
		a := s.accounts[scenario][0]
		var err error
		switch scenario {
		case model.KeyOK:
			a, err = s.account(ctx, scenario, 4, 1)
		case model.KeyRateLimited:
			a, err = s.exhausted(ctx, scenario, false)
		default:
			err = s.open(ctx, a)
		}
		if err != nil {
			return err
		}
		for _, q := range states[scenario] {
			if _, err := s.sendAs(ctx, a, q); err != nil {
				return err
			}
			for _, credential := range []credential{nil, backwardsKey, cutKey} {
				for _, stranger := range []ask{kept, status(), invalid(), read(printed)} {
					if cookies := s.cookies(); cookies != "" && credential == nil {
						stranger = stranger.header("Cookie", cookies)
					}
					r := s.request(stranger.sentBy(nobody), &senders{})
					if r.Wrong = nil; credential != nil {
						r.Auth = []model.Credential{credential(a.Key)}
					}
					if _, err := s.send(ctx, r); err != nil {
						return err
					}
				}
			}
		}
	}
	return nil
}

// backwardsKey and cutKey resemble a key, but are not keys, even on mocks.
func backwardsKey(key string) model.Credential {
	return model.Credential{Value: "Bearer " + backwards(key), Shell: "Bearer $(printf %s $UNCIAL_KEY | rev)"}
}

func cutKey(key string) model.Credential {
	return model.Credential{Value: "Bearer " + key[1:], Shell: "Bearer ${UNCIAL_KEY#?}"}
}

// checkRevoked makes every kind of request with a key, revokes it, and repeats them.
func checkRevoked(ctx context.Context, s *session) error {
	a := s.accounts[model.KeyRevocable][0]
	x, err := s.Exchange(ctx, statusWith(a.Key))
	if err == nil && x.Status == http.StatusUnauthorized {
		return &skip{fmt.Sprintf("an earlier run has revoked the key of %q", model.KeyRevocable)}
	}
	if err := s.open(ctx, a); err != nil {
		return err
	}
	asks := []ask{status(), read(printed).header("Idempotency-Key", s.idempotencyKey()), invalid(), status()}
	if _, err := s.sendAs(ctx, a, asks...); err != nil {
		return err
	}
	if err := s.Revoke(ctx, a.Key); err != nil {
		return fmt.Errorf("revoke a key of the target: %w", err)
	}
	a.Known = false // its account cannot be asked any more
	for _, q := range slices.Concat(asks, []ask{read(printed), read(unfetchable)}) {
		q.Wrong = nil
		revoked := s.request(q.sentBy(nobody), &senders{})
		revoked.Auth = []model.Credential{model.Bearer(a.Key)}
		if _, err := s.send(ctx, revoked); err != nil {
			return err
		}
	}
	return nil
}

// cookies returns the cookies that the answers of the case have set, as a browser sends them back.
func (s *session) cookies() string {
	jar := map[string]string{}
	for _, x := range s.exchanges {
		for _, c := range (&http.Response{Header: x.Header}).Cookies() {
			jar[c.Name] = c.Value
		}
	}
	var all []string
	for _, name := range slices.Sorted(maps.Keys(jar)) {
		all = append(all, name+"="+jar[name])
	}
	return strings.Join(all, "; ")
}
