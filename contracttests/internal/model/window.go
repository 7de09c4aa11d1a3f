package model

import (
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"time"
)

// Window is the rate-limit window of an account.
type Window struct {
	Limit, Left int64
	Reset       time.Time
	// took is the duration of the exchange that Reset comes from. If the server stalls between counting and writing Date, Reset is
	// late by up to this much. 0 if Reset is exact.
	took time.Duration
}

// The values of the two headers, as the contract restricts RateLimit header fields: one policy of 60 seconds.
var (
	rateLimit       = regexp.MustCompile(`^"account";r=(\d+);t=(\d+)$`)
	rateLimitPolicy = regexp.MustCompile(`^"account";q=(\d+);w=60$`)
)

// HeaderWindow reads the window from the headers RateLimit and RateLimit-Policy: requests left, seconds until the reset,
// and the limit. ok is false if a header is missing or malformed.
func HeaderWindow(x *Exchange) (left, in, limit int64, ok bool) {
	m := rateLimit.FindStringSubmatch(x.Header.Get("RateLimit"))
	p := rateLimitPolicy.FindStringSubmatch(x.Header.Get("RateLimit-Policy"))
	if m == nil || p == nil {
		return 0, 0, 0, false
	}
	left, _ = strconv.ParseInt(m[1], 10, 64)
	in, _ = strconv.ParseInt(m[2], 10, 64)
	limit, _ = strconv.ParseInt(p[1], 10, 64)
	return left, in, limit, true
}

// Room returns the number of extractions that the window of the account still allows.
func (a *Account) Room() int64 {
	if !a.Instant().Before(a.Window.Reset) {
		return a.Window.Limit
	}
	return a.Window.Left
}

// ObserveWindow updates the window by the headers of an answer and returns what contradicts it. counted says that the
// request counts against the limit.
func (a *Account) ObserveWindow(x *Exchange, counted bool) (problems []string) {
	left, in, limit, ok := HeaderWindow(x)
	if !ok {
		if counted { // a 500 may omit the headers
			a.Window.Left = max(0, a.Window.Left-1)
		}
		return nil
	}
	now := a.TimeOf(x)
	got := Window{Limit: limit, Left: left}
	got.Reset, got.took = a.exactReset(x, now.Add(time.Duration(in)*time.Second).Truncate(time.Second))
	if in > int64(windowLength/time.Second) {
		problems = append(problems, fmt.Sprintf("a window lasts 60 seconds, but RateLimit says that this one resets in %d", in))
	}
	if left > limit {
		problems = append(problems, fmt.Sprintf("RateLimit says that %d requests are left of %d", left, limit))
	}
	if a.Known && !a.Unsure {
		problems = append(problems, a.Window.compare(got, now, counted, a.tolerance(x)+a.Window.took)...)
	}
	a.Window, a.Unsure = got, false
	return problems
}

// exactReset refines the reset that RateLimit gives in whole seconds, rounded up or down: by rateLimit.reset of a status
// record, or by what is known about this window. took is the duration of the exchange that the reset comes from, 0 if
// it is exact.
func (a *Account) exactReset(x *Exchange, about time.Time) (reset time.Time, took time.Duration) {
	if reset, ok := recordReset(x); ok && reset.Sub(about).Abs() <= time.Second {
		return reset, 0
	}
	if a.Known && a.Window.Reset.Sub(about).Abs() <= time.Second {
		return a.Window.Reset, a.Window.took
	}
	if a.Now.IsZero() {
		took = x.Received.Sub(x.Sent)
	}
	if !about.After(a.Now) { // rounded down to zero seconds
		about = about.Add(time.Second)
	}
	return about, took
}

// recordReset returns rateLimit.reset of a status record.
func recordReset(x *Exchange) (time.Time, bool) {
	record := x.Object("rateLimit")
	reset, ok := Int(record, "reset")
	if !ok {
		reset = -1
	}
	return time.Unix(reset, 0), record != nil
}

// compare requires an answer to report the same window with one request less or, after the reset, a new window. Within
// the tolerance around the reset both are accepted: a request that counted in the old window may be answered with a new
// window that nobody has used.
func (w Window) compare(got Window, now time.Time, counted bool, tolerance time.Duration) (problems []string) {
	same, near := now.Before(w.Reset.Add(tolerance)), false
	if same {
		problems = w.compareSame(got, counted, tolerance)
		near = !now.Before(w.Reset.Add(-tolerance))
		if problems == nil || !near {
			return problems
		}
	}
	want := w.Limit
	if counted {
		want--
	}
	if got.Limit == w.Limit && (got.Left == want || near && got.Left == w.Limit) {
		return nil
	}
	if same {
		return problems
	}
	return []string{fmt.Sprintf("the window has reset, so RateLimit must report %d of %d requests left, not %d of %d", want, w.Limit, got.Left, got.Limit)}
}

