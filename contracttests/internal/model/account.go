package model

import (
	"bytes"
	"fmt"
	"net/http"
	"time"
)

// Constants of the contract. The suite has its own copy on purpose: a wrong value in the servers must not become right
// here as well.
const (
	// Cost is the price of one extraction, in points.
	Cost           = 10
	windowLength   = 60 * time.Second
	IdempotencyTTL = 24 * time.Hour
)

// Account is what the suite expects of one account: a small ledger and a rate-limit window, moved by the rules of
// the contract. Every answer is compared with it, so a server that miscounts is caught by whichever case comes next.
// It is not safe for concurrent use.
type Account struct {
	Scenario string
	Key      string
	Spent    int64 // points that this run has cost

	Known  bool // whether Plan, Points and Window have been read from the server
	Plan   string
	Points Points
	Window Window

	Unsure bool      // the window may have reset unseen: the next answer is not compared
	Now    time.Time // the account's clock if it stands still, otherwise zero
	// Undated says that the clock stands still at an unknown instant: Now only serves to compute differences.
	Undated bool
	Skew    time.Duration // how far a running clock of the target is ahead of ours
	stored  map[string]storedReply
}

// Points is the balance of an account in the current month.
type Points struct{ Used, Left, Total int64 }

// String is for messages.
func (p Points) String() string {
	return fmt.Sprintf("%d points used and %d left of %d", p.Used, p.Left, p.Total)
}

// storedReply is what a repeat with the same Idempotency-Key must return.
type storedReply struct {
	request []byte
	answer  []byte
	until   time.Time
}

// Instant returns the server's time now.
func (a *Account) Instant() time.Time {
	if !a.Now.IsZero() {
		return a.Now
	}
	return time.Now().Add(a.Skew)
}

// Slack returns the maximum difference between two readings of the server's clock: 0 if it stands still; otherwise 3 s, because
// the Date header has whole seconds and was written on the way.
func (a *Account) Slack() time.Duration {
	if !a.Now.IsZero() {
		return 0
	}
	return 3 * time.Second
}

// tolerance returns the maximum distance between the instant that an answer refers to and its Date header.
func (a *Account) tolerance(x *Exchange) time.Duration {
	if !a.Now.IsZero() {
		return 0
	}
	return a.Slack() + x.Received.Sub(x.Sent)
}

// TimeOf returns the server's time when it answered.
func (a *Account) TimeOf(x *Exchange) time.Time {
	if !a.Now.IsZero() {
		return a.Now
	}
	if date, err := http.ParseTime(x.Header.Get("Date")); err == nil {
		return date
	}
	return x.Received
}

// Advance follows a clock that was moved. A new month restores the allowance.
func (a *Account) Advance(to time.Time) {
	if !a.Now.IsZero() && !to.Before(NextMonth(a.Now)) {
		a.Points = Points{0, a.Points.Total, a.Points.Total}
	}
	a.Now = to
}

// NextMonth returns the first instant of the calendar month after t, in UTC.
func NextMonth(t time.Time) time.Time {
	t = t.UTC()
	return time.Date(t.Year(), t.Month()+1, 1, 0, 0, 0, 0, time.UTC)
}

// ObservePoints updates the ledger by an answer and returns what contradicts it. replay marks a repeated answer, which
// costs nothing.
func (a *Account) ObservePoints(x *Exchange, replay bool) (problems []string) {
	extracted := x.Request.IsExtraction() && x.Status == http.StatusOK && !replay
	if x.Request.IsStatus() && x.Status == http.StatusOK {
		return a.observeStatus(x)
	}
	if extracted {
		a.charge(Cost)
	}
	if extracted || x.Status == http.StatusPaymentRequired || x.Status == http.StatusTooManyRequests {
		if left, ok := x.Int("remainingPoints"); ok && a.Known && !replay && left != a.Points.Left {
			problems = append(problems, fmt.Sprintf("remainingPoints is %d, but %d points are left", left, a.Points.Left))
			a.adopt(x, Points{a.Points.Used + a.Points.Left - left, left, a.Points.Total})
		}
	}
	if x.Status == http.StatusPaymentRequired {
		problems = append(problems, a.checkNextReset(x)...)
		problems = append(problems, a.checkLimit(x)...)
	}
	return problems
}

func (a *Account) charge(n int64) {
	a.Points.Used, a.Points.Left, a.Spent = a.Points.Used+n, a.Points.Left-n, a.Spent+n
}

// adopt replaces the points with those that an answer reports, so that one wrong charge is reported once. Points lost under
// another key may belong to another account.
func (a *Account) adopt(x *Exchange, p Points) {
	if x.Request.Uses(a.Key) {
		a.Spent += max(0, a.Points.Left-p.Left)
	}
	a.Points = p
}

