package cases

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"sync"
	"time"

	"uncial/contracttests/internal/model"
)

// pointsRows check charges. Most ask for the status after each request: the ledger must agree at once, not eventually.
var pointsRows = []row{
	{
		// Format, blankness and enhancement must not change the price.
		name: "extract/200/points-fall-by-10", points: 40, explanation: "Each extraction costs 10 points whatever it asks for, and the status agrees at once.",
		asks: confirmed(read(printed), read(other).format("tsv"), read(blank), read(printed).enhance(true)),
	}, {
		// Without a hold, concurrent requests could spend the same points; without a release, callers would pay
		// for nothing.
		name: "extract/running-and-gone", needs: []string{needImage(model.ImageStuck)}, extractions: 1, check: checkAbandoned,
		explanation: "The points of a running extraction count as used; if its caller disconnects before the answer, they are released.",
	}, {
		// Two ways to fail, each with and without options: the release must not depend on where the extraction
		// failed.
		name: "extract/400/image", explanation: "An image that cannot be fetched or read gets a 400 that names imageUrl, and the points are released.",
		asks: confirmed(read(unfetchable), read(notAnImage), read(unfetchable).format("alto").enhance(true), read(notAnImage).format("text").language("en")),
	}, {
		// The three problems are found at different stages: schema, JSON, enumeration.
		name: "extract/400/shape-costs-nothing", explanation: "An invalid request costs nothing, but counts against the rate limit.",
		asks: confirmed(invalid(), body(`{`, "body"), read(printed).format("docx").wrong("format")),
	}, {
		// The second account confirms its points and its window separately.
		name: "extract/200/accounts-are-apart", points: 10, needs: []string{needKey(model.KeySpare)},
		explanation: "The points that one account spends do not affect another.",
		asks:        []ask{read(printed), status().sentBy(second), invalid().sentBy(second)},
	}, {
		// One model of the account predicts the answers of both keys. The fourth request repeats the third with
		// the other key.
		name: "extract/200/keys-share", points: 20, needs: []string{needKey(model.KeySibling)},
		explanation: "All keys of an account share its points, its window and its stored answers.",
		asks: []ask{
			read(printed).sentBy(sibling), status(), read(other).keyed("a"), read(other).keyed("a").sentBy(sibling), status().sentBy(sibling), status(),
		},
	}, {
		// The unfetchable image shows that nothing is fetched without points.
		name: "extract/402/empty", account: model.KeyEmpty,
		explanation: "With fewer than 10 points left, an extraction is refused; the answer says what is left and when the points reset, and nothing is charged.",
		asks:        confirmed(read(printed), read(blank).format("page"), read(printed).enhance(true), read(unfetchable)),
	}, {
		// The case costs nothing, so it can try more languages than extract/200/languages.
		name: "extract/402/every-listed-language", account: model.KeyEmpty, extractions: 60, check: checkListedLanguages,
		explanation: "A language is accepted if, and only if, the server lists it: without points the answer is then 402, not 400.",
	}, {
		// The race finds servers that read the balance before they change it. Afterwards the remaining points must
		// not pay for another one.
		name: "extract/402/low", account: model.KeyLow, points: 10, atOnce: 5, explanation: "If the points suffice for one extraction, exactly one of several concurrent requests succeeds.",
		asks: append(slices.Repeat([]ask{read(model.Overlapping)}, 5), status(), read(other), status(), read(other)),
	}, {
		// The account has points left, so that a server which ignores the cap answers 200. Concurrent requests find
		// servers that read the cap before they count.
		name: "extract/402/capped", account: model.KeyCapped, points: 10, atOnce: 3,
		explanation: "The monthly cap of a key is never exceeded; the 402 says that the key is limited, and its remaining points are those under the cap.",
		asks:        append(slices.Repeat([]ask{read(model.Overlapping)}, 3), status(), read(other), status()),
	}, {
		// This case finds servers that release points in the account, but not under the cap.
		name: "extract/400/capped-image", account: model.KeyCapped, explanation: "Points that return to the account return to the cap of the key as well.",
		build: func(s *session) []ask {
			asks := []ask{read(unfetchable), read(notAnImage), invalid(), read(notAnImage).format("alto").enhance(true)}
			for _, scenario := range []string{model.ImageError, model.ImageOverload, model.ImageBusy} {
				if s.Images[scenario] != "" {
					asks = append(asks, read(scenario), read(scenario).format("pdf"))
				}
			}
			return confirmed(asks...)
		},
		extractions: 10,
	}, {
		// The first answer is of an account without points, the second of a key that has used up its cap.
		name: "extract/402/limited-by", account: model.KeyCapped, needs: []string{needKey(model.KeyEmpty)}, points: 10, extractions: 3, check: checkLimits,
		explanation: "A 402 says whether the points of the account or the cap of the key are used up.",
	}, {
		// A server with one counter for the account and the key would count it here.
		name: "status/200/cap-of-one-key", account: model.KeyCapped, needs: []string{needKey(model.KeyUncapped)}, points: 10, extractions: 1, check: checkUncapped,
		explanation: "Points that other keys of the account spend do not count against the cap of a key, and its cap does not limit them.",
	}, {
		// This case finds comparisons with > instead of >=.
		name: "extract/402/exact", account: model.KeyExact, points: 10, explanation: "The last 10 points suffice for an extraction, after which 0 are left.",
		asks: confirmed(read(printed), read(printed)),
	},
}

