package mock

import (
	"maps"
	"net/http"
	"slices"
	"strings"

	"uncial/internal/contract"
)

// keyState is the body of PUT /__mock/keys/{key} and its answer. Absent fields stay unchanged.
type keyState struct {
	Plan    *string `json:"plan,omitempty"`    // also sets balance and limit to those of the plan
	Balance *int64  `json:"balance,omitempty"` // points left in this month
	Limit   *int64  `json:"limit,omitempty"`   // extractions per minute
	Status  *string `json:"status,omitempty"`
}

// maxLimit is the largest number of extractions per minute of a key. It exceeds contract.MaxRequests, so that load tests can in
// effect switch the rate limit off.
const maxLimit = 1_000_000_000

var errNotKey = invalid("key", "must be ocr_test_ followed by A-Z, a-z, 0-9 and . _ ~ + / -, at most 512 characters")

// putKey changes a key. A key that belongs to no scenario is created: active, on plan pro.
func (m *Mock) putKey(r *http.Request) (any, error) {
	name := r.PathValue("key")
	if !isKey(name) {
		return nil, errNotKey
	}
	var update keyState
	if err := readJSON(r, &update); err != nil {
		return nil, err
	}
	if err := update.check(); err != nil {
		return nil, err
	}
	s := m.state
	s.mu.Lock()
	defer s.mu.Unlock()
	k := s.find(name)
	if k == nil {
		k = s.add(name, &keyScenario{plan: "pro", status: active})
	}
	k.update(update)
	balance := k.points().Remaining
	return keyState{&k.plan, &balance, &k.limit, &k.status}, nil
}

// check reports all invalid fields at once.
func (u keyState) check() error {
	details := map[string]string{}
	if u.Plan != nil && plans[*u.Plan].Name == "" {
		details["plan"] = "must be one of " + strings.Join(slices.Sorted(maps.Keys(plans)), ", ")
	}
	if u.Balance != nil && (*u.Balance < 0 || *u.Balance > contract.MaxPoints) {
		details["balance"] = "must be from 0 to 1,000,000,000,000 points"
	}
	if u.Limit != nil && (*u.Limit < 1 || *u.Limit > maxLimit) {
		details["limit"] = "must be from 1 to 1,000,000,000 extractions per minute"
	}
	if u.Status != nil && !slices.Contains([]string{active, expired, revoked}, *u.Status) {
		details["status"] = "must be one of active, expired, revoked"
	}
	if len(details) > 0 {
		return contract.Invalid(details)
	}
	return nil
}

// update changes the key. The plan comes first, because it also sets balance and limit, which the other fields then
// replace. A balance above the allowance raises the allowance of this month only.
func (k *key) update(u keyState) {
	if u.Plan != nil {
		k.plan = *u.Plan
		k.total, k.used, k.limit = k.allowance(), 0, plans[k.plan].Requests
	}
	if u.Balance != nil {
		k.total = max(k.total, *u.Balance)
		k.used = k.total - *u.Balance
	}
	if u.Limit != nil {
		k.limit = *u.Limit
	}
	if u.Status != nil {
		k.status = *u.Status
	}
}
