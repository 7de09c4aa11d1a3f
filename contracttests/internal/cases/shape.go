package cases

import (
	"bytes"
	"context"
	"net/http"
	"slices"
	"sync"

	"uncial/contracttests/internal/answer"
	"uncial/contracttests/internal/generate"
	"uncial/contracttests/internal/images"
	"uncial/contracttests/internal/model"
)

// shapeRows send generated requests. Their shape is checked before points and image, so they cost nothing.
var shapeRows = []row{
	{
		// A failing request is reduced to a single rule already, so the report names it.
		name: "extract/400/each-rule", extractions: int64(len(ruleGroups())), check: checkEachRule,
		explanation: "A request that breaks a rule of the contract gets a 400 whose details name the field; each rule is tried once, with values drawn by the seed.",
	}, {
		// This case finds readers with buffers, and checks that look only at the beginning of a body.
		name: "extract/400/each-rule-in-a-long-body", extractions: int64(len(ruleGroups())), needs: []string{model.NeedThorough}, check: checkLongBodies,
		explanation: "A request that breaks a rule gets a 400 even if its image makes it long.",
	}, {
		// Failing requests are reduced to the fewest rules that still fail.
		name: "extract/400/several-rules", extractions: model.DefaultGenerated, check: checkSeveralRules,
		explanation: "A request that breaks several rules gets a 400 whose details name every invalid field.",
	}, {
		// Without points no image is fetched, so that addresses need not exist.
		name: "extract/402/unusual-but-right", account: model.KeyEmpty, extractions: int64(len(generate.Pack(shapeVariants()))), check: checkVariants,
		explanation: "The server accepts everything that the contract permits, however unusual: without points the answer is then 402, not 400.",
	}, {
		name: "extract/400/language", explanation: "An unsupported language gets a 400 whose details list the supported ones; no language is silently read as another.",
		// A language without a model, private tags, collections, scripts that a language is not written in, and tags that match the
		// pattern but are not well-formed (RFC 5646, section 2.1).
		asks: unreadableAll(unsupported, "tlh-Latn", "qaa", "qtz", "mul", "zxx", "art-lojban", "i-klingon", "en-Cyrl", "en-Arab", "en-Grek", "de-Cyrl", "de-Arab", "fr-Arab", "fr-Grek", "la-Grek", "la-Arab", "de-Grek", "it-Cyrl",
			"en-x", "en-a", "en-u", "de-1901-1901", "en-a-bbb-a-ccc", "en-Latn-Cyrl", "en-GB-US", "english", "german"),
		then: func(_ context.Context, s *session, x []*model.Exchange) error { return s.learnLanguages(x[0]) },
	}, {
		// The request waits for 100 Continue, so that servers can refuse it without receiving 30 MiB.
		name: "extract/400/too-large", extractions: 2, build: func(*session) []ask { return []ask{oversized()} },
		explanation: "An oversized body gets a 400 in the usual form, not a broken connection. A body is oversized if it is larger than an image of 20 MiB requires.",
	},
}

// base is the valid request that rules change. Its image is never fetched, because the shape is checked first.
var base = []generate.Member{{Name: "imageUrl", Value: model.MustJSON("https://images.example.org/page.png")}}

// shapeRules are the rules of the contract for extraction requests.
func shapeRules() []generate.Rule {
	contract, err := answer.Load()
	if err != nil {
		return nil // All reports it
	}
	op, _ := contract.Operation(http.MethodPost, "/extract")
	return generate.Rules(op.RequestSchema())
}

// ruleGroups returns all rules, grouped so that each group fits into one request.
var ruleGroups = sync.OnceValue(func() [][]generate.Rule { return generate.Pack(shapeRules()) })

// brokenRequests changes a valid request so that every rule is broken once, for cases about the order of the checks.
func (s *session) brokenRequests(valid []generate.Member) (asks []ask) {
	for i, group := range ruleGroups() {
		b := generate.Break(valid, s.Seed+uint64(i), group...)
		asks = append(asks, draft(b.Draft, b.Fields()))
	}
	return asks
}

// fewOfSet is the number of rules of a set that are tried on a server whose requests take time.
const fewOfSet = 8

// affordable are the rules that a run tries: on a server that reads images, a few of each set, and the report names the others.
func (s *session) affordable(rules []generate.Rule) []generate.Rule {
	if s.IsThorough() {
		return rules
	}
	return s.sample(rules, "")
}

// sample leaves out most rules of each set, which the report names. The seed chooses the others, spread over the set. where
// completes the name of a set.
func (s *session) sample(rules []generate.Rule, where string) (some []generate.Rule) {
	sets, seen := namesOfSets(rules), map[string]int{}
	for _, r := range rules {
		step := max(1, len(sets[r.Set])/fewOfSet)
		if r.Set == "" || seen[r.Set]%step == int(s.Seed%uint64(step)) {
			some = append(some, r)
		}
		seen[r.Set]++
	}
	for set, names := range sets {
		s.choseFrom(set+where, names, namesOfSets(some)[set])
	}
	return some
}

// namesOfSets are the names of the rules by their set. Rules without a set are left out.
func namesOfSets(rules []generate.Rule) map[string][]string {
	names := map[string][]string{}
	for _, r := range rules {
		if r.Set != "" {
			names[r.Set] = append(names[r.Set], r.Name)
		}
	}
	return names
}

