package impl

import (
	"context"
	"errors"
	"net/netip"

	"uncial/gen"
	"uncial/impl/account"
	"uncial/impl/ledger"
	"uncial/impl/ratelimit"
	"uncial/internal/contract"
	"uncial/internal/edge"
)

// Gate authenticates callers against the accounts and counts their extractions against the rate limit of their plan.
type Gate struct {
	Accounts *account.Registry
	Limits   *ratelimit.Limiter
	Ledger   *ledger.Ledger
}

var _ edge.Gate = (*Gate)(nil)

// Authenticate finds the account behind the token. The client gets the same 401 whatever is wrong with the key, so that it
// cannot test which keys exist; the log has the reason.
func (g *Gate) Authenticate(ctx context.Context, token string, from netip.Addr) (edge.Principal, error) {
	a, k, err := g.Accounts.Authenticate(ctx, token, from)
	if errors.Is(err, account.ErrDenied) {
		return edge.Principal{}, contract.Unauthorized(err)
	}
	plan, _ := g.Accounts.Plan(a.Plan) // Count reports a plan that is missing from the catalogue
	return edge.Principal{AccountID: a.ID, KeyID: k.ID, MeterID: k.MeterID, Plan: a.Plan, Weight: plan.Weight}, err
}

// Count counts one extraction and reports whether the rate limit admits it. It fails for a plan that is no longer in the
// catalogue, so the accounts on it get a 500 rather than unlimited use.
func (g *Gate) Count(ctx context.Context, p edge.Principal) (contract.Window, bool, error) {
	plan, err := g.Accounts.Plan(p.Plan)
	if err != nil {
		return contract.Window{}, false, err
	}
	return g.Limits.Count(ctx, p.AccountID, plan.Requests)
}

// Window returns the account's rate-limit window without counting a request. Like Count, it fails for a plan that is no longer
// in the catalogue.
func (g *Gate) Window(ctx context.Context, p edge.Principal) (contract.Window, error) {
	plan, err := g.Accounts.Plan(p.Plan)
	if err != nil {
		return contract.Window{}, err
	}
	return g.Limits.Window(ctx, p.AccountID, plan.Requests)
}

// RemainingPoints returns the points that the account has left this month, or that are left under the cap of the key if
// they are fewer; running holds are already subtracted. The front end reports them with a 429.
func (g *Gate) RemainingPoints(ctx context.Context, p edge.Principal) (int64, error) {
	b, err := g.Ledger.CappedBalance(ctx, p.AccountID, p.MeterID)
	return b.Remaining, err
}

// Status returns the points and the rate-limit window of the caller's account; the points are those under the cap of the
// key if fewer are left there. It is not rate limited and costs no points.
func (s *Service) Status(ctx context.Context, _ gen.StatusRequestObject) (gen.StatusResponseObject, error) {
	caller := edge.CallerFrom(ctx)
	b, err := s.Ledger.CappedBalance(ctx, caller.AccountID, caller.MeterID)
	if err != nil {
		return nil, refusal(err)
	}
	points := contract.Points{Used: b.Used, Remaining: b.Remaining, Total: b.Total}
	return gen.Status200JSONResponse{StatusJSONResponse: gen.StatusJSONResponse{
		Body: contract.NewStatus(caller.Plan, points, caller.Window),
	}}, nil
}
