package ledger_test

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"uncial/impl/ledger"
	"uncial/impl/store"
	"uncial/internal/contract"
)

// model is the simplest correct ledger: one account with one API key that may have a cap, no database, no races.
type model struct {
	now     time.Time
	plan    string
	periods map[string]*modelPeriod
	holds   []*modelHold
	keys    map[string]*modelHold // the hold that each used idempotency key belongs to
	meter   string                // of the account's only API key
	limit   *int64                // its cap
}

type modelPeriod struct{ total, granted, used, held, metered int64 }

type modelHold struct {
	hold        ledger.Hold
	state       string
	key, body   string
	answer      string
	answerUntil time.Time
}

var allowances = map[string]int64{"fifty": 50, "hundred": 100, "thousand": 1000}

func (m *model) month() string { return m.now.Format("2006-01") }

func (m *model) balance() modelPeriod {
	if p, begun := m.periods[m.month()]; begun {
		return *p
	}
	return modelPeriod{total: allowances[m.plan]}
}

func (m *model) overdue(h *modelHold) bool { return h.state == "held" && !h.hold.Expires.After(m.now) }

// returnPoints ends a running hold without a charge.
func (m *model) returnPoints(h *modelHold, state string) {
	if h.state == "held" {
		h.state = state
		m.periods[h.hold.Period].held -= h.hold.Points
		if h.hold.MeterID != "" {
			m.periods[h.hold.Period].metered -= h.hold.Points
		}
		m.free(h)
	}
}

func (m *model) free(h *modelHold) {
	if m.keys[h.key] == h {
		delete(m.keys, h.key)
	}
}

func (m *model) expire() (n int) {
	for _, h := range m.holds {
		if m.overdue(h) {
			m.returnPoints(h, "expired")
			n++
		}
	}
	return n
}

// lookUp returns the error of Hold for a key, before points matter; nil if Hold continues.
func (m *model) lookUp(key, body string) error {
	h := m.keys[key]
	if h == nil {
		return nil
	}
	if m.overdue(h) {
		m.returnPoints(h, "expired")
		return nil
	}
	if h.state == "settled" && !h.answerUntil.After(m.now) {
		m.free(h)
		return nil
	}
	switch {
	case h.body != body:
		return ledger.ErrIdempotencyKeyReused
	case h.state == "held":
		return ledger.ErrRunning
	}
	return &ledger.ReplayError{Reply: []byte(h.answer)}
}

// machine applies each step to the ledger and to the model, and compares the results.
type machine struct {
	book
	model
}

func (m *machine) Hold(t *rapid.T) {
	req := m.request()
	req.Points = rapid.SampledFrom([]int64{1, 10, 10, 10, 45, 101}).Draw(t, "points")
	if rapid.Bool().Draw(t, "with the API key") {
		req.MeterID, req.KeyID = m.meter, m.meter
	}
	req.TTL = rapid.SampledFrom([]time.Duration{time.Microsecond, time.Minute, time.Hour}).Draw(t, "ttl")
	key := rapid.SampledFrom([]string{"", "", "key", "KEY"}).Draw(t, "key")
	body := rapid.SampledFrom([]string{"one body", "another"}).Draw(t, "body")
	var want error
	if key != "" {
		req.Idempotency = m.keyed(key, body).Idempotency
		want = m.lookUp(key, body)
	}
	if want == nil {
		want = m.reserve(req.Points, req.MeterID != "")
	}
	h, err := m.book.Hold(t.Context(), req)
	requireSame(t, want, err)
	if err != nil {
		return
	}
	require.Equal(t, m.month(), h.Period)
	taken := &modelHold{hold: h, state: "held", key: key, body: body}
	m.holds = append(m.holds, taken)
	if key != "" {
		m.keys[key] = taken
	}
}

// reserve takes points. If there are too few, it expires overdue holds first.
func (m *machine) reserve(points int64, metered bool) error {
	if _, begun := m.periods[m.month()]; !begun {
		m.periods[m.month()] = &modelPeriod{total: allowances[m.plan]}
	}
	if m.under(metered).Remaining < points {
		m.expire()
	}
	if b := m.under(metered); b.Remaining < points {
		return &ledger.InsufficientError{Remaining: b.Remaining, NextReset: b.NextReset, LimitedBy: b.LimitedBy}
	}
	p := m.periods[m.month()]
	p.held += points
	if metered {
		p.metered += points
	}
	return nil
}