// checkLimits provokes a 402 of both kinds. That limitedBy is right is checked with every 402; here both must occur.
func checkLimits(ctx context.Context, s *session) error {
	for scenario, asks := range map[string][]ask{model.KeyEmpty: {read(printed)}, model.KeyCapped: {read(printed), read(other)}} {
		a, err := s.account(ctx, scenario, int64(len(asks)), int64(len(asks)-1))
		if err != nil {
			return err
		}
		last, err := s.sendAs(ctx, a, asks...)
		if err != nil {
			return err
		}
		if last.Text("limitedBy") == "" && !s.Minimal {
			return fail(last, "limitedBy is missing; expected account or key")
		}
	}
	return nil
}

// checkUncapped spends points with the key that has no cap, which the model does not keep track of.
func checkUncapped(ctx context.Context, s *session) error {
	if len(s.accounts[model.KeyCapped]) == 0 {
		return &skip{"no key is mapped to " + model.KeyCapped}
	}
	capped := s.accounts[model.KeyCapped][0]
	if err := s.open(ctx, capped); err != nil {
		return err
	}
	ask := read(printed)
	ask.Complete(s.Target)
	ask.Auth = []model.Credential{model.Bearer(s.Keys[model.KeyUncapped][0])}
	s.Client.CloseIdleConnections() // it is sent only once
	x, err := s.Exchange(ctx, &ask.Request)
	if err != nil {
		return fail(x, "%s", err)
	}
	s.record(x)
	if x.Status != http.StatusOK {
		return fail(x, "the status is %d; expected 200, because the key has no cap", x.Status)
	}
	capped.Spent += model.Cost // by another key of the same account
	left, ok := x.Int("remainingPoints")
	if ok && capped.Points.Total-capped.Points.Used == left {
		return fail(x, "remainingPoints is %d, as under the cap of another key; expected the points of the account", left)
	}
	before := capped.Points
	capped.Unsure = true // the other key has used the window that both share
	if x, err = s.status(ctx, capped); err != nil {
		return err
	}
	if used, _ := x.Int("pointsUsed"); used != before.Used {
		return fail(x, "pointsUsed is %d; expected %d, because another key of the account paid", used, before.Used)
	}
	return nil
}

// maxRelease limits how long points may be held. The images of the scenario stuck take 10 s at most in the servers that test
// the suite.
const maxRelease = 12 * time.Second

// maxNotice limits how long a server may take to notice a new request, or that a caller has disconnected.
const maxNotice = 5 * time.Second

