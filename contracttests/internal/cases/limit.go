package cases

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"uncial/contracttests/internal/generate"
	"uncial/contracttests/internal/model"
)

// maxMalformed is more than malformed sends.
const maxMalformed = 10

// malformed are requests that servers refuse at different stages: unreadable JSON, an empty URL, media type, header, query.
func malformed() []ask {
	return []ask{
		body(`{`, "body"), body(`{"imageUrl":""}`, "imageUrl"), body("x", "Content-Type").header("Content-Type", "text/plain"),
		body(`{}`, "imageUrl", "Idempotency-Key").header("Idempotency-Key", ""), body(`{}`, "imageUrl", "page").query("page=1"),
	}
}

// orderRows check the order of the checks on an account without points, with every kind of invalid request (on a server that
// reads images only if the run is thorough, because each counts against the rate limit). The rest of the order is checked by
// every other case, through expect.For.
var orderRows = []row{
	{
		// Every kind of problem is tried, because servers check them at different stages.
		name: "extract/400/before-402", account: model.KeyEmpty, extractions: maxMalformed + int64(len(ruleGroups())), explanation: "The shape of a request is checked before the points: without points an invalid request gets a 400.",
		build: func(s *session) []ask {
			asks := append(malformed(), read(printed).wrong("Idempotency-Key").header("Idempotency-Key", ""), unreadable(unsupported))
			if s.IsThorough() {
				asks = append(asks, s.brokenRequests(base)...)
			}
			return asks
		},
	}, {
		name: "extract/429/before-402", account: model.KeyEmpty, extractions: maxExtractions, check: checkLimitedEmpty,
		explanation: "The rate limit is checked before the points: once the window is used up, an account without points gets a 429.",
	}, {
		name: "extract/400/before-500", needs: []string{needImage(model.ImageOverload)}, extractions: 2 + int64(len(ruleGroups())), explanation: "The shape of a request is checked before the capacity of the service.",
		build: func(s *session) []ask {
			asks := []ask{read(model.ImageOverload).format("docx").wrong("format"), unreadableAll(unsupported)[0].job(func(j *model.Job) { j.Image = model.ImageOverload })}
			busy := []generate.Member{{Name: "imageUrl", Value: model.MustJSON(s.ImageURL(model.ImageOverload))}}
			return append(asks, s.brokenRequests(busy)...)
		},
	}, {
		// This case finds servers that fetch images for accounts that cannot pay.
		name: "extract/402/before-the-image", account: model.KeyEmpty, explanation: "The points are checked before the image: without points an unreadable image gets a 402.",
		asks: []ask{read(unfetchable), read(notAnImage)},
	},
}

const (
	// maxLimit is the largest window that a case uses up, in requests.
	maxLimit = 120
	// maxExtractions is what a case that uses up a window sends, with a few requests beyond it.
	maxExtractions = maxLimit + 10
)

// limitRows use up windows. They run on accounts with a small limit, of which no other case needs many requests.
var limitRows = []row{
	{
		// The kept reply shows that a repeat counts like any other request.
		name: "extract/429/window-used-up", account: model.KeyRateLimited, extractions: maxExtractions, points: 20, check: checkUsedUpWindow,
		explanation: "Once the requests of the window are used up, every extraction, valid or not, gets a 429 that says when to try again and costs nothing; other requests are still answered.",
	}, {
		// The account has more points than its key.
		name: "extract/429/capped", account: model.KeyCapped, extractions: maxExtractions, check: checkLimitedCapped,
		explanation: "A 429 reports the points that are left under the cap of its key.",
	}, {
		// This case finds sliding windows, and Idempotency-Keys that a refusal has used up.
		name: "extract/429/resets", account: model.KeyRateLimited, extractions: maxExtractions, points: 10, check: checkWindowResets,
		explanation: "When the window resets, as Retry-After said, requests are accepted again, and the Idempotency-Key of a refused one is free.",
	}, {
		// This case finds rounding errors and cached answers.
		name: "extract/429/every-second", account: model.KeyRateLimited, needs: clockNeeds, extractions: maxExtractions, check: checkEverySecond,
		explanation: "At every second of a used-up window, a 429 says how long the rest of the window lasts.",
	}, {
		// This case finds counters that are read before they are changed. Invalid requests suffice, so the case costs nothing.
		name: "extract/429/at-once", account: model.KeyRateLimited, extractions: maxExtractions, check: checkLimitAtOnce,
		explanation: "Of many concurrent requests, the server accepts exactly as many as the window has left.",
	},
}

