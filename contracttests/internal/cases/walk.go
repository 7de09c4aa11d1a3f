package cases

import (
	"context"
	"math"
	"net/http"

	"pgregory.net/rapid"

	"uncial/contracttests/internal/generate"
	"uncial/contracttests/internal/model"
)

// A walk is long enough to combine the kinds of steps, and short enough for a plan of 300 points.
const (
	walkSteps = 50
	paidSteps = 20
)

// walkRows combine what the other cases try one by one.
var walkRows = []row{{
	// This case finds by chance the errors that need a certain sequence; the seed repeats it.
	name: "extract/200/walk", extractions: walkSteps, points: paidSteps * model.Cost,
	explanation: "Points, window and answers follow the rules during a sequence of valid and invalid requests, repeats and status queries, which the seed draws.",
	check: func(ctx context.Context, s *session) error {
		a, err := s.account(ctx, model.KeyOK, walkSteps, paidSteps)
		if err != nil {
			return err
		}
		w := &walk{session: s, account: a}
		for i, step := range drawSteps(s.Seed) {
			if _, err := w.take(ctx, step); err != nil {
				return explain(err, "at step %d of the walk with seed %d (%s)", i+1, s.Seed, step.kind)
			}
		}
		return nil
	},
}}

// step is one request of a walk, independent of a target's images and keys, so that Diff can send the same walk to two
// targets.
type step struct {
	kind   string
	job    model.Job
	repeat int    // which of the earlier requests with an Idempotency-Key is repeated
	seed   uint64 // of a generated request
}

// The kinds of steps.
const (
	stepExtract  = "an extraction"
	stepKeyed    = "an extraction with an Idempotency-Key"
	stepRepeat   = "a repeat"
	stepConflict = "a different request with a used Idempotency-Key"
	stepBroken   = "an invalid request"
	stepImage    = "an image that cannot be fetched"
	stepStatus   = "a status query"
	stepNoKey    = "a request without a key"
)

// drawSteps draws a walk by the seed. Kinds that cost points are frequent, to find charges that are wrong only sometimes.
func drawSteps(seed uint64) []step {
	kinds := []string{stepExtract, stepExtract, stepKeyed, stepKeyed, stepRepeat, stepRepeat, stepConflict, stepBroken, stepImage, stepStatus, stepStatus, stepNoKey}
	return rapid.Custom(func(t *rapid.T) []step {
		var all []step
		paid := 0
		for range walkSteps {
			s := step{kind: rapid.SampledFrom(kinds).Draw(t, "kind"), seed: rapid.Uint64().Draw(t, "seed"), repeat: rapid.IntRange(0, 99).Draw(t, "repeat")}
			s.job = model.Job{
				Image:  rapid.SampledFrom([]string{printed, other, blank}).Draw(t, "image"),
				Format: rapid.SampledFrom([]string{"", "json", "text", "hocr", "alto", "page", "tsv", "pdf"}).Draw(t, "format"),
			}
			// Enhancement may cost twice the time, so it is drawn less often.
			if rapid.IntRange(0, 3).Draw(t, "enhance") == 0 {
				enhance := true
				s.job.Enhance = &enhance
			}
			// Beyond the announced costs, paid steps become status queries.
			if s.costs() {
				if paid++; paid > paidSteps {
					s.kind = stepStatus
				}
			}
			all = append(all, s)
		}
		return all
	}).Example(int(seed & math.MaxInt))
}

// costs reports whether the step may cost points.
func (s step) costs() bool { return s.kind == stepExtract || s.kind == stepKeyed }

// walk takes steps on one account.
type walk struct {
	*session
	account *model.Account
	kept    []ask // those with an Idempotency-Key
}

// take sends the request of a step. Repeats before the first Idempotency-Key become status queries.
func (w *walk) take(ctx context.Context, s step) (*model.Exchange, error) {
	a := w.account
	extraction := with(model.Request{Job: &s.job})
	switch s.kind {
	case stepExtract:
		return w.sendAs(ctx, a, extraction)
	case stepKeyed:
		w.kept = append(w.kept, extraction.header("Idempotency-Key", w.idempotencyKey()))
		return w.sendAs(ctx, a, w.kept[len(w.kept)-1])
	case stepRepeat, stepConflict:
		if len(w.kept) == 0 {
			return w.status(ctx, a)
		}
		q := w.kept[s.repeat%len(w.kept)]
		if s.kind == stepConflict {
			q = q.job(func(j *model.Job) {
				if j.Image == printed {
					j.Image = other
				} else {
					j.Image = printed
				}
			})
		}
		return w.sendAs(ctx, a, q)
	case stepBroken:
		// One rule is enough here: combinations are the task of extract/400/several-rules.
		rules := shapeRules()
		b := generate.Break(base, s.seed, rules[s.seed%uint64(len(rules))])
		return w.sendAs(ctx, a, draft(b.Draft, b.Fields()))
	case stepImage:
		return w.sendAs(ctx, a, read(unfetchable).format(s.job.Format))
	case stepNoKey:
		return w.send(ctx, &model.Request{Job: &s.job, Header: http.Header{"Accept": {"application/json"}}})
	default:
		return w.status(ctx, a)
	}
}
