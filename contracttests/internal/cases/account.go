package cases

import (
	"context"
	"fmt"
	"slices"
	"time"

	"uncial/contracttests/internal/answer"
	"uncial/contracttests/internal/model"
)

// account picks an account of the scenario for a case that sends the given number of extractions, of which paid ones cost
// points. It takes the first account whose points suffice and whose window has room, otherwise the one with the most room.
// Accounts in not are excluded. If no account is in the required state, the error is that of checkPromise.
func (s *session) account(ctx context.Context, scenario string, extractions, paid int64, not ...*model.Account) (*model.Account, error) {
	var best *model.Account
	var reason error = &skip{fmt.Sprintf("no key of %q is in the required state", scenario)}
	for _, a := range s.candidates(scenario) {
		if slices.Contains(not, a) {
			continue
		}
		if err := s.open(ctx, a); err != nil {
			return nil, err
		}
		if err := s.checkPromise(a, paid*model.Cost); err != nil {
			reason = err
			continue
		}
		// If no account has enough room, pace later waits for the window or moves the clock.
		if best == nil || a.Room() > best.Room() {
			best = a
		}
		if a.Room() >= extractions {
			best = a
			break
		}
	}
	if best == nil {
		return nil, reason
	}
	return best, s.readClock(ctx, best)
}

// frozenAccount is account for cases that move the clock. Two extractions more than the paid ones must fit into the window,
// because such cases also send invalid requests.
func (s *session) frozenAccount(ctx context.Context, scenario string, paid int64) (*model.Account, error) {
	a, err := s.account(ctx, scenario, paid+2, paid)
	if err == nil {
		err = needFrozen(a)
	}
	return a, err
}

// needFrozen returns a *skip if the clock of an account runs.
func needFrozen(a *model.Account) error {
	if a.Now.IsZero() {
		return &skip{"the target's clock is running; this case needs one that stands still between moves"}
	}
	return nil
}

// candidates are the accounts for a scenario, in the order of preference. Accounts of ok and spare can replace each other;
// a second account comes from spare first, because the first one is usually that of ok.
func (s *session) candidates(scenario string) []*model.Account {
	switch scenario {
	case model.KeyOK:
		return slices.Concat(s.accounts[model.KeyOK], s.accounts[model.KeySpare])
	case model.KeySpare:
		return slices.Concat(s.accounts[model.KeySpare], s.accounts[model.KeyOK])
	}
	return s.accounts[scenario]
}

// checkPromise says why the account is not in the state that its scenario requires, given that the case spends points. The
// error is a failure if the target promises the state of its keys, as a mock does, and otherwise a *skip.
func (s *session) checkPromise(a *model.Account, points int64) error {
	left, want := a.Points.Left, ""
	switch a.Scenario {
	case model.KeyOK, model.KeySpare:
		if left < points {
			want = fmt.Sprintf("at least %d points", points)
		}
	case model.KeyLow, model.KeyCapped:
		if left < model.Cost || left >= 2*model.Cost {
			want = fmt.Sprintf("%d to %d points", model.Cost, 2*model.Cost-1)
		}
	case model.KeyExact:
		if left != model.Cost {
			want = fmt.Sprintf("exactly %d points", model.Cost)
		}
	case model.KeyEmpty:
		if left >= model.Cost {
			want = fmt.Sprintf("fewer than %d points", model.Cost)
		}
	}
	switch {
	case want == "":
		return nil
	// After this run has spent something, another state is not an error of the server.
	case s.Promised && a.Spent == 0:
		return fail(nil, "the account of %q must have %s left; it has %d", a.Scenario, want, left)
	}
	return &skip{fmt.Sprintf("the account mapped to %q must have %s left; it has %d", a.Scenario, want, left)}
}

