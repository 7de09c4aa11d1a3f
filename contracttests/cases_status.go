package contracttests

import (
	"context"
	"net/http"
)

func statusCases() []Case {
	return []Case{{
		Name: "status/200/record", Operation: "status", Status: 200, Needs: []string{needKey(KeyOK)},
		Explanation: "The status tells plan, points and rate limit; used and remaining points make the total, and both forms of the rate limit agree with the headers.",
		Check: do(func(ctx context.Context, s *session) error {
			for _, scenario := range []string{KeyOK, KeySpare, KeyLow, KeyEmpty, KeyExact, KeyRateLimited} {
				for _, a := range s.accounts[scenario] {
					if err := s.open(ctx, a); err != nil {
						return err
					}
					if err := s.settled(ctx, a); err != nil {
						return err
					}
				}
			}
			return nil
		}),
	}, {
		Name: "status/200/free-and-never-limited", Operation: "status", Status: 200, Needs: []string{needKey(KeyOK)}, Extractions: 1,
		Explanation: "Asking for the status costs nothing, is not counted, and is answered however often one asks.",
		Check:       do(statusIsFree),
	}, {
		Name: "status/200/always-json", Operation: "status", Status: 200, Needs: []string{needKey(KeyOK)},
		Explanation: "Answers are JSON whatever the request would rather have, and never a part of one or a note that nothing changed.",
		Check:       do(statusIsAlwaysJSON),
	}, {
		Name: "status/400/takes-nothing", Operation: "status", Status: 400, Needs: []string{needKey(KeyOK)},
		Explanation: "The status takes no parameters and no body; what is there is named.",
		Check:       do(statusTakesNothing),
	}}
}

func statusIsFree(ctx context.Context, s *session) error {
	a, err := s.account(ctx, KeyOK, 1, 0)
	if err != nil {
		return err
	}
	// One request that counts fixes the window, which the many that follow must leave alone.
	if _, err := s.send(ctx, &request{account: a, body: []byte(`{}`), faults: []string{"imageUrl"}}); err != nil {
		return err
	}
	for range min(2*a.window.limit+10, 130) {
		if err := s.settled(ctx, a); err != nil {
			return err
		}
	}
	return nil
}

func statusIsAlwaysJSON(ctx context.Context, s *session) error {
	a, err := s.account(ctx, KeyOK, 0, 0)
	if err != nil {
		return err
	}
	for _, h := range []http.Header{
		{"Accept": {"text/html"}},
		{"Accept": {"application/xml;q=1, application/json;q=0"}},
		{"Accept-Encoding": {"identity"}},
		{"Accept-Encoding": {"gzip"}},
		{"Content-Type": {"application/json"}},
		{"X-Http-Method-Override": {"DELETE"}},
		{"X-Request-Id": {"two words"}},
		{"Accept-Language": {"de"}},
		{"If-None-Match": {"*"}},
		{"If-Modified-Since": {"Fri, 01 Jan 2038 00:00:00 GMT"}},
		{"Range": {"bytes=0-3"}},
	} {
		if _, err := s.send(ctx, &request{method: http.MethodGet, path: "/status", account: a, header: h}); err != nil {
			return err
		}
	}
	return nil
}

func statusTakesNothing(ctx context.Context, s *session) error {
	a, err := s.account(ctx, KeyOK, 0, 0)
	if err != nil {
		return err
	}
	for _, r := range []request{
		{query: "verbose=true", faults: []string{"verbose"}},
		{query: "key=x&plan=pro", faults: []string{"key", "plan"}},
		{body: []byte(`{}`), faults: []string{"body"}},
		{body: []byte("x"), chunked: true, faults: []string{"body"}},
	} {
		r.method, r.path, r.account = http.MethodGet, "/status", a
		if _, err := s.send(ctx, &r); err != nil {
			return err
		}
	}
	return nil
}