// under returns the account's balance, or that under the cap of the API key if less is left there.
func (m *model) under(metered bool) ledger.Balance {
	p := m.balance()
	b := ledger.Balance{
		Used: p.used + p.held, Remaining: p.total - p.used - p.held, Total: p.total,
		NextReset: nextMonth(m.now), LimitedBy: "account",
	}
	if metered && m.limit != nil && *m.limit-p.metered < b.Remaining {
		b.Used, b.Remaining, b.Total, b.LimitedBy = min(p.metered, *m.limit), max(0, *m.limit-p.metered), *m.limit, "key"
	}
	return b
}

func (m *machine) Settle(t *rapid.T) {
	h := m.draw(t)
	var want error
	switch {
	case h.state == "expired" || m.overdue(h):
		want = ledger.ErrExpired
	case h.state != "held":
		want = ledger.ErrEnded
	default:
		h.state, h.answer, h.answerUntil = "settled", "answer to "+h.hold.ID, m.now.Add(contract.ReplyLifetime)
		p := m.periods[h.hold.Period]
		p.held -= h.hold.Points
		p.used += h.hold.Points
	}
	got, err := m.book.Settle(t.Context(), h.hold, func(ledger.Balance) ([]byte, error) {
		return []byte("answer to " + h.hold.ID), nil
	})
	requireSame(t, want, err)
	if err == nil {
		require.Equal(t, m.under(h.hold.MeterID != ""), got)
	}
}

func (m *machine) Extend(t *rapid.T) {
	h := m.draw(t)
	ttl := rapid.SampledFrom([]time.Duration{time.Microsecond, time.Hour}).Draw(t, "ttl")
	var want error
	switch {
	case h.state == "expired" || m.overdue(h):
		want = ledger.ErrExpired
	case h.state != "held":
		want = ledger.ErrEnded
	default:
		h.hold.Expires = m.now.Add(ttl)
	}
	requireSame(t, want, m.book.Extend(t.Context(), h.hold, ttl))
}

func (m *machine) Release(t *rapid.T) {
	h := m.draw(t)
	m.returnPoints(h, "released")
	require.NoError(t, m.book.Release(t.Context(), h.hold))
}

func (m *machine) Sweep(t *rapid.T) {
	want := ledger.Swept{Expired: m.expire()}
	for _, h := range m.holds {
		if h.key != "" && h.state == "settled" && h.answer != "" && !h.answerUntil.After(m.now) {
			if m.keys[h.key] == h {
				want.Forgotten++
			}
			m.free(h)
			h.answer = ""
		}
	}
	got, err := m.book.Sweep(t.Context())
	require.NoError(t, err)
	require.Equal(t, want, got)
}

func (m *machine) ChangePlan(t *rapid.T) {
	m.plan = rapid.SampledFrom(slices.Sorted(maps.Keys(allowances))).Draw(t, "plan")
	if p, begun := m.periods[m.month()]; begun {
		p.total = max(allowances[m.plan]+p.granted, p.used+p.held)
	}
	got, err := m.book.ChangePlan(t.Context(), m.id, m.plan)
	require.NoError(t, err)
	require.Equal(t, m.under(false), got)
}

func (m *machine) Grant(t *rapid.T) {
	points := rapid.SampledFrom([]int64{1, 30}).Draw(t, "points")
	if _, begun := m.periods[m.month()]; !begun {
		m.periods[m.month()] = &modelPeriod{total: allowances[m.plan]}
	}
	m.periods[m.month()].total += points
	m.periods[m.month()].granted += points
	got, err := m.book.Grant(t.Context(), m.id, points, "a reason")
	require.NoError(t, err)
	require.Equal(t, m.under(false), got)
}

