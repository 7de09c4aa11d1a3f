package mock

import (
	"errors"
	"fmt"
	"time"

	"uncial/internal/edge"
)

// The statuses that each operation knows.
var (
	extractCodes = []int{200, 400, 401, 402, 429, 500}
	statusCodes  = []int{200, 400, 401, 500}
)

// verdict is what the scenarios of a request make of its answer.
type verdict struct {
	code    int // 200 is the usual answer
	fault   string
	busy    bool
	delay   time.Duration
	minimal bool
	seed    uint64
	applied []string // the preferences that have a part in it
}

// decide weighs the scenarios: the key has the say before the image, the image before the header, the header before
// the default.
func decide(k keyScenario, image imageScenario, p preferences, latency time.Duration) verdict {
	v := verdict{code: 200, delay: latency}
	switch {
	case k.fails:
		v.code = 500
	case image.code != 0:
		v.code, v.fault, v.busy = image.code, image.fault, image.busy
	case p.code != 0:
		v.code = p.code
		v.apply("code", p.code)
	}
	switch {
	case k.slow > 0:
		v.delay = k.slow
	case image.slow > 0:
		v.delay = image.slow
	case p.delayed:
		v.delay = p.delay
		v.apply("delay", p.delay.Milliseconds())
	}
	if v.code == 200 && p.example != "" {
		v.minimal = p.example == "minimal"
		v.apply("example", p.example)
	}
	if v.code == 200 && p.seeded {
		v.seed = p.seed
		v.apply("seed", p.seed)
	}
	return v
}

func (v *verdict) apply(name string, value any) {
	v.applied = append(v.applied, fmt.Sprintf("%s=%v", name, value))
}

// busyRetry is what the service says when its queue is full.
const busyRetry = 5 * time.Second

var errScenario = errors.New("a scenario asks for it")

// failure is the answer of a verdict other than 200, with the numbers of the key as it stands.
func (s *server) failure(name string, v verdict) (err error) {
	switch {
	case v.code == 400 && v.fault != "":
		return edge.BadImage(v.fault)
	case v.code == 400:
		return edge.Invalid(map[string]string{"Prefer": "asks for a 400; leave code=400 out for another answer"})
	case v.code == 401:
		return edge.Unauthorized(errScenario)
	case v.code == 500 && v.busy:
		return edge.Overloaded(busyRetry, errScenario)
	case v.code == 500:
		return edge.Internal(errScenario)
	}
	known := s.world.use(name, func(k *key, now time.Time) {
		if v.code == 402 {
			err = edge.Insufficient(price, min(k.remaining(), 2), k.nextReset())
			return
		}
		window := k.limits(now)
		window.Remaining = 0
		err = edge.Limited(window, k.remaining())
	})
	if !known {
		return errGone
	}
	return err
}
