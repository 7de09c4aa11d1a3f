package cases

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"

	"uncial/contracttests/internal/documents"
	"uncial/contracttests/internal/generate"
	"uncial/contracttests/internal/model"
)

// Difference is a request that two targets answered differently.
type Difference struct {
	Step  string `json:"step"` // what the request was
	What  string `json:"what"` // in which respect the answers differ
	A     string `json:"a"`
	B     string `json:"b"`
	CurlA string `json:"curlA"`
	CurlB string `json:"curlB"`
}

// DiffReport is the result of a comparison.
type DiffReport struct {
	A           string       `json:"a"`
	B           string       `json:"b"`
	Seed        uint64       `json:"seed"`
	Steps       int          `json:"steps"`
	Skipped     []string     `json:"skipped,omitempty"` // steps for which a target has no key or image
	Differences []Difference `json:"differences"`
	// Problem says why the comparison failed or was not completed.
	Problem string `json:"problem,omitempty"`
}

// Diff sends the same sequence, drawn by a's seed, to two targets and compares their answers: status, code, fields, details,
// headers, and how points and requests left change. Texts, documents, times and plan sizes may differ, and the headers of CORS
// are not compared.
func Diff(ctx context.Context, a, b model.Target) DiffReport {
	report := DiffReport{A: a.BaseURL, B: b.BaseURL, Seed: a.Seed}
	if a.Images[unfetchable] == "" || b.Images[unfetchable] == "" { // the reason for a failure is compared: both use the suite's image
		a.Images, b.Images = maps.Clone(a.Images), maps.Clone(b.Images)
		delete(a.Images, unfetchable)
		delete(b.Images, unfetchable)
	}
	sides := make([]*side, 2)
	for i, t := range []model.Target{a, b} {
		var err error
		if sides[i], err = newSide(ctx, t); err != nil {
			report.Problem = err.Error()
			return report
		}
		defer sides[i].Client.CloseIdleConnections()
	}
	report.Seed = sides[0].Seed
	// Both sides take each step before the next one, so that their accounts stay comparable.
	for _, m := range diffSteps(report.Seed) {
		va, errA := sides[0].observe(ctx, m)
		vb, errB := sides[1].observe(ctx, m)
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
	walk  *walk
	using map[string]*model.Account // by scenario
}

// newSide opens a run and picks one account per scenario. Accounts that are not in the required state are left out;
// the steps that need them are skipped.
func newSide(ctx context.Context, t model.Target) (*side, error) {
	t, err := t.WithDefaults()
	if err != nil {
		return nil, err
	}
	r, err := Open(t)
	if err != nil {
		return nil, err
	}
	if err := r.Probe(ctx); err != nil {
		return nil, err
	}
	d := &side{session: &session{Run: r}, using: map[string]*model.Account{}}
	for scenario, all := range r.accounts {
		if slices.Contains([]string{model.KeyExpired, model.KeyRevoked, model.KeyError, model.KeySibling, model.KeyUncapped}, scenario) {
			d.using[scenario] = all[0]
			continue
		}
		for _, a := range all {
			if err := d.open(ctx, a); err != nil && asFailure(err) == nil {
				return nil, err
			}
			if d.checkPromise(a, 0) == nil { // an earlier run may have used it up
				d.using[scenario] = a
				break
			}
		}
	}
	if d.using[model.KeyOK] == nil {
		return nil, fmt.Errorf("%s has no key for %q", t.BaseURL, model.KeyOK)
	}
	d.walk = &walk{session: d.session, account: d.using[model.KeyOK]}
	return d, nil
}

// DiffCost returns the maximum number of requests that Diff sends to each target, and of points that they may cost.
func DiffCost(seed uint64) (requests int, points int64) {
	for _, m := range diffSteps(seed) {
		requests++
		if m.paid {
			points += model.Cost
		}
	}
	return requests, points
}

// diffStep is one request that both sides send.
type diffStep struct {
	name string
	paid bool // it may cost points
	send func(ctx context.Context, s *side) (*model.Exchange, error)
}

// diffSteps is the sequence of a comparison: every scenario of keys, images, formats and languages, other paths and methods,
// every rule of the request's shape, and a walk.
func diffSteps(seed uint64) (all []diffStep) {
	add := func(name, scenario string, paid bool, q ask) {
		all = append(all, diffStep{name, paid, func(ctx context.Context, s *side) (*model.Exchange, error) { return s.sendWithKey(ctx, scenario, q) }})
	}
	extract := func(scenario string, q ask) {
		paid := (scenario == model.KeyOK || scenario == model.KeyLow) && q.Job.Image != unfetchable
		add(fmt.Sprintf("an extraction of %q as %q by the key %q", q.Job.Image, q.Job.Format, scenario), scenario, paid, q)
	}
	// Every format, on a printed and on a blank page.
	for _, format := range append([]string{"", "json", "text"}, documents.Formats...) {
		extract(model.KeyOK, read(printed).format(format))
		extract(model.KeyOK, read(blank).format(format))
	}
	for _, tag := range []string{"en", "EN", "en-GB", unsupported, "qaa"} {
		extract(model.KeyOK, read(printed).language(tag))
	}
	// Every state of a key. The second round finds side effects of the first.
	for _, scenario := range []string{model.KeyExpired, model.KeyRevoked, model.KeyLow, model.KeyLow, model.KeyEmpty, model.KeyEmpty} {
		add(fmt.Sprintf("the status of %q", scenario), scenario, false, status())
		extract(scenario, read(printed))
		extract(scenario, read(unfetchable))
	}
	// Routing, without keys, which costs nothing.
	for _, path := range []string{"/status", "/extract", "/nowhere"} {
		for _, method := range []string{"GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH"} {
			add(method+" "+path+" without a key", "", false, with(model.Request{Method: method, Path: path}))
		}
	}
	for i, q := range []ask{read(printed), read(printed), read(printed).format("json"), read(printed).language("en"), read(other)} {
		all = append(all, diffStep{fmt.Sprintf("request %d with one Idempotency-Key", i+1), i == 0, func(ctx context.Context, s *side) (*model.Exchange, error) {
			return s.sendWithKey(ctx, model.KeyOK, q.header("Idempotency-Key", s.name+"-diff"))
		}})
	}
	for i, rule := range shapeRules() {
		b := generate.Break(base, seed+uint64(i), rule)
		add("a request where "+rule.Name, model.KeyOK, false, draft(b.Draft, b.Fields()))
	}
	all = append(all, oddSteps()...)
	for i, st := range drawSteps(seed) {
		all = append(all, diffStep{fmt.Sprintf("step %d of the walk, %s", i+1, st.kind), st.costs(), func(ctx context.Context, s *side) (*model.Exchange, error) {
			return s.walk.take(ctx, st)
		}})
	}
	return all
}

// sendWithKey sends the request with the key of a scenario, or without one.
func (s *side) sendWithKey(ctx context.Context, scenario string, q ask) (*model.Exchange, error) {
	a := s.using[scenario]
	switch {
	case scenario == "":
	case a == nil:
		return nil, &skip{fmt.Sprintf("%s has no key for %q in the required state", s.BaseURL, scenario)}
	case scenario == model.KeyExpired || scenario == model.KeyRevoked:
		q, a = q.auth("Bearer "+a.Key), nil
	}
	return s.sendAs(ctx, a, q)
}

// view holds the facts of an answer that are compared, by the names that a report gives them. A fact that only one of two
// views has is not compared.
type view struct {
	exchange *model.Exchange
	facts    map[string]string
}

// observe sends the request of a step and returns the facts of its answer. Answers that break the contract are compared like
// others: reporting them is the task of a check. An error means that there was no answer.
func (s *side) observe(ctx context.Context, m diffStep) (view, error) {
	before := map[*model.Account]model.Account{}
	for _, a := range s.using {
		before[a] = *a
	}
	x, err := m.send(ctx, s)
	if err != nil && (asFailure(err) == nil || x == nil || x.Status == 0) {
		return view{}, err
	}
	facts := map[string]string{
		"the headers": strings.Join(headerNames(x.Header), ", "), "the error": said(x.JSON["error"]), "the message": said(x.JSON["message"]), "the fetch failure": fetchFailure(x),
		"the status": fmt.Sprint(x.Status), "the code": fmt.Sprint(x.JSON["code"]), "the fields": strings.Join(fieldNames(x.JSON), ", "),
		"the header Allow": x.Header.Get("Allow"), "the header Content-Type": x.Header.Get("Content-Type"),
	}
	if details := x.Object("details"); details != nil {
		facts["the fields in details"] = strings.Join(slices.Sorted(maps.Keys(details)), ", ")
		for name, reason := range details {
			facts["the reason for "+name] = said(reason)
		}
	}
	for _, name := range s.contract.Headers() {
		facts["the header "+name] = fmt.Sprintf("present %d times", len(x.Header.Values(name)))
	}
	if a := x.Request.Account; a != nil && before[a].Known {
		was := before[a]
		facts["the change of points"] = fmt.Sprint(a.Points.Left - was.Points.Left)
		// Windows of the two servers begin at different times, so a reset in between is not a difference.
		if !a.Window.Reset.After(was.Window.Reset.Add(time.Second)) || was.Window.Left == was.Window.Limit {
			facts["the change of requests left"] = fmt.Sprint(a.Window.Left - was.Window.Left)
		}
	}
	return view{x, facts}, nil
}

// fetchFailure describes why an image could not be fetched, or is "" if the answer does not say.
func fetchFailure(x *model.Exchange) string {
	failure := x.Object("fetch")
	if failure == nil {
		return ""
	}
	return fmt.Sprintf("%v, retryable: %v", failure["reason"], failure["retryable"])
}

// headerNames are the names of all headers, documented or not, except those of the connection and of CORS.
func headerNames(h http.Header) (names []string) {
	for name := range h {
		if !slices.Contains([]string{"Date", "Content-Length", "Connection", "Transfer-Encoding", "Preference-Applied", "Vary"}, name) &&
			!strings.HasPrefix(name, "Access-Control-") {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// numbers in sentences, such as points left and seconds to wait, follow from the state of an account.
var number = regexp.MustCompile(`\d[\d,]*`)

// said returns a sentence without the parts that may differ: the list of installed languages, and numbers.
func said(sentence any) string {
	text, _, _ := strings.Cut(fmt.Sprint(sentence), " is not supported; choose one of ")
	return number.ReplaceAllString(text, "N")
}

// fieldNames are the names in an answer, nested ones by their path. Edits depend on the text and are left out.
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

// compare compares the facts that both views have.
func compare(step string, a, b view) (all []Difference) {
	shown := func(v view, what string) string { return v.exchange.Target.Presentable(v.facts[what], maxQuoted) }
	for _, what := range slices.Sorted(maps.Keys(a.facts)) {
		if other, both := b.facts[what]; both && other != a.facts[what] {
			all = append(all, Difference{step, what, shown(a, what), shown(b, what), a.exchange.Curl(), b.exchange.Curl()})
		}
	}
	return all
}
