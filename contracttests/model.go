package contracttests

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"time"
)

// account is what the suite believes of one account: a small ledger and a window of its own, moved by the rules of the
// contract alone. Every answer that the account gets is held against it, so that a server which miscounts anywhere
// is caught by whichever case comes by.
type account struct {
	scenario string
	key      string
	spent    int64 // by this run

	known  bool // the rest is filled in
	plan   string
	points points
	window window

	usedUp bool          // by this run: its window resets
	unsure bool          // the window may have reset unseen; the next answer is believed
	now    time.Time     // of the target, where its clock stands still; else zero
	skew   time.Duration // how far the target's clock, where it runs, is ahead of the one here
	stored map[string]stored
}

// points are those of the current period.
type points struct{ used, left, total int64 }

// window is the rate limit's.
type window struct {
	limit, left int64
	reset       time.Time
}

// stored is an answer that a repeat with the same Idempotency-Key must get.
type stored struct {
	request []byte
	answer  []byte
	until   time.Time
}

const (
	cost           = 10
	windowLength   = 60 * time.Second
	idempotencyTTL = 24 * time.Hour
)

// slack is how far two readings of the server's clock may be apart. A clock that stands still has none; one that runs
// is read from the Date header, in whole seconds, on the way.
func (a *account) slack() time.Duration {
	if !a.now.IsZero() {
		return 0
	}
	return 3 * time.Second
}

// doubt is how far the instant that an answer speaks of may lie from that of its Date header: it may have been taken
// when the request came.
func (a *account) doubt(x *Exchange) time.Duration {
	if !a.now.IsZero() {
		return 0
	}
	return a.slack() + x.Received.Sub(x.Sent)
}

// time is the server's time at the answer.
func (a *account) time(x *Exchange) time.Time {
	if !a.now.IsZero() {
		return a.now
	}
	if date, err := http.ParseTime(x.Header.Get("Date")); err == nil {
		return date
	}
	return x.Received
}

// advance lets the model follow a clock that was moved: a new month gives the points back.
func (a *account) advance(to time.Time) {
	if !a.now.IsZero() && !to.Before(nextMonth(a.now)) {
		a.points = points{0, a.points.total, a.points.total}
	}
	a.now = to
}

// instant is the server's time now, before a request is sent.
func (a *account) instant() time.Time {
	if !a.now.IsZero() {
		return a.now
	}
	return time.Now().Add(a.skew)
}

var (
	rateLimit       = regexp.MustCompile(`^"account";r=(\d+);t=(\d+)$`)
	rateLimitPolicy = regexp.MustCompile(`^"account";q=(\d+);w=60$`)
)

