package mock

import (
	"net/http"
	"time"
)

// clockMove is the body of POST /__mock/clock. Exactly one field must be set.
type clockMove struct {
	Now     *string `json:"now"`     // RFC 3339
	Advance *string `json:"advance"` // in the form of time.ParseDuration
}

// moveClock moves the clock of the mock, or with ?key= the clock of one key, forwards.
func (m *Mock) moveClock(r *http.Request) (any, error) {
	name, err := keyParameter(r)
	if err != nil {
		return nil, err
	}
	var move clockMove
	if err := readJSON(r, &move); err != nil {
		return nil, err
	}
	s := m.state
	s.mu.Lock()
	defer s.mu.Unlock()
	k, moved := (*key)(nil), &s.moved
	if name != "" {
		if k = s.find(name); k == nil {
			return nil, invalid("key", "belongs to no scenario; PUT /__mock/keys/{key} creates others")
		}
		moved = &k.moved
	}
	step, err := move.step(s.now(k))
	if err != nil {
		return nil, err
	}
	*moved += step
	return clockState{s.now(k), s.frozen}, nil
}

// lastYear limits the clock; durations since Epoch overflow in 2318.
const lastYear = 2200

// step returns how far to move a clock that shows now.
func (c clockMove) step(now time.Time) (time.Duration, error) {
	var step time.Duration
	switch {
	case (c.Now == nil) == (c.Advance == nil):
		return 0, invalid("body", `must have either "now", an RFC 3339 time, or "advance", a duration such as "60s" or "24h"`)
	case c.Now != nil:
		to, err := time.Parse(time.RFC3339, *c.Now)
		if err != nil {
			return 0, invalid("now", "must be an RFC 3339 time such as 2026-02-01T00:00:00Z")
		}
		step = to.Sub(now) // saturates
	default:
		var err error
		if step, err = time.ParseDuration(*c.Advance); err != nil {
			return 0, invalid("advance", `must be a duration such as "60s" or "24h"; the clock runs at most to the year 2200`)
		}
	}
	if step < 0 || now.Add(step).Year() > lastYear {
		return 0, invalid("body", "must move the clock forwards, at most to the year 2200; POST /__mock/reset starts again")
	}
	return step, nil
}