// open reads the state of an account before its first use, with GET /status, which is free. It also compares the plan of the
// account with Target.Plans, if those are given. Accounts of the scenario error have no readable state.
func (s *session) open(ctx context.Context, a *model.Account) error {
	if a.Known || a.Scenario == model.KeyError {
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
	plan, ok := s.Plans[a.Plan]
	switch {
	case len(s.Plans) == 0:
	case !ok:
		return fail(x, "the plan %q is not in the catalogue", a.Plan)
	case a.Scenario == model.KeyCapped && a.Points.Total < plan.Points: // the cap is the smaller limit
	case a.Points.Total != plan.Points:
		return fail(x, "the plan %s allows %d points a month, not %d", a.Plan, plan.Points, a.Points.Total)
	case a.Window.Limit != plan.Limit:
		return fail(x, "the plan %s allows %d extractions per minute, not %d", a.Plan, plan.Limit, a.Window.Limit)
	}
	return nil
}

// readClock asks for the time of an account, and moves the model to it if the clock stands still. Without Target.Control it
// does nothing; guessClock covers mocks whose control routes cannot be reached.
func (s *session) readClock(ctx context.Context, a *model.Account) error {
	if s.Control == nil {
		return nil
	}
	now, frozen, err := s.Control.Now(ctx, a.Key)
	if err != nil {
		return fmt.Errorf("ask the target for its time: %w", err)
	}
	if frozen {
		a.Advance(now)
	}
	return nil
}

// guessClock finds the clock of a mock whose control routes cannot be reached: it may stand still at any instant. Other
// servers must have the right time.
func (s *session) guessClock(ctx context.Context, a *model.Account) error {
	if s.Control != nil || !s.Simulated {
		return nil
	}
	x, in, err := s.peek(ctx, a)
	if err != nil || in < 0 {
		return err // the cases report a malformed status
	}
	if now, ok := windowClock(x); ok {
		// Clocks that differ less are taken for running ones, whose Date is right.
		if now.Sub(a.TimeOf(x)).Abs() > answer.MaxSkew {
			a.Now = now
		}
		return nil
	}
	// The shortened status does not say when the window resets: only waiting tells whether the clock runs.
	if s.still == nil {
		if err := sleep(ctx, clockTick); err != nil {
			return err
		}
		_, later, err := s.peek(ctx, a)
		if err != nil {
			return err
		}
		stands := later == in
		s.still = &stands
	}
	if *s.still {
		a.Now, a.Undated = x.Received.Truncate(time.Second), true
	}
	return nil
}

// clockTick is long enough that the seconds of a running clock change.
const clockTick = 1100 * time.Millisecond

// peek requests the status without updating the model of the account. in is the number of seconds until the reset, -1 if it is
// not known.
func (s *session) peek(ctx context.Context, a *model.Account) (x *model.Exchange, in int64, err error) {
	if x, err = s.Exchange(ctx, statusWith(a.Key)); err != nil {
		return x, -1, fail(x, "%s", err)
	}
	_, in, _, ok := model.HeaderWindow(x)
	if !ok {
		in = -1
	}
	return x, in, nil
}

// pace waits for the window of the account to reset if it is used up, unless the case wants the refusal (Rush). It runs
// before every request, so that cases need not know how many requests others have sent.
func (s *session) pace(ctx context.Context, r *model.Request) error {
	if a := r.Account; a != nil && r.IsExtraction() && !r.Rush {
		return s.paceAll(ctx, a, 1)
	}
	return nil
}

// paceAll is pace for n extractions of an account that must all count in one window. Cases that send some of them concurrently
// call it first: a lack of room would otherwise show only after some had been sent.
func (s *session) paceAll(ctx context.Context, a *model.Account, n int64) error {
	s.mu.Lock()
	known := a.Known // a concurrent request that got no answer may change it; see exchangeAgain
	s.mu.Unlock()
	if !known || a.Window.Left >= min(n, a.Window.Limit) {
		return nil
	}
	return s.untilReset(ctx, a)
}

// untilReset waits, or moves the clock, until the account has a new window. The error is a *skip if the clock stands still
// and cannot be moved, or if the wait would exceed Target.MaxWait.
func (s *session) untilReset(ctx context.Context, a *model.Account) error {
	if s.Control != nil && !a.Now.IsZero() {
		return s.moveTo(ctx, a, a.Window.Reset)
	}
	const advice = "map more accounts to \"" + model.KeySpare + "\""
	if !a.Now.IsZero() {
		return &skip{fmt.Sprintf("the window of %s is used up, and the clock of the target stands still; %s", a.Scenario, advice)}
	}
	wait := a.Window.Reset.Add(a.Slack()).Sub(a.Instant())
	if wait > s.MaxWait {
		return &skip{fmt.Sprintf("the window of %s is used up for another %s; %s or allow longer waits", a.Scenario, wait.Round(time.Second), advice)}
	}
	return sleep(ctx, wait)
}

// moveTo moves the clock of the account, unless it is there already, and the model with it.
func (s *session) moveTo(ctx context.Context, a *model.Account, to time.Time) error {
	if !to.After(a.Now) {
		return nil
	}
	if err := s.Control.SetNow(ctx, a.Key, to); err != nil {
		return fmt.Errorf("move the clock of the target: %w", err)
	}
	// Otherwise every account that the model knows has moved as well.
	if !s.OneClock {
		a.Advance(to)
		return nil
	}
	for _, all := range s.accounts {
		for _, other := range all {
			if other.Known {
				other.Advance(to)
			}
		}
	}
	return nil
}

// minWindow is the minimum time left in a window for a case about one window. Using up a window takes at most
// maxExtractions requests; each then has more than 200 ms.
const minWindow = 30 * time.Second

// openWindow waits for the next window if the present one could end during the case.
func (s *session) openWindow(ctx context.Context, a *model.Account) error {
	if left := a.Window.Reset.Sub(a.Instant()); a.Now.IsZero() && left > 0 && left < minWindow && s.MaxWait >= minWindow+a.Slack() {
		return s.untilReset(ctx, a)
	}
	return nil
}
