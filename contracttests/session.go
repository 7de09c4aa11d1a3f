package contracttests

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"uncial/contracttests/internal/answer"
)

// run is what the cases of one run share.
type run struct {
	contract *answer.Contract
	mu       sync.Mutex
	ids      map[string]bool       // request ids that were seen
	accounts map[string][]*account // by scenario
	readings map[string]reading    // by image, language and enhance
	serial   int                   // for idempotency keys
	name     string                // unlike that of any other run
	requests int
	listed   []string // the languages that the server says it supports; nil until asked
}

// session is one case at work.
type session struct {
	Target
	*run
	exchanges []*Exchange // in the order of their answers
}

// failure says what is wrong and which exchange shows it.
type failure struct {
	exchange *Exchange
	faults   []string
}

func (f *failure) Error() string { return strings.Join(f.faults, "; ") }

func fail(x *Exchange, format string, args ...any) error {
	return &failure{x, []string{fmt.Sprintf(format, args...)}}
}

// skip says why a case cannot be run.
type skip struct{ reason string }

func (s *skip) Error() string { return s.reason }

// send sends a request and holds its answer against all that is known: the document, the expectation, the window, the
// points, and what it carries. The error is a *failure that lists every fault.
func (s *session) send(ctx context.Context, r *request) (*Exchange, error) {
	s.complete(r)
	if err := s.pace(ctx, r); err != nil {
		return nil, err
	}
	var e expectation
	if !r.free {
		e = s.expect(r)
	}
	x, err := s.exchange(ctx, r)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		s.note(x)
		return x, &failure{x, []string{err.Error()}}
	}
	faults := s.judge(x)
	if !r.free {
		faults = append(faults, s.follow(x, e)...)
	}
	s.note(x)
	if len(faults) > 0 {
		return x, &failure{x, slices.Compact(faults)}
	}
	return x, nil
}

// complete fills in the defaults of a request.
func (s *session) complete(r *request) {
	if r.method == "" {
		r.method = http.MethodPost
	}
	if r.path == "" {
		r.path = "/extract"
	}
	if r.account != nil && r.auth == nil {
		r.auth = []credential{bearer(r.account.key)}
	}
	if r.job != nil && r.body == nil {
		r.body = r.job.body(s.Target)
	}
}

func (s *session) note(x *Exchange) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests++
	s.exchanges = append(s.exchanges, x)
}

// pace waits for the window of the account to reset where it is used up and the case does not want to see that.
func (s *session) pace(ctx context.Context, r *request) error {
	a := r.account
	if a == nil || !r.isExtraction() || r.rush || a.window.left > 0 || !a.known {
		return nil
	}
	return s.untilReset(ctx, a)
}

// untilReset waits, or moves the clock, until the account has a new window.
func (s *session) untilReset(ctx context.Context, a *account) error {
	if s.Control != nil && !a.now.IsZero() {
		return s.moveTo(ctx, a, a.window.reset)
	}
	if !a.now.IsZero() {
		return &skip{fmt.Sprintf("the window of %s is used up, and the clock of the target stands still; map further accounts to %q", a.scenario, KeySpare)}
	}
	wait := a.window.reset.Add(a.slack()).Sub(a.instant())
	if wait > s.MaxWait {
		return &skip{fmt.Sprintf("the window of %s is used up for another %s; map further accounts to %q, or allow longer waits", a.scenario, wait.Round(time.Second), KeySpare)}
	}
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(max(0, wait)):
		return nil
	}
}

// moveTo sets the clock of the account and lets the model follow.
func (s *session) moveTo(ctx context.Context, a *account, to time.Time) error {
	if err := s.Control.SetNow(ctx, a.key, to); err != nil {
		return fmt.Errorf("move the clock of the target: %w", err)
	}
	if !s.OneClock {
		a.advance(to)
		return nil
	}
	for _, all := range s.accounts {
		for _, other := range all {
			if other.known {
				other.advance(to)
			}
		}
	}
	return nil
}

// quotable is as much of a request as an answer may be taken to quote, in bytes.
const quotable = 1 << 20

