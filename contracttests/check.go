package contracttests

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"time"

	"uncial/contracttests/internal/answer"
)

// Check runs the suite against the target. When ctx ends, what has been found so far is reported with a Problem.
func Check(ctx context.Context, t Target) Report {
	report := Report{BaseURL: t.BaseURL, Seed: t.Seed, Started: time.Now()}
	defer func() { report.Duration = time.Since(report.Started) }()
	t, plan, err := prepare(t)
	if err != nil {
		report.Problem = err.Error()
		return report
	}
	defer t.Client.CloseIdleConnections()
	report.BaseURL, report.Seed = t.BaseURL, t.Seed
	if err := probe(ctx, t); err != nil {
		report.Problem = t.presentable(err.Error(), maxReason)
		return report
	}
	for _, p := range plan {
		if spent := t.run.spent(); t.overspends(spent) && p.Skip == "" {
			p.Skip = fmt.Sprintf("the accounts have lost %d points, more than the %d that the run may spend", spent, max(0, t.MaxPoints))
		}
		r := t.runCase(ctx, p)
		if ctx.Err() != nil {
			report.Problem = fmt.Sprintf("%s after %s, at the case %s", ended(ctx), time.Since(report.Started).Round(time.Millisecond), p.Name)
			break
		}
		report.Results = append(report.Results, r)
		if t.Progress != nil {
			t.Progress(r)
		}
		if t.FailFast && r.Outcome == Failed {
			break
		}
	}
	if report.Problem == "" && report.Count(Skipped) == len(report.Results) {
		report.Problem = "nothing was checked: every case was skipped; the first because " + report.Results[0].Reason
	}
	report.Requests, report.Points = t.run.requests, t.run.spent()
	report.Duration = time.Since(report.Started)
	return report
}

// ended says why a run did not come to its end.
func ended(ctx context.Context) string {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return "the time was up"
	}
	return "it was interrupted"
}

// Planned is a case that a run will come to, and why it will be skipped, if so.
type Planned struct {
	Case
	Skip string
}

// Outline says what Check would do, without sending anything: the cases, and what of them will be skipped and why.
func Outline(t Target) ([]Planned, error) {
	_, plan, err := prepare(t)
	return plan, err
}

// prepare completes the target and chooses the cases.
func prepare(t Target) (Target, []Planned, error) {
	t, err := t.withDefaults()
	if err != nil {
		return t, nil, err
	}
	cases, err := Cases()
	if err != nil {
		return t, nil, fmt.Errorf("the suite is not whole: %w", err)
	}
	only, err := regexp.Compile(t.Only)
	if err != nil {
		return t, nil, fmt.Errorf("the pattern %q is not a regular expression", t.Only)
	}
	if t.run, err = newRun(t); err != nil {
		return t, nil, err
	}
	var plan []Planned
	var points int64
	for _, c := range cases {
		if !only.MatchString(c.Name) {
			continue
		}
		p := Planned{Case: c}
		if c.generated {
			p.Extractions = int64(t.Generated)
		}
		if what, ok := t.has(c.Needs); !ok {
			p.Skip = what
		} else if t.overspends(points + c.Points) {
			p.Skip = fmt.Sprintf("it may cost %d points, which goes beyond the %d that the run may spend", c.Points, max(0, t.MaxPoints))
		} else {
			points += c.Points
		}
		plan = append(plan, p)
	}
	if len(plan) == 0 {
		return t, nil, fmt.Errorf("no case is named like %q", t.Only)
	}
	return t, plan, nil
}

// overspends says whether so many points are more than the run may spend.
func (t Target) overspends(points int64) bool {
	return t.MaxPoints != 0 && points > max(0, t.MaxPoints)
}

func newRun(t Target) (*run, error) {
	contract, err := answer.Load()
	if err != nil {
		return nil, err
	}
	r := &run{contract: contract, ids: map[string]bool{}, accounts: map[string][]*account{}, readings: map[string]reading{}, name: "contract-" + rand.Text()[:10]}
	for scenario, keys := range t.Keys {
		for _, k := range keys {
			r.accounts[scenario] = append(r.accounts[scenario], &account{scenario: scenario, key: k})
		}
	}
	return r, nil
}

// spent is what the run has cost all accounts.
func (r *run) spent() (points int64) {
	for _, accounts := range r.accounts {
		for _, a := range accounts {
			points += a.spent
		}
	}
	return points
}

// session is a new case at work.
func (t Target) session() (*session, error) {
	if t.run == nil {
		var err error
		if t, err = t.withDefaults(); err != nil {
			return nil, err
		}
		if t.run, err = newRun(t); err != nil {
			return nil, err
		}
	}
	if t.observe != nil {
		s := &session{Target: t, run: t.run}
		t.observe(s)
		return s, nil
	}
	return &session{Target: t, run: t.run}, nil
}

