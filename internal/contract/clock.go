package contract

import "time"

// MonthStart returns the first instant of the calendar month of t, UTC. Points used are counted from there.
func MonthStart(t time.Time) time.Time {
	year, month, _ := t.UTC().Date()
	return time.Date(year, month, 1, 0, 0, 0, 0, time.UTC)
}

// NextReset returns the first instant of the calendar month after t, UTC: points used return to 0 then.
func NextReset(t time.Time) time.Time { return MonthStart(t).AddDate(0, 1, 0) }

// WindowLength is the length of the rate limit's fixed window. Windows begin at whole minutes of UTC.
const WindowLength = time.Minute

// WindowStart returns the first instant of the window that t is in: the whole minute at or before t.
func WindowStart(t time.Time) time.Time { return t.Truncate(WindowLength) }

// Window is the state of an account's rate limit.
type Window struct {
	Limit     int64     // extractions that a window allows, at least 1
	Remaining int64     // extractions left in this window
	Reset     time.Time // end of this window
	Now       time.Time // the server's clock, by which RetryAfter measures the time until Reset
}

// NewWindow returns the state of a window that began at start and has counted the given number of requests.
func NewWindow(limit, counted int64, start, now time.Time) Window {
	return Window{Limit: limit, Remaining: max(0, limit-counted), Reset: start.Add(WindowLength), Now: now}
}

// RetryAfter returns the time until the window resets, rounded up to whole seconds, at least 1 s.
func (w Window) RetryAfter() time.Duration {
	left := w.Reset.Sub(w.Now)
	return max(time.Second, left.Truncate(time.Second)+min(left%time.Second, 1)*time.Second)
}
