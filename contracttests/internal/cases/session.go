package cases

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"uncial/contracttests/internal/answer"
	"uncial/contracttests/internal/expect"
	"uncial/contracttests/internal/model"
)

// session is one case while it runs. Its methods return a *failure for a problem of the server, a *skip if the target lacks
// what the case needs, and other errors for everything that says nothing about the server.
type session struct {
	*Run
	exchanges []*model.Exchange // in the order of their answers
	leftOut   []model.LeftOut
	// usedUpUntil is the approximate time at which the window resets that the case has used up. It is zero if the case has used
	// up none, or if the clock stands still.
	usedUpUntil time.Time
}

// failure says what is wrong and which exchange shows it.
type failure struct {
	exchange *model.Exchange // nil if no single exchange shows it
	problems []string
}

func (f *failure) Error() string { return strings.Join(f.problems, "; ") }

// fail makes a failure of one problem. x may be nil.
func fail(x *model.Exchange, format string, args ...any) error {
	return &failure{x, []string{fmt.Sprintf(format, args...)}}
}

// asFailure returns the failure in an error, or nil.
func asFailure(err error) *failure {
	f, _ := errors.AsType[*failure](err)
	return f
}

// explain puts a sentence in front of the problems of a failure. Other errors stay as they are.
func explain(err error, format string, args ...any) error {
	if f := asFailure(err); f != nil {
		f.problems = slices.Insert(f.problems, 0, fmt.Sprintf(format, args...))
	}
	return err
}

// choseFrom records which members of a set the case tries; the report names the others.
func (s *session) choseFrom(set string, all, chosen []string) {
	rest := slices.DeleteFunc(slices.Clone(all), func(name string) bool { return slices.Contains(chosen, name) })
	s.leftOut = append(s.leftOut, model.LeftOut{Set: set, Of: len(all), Names: rest})
}

// skip says why a case cannot run.
type skip struct{ reason string }

func (s *skip) Error() string { return s.reason }

// send sends a request and compares its answer with the contract, with what the account requires, and with earlier
// answers. The error is a *failure that lists every problem.
func (s *session) send(ctx context.Context, r *model.Request) (*model.Exchange, error) {
	r.Complete(s.Target)
	// The body is made again, because the scenario is known only now.
	if r.Job != nil && r.Job.Image == model.Overlapping {
		r.Job, r.Body = &model.Job{Image: s.overlapping()}, nil
		r.Complete(s.Target)
	}
	if err := s.pace(ctx, r); err != nil {
		return nil, err
	}
	var expected expect.Answer
	if !r.Concurrent {
		expected = expect.For(s.contract, r)
	}
	x, err := s.exchangeAgain(ctx, r)
	// An interrupted exchange says nothing about the server.
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if errors.Is(err, model.ErrIdleClosed) {
		return x, err
	}
	var problems []string
	var unlinked error
	if err != nil {
		problems = []string{err.Error()}
	} else {
		problems = s.checkAlone(x)
		var problem string
		if problem, unlinked = s.followLink(ctx, x); problem != "" {
			problems = append(problems, problem)
		}
		if !r.Concurrent {
			problems = append(problems, s.follow(x, expected)...)
		}
	}
	s.record(x)
	if len(problems) > 0 {
		return x, &failure{x, slices.Compact(problems)}
	}
	return x, unlinked
}

// record adds an exchange to those of the case.
func (s *session) record(x *model.Exchange) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests++
	s.exchanges = append(s.exchanges, x)
}

// exchangeAgain sends a request. If the server has closed the connection meanwhile, it sends the request once more on a new
// one, but only if the first certainly had no effect.
func (s *session) exchangeAgain(ctx context.Context, r *model.Request) (*model.Exchange, error) {
	x, err := s.Exchange(ctx, r)
	if !errors.Is(err, model.ErrIdleClosed) {
		return x, err
	}
	s.Client.CloseIdleConnections()
	if !s.hadNoEffect(ctx, r) {
		s.mu.Lock()
		defer s.mu.Unlock()
		r.Account.Known, r.Account.Unsure = false, true // its state is read again before the next case
		return x, fmt.Errorf("%w; the server may have carried out the request", err)
	}
	return s.Exchange(ctx, r)
}

// hadNoEffect reports whether a request without an answer certainly changed nothing: it could not, or the points and the window
// of its account have not changed.
func (s *session) hadNoEffect(ctx context.Context, r *model.Request) bool {
	a := r.Account
	if a == nil || !r.IsExtraction() || a.Scenario == model.KeyError {
		return true
	}
	if r.Concurrent || !a.Known || a.Unsure || !a.Instant().Before(a.Window.Reset) {
		return false
	}
	x, err := s.Exchange(ctx, statusWith(a.Key))
	if err != nil || x.Status != http.StatusOK {
		return false
	}
	var record struct{ PointsRemaining int64 }
	left, _, _, ok := model.HeaderWindow(x)
	return ok && left == a.Window.Left && json.Unmarshal(x.Body, &record) == nil && record.PointsRemaining == a.Points.Left
}

// overlapping returns the image that model.Overlapping stands for.
func (s *session) overlapping() string {
	if s.Images[model.ImageSlow] != "" {
		return model.ImageSlow
	}
	return printed
}

