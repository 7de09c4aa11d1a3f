package contracttests

import (
	"context"
	"net/http"
	"slices"
	"sync"
	"time"
)

func pointsCases() []Case {
	return []Case{{
		Name: "extract/200/points-fall-by-10", Operation: "extract", Status: 200, Needs: []string{needKey(KeyOK)}, Extractions: 4, Points: 40,
		Explanation: "Each extraction costs 10 points whatever it asks for, and the status agrees at once.",
		Check: do(func(ctx context.Context, s *session) error {
			a, err := s.account(ctx, KeyOK, 4, 4)
			if err != nil {
				return err
			}
			for _, j := range []job{{image: ImagePrinted}, {image: ImageOther, format: "tsv"}, {image: ImageBlank}, {image: ImagePrinted, enhance: &yes}} {
				if _, err := s.extract(ctx, a, j); err != nil {
					return err
				}
				if err := s.settled(ctx, a); err != nil {
					return err
				}
			}
			return nil
		}),
	}, {
		Name: "extract/running-and-gone", Operation: "extract", Needs: []string{needKey(KeyOK), needImage(ImageStuck)}, Extractions: 1,
		Explanation: "The points of an extraction that runs are used already; when its caller goes away before the answer they are given back.",
		Check:       do(runningAndGone),
	}, {
		Name: "extract/400/image", Operation: "extract", Status: 400, Needs: []string{needKey(KeyOK)}, Extractions: 4,
		Explanation: "An image that cannot be fetched or read is a 400 that names imageUrl, and the points are given back.",
		Check: do(func(ctx context.Context, s *session) error {
			return s.costsNothing(ctx, request{job: &job{image: ImageUnfetchable}}, request{job: &job{image: ImageNotAnImage}},
				request{job: &job{image: ImageUnfetchable, format: "alto", enhance: &yes}}, request{job: &job{image: ImageNotAnImage, format: "text", language: "en"}})
		}),
	}, {
		Name: "extract/400/shape-costs-nothing", Operation: "extract", Status: 400, Needs: []string{needKey(KeyOK)}, Extractions: 3,
		Explanation: "A request that is not valid costs nothing, though it counts against the rate limit.",
		Check: do(func(ctx context.Context, s *session) error {
			return s.costsNothing(ctx, request{body: []byte(`{}`), faults: []string{"imageUrl"}}, request{body: []byte(`{`), faults: []string{"body"}},
				request{body: (&job{image: ImagePrinted, format: "pdf"}).body(s.Target), faults: []string{"format"}})
		}),
	}, {
		Name: "extract/200/accounts-are-apart", Operation: "extract", Status: 200, Needs: []string{needKey(KeyOK), needKey(KeySpare)}, Extractions: 2, Points: 10,
		Explanation: "What one account spends and counts, another does not feel.",
		Check:       do(accountsAreApart),
	}, {
		Name: "extract/200/keys-share", Operation: "extract", Status: 200, Needs: []string{needKey(KeyOK), needKey(KeySibling)}, Extractions: 3, Points: 20,
		Explanation: "All keys of an account share its points, its window and its stored answers.",
		Check:       do(keysShare),
	}, {
		Name: "extract/402/empty", Operation: "extract", Status: 402, Needs: []string{needKey(KeyEmpty)}, Extractions: 4,
		Explanation: "Without 10 points left there is no extraction; the answer tells what is left and when the points reset, and nothing is charged.",
		Check: do(func(ctx context.Context, s *session) error {
			a, err := s.account(ctx, KeyEmpty, 4, 0)
			if err != nil {
				return err
			}
			for _, j := range []job{{image: ImagePrinted}, {image: ImageBlank, format: "page"}, {image: ImagePrinted, enhance: &yes}, {image: ImageUnfetchable}} {
				if _, err := s.extract(ctx, a, j); err != nil {
					return err
				}
				if err := s.settled(ctx, a); err != nil {
					return err
				}
			}
			return nil
		}),
	}, {
		Name: "extract/402/every-listed-language", Operation: "extract", Status: 402, Needs: []string{needKey(KeyEmpty)}, Extractions: 50,
		Explanation: "A language is accepted if and only if the server lists it as supported: without points the answer is then 402, not 400.",
		Check:       do(everyListedLanguage),
	}, {
		Name: "extract/402/low", Operation: "extract", Status: 402, Needs: []string{needKey(KeyLow)}, Extractions: 7, Points: 10,
		Explanation: "Points for one extraction pay for one, even where several ask at the same time.",
		Check:       do(lowPoints),
	}, {
		Name: "extract/402/exact", Operation: "extract", Status: 402, Needs: []string{needKey(KeyExact)}, Extractions: 2, Points: 10,
		Explanation: "The last 10 points are enough, and leave 0.",
		Check: do(func(ctx context.Context, s *session) error {
			a, err := s.account(ctx, KeyExact, 2, 1)
			if err != nil {
				return err
			}
			for range 2 {
				if _, err := s.extract(ctx, a, job{image: ImagePrinted}); err != nil {
					return err
				}
				if err := s.settled(ctx, a); err != nil {
					return err
				}
			}
			return nil
		}),
	}}
}

// costsNothing sends requests and asks for the status after each.
func (s *session) costsNothing(ctx context.Context, requests ...request) error {
	a, err := s.account(ctx, KeyOK, len(requests), 1)
	if err != nil {
		return err
	}
	for _, r := range requests {
		r.account = a
		if _, err := s.send(ctx, &r); err != nil {
			return err
		}
		if err := s.settled(ctx, a); err != nil {
			return err
		}
	}
	return nil
}