func (m *machine) SetCap(t *rapid.T) {
	m.limit = nil
	if rapid.Bool().Draw(t, "capped") {
		points := rapid.SampledFrom([]int64{0, 5, 20, 60}).Draw(t, "cap")
		m.limit = &points
	}
	require.NoError(t, m.registry.SetCap(t.Context(), m.meter, m.limit))
}

func (m *machine) MoveTheClock(t *rapid.T) {
	step := rapid.SampledFrom([]time.Duration{
		time.Microsecond, time.Second, time.Minute, time.Hour, 24 * time.Hour, 20 * 24 * time.Hour,
	}).Draw(t, "step")
	m.now = m.now.Add(step)
	if rapid.IntRange(0, 3).Draw(t, "to the month's end") == 0 {
		m.now = nextMonth(m.now).Add(-time.Microsecond)
	}
	m.clock.Set(m.now)
}

func (m *machine) draw(t *rapid.T) *modelHold {
	if len(m.holds) == 0 {
		t.Skip("no hold yet")
	}
	return rapid.SampledFrom(m.holds).Draw(t, "hold")
}

// check runs after every step.
func (m *machine) check(t *rapid.T) {
	got, err := m.Balance(t.Context(), m.id)
	require.NoError(t, err)
	require.Equal(t, m.under(false), got)
	require.Equal(t, got.Total, got.Used+got.Remaining)
	got, err = m.CappedBalance(t.Context(), m.id, m.meter)
	require.NoError(t, err)
	require.Equal(t, m.under(true), got)
	require.Equal(t, got.Total, got.Used+got.Remaining)
	sums, err := store.All(t.Context(), m.store.Reader(),
		`SELECT period, CAST(SUM(points) AS BIGINT) FROM entries WHERE account_id = $1 GROUP BY period`, []any{m.id},
		func(scan func(...any) error) (s string, err error) {
			var period string
			var sum int64
			err = scan(&period, &sum)
			return fmt.Sprint(period, " ", sum), err
		})
	require.NoError(t, err)
	var want []string
	for period, p := range m.periods {
		want = append(want, fmt.Sprint(period, " ", p.total-p.used-p.held))
	}
	require.ElementsMatch(t, want, sums, "the sum of the entries is what remains")
}

// requireSame checks that both failed with the same error, or neither failed.
func requireSame(t *rapid.T, want, got error) {
	var insufficient *ledger.InsufficientError
	var replay *ledger.ReplayError
	switch {
	case want == nil:
		require.NoError(t, got)
	case errors.As(want, &insufficient):
		require.ErrorAs(t, got, &insufficient)
		require.Equal(t, want, insufficient)
	case errors.As(want, &replay):
		require.ErrorAs(t, got, &replay)
		require.Equal(t, want, replay)
	default:
		require.ErrorIs(t, got, want)
	}
}

func nextMonth(t time.Time) time.Time {
	return time.Date(t.Year(), t.Month()+1, 1, 0, 0, 0, 0, time.UTC)
}

func TestLedger_Model(t *testing.T) {
	bookTests{"behaves like the model after any steps": func(b book) {
		start := midMarch.Truncate(time.Microsecond)
		rapid.Check(b, func(t *rapid.T) {
			b.clock.Set(start.AddDate(100, 0, 0)) // holds and replies of earlier runs, which share the database, end here
			_, err := b.Sweep(t.Context())
			require.NoError(t, err)
			b.clock.Set(start)
			a, err := b.registry.Create(t.Context(), "An archive", "hundred")
			require.NoError(t, err)
			b := b
			b.id = a.ID
			m := &machine{book: b, model: model{
				now: start, plan: "hundred", periods: map[string]*modelPeriod{}, keys: map[string]*modelHold{},
				meter: b.mustKey(nil).MeterID,
			}}
			t.Repeat(map[string]func(*rapid.T){
				"": m.check, "hold": m.Hold, "hold again": m.Hold, "settle": m.Settle, "release": m.Release, "extend": m.Extend,
				"sweep": m.Sweep, "change plan": m.ChangePlan, "grant": m.Grant, "set the cap": m.SetCap, "move the clock": m.MoveTheClock,
			})
		})
		b.requireAudit()
	}}.run(t)
}