// headerWindow reads the window from the headers; ok is false where the answer has none.
func headerWindow(x *Exchange) (left, in, limit int64, ok bool) {
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

// observeWindow holds the headers of an answer against the window. counted says that the request was one that counts.
func (a *account) observeWindow(x *Exchange, counted bool) []string {
	left, in, limit, ok := headerWindow(x)
	if !ok {
		if counted { // a 500 may come without headers
			a.window.left = max(0, a.window.left-1)
		}
		return nil
	}
	now := a.time(x)
	got := window{limit, left, a.exactly(x, now.Add(time.Duration(in)*time.Second).Truncate(time.Second))}
	var faults []string
	if in > int64(windowLength/time.Second) {
		faults = append(faults, fmt.Sprintf("a window lasts 60 seconds, but RateLimit says that this one resets in %d", in))
	}
	if left > limit {
		faults = append(faults, fmt.Sprintf("RateLimit says that %d requests are left of %d", left, limit))
	}
	if a.known && !a.unsure {
		faults = append(faults, a.window.compare(got, now, counted, a.doubt(x))...)
	}
	a.window, a.unsure = got, false
	return faults
}

// exactly is the reset that RateLimit speaks of. It tells whole seconds, which a server may round up or down; the status
// tells the instant, and of a window that is known already it is known.
func (a *account) exactly(x *Exchange, about time.Time) time.Time {
	if record, ok := x.JSON["rateLimit"].(map[string]any); ok {
		if reset := time.Unix(integer(record["reset"]), 0); reset.Sub(about).Abs() <= time.Second {
			return reset
		}
	}
	if a.known && a.window.reset.Sub(about).Abs() <= time.Second {
		return a.window.reset
	}
	if !about.After(a.now) { // rounded down to nothing
		return about.Add(time.Second)
	}
	return about
}

// compare holds the window that an answer tells against the one before: it must be the same with one request less, or,
// where the reset has passed, a new one. Within doubt of the reset it may be either, and a request that counted in the
// old window may be answered in a new one that nobody has used.
func (w window) compare(got window, now time.Time, counted bool, doubt time.Duration) (faults []string) {
	same, within := now.Before(w.reset.Add(doubt)), false
	if same {
		faults = w.same(got, counted, doubt)
		within = !now.Before(w.reset.Add(-doubt))
		if faults == nil || !within {
			return faults
		}
	}
	want := w.limit
	if counted {
		want--
	}
	if got.limit == w.limit && (got.left == want || within && got.left == w.limit) {
		return nil
	}
	if same {
		return faults
	}
	return []string{fmt.Sprintf("the window has reset, so RateLimit must say that %d requests of %d are left, not %d of %d", want, w.limit, got.left, got.limit)}
}

func (w window) same(got window, counted bool, doubt time.Duration) (faults []string) {
	want, why := w.left, "this request does not count"
	if counted {
		want, why = max(0, w.left-1), "this request counts"
	}
	if got.limit != w.limit {
		faults = append(faults, fmt.Sprintf("the limit is %d where it was %d", got.limit, w.limit))
	}
	if got.left != want {
		faults = append(faults, fmt.Sprintf("RateLimit says that %d requests are left where %d must be: %d were, and %s", got.left, want, w.left, why))
	}
	// A window that nobody has used yet may begin with the first request.
	if off := got.reset.Sub(w.reset).Abs(); w.left < w.limit && off > doubt+time.Second {
		faults = append(faults, fmt.Sprintf("the window resets at %s where it was said to reset at %s: a window is fixed", clock(got.reset), clock(w.reset)))
	}
	return faults
}

func clock(t time.Time) string { return t.UTC().Format("15:04:05") }

// observePoints holds the points that an answer tells against the ledger.
func (a *account) observePoints(x *Exchange, replay bool) (faults []string) {
	switch {
	case x.request.isStatus() && x.Status == http.StatusOK:
		return a.observeStatus(x)
	case x.request.isExtraction() && x.Status == http.StatusOK && !replay:
		a.points.used += cost
		a.points.left -= cost
		a.spent += cost
		fallthrough
	case x.Status == http.StatusPaymentRequired, x.Status == http.StatusTooManyRequests:
		if got, ok := x.integer("remainingPoints"); ok && a.known && !replay && got != a.points.left {
			faults = append(faults, fmt.Sprintf("remainingPoints is %d, but %d points are left", got, a.points.left))
			a.spent += max(0, a.points.left-got)
			a.points.used += a.points.left - got
			a.points.left = got
		}
	}
	if x.Status == http.StatusPaymentRequired {
		faults = append(faults, checkReset(x, a.time(x), a.slack())...)
	}
	return faults
}

// observeStatus holds a status record against the account, or takes its word where nothing is known yet.
func (a *account) observeStatus(x *Exchange) (faults []string) {
	used, _ := x.integer("pointsUsed")
	left, _ := x.integer("pointsRemaining")
	total, ok := x.integer("pointsTotal")
	plan, _ := x.JSON["plan"].(string)
	if !ok {
		total = used + left
	}
	if used+left != total {
		faults = append(faults, fmt.Sprintf("pointsUsed and pointsRemaining make %d, not the pointsTotal of %d", used+left, total))
	}
	got := points{used, left, total}
	if !a.known {
		a.plan, a.points, a.known = plan, got, true
		return append(faults, a.observeRecord(x)...)
	}
	if plan != a.plan {
		faults = append(faults, fmt.Sprintf("the plan is %q where it was %q", plan, a.plan))
	}
	if got != a.points {
		faults = append(faults, fmt.Sprintf("the status says %s, but it must be %s", got, a.points))
		a.spent += max(0, a.points.left-left)
		a.points = got
	}
	return append(faults, a.observeRecord(x)...)
}

func (p points) String() string {
	return fmt.Sprintf("%d points used and %d left of %d", p.used, p.left, p.total)
}

// observeRecord holds the rate limit inside a status record against the headers of the same answer.
func (a *account) observeRecord(x *Exchange) (faults []string) {
	left, in, limit, ok := headerWindow(x)
	if flat, has := x.integer("rateLimitRemaining"); has && ok && flat != left {
		faults = append(faults, fmt.Sprintf("rateLimitRemaining is %d, but the header RateLimit says %d", flat, left))
	}
	record, has := x.JSON["rateLimit"].(map[string]any)
	if !has || !ok {
		return faults
	}
	if got := integer(record["limit"]); got != limit {
		faults = append(faults, fmt.Sprintf("rateLimit.limit is %d, but the header RateLimit-Policy says %d", got, limit))
	}
	if got := integer(record["remaining"]); got != left {
		faults = append(faults, fmt.Sprintf("rateLimit.remaining is %d, but the header RateLimit says %d", got, left))
	}
	reset := time.Unix(integer(record["reset"]), 0)
	if off := reset.Sub(a.time(x).Add(time.Duration(in) * time.Second)).Abs(); off > a.doubt(x)+time.Second {
		faults = append(faults, fmt.Sprintf("rateLimit.reset is %s, but the header RateLimit says %d seconds from now, %s", clock(reset), in, clock(a.time(x))))
	}
	return faults
}

// checkReset wants nextReset to be the first instant of the month after now, in UTC.
func checkReset(x *Exchange, now time.Time, slack time.Duration) []string {
	text, _ := x.JSON["nextReset"].(string)
	got, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return nil // the schema has said so
	}
	if want := nextMonth(now); !got.Equal(want) && !got.Equal(nextMonth(now.Add(slack))) {
		return []string{fmt.Sprintf("nextReset is %s, but the points reset at %s, the first instant of the month after %s",
			text, want.Format(time.RFC3339), now.UTC().Format(time.RFC3339))}
	}
	return nil
}

