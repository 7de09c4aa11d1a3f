package contracttests

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"

	"uncial/contracttests/internal/answer"
	"uncial/contracttests/internal/generate"
)

func shapeCases() []Case {
	return []Case{{
		Name: "extract/400/each-rule", Operation: "extract", Status: 400, Needs: []string{needKey(KeyOK)}, Extractions: int64(len(shapeRules())),
		Explanation: "A request that breaks one rule of the document is a 400 whose details name the field; the rules are gone through one by one, with values drawn by the seed.",
		Check:       do(eachRule),
	}, {
		Name: "extract/400/several-rules", Operation: "extract", Status: 400, Needs: []string{needKey(KeyOK)}, Extractions: defaultGenerated, generated: true,
		Explanation: "A request that breaks several rules at once is a 400 whose details name every field at fault.",
		Check:       do(severalRules),
	}, {
		Name: "extract/402/unusual-but-right", Operation: "extract", Status: 402, Needs: []string{needKey(KeyEmpty)}, Extractions: int64(2 * len(generate.Variants())),
		Explanation: "What the document allows is accepted, however unusual: without points the answer is then 402, not 400.",
		Check:       do(unusualButRight),
	}, {
		Name: "extract/400/language", Operation: "extract", Status: 400, Needs: []string{needKey(KeyOK)}, Extractions: 4,
		Explanation: "A language that cannot be read is a 400 whose details list those that can; no language is silently read as another.",
		Check: do(func(ctx context.Context, s *session) error {
			a, err := s.account(ctx, KeyOK, 4, 0)
			if err != nil {
				return err
			}
			if _, err := s.askLanguages(ctx, a); err != nil {
				return err
			}
			for _, l := range []string{"tlh-Latn", "qaa", "en-Cyrl"} {
				if _, err := s.send(ctx, &request{account: a, job: &job{image: ImagePrinted, language: l}, faults: []string{"language"}}); err != nil {
					return err
				}
			}
			return nil
		}),
	}, {
		Name: "extract/400/too-large", Operation: "extract", Status: 400, Needs: []string{needKey(KeyOK)}, Extractions: 2,
		Explanation: "A body beyond what an image of 20 MiB needs is a 400 in the usual form, not a broken connection.",
		Check:       do(tooLarge),
	}}
}

// base is the good request that rules spoil. Its image is never fetched: the shape is looked at first.
var base = []generate.Member{{Name: "imageUrl", Value: mustJSON("https://images.example.org/page.png")}}

// shapeRules are the rules of the document's extraction request.
func shapeRules() []generate.Rule {
	contract, err := answer.Load()
	if err != nil {
		return nil // Cases tells of it
	}
	op, _ := contract.Operation(http.MethodPost, "/extract")
	return generate.Rules(op.RequestSchema())
}

// sendBroken sends a generated request from the account that has most requests left, be it one without points.
func (s *session) sendBroken(ctx context.Context, b generate.Broken) error {
	a, err := s.roomiest(ctx)
	if err != nil {
		return err
	}
	_, err = s.send(ctx, s.draft(a, b.Draft, b.Fields()))
	return err
}

func (s *session) draft(a *account, d generate.Draft, faults []string) *request {
	return &request{account: a, body: d.Body(), header: d.Header, query: d.Query, faults: faults, job: &job{image: ImageUnfetchable}}
}

// roomiest is the account with most requests left in its window.
func (s *session) roomiest(ctx context.Context) (*account, error) {
	var best *account
	for _, scenario := range []string{KeySpare, KeyEmpty, KeyOK} {
		for _, a := range s.accounts[scenario] {
			if err := s.open(ctx, a); err != nil {
				return nil, err
			}
			if best == nil || a.room() > best.room() {
				best = a
			}
		}
	}
	return best, nil
}

// shrink sends ever smaller requests as long as they fail, and returns the failure of the smallest.
func (s *session) shrink(ctx context.Context, b generate.Broken, err error) error {
	var f *failure
	for errors.As(err, &f) && len(b.Rules) > 1 {
		smaller := false
		for i := range b.Rules {
			less := b.Without(i)
			if again := s.sendBroken(ctx, less); asFailure(again) != nil {
				b, err, smaller = less, again, true
				break
			}
		}
		if !smaller {
			break
		}
	}
	if f = asFailure(err); f != nil {
		f.faults = append([]string{fmt.Sprintf("with seed %d, where %s", s.Seed, &b)}, f.faults...)
	}
	return err
}

func eachRule(ctx context.Context, s *session) error {
	for i, r := range shapeRules() {
		b := generate.Break(base, s.Seed+uint64(i)*7919, r)
		if err := s.sendBroken(ctx, b); err != nil {
			return s.shrink(ctx, b, err)
		}
	}
	return nil
}

func severalRules(ctx context.Context, s *session) error {
	rules := shapeRules()
	for i := range s.Generated {
		seed := s.Seed*1_000_003 + uint64(i)
		b := generate.Break(base, seed, generate.Combine(rules, seed)...)
		if err := s.sendBroken(ctx, b); err != nil {
			return s.shrink(ctx, b, err)
		}
	}
	return nil
}

func unusualButRight(ctx context.Context, s *session) error {
	a, err := s.account(ctx, KeyEmpty, 2*len(generate.Variants()), 0)
	if err != nil {
		return err
	}
	variants := generate.Variants()
	for i, v := range variants {
		b := generate.Break(base, s.Seed+uint64(i), v)
		if _, err := s.send(ctx, s.draft(a, b.Draft, nil)); err != nil {
			return s.shrink(ctx, b, err)
		}
	}
	for i := range variants {
		seed := s.Seed*31 + uint64(i)
		b := generate.Break(base, seed, generate.Combine(variants, seed)...)
		if _, err := s.send(ctx, s.draft(a, b.Draft, nil)); err != nil {
			if f := asFailure(err); f != nil {
				f.faults = append([]string{fmt.Sprintf("with seed %d, where %s", s.Seed, &b)}, f.faults...)
			}
			return err
		}
	}
	return nil
}

// largest is a little more than an inline image of 20 MiB needs.
const largest = 30 << 20

func tooLarge(ctx context.Context, s *session) error {
	a, err := s.account(ctx, KeyOK, 2, 0)
	if err != nil {
		return err
	}
	if _, err := s.send(ctx, oversized(a)); err != nil {
		return err
	}
	return nil
}

// oversizedBody is made once: many runs in one process would else do little but make it.
var oversizedBody = sync.OnceValue(func() []byte {
	return slices.Concat([]byte(`{"imageUrl":"data:image/png;base64,`), bytes.Repeat([]byte("A"), largest), []byte(`"}`))
})

// oversized is a request with a body that is too large. Servers that say so by the headers alone never see it.
func oversized(a *account) *request {
	return &request{account: a, body: oversizedBody(), faults: []string{"body|imageUrl"}, header: http.Header{"Expect": {"100-continue"}}}
}
