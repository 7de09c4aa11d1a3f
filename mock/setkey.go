package mock

import (
	"maps"
	"net/http"
	"slices"
	"strings"

	"uncial/internal/edge"
)

// keyState is a key as PUT /__mock/keys/{key} takes and gives it. Absent fields stay as they are.
type keyState struct {
	Plan    *string `json:"plan,omitempty"`    // sets balance and limit to those of the plan
	Balance *int64  `json:"balance,omitempty"` // points left in this month
	Limit   *int64  `json:"limit,omitempty"`   // requests a minute
	Status  *string `json:"status,omitempty"`
}

// Bounds of what a key can be given, those of the service.
const (
	maxPoints = 1_000_000_000_000
	maxLimit  = 1_000_000_000
)

// putKey changes a key. One that belongs to no scenario comes into being, works, and has the plan pro.
func (m *Mock) putKey(r *http.Request) (any, error) {
	name := r.PathValue("key")
	if !keyForm.MatchString(name) || len(name) > maxKey {
		return nil, edge.Invalid(map[string]string{"key": "must begin with ocr_test_, go on with A-Z, a-z, 0-9 and . _ ~ + / -, and have 512 characters at most"})
	}
	var state keyState
	if err := readJSON(r, &state); err != nil {
		return nil, err
	}
	if err := state.check(); err != nil {
		return nil, err
	}
	w := m.world
	w.mu.Lock()
	defer w.mu.Unlock()
	k := w.find(name)
	if k == nil {
		k = w.add(name, &keyScenario{plan: "pro", status: active})
	}
	k.set(state)
	left := k.remaining()
	return keyState{&k.plan, &left, &k.limit, &k.status}, nil
}

func (s keyState) check() error {
	details := map[string]string{}
	if s.Plan != nil && plans[*s.Plan] == (plan{}) {
		details["plan"] = "must be one of " + strings.Join(slices.Sorted(maps.Keys(plans)), ", ")
	}
	if s.Balance != nil && (*s.Balance < 0 || *s.Balance > maxPoints) {
		details["balance"] = "must be from 0 to 1,000,000,000,000 points"
	}
	if s.Limit != nil && (*s.Limit < 1 || *s.Limit > maxLimit) {
		details["limit"] = "must be from 1 to 1,000,000,000 requests a minute"
	}
	if s.Status != nil && !slices.Contains([]string{active, expired, revoked}, *s.Status) {
		details["status"] = "must be one of active, expired, revoked"
	}
	if len(details) > 0 {
		return edge.Invalid(details)
	}
	return nil
}

// set changes the key. A balance above the allowance raises the allowance of this month.
func (k *key) set(s keyState) {
	if s.Plan != nil {
		k.plan = *s.Plan
		k.total, k.used, k.limit = plans[k.plan].points, 0, plans[k.plan].limit
	}
	if s.Balance != nil {
		k.total = max(k.total, *s.Balance)
		k.used = k.total - *s.Balance
	}
	if s.Limit != nil {
		k.limit = *s.Limit
	}
	if s.Status != nil {
		k.status = *s.Status
	}
}
