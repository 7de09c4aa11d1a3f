package contracttests

import (
	"context"
	"fmt"
	"math"
	"net/http"

	"pgregory.net/rapid"

	"uncial/contracttests/internal/generate"
)

// steps and paidSteps bound a walk.
const (
	steps     = 50
	paidSteps = 20
)

func walkCases() []Case {
	return []Case{{
		Name: "extract/200/walk", Operation: "extract", Status: 200, Needs: []string{needKey(KeyOK)}, Extractions: steps, Points: paidSteps * cost,
		Explanation: "Through a sequence of good and bad requests, repeats and questions that the seed draws, points, window and answers stay what the rules make of them.",
		Check: do(func(ctx context.Context, s *session) error {
			a, err := s.account(ctx, KeyOK, steps, paidSteps)
			if err != nil {
				return err
			}
			w := &walk{session: s, account: a}
			for i, step := range drawSteps(s.Seed) {
				if _, err := w.take(ctx, step); err != nil {
					if f := asFailure(err); f != nil {
						f.faults = append([]string{fmt.Sprintf("at step %d of the walk with seed %d (%s)", i+1, s.Seed, step.kind)}, f.faults...)
					}
					return err
				}
			}
			return nil
		}),
	}}
}

// step is one request of a walk, without the names of any target's images and keys.
type step struct {
	kind   string
	job    job
	repeat int    // which of the requests with an Idempotency-Key is repeated
	seed   uint64 // of a generated request
}

// The kinds of steps. Those that are paid for come often enough to see a charge that goes astray now and then.
const (
	stepExtract  = "an extraction"
	stepKeyed    = "an extraction with an Idempotency-Key"
	stepRepeat   = "a repeat"
	stepConflict = "another request with a used Idempotency-Key"
	stepBroken   = "a malformed request"
	stepImage    = "an image that cannot be had"
	stepStatus   = "a question for the status"
	stepNoKey    = "a request without a key"
)

// drawSteps draws a walk by the seed.
func drawSteps(seed uint64) []step {
	kinds := []string{stepExtract, stepExtract, stepKeyed, stepKeyed, stepRepeat, stepRepeat, stepConflict, stepBroken, stepImage, stepStatus, stepStatus, stepNoKey}
	return rapid.Custom(func(t *rapid.T) []step {
		var all []step
		paid := 0
		for range steps {
			s := step{kind: rapid.SampledFrom(kinds).Draw(t, "kind"), seed: rapid.Uint64().Draw(t, "seed"), repeat: rapid.IntRange(0, 99).Draw(t, "repeat")}
			s.job = job{
				image:  rapid.SampledFrom([]string{ImagePrinted, ImageOther, ImageBlank}).Draw(t, "image"),
				format: rapid.SampledFrom([]string{"", "json", "text", "hocr", "alto", "page", "tsv"}).Draw(t, "format"),
			}
			if rapid.IntRange(0, 3).Draw(t, "enhance") == 0 {
				s.job.enhance = &yes
			}
			if s.kind == stepExtract || s.kind == stepKeyed {
				if paid++; paid > paidSteps {
					s.kind = stepStatus
				}
			}
			all = append(all, s)
		}
		return all
	}).Example(int(seed & math.MaxInt))
}

// walk takes steps on one account.
type walk struct {
	*session
	account *account
	kept    []*request // with an Idempotency-Key
}

func (w *walk) take(ctx context.Context, s step) (*Exchange, error) {
	a := w.account
	switch s.kind {
	case stepExtract:
		return w.extract(ctx, a, s.job)
	case stepKeyed:
		r := keyed(a, w.idempotencyKey(), s.job)
		w.kept = append(w.kept, r)
		return w.send(ctx, r)
	case stepRepeat, stepConflict:
		if len(w.kept) == 0 {
			return w.status(ctx, a)
		}
		first := w.kept[s.repeat%len(w.kept)]
		r := &request{account: a, header: first.header, job: first.job}
		if s.kind == stepConflict {
			other := *first.job
			if other.image = ImagePrinted; first.job.image == ImagePrinted {
				other.image = ImageOther
			}
			r.job = &other
		}
		return w.send(ctx, r)
	case stepBroken:
		rules := shapeRules()
		b := generate.Break(base, s.seed, rules[s.seed%uint64(len(rules))])
		return w.send(ctx, w.draft(a, b.Draft, b.Fields()))
	case stepImage:
		return w.extract(ctx, a, job{image: ImageUnfetchable, format: s.job.format})
	case stepNoKey:
		return w.send(ctx, &request{job: &s.job, header: http.Header{"Accept": {"application/json"}}})
	default:
		return w.status(ctx, a)
	}
}