// shapeVariants are unusual extraction requests that the contract permits.
func shapeVariants() []generate.Rule {
	contract, err := answer.Load()
	if err != nil {
		return nil // All reports it
	}
	op, _ := contract.Operation(http.MethodPost, "/extract")
	return generate.Variants(op.RequestSchema())
}

// draft is a generated request; wrong are its invalid fields.
func draft(d generate.Draft, wrong []string) ask {
	return with(model.Request{Body: d.Body(), Header: d.Header, Query: d.Query, Wrong: wrong, Job: &model.Job{Image: unfetchable}})
}

// The sizes of images in long bodies, in bytes; every fewLarger-th request has the larger image.
const (
	longImage   = 96 << 10
	largerImage = 1200 << 10
	fewLarger   = 16
)

// checkLongBodies is checkEachRule with a long image in front of the invalid fields.
func checkLongBodies(ctx context.Context, s *session) error {
	file := images.Medium().Data
	member := func(size int) []generate.Member {
		return []generate.Member{{Name: "imageUrl", Value: model.MustJSON(dataURL("image/png", slices.Concat(file, make([]byte, size))))}}
	}
	long, larger := member(longImage), member(largerImage)
	for i, group := range generate.Pack(s.sample(shapeRules(), " in long bodies")) {
		base := long
		if i%fewLarger == 0 {
			base = larger
		}
		if err := s.shrink(ctx, generate.Break(base, s.Seed+uint64(i)*104_729, group...)); err != nil {
			return err
		}
	}
	return nil
}

// sendBroken sends a generated request from the account with the most requests left, even one without points.
func (s *session) sendBroken(ctx context.Context, b generate.Broken) error {
	var best *model.Account
	for _, scenario := range []string{model.KeySpare, model.KeyEmpty, model.KeyOK} {
		for _, a := range s.accounts[scenario] {
			if err := s.open(ctx, a); err != nil {
				return err
			}
			if best == nil || a.Room() > best.Room() {
				best = a
			}
		}
	}
	_, err := s.sendAs(ctx, best, draft(b.Draft, b.Fields()))
	return err
}

// shrink removes rules from a request as long as it still fails, and returns the failure of the smallest. Removing a rule
// keeps the values of the others, so that the failure stays the same one.
func (s *session) shrink(ctx context.Context, b generate.Broken) error {
	err := s.sendBroken(ctx, b)
	for i := 0; asFailure(err) != nil && i < len(b.Rules) && len(b.Rules) > 1; i++ {
		less := b.Without(i)
		if again := s.sendBroken(ctx, less); asFailure(again) != nil {
			b, err, i = less, again, -1
		}
	}
	return explain(err, "with seed %d, where %s", s.Seed, &b)
}

// checkEachRule breaks every rule once. Rules about different places share a request. The factor gives each request a seed of
// its own.
func checkEachRule(ctx context.Context, s *session) error {
	for i, group := range generate.Pack(s.affordable(shapeRules())) {
		if err := s.shrink(ctx, generate.Break(base, s.Seed+uint64(i)*7919, group...)); err != nil {
			return err
		}
	}
	return nil
}

// checkSeveralRules breaks two to four rules per request, because servers that stop at the first problem pass checkEachRule.
func checkSeveralRules(ctx context.Context, s *session) error {
	rules := shapeRules()
	for i := range s.Generated {
		seed := s.Seed*1_000_003 + uint64(i)
		if err := s.shrink(ctx, generate.Break(base, seed, generate.Combine(rules, seed)...)); err != nil {
			return err
		}
	}
	return nil
}

// checkVariants sends every variant once. Variants of different places share a request. A request that is refused is taken
// apart, so that the report names the variant.
func checkVariants(ctx context.Context, s *session) error {
	groups := generate.Pack(s.affordable(shapeVariants()))
	a, err := s.account(ctx, model.KeyEmpty, int64(len(groups)), 0)
	if err != nil {
		return err
	}
	for _, group := range groups {
		b := generate.Break(base, s.Seed, group...)
		_, err := s.sendAs(ctx, a, draft(b.Draft, nil))
		for i := 0; asFailure(err) != nil && i < len(b.Rules) && len(b.Rules) > 1; i++ {
			less := b.Without(i)
			if _, again := s.sendAs(ctx, a, draft(less.Draft, nil)); asFailure(again) != nil {
				b, err, i = less, again, -1
			}
		}
		if err != nil {
			return explain(err, "with seed %d, where %s", s.Seed, &b)
		}
	}
	return nil
}

// oversizedBytes is a little more than an inline image of 20 MiB needs in base64.
const oversizedBytes = 30 << 20

// oversizedBody is made once, because many runs share a process in tests.
var oversizedBody = sync.OnceValue(func() []byte {
	return slices.Concat([]byte(`{"imageUrl":"data:image/png;base64,`), bytes.Repeat([]byte("A"), oversizedBytes), []byte(`"}`))
})

// oversized is a request with too large a body. Servers that refuse it by its headers never receive the body.
func oversized() ask {
	return with(model.Request{Body: oversizedBody(), Wrong: []string{"body|imageUrl"}, Header: http.Header{"Expect": {"100-continue"}}})
}

// unreadableAll asks for languages that the server must refuse.
func unreadableAll(tags ...string) (asks []ask) {
	for _, tag := range tags {
		asks = append(asks, unreadable(tag))
	}
	return asks
}
