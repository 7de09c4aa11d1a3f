package edge

import (
	"context"
	"net/netip"

	"uncial/internal/contract"
)

// Gate decides who may call and how often. Each server has its own. Methods return a *contract.Error for what the client
// should know; any other error becomes a 500.
type Gate interface {
	// Authenticate finds the caller by a bearer token of 1 to 512 characters (RFC 9110, section 11.2, token68). from is the
	// address of the client, or the zero Addr if it is not known. The error for an invalid token is contract.Unauthorized.
	Authenticate(ctx context.Context, token string, from netip.Addr) (Principal, error)
	// Count counts one request against the account's window and returns the window with it. If the window is used up,
	// allowed is false and nothing is counted.
	Count(ctx context.Context, p Principal) (w contract.Window, allowed bool, err error)
	// Window returns the account's window and counts nothing.
	Window(ctx context.Context, p Principal) (contract.Window, error)
	// RemainingPoints returns the points that the caller has left. A 429 reports them.
	RemainingPoints(ctx context.Context, p Principal) (int64, error)
}

// Principal is an authenticated caller.
type Principal struct {
	AccountID string
	KeyID     string
	MeterID   string // of the meter that counts the points of the key; empty if none does
	Plan      string
	Weight    int // of the account's share of a busy server; 0 counts as 1
	// Token is the bearer token itself. Only the mock sets it, whose keys are not secret. It is never logged.
	Token string
}