// limited is an account of the scenario whose window can be used up. fresh leaves out accounts that were used up before the
// run.
func (s *session) limited(ctx context.Context, scenario string, fresh bool) (*model.Account, error) {
	reason := fmt.Sprintf("the account mapped to %q allows too many extractions per minute to use them up; a plan with 10 to 60 is best", scenario)
	for _, a := range s.accounts[scenario] {
		if err := s.open(ctx, a); err != nil {
			return nil, err
		}
		if a.Room() == 0 && fresh && !s.usedUp[a] {
			reason = fmt.Sprintf("the window of %q was used up before the run, and may never reset", scenario)
			continue
		}
		if a.Window.Limit <= maxLimit {
			return a, nil
		}
	}
	return nil, &skip{reason}
}

// rushed sends the ask even if the window is used up, so that the server must refuse it. Other asks wait for the reset (see
// session.pace).
func (a ask) rushed() ask { a.Rush = true; return a }

// useUp sends invalid requests, which cost nothing, until the given number is left in the window. It stops early, without an
// error, if the server already refuses them. If the window resets meanwhile, it begins again.
func (s *session) useUp(ctx context.Context, a *model.Account, left int64) error {
	s.usedUp[a] = s.usedUp[a] || left == 0
	for n := 2 * a.Window.Limit; n > 0 && a.Window.Left > left; n-- {
		x, err := s.sendAs(ctx, a, invalid().rushed())
		if err != nil || x.Status == http.StatusTooManyRequests {
			return err
		}
	}
	if a.Now.IsZero() {
		s.usedUpUntil = time.Now().Add(a.Window.Reset.Sub(a.Instant()) - a.Slack())
	}
	return nil
}

// checkUsedUpWindow sends every kind of request to an account without requests left: extractions must be refused
// before anything else about them is checked, and a stored reply must not be returned.
func checkUsedUpWindow(ctx context.Context, s *session) error {
	a, err := s.limited(ctx, model.KeyRateLimited, false)
	if err != nil {
		return err
	}
	if err := s.openWindow(ctx, a); err != nil {
		return err
	}
	kept := read(printed).header("Idempotency-Key", "kept-"+s.name)
	if a.Window.Left > 1 && a.Points.Left >= model.Cost {
		if _, err := s.sendAs(ctx, a, kept); err != nil {
			return err
		}
	}
	if err := s.useUp(ctx, a, 0); err != nil {
		return err
	}
	if s.Control != nil && !a.Now.IsZero() { // in a new window its length and the time left would be equal
		if err := s.moveTo(ctx, a, a.Window.Reset.Add(-24700*time.Millisecond)); err != nil {
			return err
		}
	}
	asks := append(malformed(), oversized(), read(printed), read(unfetchable), kept)
	for _, scenario := range []string{model.ImageOverload, model.ImageError, model.ImageBusy, model.ImageTenPages} {
		if s.Images[scenario] != "" {
			asks = append(asks, read(scenario))
		}
	}
	for _, q := range asks {
		if err := s.refusedUntilReset(ctx, a, q); err != nil {
			return err
		}
	}
	for _, q := range s.brokenRequests(base) {
		if _, err := s.sendUsedUp(ctx, a, q); err != nil {
			return err
		}
	}
	for _, before := range lastMoments {
		if s.Control == nil || a.Now.IsZero() {
			break
		}
		if err := s.moveTo(ctx, a, a.Window.Reset.Add(-before)); err != nil {
			return err
		}
		if err := s.refusedUntilReset(ctx, a, invalid()); err != nil {
			return err
		}
	}
	put := outsideContract(http.MethodPut, "/extract")
	_, err = s.sendAs(ctx, a, status().query("verbose=1").wrong("verbose"), get("/nowhere"), put)
	return err
}

// lastMoments are times before the reset of a window at which rounding shows.
var lastMoments = []time.Duration{1300 * time.Millisecond, time.Second, 700 * time.Millisecond, 200 * time.Millisecond, time.Millisecond}

// sendUsedUp sends a request that must get a 429. If the window resets meanwhile, it uses up the new one and sends the request
// again.
func (s *session) sendUsedUp(ctx context.Context, a *model.Account, q ask) (*model.Exchange, error) {
	x, err := s.sendAs(ctx, a, q.rushed())
	if err != nil || x.Status == http.StatusTooManyRequests {
		return x, err
	}
	if err := s.useUp(ctx, a, 0); err != nil {
		return nil, err
	}
	x, err = s.sendAs(ctx, a, q.rushed())
	if err == nil && x.Status != http.StatusTooManyRequests {
		err = &skip{"the window reset twice before a request could be refused: the server or the network is slow"}
	}
	return x, err
}