// judge holds the answer against the document alone.
func (s *session) judge(x *Exchange) []string {
	r := x.request
	body, faults := s.contract.Check(answer.Answer{
		Method: r.method, Path: r.path, Status: x.Status, Header: x.Header, Body: x.Body,
		Request: slices.Concat(r.body[:min(len(r.body), quotable)], []byte(r.path+"?"+r.query)), Secrets: s.secrets(),
	})
	x.JSON = body
	s.mu.Lock()
	defer s.mu.Unlock()
	return append(faults, s.checkID(x)...)
}

// checkID wants an id of its own for each exchange.
func (s *session) checkID(x *Exchange) []string {
	id := x.Header.Get("X-Request-Id")
	if id != "" && s.ids[id] {
		return []string{fmt.Sprintf("the X-Request-Id %s was given to another exchange before", id)}
	}
	s.ids[id] = true
	return nil
}

// secrets are what no answer and no report may show.
func (t Target) secrets() (all []string) {
	for _, keys := range t.Keys {
		all = append(all, keys...)
	}
	return all
}

// follow holds the answer against the expectation and the account, and moves the model on.
func (s *session) follow(x *Exchange, e expectation) []string {
	r, a := x.request, x.request.account
	faults := e.check(x)
	if a == nil || x.Status == http.StatusUnauthorized {
		return faults
	}
	if x.Status == http.StatusNotFound || x.Status == http.StatusMethodNotAllowed {
		return append(faults, a.observeWindow(x, false)...) // where it tells one
	}
	replay := e.replay != nil && x.Status == http.StatusOK
	faults = append(faults, a.observeWindow(x, r.isExtraction())...)
	faults = append(faults, a.observePoints(x, replay)...)
	faults = append(faults, checkWait(x)...)
	switch {
	case x.Status != http.StatusOK || replay:
	case r.isStatus():
		faults = append(faults, s.checkRecord(x)...)
	case r.isExtraction():
		a.remember(x)
		faults = append(faults, s.checkResult(x)...)
	}
	return faults
}

// checkWait wants Retry-After and RateLimit to tell of the same reset.
func checkWait(x *Exchange) []string {
	_, in, _, ok := headerWindow(x)
	if x.Status != http.StatusTooManyRequests || !ok {
		return nil
	}
	var wait int64
	if _, err := fmt.Sscan(x.Header.Get("Retry-After"), &wait); err == nil && max(wait-in, in-wait) > 1 {
		return []string{fmt.Sprintf("Retry-After says %d seconds, but the window resets in %d", wait, in)}
	}
	return nil
}

// open asks for the state of an account before its first use. GET /status is free.
func (s *session) open(ctx context.Context, a *account) error {
	if a.known || a.scenario == KeyError {
		return nil
	}
	if err := s.readClock(ctx, a); err != nil {
		return err
	}
	if err := s.guessClock(ctx, a); err != nil {
		return err
	}
	x, err := s.status(ctx, a)
	if err != nil {
		return err
	}
	return s.checkPlan(x, a)
}

// readClock asks for the time of an account, where that may stand still and may have been moved.
func (s *session) readClock(ctx context.Context, a *account) error {
	if s.Control == nil {
		return nil
	}
	now, frozen, err := s.Control.Now(ctx, a.key)
	if err != nil {
		return fmt.Errorf("ask the target for its time: %w", err)
	}
	if frozen {
		a.advance(now)
	}
	return nil
}

// guessClock finds out where the clock of a mock stands whose control routes cannot be reached: it may stand still at
// an instant of its own. The clocks of other servers are the world's, and held against it.
func (s *session) guessClock(ctx context.Context, a *account) error {
	if s.Control != nil || !s.Simulated {
		return nil
	}
	x, err := s.exchange(ctx, &request{method: http.MethodGet, path: "/status", auth: []credential{bearer(a.key)}})
	if err != nil {
		return &failure{x, []string{err.Error()}}
	}
	var record struct{ RateLimit struct{ Reset int64 } }
	_, in, _, ok := headerWindow(x)
	if json.Unmarshal(x.Body, &record) != nil || !ok {
		return nil // the cases will say so
	}
	now := time.Unix(record.RateLimit.Reset-in, 0)
	if now.Sub(a.time(x)).Abs() > answer.MaxSkew {
		a.now = now
	}
	return nil
}