// nextMonth is the first instant of the calendar month after t, in UTC.
func nextMonth(t time.Time) time.Time {
	t = t.UTC()
	return time.Date(t.Year(), t.Month()+1, 1, 0, 0, 0, 0, time.UTC)
}

// replayOf is the stored answer that a request must get, and whether its key was used for another request before.
func (a *account) replayOf(r *request) (answer []byte, conflict bool) {
	key := r.idempotencyKey()
	s, ok := a.stored[key]
	if key == "" || !ok || !a.instant().Before(s.until) {
		return nil, false
	}
	if !bytes.Equal(s.request, r.body) {
		return nil, true
	}
	return s.answer, false
}

func (r *request) idempotencyKey() string {
	if values := r.header["Idempotency-Key"]; len(values) == 1 {
		return values[0]
	}
	return ""
}

// remember stores the answer of a request that carried a key.
func (a *account) remember(x *Exchange) {
	if key := x.request.idempotencyKey(); key != "" {
		if a.stored == nil {
			a.stored = map[string]stored{}
		}
		a.stored[key] = stored{x.request.body, x.Body, a.time(x).Add(idempotencyTTL)}
	}
}

// integer is a member of the answer's object.
func (x *Exchange) integer(name string) (int64, bool) {
	n, ok := x.JSON[name].(json.Number)
	if !ok {
		return 0, false
	}
	v, err := n.Int64()
	return v, err == nil
}

func integer(value any) int64 {
	n, _ := value.(json.Number)
	v, err := n.Int64()
	if err != nil {
		return -1
	}
	return v
}