// runCase runs one case and words its result.
func (t Target) runCase(ctx context.Context, p Planned) (r Result) {
	r = Result{Case: p.Name, Outcome: Passed, Explanation: p.Explanation}
	if p.Skip != "" {
		r.Outcome, r.Reason = Skipped, p.Skip
		return r
	}
	var s *session
	t.observe = func(made *session) { s = made }
	started, spent := time.Now(), t.run.spent()
	err := p.Check(ctx, t)
	r.Duration, r.Points = time.Since(started), t.run.spent()-spent
	if s != nil {
		r.Requests, r.Extractions = len(s.exchanges), s.counted()
	}
	var skipped *skip
	switch {
	case err == nil && s != nil && !s.saw(p.Operation, p.Status):
		r.Outcome, r.Reason = Failed, fmt.Sprintf("the case is about a %d of %s, but none came", p.Status, p.Operation)
	case err == nil:
	case errors.As(err, &skipped), errors.Is(err, errNoKey):
		r.Outcome, r.Reason = Skipped, err.Error()
	default:
		r.Outcome, r.Reason = Failed, t.presentable(err.Error(), maxReason)
		if f := asFailure(err); f != nil && f.exchange != nil {
			r.blame(f.exchange)
		}
	}
	return r
}

func (r *Result) blame(x *Exchange) {
	r.Curl = x.Curl()
	if a := x.request.account; a != nil {
		r.Key = a.scenario
	} else if strings.Contains(r.Curl, "UNCIAL_KEY") {
		r.Key = KeyOK
	}
	if x.Status != 0 {
		r.Answer = fmt.Sprintf("%d %s", x.Status, x.target.presentable(string(x.Body), maxQuoted))
	}
}

// Of what is wrong, and of the answer that it was seen in, a report shows so many characters.
const (
	maxReason = 2000
	maxQuoted = 600
)

// saw says whether one of the case's answers had the status that the case is about.
func (s *session) saw(operation string, status int) bool {
	for _, x := range s.exchanges {
		op, ok := s.contract.Operation(x.request.method, x.request.path)
		if status == 0 || ok && op.ID == operation && x.Status == status {
			return true
		}
	}
	return status == 0
}

// counted is how many of the case's requests counted against a rate limit.
func (s *session) counted() (n int64) {
	for _, x := range s.exchanges {
		if x.request.isExtraction() && x.request.account != nil && x.Status != http.StatusTooManyRequests {
			n++
		}
	}
	return n
}

// probe says whether there is a server of the contract at all, before any case would say so in many words.
func probe(ctx context.Context, t Target) error {
	first, err := t.exchange(ctx, &request{method: http.MethodGet, path: "/status"})
	if err != nil {
		if ctx.Err() != nil {
			err = errors.New(ended(ctx))
		}
		return fmt.Errorf("%s does not answer: %w", t.BaseURL, err)
	}
	t.run.compareClocks(first)
	envelopes := 0
	for _, r := range []*request{
		{method: http.MethodPost, path: "/extract", body: []byte(`{}`)}, {method: http.MethodGet, path: "/no-such-path"},
	} {
		x, err := t.exchange(ctx, r)
		if err == nil && isEnvelope(x) {
			envelopes++
		}
	}
	if isEnvelope(first) {
		envelopes++
	}
	if envelopes == 0 {
		return fmt.Errorf("the server at %s is not one of this contract: GET /status without a key must be a 401 in JSON, and is %d, %s; is the base URL right?",
			t.BaseURL, first.Status, t.presentable(string(first.Body), 60))
	}
	return probeKeys(ctx, t)
}

// compareClocks learns from an answer how far the clock of the target is off. Windows are kept by it.
func (r *run) compareClocks(x *Exchange) {
	date, err := http.ParseTime(x.Header.Get("Date"))
	skew := date.Add(time.Second / 2).Sub(x.Received) // Date tells whole seconds
	if err != nil || skew.Abs() < 2*time.Second {
		return
	}
	for _, accounts := range r.accounts {
		for _, a := range accounts {
			a.skew = skew
		}
	}
}

// codes are what an error of the contract has, however broken the rest of it may be.
var codes = regexp.MustCompile(`(?i)INVALID_REQUEST|INVALID_API_KEY|INSUFFICIENT_POINTS|RATE_LIMITED|SERVER_ERROR`)

func isEnvelope(x *Exchange) bool { return codes.Match(x.Body) }

// probeKeys says whether the keys open the door at all: one that does not is a mistake in the keys file rather than a
// fault of the server. Of keys whose state is promised one is enough to see that this is the server they are for.
func probeKeys(ctx context.Context, t Target) error {
	scenarios := []string{KeyOK, KeySpare, KeyLow, KeyEmpty, KeyExact, KeyRateLimited, KeySibling}
	if t.Promised {
		scenarios = scenarios[:1]
	}
	for _, scenario := range scenarios {
		for i, key := range t.Keys[scenario] {
			var refused int
			for _, r := range []*request{{method: http.MethodGet, path: "/status"}, {method: http.MethodPost, path: "/extract", body: []byte(`{}`)}} {
				r.auth = []credential{bearer(key)}
				x, err := t.exchange(ctx, r)
				if err != nil {
					return fmt.Errorf("%s does not answer: %w", t.BaseURL, err)
				}
				if x.Status != http.StatusUnauthorized {
					break
				}
				refused++
			}
			if refused == 2 {
				return fmt.Errorf("the server refuses key %d of the scenario %q with a 401: is it a key of this server, and is it active?", i+1, scenario)
			}
		}
	}
	return nil
}
