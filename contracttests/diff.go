package contracttests

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"uncial/contracttests/internal/generate"
	"uncial/contracttests/internal/written"
)

// Difference is a request that two targets answered differently.
type Difference struct {
	Step  string `json:"step"` // what the request was
	What  string `json:"what"` // in what the answers differ
	A     string `json:"a"`
	B     string `json:"b"`
	CurlA string `json:"curlA"`
	CurlB string `json:"curlB"`
}

// DiffReport is what a comparison found.
type DiffReport struct {
	A           string       `json:"a"`
	B           string       `json:"b"`
	Seed        uint64       `json:"seed"`
	Steps       int          `json:"steps"`
	Skipped     []string     `json:"skipped,omitempty"` // steps for which a target has no key or image
	Differences []Difference `json:"differences"`
	// Problem says why the comparison could not be made, or not to its end; empty where it was.
	Problem string `json:"problem,omitempty"`
}

// OK says whether the comparison was made and found nothing.
func (d DiffReport) OK() bool { return d.Problem == "" && len(d.Differences) == 0 }

// Diff sends the same sequence, drawn by a's seed, to two targets and compares their answers: status, code, fields,
// details, headers, and how points and requests left change. Texts, documents, times and the sizes of plans are theirs.
func Diff(ctx context.Context, a, b Target) DiffReport {
	report := DiffReport{A: a.BaseURL, B: b.BaseURL, Seed: a.Seed}
	left, err := newSide(ctx, a)
	if err != nil {
		report.Problem = err.Error()
		return report
	}
	defer left.Client.CloseIdleConnections()
	right, err := newSide(ctx, b)
	if err != nil {
		report.Problem = err.Error()
		return report
	}
	defer right.Client.CloseIdleConnections()
	report.Seed = left.Seed
	for _, m := range moves(left.Seed) {
		va, errA := left.make(ctx, m)
		vb, errB := right.make(ctx, m)
		if err := errors.Join(errA, errB); err != nil {
			if s, skipped := errors.AsType[*skip](err); skipped {
				report.Skipped = append(report.Skipped, m.name+": "+s.reason)
				continue
			}
			report.Problem = fmt.Sprintf("at %s: %s", m.name, err)
			return report
		}
		report.Steps++
		report.Differences = append(report.Differences, compare(m.name, va, vb)...)
	}
	return report
}

// side is one target of a comparison, with the accounts that it uses.
type side struct {
	*session
	walk     *walk
	accounts map[string]*account
}

func newSide(ctx context.Context, t Target) (*side, error) {
	t, err := t.withDefaults()
	if err != nil {
		return nil, err
	}
	if t.run, err = newRun(t); err != nil {
		return nil, err
	}
	if err := probe(ctx, t); err != nil {
		return nil, err
	}
	s, err := t.session()
	if err != nil {
		return nil, err
	}
	d := &side{session: s, accounts: map[string]*account{}}
	for scenario, all := range t.run.accounts {
		if slices.Contains([]string{KeyExpired, KeyRevoked, KeyError, KeySibling}, scenario) {
			d.accounts[scenario] = all[0]
			continue
		}
		for _, a := range all {
			if err := s.open(ctx, a); err != nil && asFailure(err) == nil {
				return nil, err
			}
			if s.promised(a, 0) == nil { // a run may have used it up
				d.accounts[scenario] = a
				break
			}
		}
	}
	if d.accounts[KeyOK] == nil {
		return nil, fmt.Errorf("%s has no key for %q", t.BaseURL, KeyOK)
	}
	d.walk = &walk{session: s, account: d.accounts[KeyOK]}
	return d, nil
}

// Outlay is what Diff sends to each of the two at most: requests, and points that they may cost.
func Outlay(seed uint64) (requests int, points int64) {
	for _, m := range moves(seed) {
		requests++
		if m.paid {
			points += cost
		}
	}
	return requests, points
}

// move is a request that both sides make.
type move struct {
	name string
	paid bool // it may cost points
	do   func(ctx context.Context, s *side) (*Exchange, error)
}