// maxQuotable limits the part of a request body that an answer may quote, in bytes: the rest is not searched.
const maxQuotable = 1 << 20

// checkAlone compares an answer with the contract, and its request id with those seen before.
func (s *session) checkAlone(x *model.Exchange) (problems []string) {
	r := x.Request
	x.JSON, problems = s.contract.Check(answer.Answer{
		Method: r.Method, Path: r.Path, Status: x.Status, Refusal: r.Refusal, Header: x.Header, Body: x.Body, Served: s.served,
		URL: r.Path + "?" + r.Query + " " + s.BaseURL, Request: r.Body[:min(len(r.Body), maxQuotable)], Origin: x.Request.Header.Get("Origin"), Secrets: s.secrets,
	})
	s.mu.Lock()
	defer s.mu.Unlock()
	id := x.Header.Get("X-Request-Id")
	if id != "" && s.ids[id] {
		problems = append(problems, fmt.Sprintf("the X-Request-Id %s was used for an earlier exchange", id))
	}
	// Concurrent cases share the ids: they must be unique per server, not per account.
	s.ids[id] = true
	return problems
}

// follow compares an answer with the expectation and the account, and updates the model.
func (s *session) follow(x *model.Exchange, expected expect.Answer) []string {
	r, a := x.Request, x.Request.Account
	problems := expected.Check(x)
	if len(problems) > 0 { // the window may have reset while the server was handling the request
		if later := expect.For(s.contract, r); len(later.Check(x)) == 0 {
			expected, problems = later, nil
		}
	}
	problems = append(problems, s.readings.CheckFetch(x, expected)...)
	if a == nil || x.Status == http.StatusUnauthorized {
		return problems
	}
	if x.Status == http.StatusNotFound || x.Status == http.StatusMethodNotAllowed || r.Refusal != 0 {
		// Other paths and methods, and what is not HTTP, neither count nor cost anything.
		return append(problems, a.ObserveWindow(x, false)...) // the headers are optional here
	}
	replay := expected.Replay != nil && x.Status == http.StatusOK
	problems = append(problems, a.ObserveWindow(x, r.IsExtraction())...)
	problems = append(problems, a.ObservePoints(x, replay)...)
	problems = append(problems, expect.CheckRetryAfter(x)...)
	switch {
	case x.Status != http.StatusOK || replay:
	case r.IsStatus():
		problems = append(problems, expect.CheckRecord(x)...)
	case r.IsExtraction():
		a.Remember(x)
		problems = append(problems, s.readings.CheckResult(x)...)
	}
	return problems
}

// confirm asks for the status of the account: the server must agree with the model.
func (s *session) confirm(ctx context.Context, a *model.Account) error {
	_, err := s.status(ctx, a)
	return err
}

// confirmAll confirms every account that the case used, unless a status was its last answer.
func (s *session) confirmAll(ctx context.Context) error {
	last := map[*model.Account]*model.Exchange{}
	var order []*model.Account
	for _, x := range s.exchanges {
		a := x.Request.Account
		if a == nil || !a.Known {
			continue
		}
		if last[a] == nil {
			order = append(order, a)
		}
		last[a] = x
	}
	for _, a := range order {
		// A status of a race was not compared with the model.
		if x := last[a]; x.Request.IsStatus() && !x.Request.Concurrent && x.Status == http.StatusOK {
			continue
		}
		if err := s.confirm(ctx, a); err != nil {
			return err
		}
	}
	return nil
}

// status asks for the status of the account.
func (s *session) status(ctx context.Context, a *model.Account) (*model.Exchange, error) {
	return s.send(ctx, &model.Request{Method: http.MethodGet, Path: "/status", Account: a})
}

// sendAs sends the asks one after the other from the account, and returns the last exchange. It stops at the first error.
func (s *session) sendAs(ctx context.Context, a *model.Account, asks ...ask) (x *model.Exchange, err error) {
	c := &senders{accounts: map[who]*model.Account{first: a}}
	for _, q := range asks {
		if x, err = s.send(ctx, s.request(q, c)); err != nil {
			return x, err
		}
	}
	return x, nil
}

// hasSeen reports whether an answer of the case had this status. Without it a case could pass although the
// situation that it tests never occurred.
func (s *session) hasSeen(operation string, status int) bool {
	return slices.ContainsFunc(s.exchanges, func(x *model.Exchange) bool {
		op, ok := s.contract.Operation(x.Request.Method, x.Request.Path)
		return ok && op.ID == operation && x.Status == status
	})
}

// counted is the number of requests of the case that counted against a rate limit.
func (s *session) counted() (n int64) {
	for _, x := range s.exchanges {
		if x.Request.IsExtraction() && x.Request.Account != nil && x.Status != http.StatusTooManyRequests {
			n++
		}
	}
	return n
}

// idempotencyKey is a string that no other request of any run has used.
func (s *session) idempotencyKey() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.serial++
	return fmt.Sprintf("%s-%d", s.name, s.serial)
}

// sleep waits for d or until ctx ends.
func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(max(0, d)):
		return nil
	}
}
