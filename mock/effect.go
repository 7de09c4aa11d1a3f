package mock

import (
	"errors"
	"fmt"
	"time"

	"uncial/internal/contract"
)

// The statuses that each operation documents.
var (
	extractCodes = []int{200, 400, 401, 402, 429, 500}
	statusCodes  = []int{200, 400, 401, 500}
)

// effect is what the scenarios of a request do to its answer.
type effect struct {
	code    int                  // status of the answer; 200 is the usual answer
	problem string               // of an image, with code 400
	fetch   contract.FetchReason // of an image that cannot be fetched
	busy    bool                 // with code 500: out of capacity
	delay   time.Duration
	minimal bool
	seed    uint64
	network Fault
	applied []string // the preferences that it honours
}

// combine merges the scenarios of a request. Precedence: key, then image, then header, then default. The key comes
// first because a test selects it for a whole client, the header last because proxies and libraries may add it.
// Authentication, the rate limit and missing points are decided before, by internal/edge and by the key's own state; no
// scenario overrides them.
func combine(k keyScenario, image imageScenario, p preferences, latency time.Duration) effect {
	e := effect{code: 200, delay: latency}
	// A code decides what the answer is, and a delay when it is sent; the two are independent.
	switch {
	case k.fails:
		e.code = 500
	case image.code != 0:
		e.code, e.problem, e.fetch, e.busy = image.code, image.problem, image.fetch, image.busy
	case p.code != 0:
		e.code = p.code
		e.recordPreference("code", p.code)
	}
	switch {
	case k.slow > 0:
		e.delay = k.slow
	case image.slow > 0:
		e.delay = image.slow
	case p.delayed:
		e.delay = p.delay
		e.recordPreference("delay", p.delay.Milliseconds())
	}
	if e.network = image.fault; e.network == (Fault{}) && p.fault != (Fault{}) {
		e.network = p.fault
		e.recordPreference("fault", p.fault)
	}
	if e.code == 200 && p.example != "" {
		e.minimal = p.example == "minimal"
		e.recordPreference("example", p.example)
	}
	if e.code == 200 && p.seeded {
		e.seed = p.seed
		e.recordPreference("seed", p.seed)
	}
	return e
}

// recordPreference records that the answer honours a preference. It is not called for preferences that a key or an image
// overrides.
func (e *effect) recordPreference(name string, value any) {
	e.applied = append(e.applied, fmt.Sprintf("%s=%v", name, value))
}

// simulatedPoints is the largest number of points that a requested 402 reports as remaining: too few for an extraction.
const simulatedPoints = 2

var errScenario = errors.New("requested by a scenario")

// failure returns the error of an effect whose code is not 200, made by the same constructors of internal/contract as in
// production. A requested 402 or 429 reports the real points and window of the key, except for the one number that causes the
// error.
func (s *server) failure(name string, e effect) (err error) {
	switch {
	case e.code == 400 && e.fetch != "":
		return contract.Unfetched(e.fetch, e.problem, askedToWait)
	case e.code == 400 && e.problem != "":
		return contract.BadImage(e.problem)
	case e.code == 400:
		return contract.Invalid(map[string]string{"Prefer": "requests a 400; omit code=400 for another answer"})
	case e.code == 401:
		return contract.Unauthorized(errScenario)
	case e.code == 500 && e.busy:
		return contract.Overloaded(contract.BusyRetryAfter, errScenario)
	case e.code == 500:
		return contract.Internal(errScenario)
	}
	gone := s.state.use(name, func(k *key, now time.Time) {
		remaining := k.points().Remaining
		if e.code == 402 {
			err = contract.Insufficient(min(remaining, simulatedPoints), contract.NextReset(k.month), k.limitedBy())
			return
		}
		window := k.rateLimit(now)
		window.Remaining = 0
		err = contract.Limited(window, remaining)
	})
	return errors.Join(gone, err)
}
