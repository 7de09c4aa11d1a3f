package mock

import (
	"context"
	"errors"
	"net/netip"
	"time"

	"uncial/internal/contract"
	"uncial/internal/edge"
)

var _ edge.Gate = (*state)(nil)

// Authenticate accepts the active keys of the scenarios and those that PUT /__mock/keys made. Each account has one key, so
// the token serves as AccountID and KeyID too. The address of the client is ignored: the mock does not simulate IP ranges.
func (s *state) Authenticate(_ context.Context, token string, _ netip.Addr) (p edge.Principal, err error) {
	unknown := s.use(token, func(k *key, _ time.Time) {
		if k.status != active {
			err = contract.Unauthorized(errors.New("the key is " + k.status))
			return
		}
		p = edge.Principal{AccountID: k.name, KeyID: k.name, Plan: k.plan, Token: token}
	})
	if unknown != nil {
		err = contract.Unauthorized(errors.New("the key belongs to no scenario"))
	}
	return p, err
}

// Count counts an extraction unless the window is used up, which it always is for the scenario ratelimited. The count can be
// undone: see release.
func (s *state) Count(_ context.Context, p edge.Principal) (window contract.Window, allowed bool, err error) {
	err = s.use(p.Token, func(k *key, now time.Time) {
		if allowed = !k.scenario.limited && k.counted < k.limit; allowed {
			k.counted++
		}
		window = k.rateLimit(now)
	})
	return window, allowed, err
}

// Window returns the rate-limit window without counting.
func (s *state) Window(_ context.Context, p edge.Principal) (window contract.Window, err error) {
	err = s.use(p.Token, func(k *key, now time.Time) { window = k.rateLimit(now) })
	return window, err
}

// RemainingPoints returns the balance of the key.
func (s *state) RemainingPoints(_ context.Context, p edge.Principal) (points int64, err error) {
	err = s.use(p.Token, func(k *key, _ time.Time) { points = k.points().Remaining })
	return points, err
}
