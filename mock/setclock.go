package mock

import (
	"net/http"
	"time"

	"uncial/internal/edge"
)

// clockMove is a step of the clock: to an instant, or on by a duration.
type clockMove struct {
	Now     *string `json:"now"`     // RFC 3339
	Advance *string `json:"advance"` // as time.ParseDuration reads it
}

// moveClock moves the clock of the mock, or with ?key= that of one key, forwards.
func (m *Mock) moveClock(r *http.Request) (any, error) {
	name, err := keyParameter(r)
	if err != nil {
		return nil, err
	}
	var move clockMove
	if err := readJSON(r, &move); err != nil {
		return nil, err
	}
	w := m.world
	w.mu.Lock()
	defer w.mu.Unlock()
	k, moved := (*key)(nil), &w.moved
	if name != "" {
		if k = w.find(name); k == nil {
			return nil, edge.Invalid(map[string]string{"key": "is of no scenario; PUT /__mock/keys/{key} makes others"})
		}
		moved = &k.moved
	}
	step, err := move.step(w.now(k))
	if err != nil {
		return nil, err
	}
	*moved += step
	return clockState{w.now(k), w.frozen}, nil
}

// lastYear bounds how far the clock goes; beyond it durations would overflow.
const lastYear = 2200

// step is how far to move from now.
func (c clockMove) step(now time.Time) (time.Duration, error) {
	var step time.Duration
	switch {
	case (c.Now == nil) == (c.Advance == nil):
		return 0, edge.Invalid(map[string]string{"body": `must have either "now", an RFC 3339 time, or "advance", a duration such as "60s" or "24h"`})
	case c.Now != nil:
		to, err := time.Parse(time.RFC3339, *c.Now)
		if err != nil {
			return 0, edge.Invalid(map[string]string{"now": "must be a time in the form of RFC 3339, such as 2026-02-01T00:00:00Z"})
		}
		step = to.Sub(now) // saturates
	default:
		var err error
		if step, err = time.ParseDuration(*c.Advance); err != nil {
			return 0, edge.Invalid(map[string]string{"advance": `must be a duration such as "60s" or "24h"`})
		}
	}
	if step < 0 || now.Add(step).Year() > lastYear {
		return 0, edge.Invalid(map[string]string{"body": "must move the clock forwards, to the year 2200 at most; POST /__mock/reset begins anew"})
	}
	return step, nil
}