// refusedUntilReset sends a request that must get a 429, and compares it with the status.
func (s *session) refusedUntilReset(ctx context.Context, a *model.Account, q ask) error {
	x, err := s.sendUsedUp(ctx, a, q)
	if err != nil {
		return err
	}
	record, err := s.status(ctx, a)
	if err != nil {
		return err
	}
	return checkRetry(a, x, record)
}

// exhausted returns a limited account whose window is used up, so that the next request that counts is refused. See limited for
// fresh.
func (s *session) exhausted(ctx context.Context, scenario string, fresh bool) (*model.Account, error) {
	a, err := s.limited(ctx, scenario, fresh)
	if err != nil {
		return nil, err
	}
	if err := s.openWindow(ctx, a); err != nil {
		return nil, err
	}
	return a, s.useUp(ctx, a, 0)
}

// checkEverySecond has a request refused at every second of a window.
func checkEverySecond(ctx context.Context, s *session) error {
	a, err := s.exhausted(ctx, model.KeyRateLimited, true)
	if err != nil {
		return err
	}
	if err := s.readClock(ctx, a); err != nil {
		return err
	}
	if err := needFrozen(a); err != nil {
		return err
	}
	record, err := s.status(ctx, a)
	if err != nil {
		return err
	}
	for second := a.Now.Truncate(time.Second).Add(time.Second); second.Before(a.Window.Reset); second = second.Add(time.Second) {
		if err := s.moveTo(ctx, a, second); err != nil {
			return err
		}
		x, err := s.sendAs(ctx, a, invalid().rushed())
		if err == nil {
			err = checkRetry(a, x, record)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// checkLimitedEmpty uses up the window of an account without points: 429 takes precedence over 402.
func checkLimitedEmpty(ctx context.Context, s *session) error {
	a, err := s.exhausted(ctx, model.KeyEmpty, false)
	if err != nil {
		return err
	}
	_, err = s.sendAs(ctx, a, read(printed).rushed(), read(unfetchable).rushed(), read(printed).format("pdf").enhance(true).rushed(), invalid().rushed(), status())
	return err
}

// checkLimitedCapped uses up the window of an account whose key has a cap: remainingPoints of a 429 is what is left under the
// cap.
func checkLimitedCapped(ctx context.Context, s *session) error {
	a, err := s.exhausted(ctx, model.KeyCapped, true)
	if err != nil {
		return err
	}
	_, err = s.sendAs(ctx, a, invalid().rushed(), read(printed).rushed())
	return err
}

// checkRetry requires the Retry-After of a 429 not to end before the window. It can tell only if the clock stands still.
func checkRetry(a *model.Account, x, record *model.Exchange) error {
	wait, err := strconv.Atoi(x.Header.Get("Retry-After"))
	seconds, ok := model.Int(record.Object("rateLimit"), "reset")
	if a.Now.IsZero() || x.Status != http.StatusTooManyRequests || err != nil || !ok {
		return nil
	}
	reset := time.Unix(seconds, 0)
	if again := a.Now.Add(time.Duration(wait) * time.Second); again.Before(reset) {
		return fail(x, "Retry-After is %d, but the window resets at %s, after %s", wait, model.Clock(reset), again.UTC().Format("15:04:05.000"))
	}
	return nil
}

// checkWindowResets has a request refused, waits for the reset, and sends it again.
func checkWindowResets(ctx context.Context, s *session) error {
	a, err := s.limited(ctx, model.KeyRateLimited, true)
	if err != nil {
		return err
	}
	if err := s.useUp(ctx, a, 0); err != nil {
		return err
	}
	refused := read(printed).header("Idempotency-Key", s.idempotencyKey())
	x, err := s.sendAs(ctx, a, refused.rushed())
	if err != nil {
		return err
	}
	if x.Status == http.StatusTooManyRequests {
		if err := s.untilReset(ctx, a); err != nil {
			return err
		}
	}
	_, err = s.sendAs(ctx, a, status(), invalid(), refused)
	return err
}

// checkLimitAtOnce sends all but a few requests one after the other, so that the race is small however large the window.
func checkLimitAtOnce(ctx context.Context, s *session) error {
	const few = 5
	a, err := s.limited(ctx, model.KeyRateLimited, true)
	if err != nil {
		return err
	}
	if a.Window.Left < a.Window.Limit {
		if err := s.untilReset(ctx, a); err != nil {
			return err
		}
		if err := s.confirm(ctx, a); err != nil {
			return err
		}
	}
	if err := s.openWindow(ctx, a); err != nil {
		return err
	}
	if err := s.useUp(ctx, a, few); err != nil {
		return err
	}
	var requests []*model.Request
	for range a.Window.Left + few {
		requests = append(requests, s.request(invalid().rushed(), &senders{accounts: map[who]*model.Account{first: a}}))
	}
	_, err = s.race(ctx, a, requests)
	return err
}
