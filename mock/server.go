package mock

import (
	"context"
	"time"

	"uncial/gen"
	"uncial/internal/edge"
)

// server does the two operations.
type server struct {
	world   *world
	seed    uint64
	latency Latency
}

var _ gen.StrictServerInterface = (*server)(nil)

// Extract answers what was answered before to the same Idempotency-Key, or makes a new answer.
func (s *server) Extract(ctx context.Context, req gen.ExtractRequestObject) (gen.ExtractResponseObject, error) {
	c, err := s.read(ctx, req)
	if err != nil {
		return nil, err
	}
	a, err := s.once(ctx, c, req.Params.IdempotencyKey)
	if err != nil {
		return nil, err
	}
	return c.answer(a)
}

// once extracts, unless that was done before with the same Idempotency-Key; nil is none.
func (s *server) once(ctx context.Context, c *call, id *string) (a answered, err error) {
	if id == nil {
		return s.extract(ctx, c)
	}
	mine, earlier, err := s.world.begin(ctx, c.key, replyID(digest(*id)), c.digest())
	if err != nil {
		return a, err
	}
	if earlier != nil {
		return *earlier, nil
	}
	well := false // unless extract returns: after a panic the Idempotency-Key is free again
	defer func() { s.world.end(mine, a, well) }()
	a, err = s.extract(ctx, c)
	well = err == nil
	return a, err
}

// extract holds the points, waits as long as the scenario says, and charges them or gives them back.
func (s *server) extract(ctx context.Context, c *call) (answered, error) {
	held, err := s.world.hold(c.key)
	if err != nil {
		return answered{}, err
	}
	if err := wait(ctx, c.delay); err != nil {
		s.world.release(held, false)
		return answered{}, err
	}
	visitFrom(ctx).announce(c.applied)
	if c.code != 200 {
		s.world.release(held, c.code == 401 || c.code == 429)
		return answered{}, s.failure(c.key, c.verdict)
	}
	a := answered{delay: c.delay, seed: c.seed, minimal: c.minimal}
	if !s.world.use(c.key, func(k *key, now time.Time) { a.remaining, a.at = k.remaining(), now }) {
		return answered{}, errGone
	}
	return a, nil
}

// Status answers with the state of the key.
func (s *server) Status(ctx context.Context, _ gen.StatusRequestObject) (gen.StatusResponseObject, error) {
	v, name := visitFrom(ctx), edge.CallerFrom(ctx).Token
	p, err := parsePrefer(v.prefer, statusCodes)
	if err != nil {
		return nil, edge.Invalid(map[string]string{"Prefer": err.Error()})
	}
	p.seeded = false // there is no text to choose
	verdict := decide(s.world.scenario(name), imageScenario{}, p, s.latency.at(s.seed, name, v.number))
	if err := wait(ctx, verdict.delay); err != nil {
		return nil, err
	}
	v.announce(verdict.applied)
	if verdict.code != 200 {
		return nil, s.failure(name, verdict)
	}
	var answer gen.Status200JSONResponse
	if !s.world.use(name, func(k *key, now time.Time) { answer.Body = k.record(now, verdict.minimal) }) {
		return nil, errGone
	}
	return answer, nil
}

// record is the status record, in its shortened shape where it is minimal.
func (k *key) record(now time.Time, minimal bool) gen.StatusRecord {
	window := k.limits(now)
	r := gen.StatusRecord{
		Plan: k.plan, PointsUsed: k.used, PointsRemaining: k.remaining(), RateLimitRemaining: &window.Remaining,
	}
	if minimal {
		return r
	}
	success, status, total := gen.StatusRecordSuccessTrue, gen.Active, k.total
	r.Success, r.Status, r.PointsTotal = &success, &status, &total
	r.RateLimit = &gen.RateLimit{Limit: window.Limit, Remaining: window.Remaining, Reset: window.Reset.Unix()}
	return r
}

// wait is over after d, or with ctx's error when ctx ends.
func wait(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