// checkPlan holds plan, allowance and limit against the catalogue.
func (s *session) checkPlan(x *Exchange, a *account) error {
	plan, ok := s.Plans[a.plan]
	switch {
	case len(s.Plans) == 0:
	case !ok:
		return fail(x, "the plan %q is not in the catalogue", a.plan)
	case a.points.total != plan.Points:
		return fail(x, "the plan %s allows %d points a month, not %d", a.plan, plan.Points, a.points.total)
	case a.window.limit != plan.Limit:
		return fail(x, "the plan %s allows %d requests a minute, not %d", a.plan, plan.Limit, a.window.limit)
	}
	return nil
}

// status asks for the status of the account.
func (s *session) status(ctx context.Context, a *account) (*Exchange, error) {
	return s.send(ctx, &request{method: http.MethodGet, path: "/status", account: a})
}

// extract asks for one extraction.
func (s *session) extract(ctx context.Context, a *account, j job) (*Exchange, error) {
	return s.send(ctx, &request{account: a, job: &j})
}

// account finds an account of the scenario for a case that will make that many extractions, so many of them paid.
// Accounts that no case has used yet go first, then those with enough requests left in their window.
func (s *session) account(ctx context.Context, scenario string, extractions, paid int) (*account, error) {
	var best *account
	reason := errNoKey
	for _, a := range s.candidates(scenario) {
		if err := s.open(ctx, a); err != nil {
			return nil, err
		}
		if err := s.promised(a, int64(paid)*cost); err != nil {
			reason = err
			continue
		}
		if best == nil || a.room() > best.room() {
			best = a
		}
		if a.room() >= int64(extractions) {
			best = a
			break
		}
	}
	if best == nil {
		return nil, reason
	}
	return best, s.readClock(ctx, best)
}

// room is how many extractions the account can make now.
func (a *account) room() int64 {
	if !a.instant().Before(a.window.reset) {
		return a.window.limit
	}
	return a.window.left
}

// candidates are the accounts for a scenario; ok and spare stand in for each other.
func (s *session) candidates(scenario string) []*account {
	if scenario == KeyOK {
		return slices.Concat(s.accounts[KeyOK], s.accounts[KeySpare])
	}
	return s.accounts[scenario]
}

// promised says what keeps the account from being what its scenario says.
func (s *session) promised(a *account, points int64) error {
	left, want := a.points.left, ""
	switch a.scenario {
	case KeyOK, KeySpare:
		if left < points {
			want = fmt.Sprintf("at least %d points", points)
		}
	case KeyLow:
		if left < cost || left >= 2*cost {
			want = fmt.Sprintf("%d to %d points", cost, 2*cost-1)
		}
	case KeyExact:
		if left != cost {
			want = fmt.Sprintf("exactly %d points", cost)
		}
	case KeyEmpty:
		if left >= cost {
			want = fmt.Sprintf("less than %d points", cost)
		}
	}
	switch {
	case want == "":
		return nil
	case s.Promised && a.spent == 0:
		return fail(nil, "the account of %q must have %s left, not %d", a.scenario, want, left)
	}
	return &skip{fmt.Sprintf("the account mapped to %q must have %s left; it has %d", a.scenario, want, left)}
}

// settled asks for the status once more, so that the model and the server must agree on what the case has done.
func (s *session) settled(ctx context.Context, a *account) error {
	_, err := s.status(ctx, a)
	return err
}

// settleAll asks every account that the case used for its status, where that was not the last thing it did.
func (s *session) settleAll(ctx context.Context) error {
	last := map[*account]*Exchange{}
	var order []*account
	for _, x := range s.exchanges {
		a := x.request.account
		if a == nil || !a.known {
			continue
		}
		if last[a] == nil {
			order = append(order, a)
		}
		last[a] = x
	}
	for _, a := range order {
		if x := last[a]; x.request.isStatus() && !x.request.free && x.Status == http.StatusOK {
			continue
		}
		if err := s.settled(ctx, a); err != nil {
			return err
		}
	}
	return nil
}

// idempotencyKey is an Idempotency-Key that nobody has used.
func (s *session) idempotencyKey() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.serial++
	return fmt.Sprintf("%s-%d", s.name, s.serial)
}

// asFailure finds the failure in an error.
func asFailure(err error) *failure {
	f, _ := errors.AsType[*failure](err)
	return f
}

// mustJSON is the JSON of a value that always has one: strings, numbers, booleans, times, and maps of them.
func mustJSON(v any) json.RawMessage {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // a programming error
	}
	return b
}