// observeStatus compares a status record with the account, or adopts it if nothing is known yet.
func (a *Account) observeStatus(x *Exchange) (problems []string) {
	used, _ := x.Int("pointsUsed")
	left, _ := x.Int("pointsRemaining")
	total, ok := x.Int("pointsTotal")
	plan := x.Text("plan")
	if !ok {
		total = used + left
	}
	if used+left != total {
		problems = append(problems, fmt.Sprintf("pointsUsed and pointsRemaining add up to %d, but pointsTotal is %d", used+left, total))
	}
	got := Points{used, left, total}
	if !a.Known {
		a.Plan, a.Points, a.Known = plan, got, true
	}
	if plan != a.Plan {
		problems = append(problems, fmt.Sprintf("the plan is %q; it was %q before", plan, a.Plan))
	}
	if got != a.Points {
		problems = append(problems, fmt.Sprintf("the status reports %s; expected %s", got, a.Points))
		a.adopt(x, got)
	}
	return append(problems, a.compareRecord(x)...)
}

// compareRecord compares the rate limit in a status record with the headers of the same answer.
func (a *Account) compareRecord(x *Exchange) (problems []string) {
	left, in, limit, ok := HeaderWindow(x)
	if !ok {
		return nil
	}
	record := x.Object("rateLimit")
	remaining, _ := Int(record, "remaining")
	inRecord, _ := Int(record, "limit")
	for _, pair := range []struct {
		field, header string
		got, want     int64
	}{
		{"rateLimitRemaining", "RateLimit", flat(x, left), left},
		{"rateLimit.limit", "RateLimit-Policy", inRecord, limit},
		{"rateLimit.remaining", "RateLimit", remaining, left},
	} {
		if pair.got != pair.want && (record != nil || pair.field == "rateLimitRemaining") {
			problems = append(problems, fmt.Sprintf("%s is %d, but the header %s says %d", pair.field, pair.got, pair.header, pair.want))
		}
	}
	reset, has := recordReset(x)
	if expected := a.TimeOf(x).Add(time.Duration(in) * time.Second); has && reset.Sub(expected).Abs() > a.tolerance(x)+time.Second {
		problems = append(problems, fmt.Sprintf("rateLimit.reset is %s, but according to the header RateLimit the window resets at %s", Clock(reset), Clock(expected)))
	}
	return problems
}

// flat returns rateLimitRemaining, or the fallback if the answer omits it.
func flat(x *Exchange, fallback int64) int64 {
	if v, ok := x.Int("rateLimitRemaining"); ok {
		return v
	}
	return fallback
}

// checkLimit requires limitedBy, which servers may omit, to name the limit that the account has reached.
func (a *Account) checkLimit(x *Exchange) []string {
	want := "account"
	if a.Scenario == KeyCapped {
		want = "key"
	}
	if got := x.Text("limitedBy"); got != "" && got != want {
		return []string{fmt.Sprintf("limitedBy is %q; expected %q", got, want)}
	}
	return nil
}

// checkNextReset requires nextReset to be the first instant of the next month, UTC.
func (a *Account) checkNextReset(x *Exchange) []string {
	now := a.TimeOf(x)
	got, err := time.Parse(time.RFC3339, x.Text("nextReset"))
	if err != nil {
		return nil // the schema check reports it
	}
	if a.Undated {
		if !got.Equal(NextMonth(got.Add(-time.Nanosecond))) {
			return []string{fmt.Sprintf("nextReset is %s; expected the first instant of a month", x.Text("nextReset"))}
		}
		return nil
	}
	if want := NextMonth(now); !got.Equal(want) && !got.Equal(NextMonth(now.Add(a.Slack()))) {
		return []string{fmt.Sprintf("nextReset is %s; expected %s, the first instant of the month after %s",
			x.Text("nextReset"), want.Format(time.RFC3339), now.UTC().Format(time.RFC3339))}
	}
	return nil
}

// ReplayOf returns the stored answer that the request must get, and whether its Idempotency-Key was used for a different
// request.
func (a *Account) ReplayOf(r *Request) (answer []byte, conflict bool) {
	key := r.IdempotencyKey()
	s, ok := a.stored[key]
	if key == "" || !ok || !a.Instant().Before(s.until) {
		return nil, false
	}
	if !bytes.Equal(s.request, r.Body) {
		return nil, true
	}
	return s.answer, false
}

// Remember stores the answer to a request that has an Idempotency-Key.
func (a *Account) Remember(x *Exchange) {
	if key := x.Request.IdempotencyKey(); key != "" {
		if a.stored == nil {
			a.stored = map[string]storedReply{}
		}
		a.stored[key] = storedReply{x.Request.Body, x.Body, a.TimeOf(x).Add(IdempotencyTTL)}
	}
}