func accountsAreApart(ctx context.Context, s *session) error {
	one, other := s.accounts[KeyOK][0], s.accounts[KeySpare][0]
	for _, a := range []*account{one, other} {
		if err := s.open(ctx, a); err != nil {
			return err
		}
	}
	if _, err := s.extract(ctx, one, job{image: ImagePrinted}); err != nil {
		return err
	}
	if err := s.settled(ctx, other); err != nil {
		return err
	}
	if _, err := s.send(ctx, &request{account: other, body: []byte(`{}`), faults: []string{"imageUrl"}}); err != nil {
		return err
	}
	return nil
}

// keysShare lets a second key of the same account take turns with the first: one model holds for both.
func keysShare(ctx context.Context, s *session) error {
	a := s.accounts[KeyOK][0]
	if err := s.open(ctx, a); err != nil {
		return err
	}
	sibling := []credential{bearer(s.Keys[KeySibling][0])}
	again := http.Header{"Idempotency-Key": {s.idempotencyKey()}}
	for _, r := range []request{
		{job: &job{image: ImagePrinted}, auth: sibling},
		{method: http.MethodGet, path: "/status"},
		{job: &job{image: ImageOther}, header: again},
		{job: &job{image: ImageOther}, header: again, auth: sibling},
		{method: http.MethodGet, path: "/status", auth: sibling},
		{method: http.MethodGet, path: "/status"},
	} {
		r.account = a
		if _, err := s.send(ctx, &r); err != nil {
			return err
		}
	}
	return nil
}

// patience bounds how long a server may take to notice that a request has come, or that its caller has gone.
const patience = 5 * time.Second

func runningAndGone(ctx context.Context, s *session) error {
	a, err := s.account(ctx, KeyOK, 1, 1)
	if err != nil {
		return err
	}
	leave, cancel := context.WithCancel(ctx)
	defer cancel()
	r := &request{account: a, job: &job{image: ImageStuck}}
	s.complete(r)
	if err := s.pace(ctx, r); err != nil {
		return err
	}
	var running sync.WaitGroup
	var answered *Exchange
	running.Go(func() {
		if x, err := s.exchange(leave, r); err == nil {
			answered = x
		}
	})
	before := a.points
	err = s.untilUsed(ctx, a, before.used+cost, "an extraction runs, so its points are used")
	cancel()
	running.Wait()
	if answered != nil {
		return fail(answered, "the image of the scenario %q must take 5 seconds or more; this answer came at once", ImageStuck)
	}
	a.unsure = true // the request has counted, perhaps in a window that has ended since
	if err != nil {
		return err
	}
	if err := s.untilUsed(ctx, a, before.used, "the caller went away before the answer, so the points are given back"); err != nil {
		return err
	}
	return nil
}

// untilUsed asks for the status until so many points are used.
func (s *session) untilUsed(ctx context.Context, a *account, want int64, why string) error {
	for end := time.Now().Add(patience); ; {
		x, err := s.send(ctx, &request{method: http.MethodGet, path: "/status", account: a, free: true})
		if err != nil {
			return err
		}
		used, _ := x.integer("pointsUsed")
		left, _ := x.integer("pointsRemaining")
		switch {
		case used+left != a.points.total:
			return fail(x, "pointsUsed and pointsRemaining make %d, not %d", used+left, a.points.total)
		case used == want:
			return nil
		case time.Now().After(end):
			return fail(x, "pointsUsed is %d after %s, and %d must be: %s", used, patience, want, why)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// documented are languages that the document speaks of. A server may have others, but it must say so of these.
var documented = []string{"en", "de", "de-Latf", "la", "fr", "frm", "enm", "it", "grc"}

func everyListedLanguage(ctx context.Context, s *session) error {
	a, err := s.account(ctx, KeyEmpty, 50, 0)
	if err != nil {
		return err
	}
	listed, err := s.askLanguages(ctx, a)
	if err != nil {
		return err
	}
	for _, l := range listed[:min(40, len(listed))] {
		if _, err := s.extract(ctx, a, job{image: ImagePrinted, language: l}); err != nil {
			return err
		}
	}
	for _, l := range documented {
		if slices.Contains(listed, l) || len(listed) == 0 {
			continue
		}
		if _, err := s.send(ctx, &request{account: a, job: &job{image: ImagePrinted, language: l}, faults: []string{"language"}}); err != nil {
			return err
		}
	}
	return nil
}

func lowPoints(ctx context.Context, s *session) error {
	a, err := s.account(ctx, KeyLow, 7, 1)
	if err != nil {
		return err
	}
	var requests []*request
	for range 5 {
		requests = append(requests, &request{account: a, job: &job{image: s.overlapping()}})
	}
	exchanges, err := s.race(ctx, a, requests)
	if err != nil {
		return err
	}
	var paid, refused int
	for _, x := range exchanges {
		switch x.Status {
		case http.StatusOK:
			paid++
		case http.StatusPaymentRequired:
			refused++
		}
	}
	if paid != 1 || paid+refused != len(exchanges) {
		return fail(exchanges[0], "of %d extractions at the same time exactly 1 can be paid and the others get 402; %d were paid and %d got 402", len(exchanges), paid, refused)
	}
	for range 2 {
		if err := s.settled(ctx, a); err != nil {
			return err
		}
		if _, err := s.extract(ctx, a, job{image: ImageOther}); err != nil {
			return err
		}
	}
	return nil
}
