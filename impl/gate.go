package impl

import (
	"context"
	"errors"
	"net/netip"

	"uncial/gen"
	"uncial/impl/account"
	"uncial/impl/ledger"
	"uncial/impl/ratelimit"
	"uncial/internal/edge"
)

// Gate knows the callers by the account book and counts them by the rate limit of their plan.
type Gate struct {
	Accounts *account.Registry
	Limits   *ratelimit.Limiter
	Ledger   *ledger.Ledger
}

var _ edge.Gate = (*Gate)(nil)

// Authenticate finds the account behind the token.
func (g *Gate) Authenticate(ctx context.Context, token string, from netip.Addr) (edge.Principal, error) {
	a, k, err := g.Accounts.Authenticate(ctx, token, from)
	if errors.Is(err, account.ErrDenied) {
		return edge.Principal{}, edge.Unauthorized(err)
	}
	return edge.Principal{AccountID: a.ID, KeyID: k.ID, Plan: a.Plan}, err
}

// Count counts one extraction.
func (g *Gate) Count(ctx context.Context, p edge.Principal) (edge.Window, bool, error) {
	plan, err := g.Accounts.Plan(p.Plan)
	if err != nil {
		return edge.Window{}, false, err
	}
	return g.Limits.Count(ctx, p.AccountID, plan.Requests)
}

// Window is the account's window as it stands.
func (g *Gate) Window(ctx context.Context, p edge.Principal) (edge.Window, error) {
	plan, err := g.Accounts.Plan(p.Plan)
	if err != nil {
		return edge.Window{}, err
	}
	return g.Limits.Window(ctx, p.AccountID, plan.Requests)
}

// RemainingPoints is what the account has left.
func (g *Gate) RemainingPoints(ctx context.Context, p edge.Principal) (int64, error) {
	b, err := g.Ledger.Balance(ctx, p.AccountID)
	return b.Remaining, err
}

// Status answers with the state of the key, the points and the window.
func (s *Service) Status(ctx context.Context, _ gen.StatusRequestObject) (gen.StatusResponseObject, error) {
	caller := edge.CallerFrom(ctx)
	b, err := s.Ledger.Balance(ctx, caller.AccountID)
	if err != nil {
		return nil, refusal(err)
	}
	success, status := gen.StatusRecordSuccess(true), gen.Active
	w := caller.Window
	return gen.Status200JSONResponse{StatusJSONResponse: gen.StatusJSONResponse{Body: gen.StatusRecord{
		Success: &success, Status: &status, Plan: caller.Plan,
		PointsUsed: b.Used, PointsRemaining: b.Remaining, PointsTotal: &b.Total,
		RateLimit:          &gen.RateLimit{Limit: w.Limit, Remaining: w.Remaining, Reset: w.Reset.Unix()},
		RateLimitRemaining: &w.Remaining,
	}}}, nil
}
