package mock

import (
	"context"
	"time"

	"uncial/gen"
	"uncial/internal/contract"
	"uncial/internal/edge"
	"uncial/mock/folder"
)

// server implements the two operations. internal/edge has already authenticated the caller, counted the request and
// checked its shape; see the order of checks in openapi.yaml.
type server struct {
	state   *state
	seed    uint64
	latency Latency
	// fixtures are the user's own; nil if there are none.
	fixtures *folder.Folder
}

var _ gen.StrictServerInterface = (*server)(nil)

// Extract replays the stored outcome of an Idempotency-Key, or extracts.
func (s *server) Extract(ctx context.Context, r gen.ExtractRequestObject) (gen.ExtractResponseObject, error) {
	e, err := s.newExtraction(ctx, r)
	if err != nil {
		return nil, err
	}
	o, isReplayed, err := s.extractOnce(ctx, e, r.Params.IdempotencyKey)
	if err != nil {
		return nil, err
	}
	answer, err := e.answer(ctx, o)
	if err != nil || !isReplayed {
		return answer, err
	}
	return contract.Replayed{ExtractResponseObject: answer}, nil
}

// extractOnce extracts, or returns the stored outcome if an equal request with the Idempotency-Key succeeded before.
// idempotencyKey is nil if the request has none.
func (s *server) extractOnce(ctx context.Context, e *extraction, idempotencyKey *string) (o outcome, isReplayed bool, err error) {
	if idempotencyKey == nil {
		o, err = s.extract(ctx, e)
		return o, false, err
	}
	reserved, stored, err := s.state.begin(ctx, e.key, digest(*idempotencyKey), e.Fingerprint())
	if err != nil {
		return o, false, err
	}
	if stored != nil {
		return *stored, true, nil
	}
	succeeded := false // stays false if extract panics, so that the Idempotency-Key is free again
	defer func() { s.state.end(reserved, o, succeeded) }()
	o, err = s.extract(ctx, e)
	succeeded = err == nil
	return o, false, err
}

// extract holds the points, waits for the delay of the scenario, and charges or releases the points. The points are held
// during the delay, as in production, so that a test can run several slow extractions against a small balance. If the
// client disconnects during the delay, the points are released and the request still counts against the rate limit.
func (s *server) extract(ctx context.Context, e *extraction) (outcome, error) {
	if e.busy { // production finds a place before it holds points
		exchangeFrom(ctx).announce(e.effect)
		return outcome{}, s.failure(e.key, e.effect)
	}
	held, err := s.state.hold(e.key)
	if err != nil {
		return outcome{}, err
	}
	if err := wait(ctx, e.delay); err != nil {
		s.state.release(held, false)
		return outcome{}, err // the client has gone
	}
	exchangeFrom(ctx).announce(e.effect)
	if e.code != 200 {
		s.state.release(held, e.code == 401 || e.code == 429) // production answers these two before it counts
		return outcome{}, s.failure(e.key, e.effect)
	}
	o := outcome{delay: e.delay, seed: e.seed, minimal: e.minimal}
	err = s.state.use(e.key, func(k *key, now time.Time) { o.remaining, o.at = k.points().Remaining, now })
	return o, err
}

// Status answers with the points and the window of the key.
func (s *server) Status(ctx context.Context, _ gen.StatusRequestObject) (gen.StatusResponseObject, error) {
	x, name := exchangeFrom(ctx), edge.CallerFrom(ctx).Token
	prefer, err := parsePrefer(x.prefer, statusCodes)
	if err != nil {
		return nil, contract.Invalid(map[string]string{"Prefer": err.Error()})
	}
	prefer.seeded = false // a status has no text to choose
	e := combine(s.state.scenario(name), imageScenario{}, prefer, s.latency.at(s.seed, name, x.number))
	if err := wait(ctx, e.delay); err != nil {
		return nil, err
	}
	x.announce(e)
	if e.code != 200 {
		return nil, s.failure(name, e)
	}
	var answer gen.Status200JSONResponse
	err = s.state.use(name, func(k *key, now time.Time) {
		answer.Body = contract.NewStatus(k.plan, k.points(), k.rateLimit(now))
	})
	if full := answer.Body; e.minimal {
		answer.Body = gen.StatusRecord{
			Plan: full.Plan, PointsUsed: full.PointsUsed, PointsRemaining: full.PointsRemaining,
			RateLimitRemaining: full.RateLimitRemaining,
		}
	}
	return answer, err
}

// wait returns after d, or with ctx's error when ctx ends first.
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