// checkAbandoned disconnects while the server reads a slow image. It sees the hold from outside: with GET /status, whose
// pointsUsed must rise when the extraction begins and fall back when the caller is gone.
func checkAbandoned(ctx context.Context, s *session) error {
	a, err := s.account(ctx, model.KeyOK, 1, 1)
	if err != nil {
		return err
	}
	leave, cancel := context.WithCancel(ctx)
	defer cancel()
	r := &model.Request{Account: a, Job: &model.Job{Image: model.ImageStuck}}
	r.Complete(s.Target)
	if err := s.pace(ctx, r); err != nil {
		return err
	}
	s.Client.CloseIdleConnections() // it is sent only once
	var running sync.WaitGroup
	var answered *model.Exchange
	running.Go(func() {
		if x, err := s.Exchange(leave, r); err == nil {
			answered = x
		}
	})
	before, end := a.Points, time.Now().Add(maxRelease)
	err = s.untilUsed(ctx, a, before.Used+model.Cost, "the points of a running extraction count as used")
	cancel()
	running.Wait()
	if answered != nil {
		return fail(answered, "the image of the scenario %q must take 5 seconds or more, but this answer came earlier", model.ImageStuck)
	}
	a.Unsure = true // the request has counted, perhaps in a window that has ended since
	wasHeld := err == nil
	if wasHeld {
		err = s.untilUsed(ctx, a, before.Used, "the caller disconnected while the image was read, so the points must be released")
	}
	if asFailure(err) != nil {
		s.awaitRelease(ctx, a, end, func(used int64) bool { return wasHeld && used == before.Used })
	}
	return err
}

// awaitRelease waits until the points of a failed case are released, at most until end: a server that holds no points may
// charge them when the extraction ends. It then copies the reported balance into the model, so that the next case is not
// blamed.
func (s *session) awaitRelease(ctx context.Context, a *model.Account, end time.Time, isReleased func(used int64) bool) {
	for time.Now().Before(end) {
		x, err := s.Exchange(ctx, statusWith(a.Key))
		var record struct{ PointsUsed int64 }
		if err != nil || json.Unmarshal(x.Body, &record) != nil || isReleased(record.PointsUsed) {
			break
		}
		if sleep(ctx, 100*time.Millisecond) != nil {
			return
		}
	}
	_ = s.confirm(ctx, a) // its problems are those that the case has reported
}

// untilUsed asks for the status until want points are used, for at most maxNotice. why completes the failure: it is the rule
// that the server breaks if the points never change.
func (s *session) untilUsed(ctx context.Context, a *model.Account, want int64, why string) error {
	for end := time.Now().Add(maxNotice); ; {
		x, err := s.send(ctx, &model.Request{Method: http.MethodGet, Path: "/status", Account: a, Concurrent: true})
		if err != nil {
			return err
		}
		used, _ := x.Int("pointsUsed")
		left, _ := x.Int("pointsRemaining")
		switch {
		case used+left != a.Points.Total:
			return fail(x, "pointsUsed and pointsRemaining add up to %d, not %d", used+left, a.Points.Total)
		case used == want:
			return nil
		case time.Now().After(end):
			return fail(x, "pointsUsed is %d after %s; expected %d: %s", used, maxNotice, want, why)
		}
		if err := sleep(ctx, 10*time.Millisecond); err != nil {
			return err
		}
	}
}

// documented are the languages that the contract mentions. A server may have others.
var documented = []string{"en", "de", "de-Latf", "la", "fr", "frm", "enm", "it", "grc", "und"}

// checkListedLanguages tries up to 40 listed languages, and the documented ones that are not listed. The account has no
// points, so the answer tells whether the language was accepted: 402 if it was, 400 if not.
func checkListedLanguages(ctx context.Context, s *session) error {
	a, err := s.account(ctx, model.KeyEmpty, 60, 0)
	if err != nil {
		return err
	}
	listed, err := s.askLanguages(ctx, a)
	if err != nil {
		return err
	}
	var asks []ask
	for _, tag := range listed[:min(40, len(listed))] {
		asks = append(asks, read(printed).language(tag))
	}
	for _, tag := range documented {
		if len(listed) > 0 && !slices.Contains(listed, tag) {
			asks = append(asks, unreadable(tag))
		}
	}
	// Variants and regions fall back to their language.
	for tag, wider := range map[string]string{"de-1901": "de", "de-DE-1996": "de", "de-AT": "de", "fr-CA": "fr", "fr-1694acad": "fr", "la-VA": "la", "it-CH": "it", "de-Latf-AT": "de-Latf", "de-latf": "de-Latf", "DE-LATF-1901": "de-Latf"} {
		if slices.Contains(listed, wider) {
			asks = append(asks, read(printed).language(tag))
		}
	}
	_, err = s.sendAs(ctx, a, asks...)
	return err
}