// compareSame requires the window to be unchanged, except for the request that the answer belongs to.
func (w Window) compareSame(got Window, counted bool, tolerance time.Duration) (problems []string) {
	want, why := w.Left, "this request does not count"
	if counted {
		want, why = max(0, w.Left-1), "this request counts"
	}
	if got.Limit != w.Limit {
		problems = append(problems, fmt.Sprintf("the limit is %d; it was %d before", got.Limit, w.Limit))
	}
	if got.Left != want {
		problems = append(problems, fmt.Sprintf("RateLimit says that %d requests are left; expected %d, because %d were left and %s", got.Left, want, w.Left, why))
	}
	// An unused window may start with the first request.
	if w.Left < w.Limit && got.Reset.Sub(w.Reset).Abs() > tolerance+time.Second {
		problems = append(problems, fmt.Sprintf("the window resets at %s; an earlier answer said %s, and windows are fixed", Clock(got.Reset), Clock(w.Reset)))
	}
	return problems
}

// Clock formats an instant for a message: hours, minutes and seconds of UTC.
func Clock(t time.Time) string { return t.UTC().Format("15:04:05") }

// Absorb updates the account by concurrent answers, whose order is unknown. Each may or may not include what the others
// were charged. It returns the exchange that contradicts the account, and how.
func (a *Account) Absorb(exchanges []*Exchange) (*Exchange, string) {
	if x := unmarked(exchanges); x != nil {
		return x, "of concurrent answers to one Idempotency-Key, all but the first must have Idempotency-Replayed, and the first must not"
	}
	before, charged := a.Points.Left, map[string]bool{} // repeats of one Idempotency-Key are charged once
	var counted int64
	for i, x := range exchanges {
		if x.Status != http.StatusTooManyRequests {
			counted++
		}
		if x.Status == http.StatusOK {
			id := x.Request.IdempotencyKey()
			if id == "" {
				id = fmt.Sprintf("request %d", i)
			}
			charged[id] = true
			a.Remember(x)
		}
	}
	n := int64(len(charged)) * Cost
	a.charge(n)
	for _, x := range exchanges {
		left, ok := x.Int("remainingPoints")
		if ok && (left < a.Points.Left || left > before || x.Status == http.StatusOK && left > before-Cost) {
			return x, fmt.Sprintf("concurrent requests were charged %d of %d points, but one answer says that %d are left", n, before, left)
		}
	}
	return a.absorbWindow(exchanges, counted)
}

// unmarked returns an answer that lacks the mark of stored answers, nil if there is none. Of several answers to one
// Idempotency-Key all but one must have it. Lost answers do not count: the server need not have stored them.
func unmarked(exchanges []*Exchange) *Exchange {
	answers, firsts := map[string]int{}, map[string]int{}
	for _, x := range exchanges {
		if key := x.Request.IdempotencyKey(); key != "" && x.Status == http.StatusOK && x.JSON != nil {
			answers[key]++
			if !x.IsReplayed() {
				firsts[key]++
			}
		}
	}
	for _, x := range exchanges {
		if key := x.Request.IdempotencyKey(); answers[key] > 1 && firsts[key] != 1 {
			return x
		}
	}
	return nil
}

// absorbWindow updates the window by concurrent answers, each of which may include the requests of the others.
func (a *Account) absorbWindow(exchanges []*Exchange, counted int64) (*Exchange, string) {
	now := a.Instant()
	if !now.Before(a.Window.Reset.Add(-a.Slack())) {
		a.Window.Left, a.Window.Reset = a.Window.Limit, now // it may have reset; the next answer tells
		a.Unsure = true
		return nil, ""
	}
	left, unused := max(0, a.Window.Left-counted), a.Window.Left == a.Window.Limit
	for _, x := range exchanges {
		got, in, _, ok := HeaderWindow(x)
		if ok && (got < left || got > a.Window.Left) {
			return x, fmt.Sprintf("concurrent requests used %d of %d requests, but one answer says that %d are left", counted, a.Window.Left, got)
		}
		if ok && unused {
			a.Window.Reset = a.TimeOf(x).Add(time.Duration(in) * time.Second).Truncate(time.Second)
		}
	}
	a.Window.Left = left
	return nil, ""
}