// moves is the sequence: every scenario of keys, images, formats and languages, every rule of the request's shape, other
// paths and methods, and a walk.
func moves(seed uint64) (all []move) {
	extract := func(scenario string, j job) {
		paid := (scenario == KeyOK || scenario == KeyLow) && j.image != ImageUnfetchable
		all = append(all, move{fmt.Sprintf("an extraction of %q as %q by the key %q", j.image, j.format, scenario), paid, func(ctx context.Context, s *side) (*Exchange, error) {
			return s.by(ctx, scenario, &request{job: &j})
		}})
	}
	status := func(scenario string) {
		all = append(all, move{fmt.Sprintf("the status of %q", scenario), false, func(ctx context.Context, s *side) (*Exchange, error) {
			return s.by(ctx, scenario, &request{method: http.MethodGet, path: "/status"})
		}})
	}
	for _, format := range append([]string{"", "json", "text"}, written.Formats...) {
		extract(KeyOK, job{image: ImagePrinted, format: format})
		extract(KeyOK, job{image: ImageBlank, format: format})
	}
	for _, l := range []string{"en", "EN", "en-GB", unsupported, "qaa"} {
		extract(KeyOK, job{image: ImagePrinted, language: l})
	}
	for _, scenario := range []string{KeyExpired, KeyRevoked, KeyLow, KeyLow, KeyEmpty, KeyEmpty} {
		status(scenario)
		extract(scenario, job{image: ImagePrinted})
		extract(scenario, job{image: ImageUnfetchable})
	}
	for _, op := range []string{"/status", "/extract", "/nowhere"} {
		for _, method := range []string{"GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH"} {
			all = append(all, move{method + " " + op + " without a key", false, func(ctx context.Context, s *side) (*Exchange, error) {
				return s.send(ctx, &request{method: method, path: op})
			}})
		}
	}
	for i, j := range []job{{image: ImagePrinted}, {image: ImagePrinted}, {image: ImagePrinted, format: "json"}, {image: ImagePrinted, language: "en"}, {image: ImageOther}} {
		all = append(all, move{fmt.Sprintf("request %d with one Idempotency-Key", i+1), i == 0, func(ctx context.Context, s *side) (*Exchange, error) {
			return s.send(ctx, keyed(s.accounts[KeyOK], s.name+"-diff", j))
		}})
	}
	for i, rule := range shapeRules() {
		all = append(all, move{"a request where " + rule.Name, false, func(ctx context.Context, s *side) (*Exchange, error) {
			b := generate.Break(base, seed+uint64(i), rule)
			return s.send(ctx, s.draft(s.accounts[KeyOK], b.Draft, b.Fields()))
		}})
	}
	for i, st := range drawSteps(seed) {
		all = append(all, move{fmt.Sprintf("step %d of the walk, %s", i+1, st.kind), st.kind == stepExtract || st.kind == stepKeyed, func(ctx context.Context, s *side) (*Exchange, error) {
			return s.walk.take(ctx, st)
		}})
	}
	return all
}

// by sends the request with the key of a scenario.
func (s *side) by(ctx context.Context, scenario string, r *request) (*Exchange, error) {
	a := s.accounts[scenario]
	if a == nil {
		return nil, &skip{fmt.Sprintf("%s has no key for %q in the state that it promises", s.BaseURL, scenario)}
	}
	if scenario == KeyExpired || scenario == KeyRevoked {
		r.auth = []credential{bearer(a.key)}
	} else {
		r.account = a
	}
	return s.send(ctx, r)
}

// view is what of an answer is compared.
type view struct {
	exchange *Exchange
	facts    map[string]string
}

// make lets the side take a step. That an answer breaks the contract is for Check to say; here it is only compared.
func (s *side) make(ctx context.Context, m move) (view, error) {
	before := map[*account]account{}
	for _, a := range s.accounts {
		before[a] = *a
	}
	x, err := m.do(ctx, s)
	if err != nil && (asFailure(err) == nil || x == nil || x.Status == 0) {
		return view{}, err
	}
	v := view{x, map[string]string{"the status": fmt.Sprint(x.Status)}}
	v.facts["the fields"] = strings.Join(fieldNames(x.JSON), ", ")
	v.facts["the code"] = fmt.Sprint(x.JSON["code"])
	if details, ok := x.JSON["details"].(map[string]any); ok {
		v.facts["the fields in details"] = strings.Join(slices.Sorted(maps.Keys(details)), ", ")
	}
	for _, name := range s.contract.Headers() {
		v.facts["the header "+name] = fmt.Sprintf("there %d times", len(x.Header.Values(name)))
	}
	v.facts["the header Allow"], v.facts["the header Content-Type"] = x.Header.Get("Allow"), x.Header.Get("Content-Type")
	if a := x.request.account; a != nil && before[a].known {
		v.facts["the change of points"] = fmt.Sprint(a.points.left - before[a].points.left)
		if !a.window.reset.After(before[a].window.reset.Add(time.Second)) || before[a].window.left == before[a].window.limit {
			v.facts["the change of requests left"] = fmt.Sprint(a.window.left - before[a].window.left)
		}
	}
	return v, nil
}

// shown is a fact as a report may show it.
func (v view) shown(what string) string {
	return v.exchange.target.presentable(v.facts[what], maxQuoted)
}

// fieldNames are the names in an answer, nested ones by their path. Edits are left out: they depend on the text.
func fieldNames(o map[string]any) (names []string) {
	for name, v := range o {
		if name == "edits" {
			continue
		}
		names = append(names, name)
		if inner, ok := v.(map[string]any); ok && name != "details" {
			for n := range inner {
				names = append(names, name+"."+n)
			}
		}
	}
	slices.Sort(names)
	return names
}

func compare(step string, a, b view) (all []Difference) {
	for _, what := range slices.Sorted(maps.Keys(a.facts)) {
		if other, both := b.facts[what]; both && other != a.facts[what] {
			all = append(all, Difference{step, what, a.shown(what), b.shown(what), a.exchange.Curl(), b.exchange.Curl()})
		}
	}
	return all
}
