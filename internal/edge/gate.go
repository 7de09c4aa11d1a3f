package edge

import (
	"context"
	"net/netip"
)

// Gate decides who may pass and how often. Each server brings its own. Implementations answer with *Error; any other
// error becomes a 500.
type Gate interface {
	// Authenticate finds the caller behind a bearer token of 1 to 512 characters (RFC 9110, section 11.2, token68).
	// from is the address of the client, the zero Addr where it is unknown. A token that does not open the door is
	// Unauthorized.
	Authenticate(ctx context.Context, token string, from netip.Addr) (Principal, error)
	// Count counts one extraction against the account's window and returns the window with it included. Where the
	// window is used up, nothing is counted and allowed is false.
	Count(ctx context.Context, p Principal) (w Window, allowed bool, err error)
	// Window is the account's window as it stands; nothing is counted.
	Window(ctx context.Context, p Principal) (Window, error)
	// RemainingPoints is what the account has left, for the answer to a caller whose window is used up.
	RemainingPoints(ctx context.Context, p Principal) (int64, error)
}

// Principal is an authenticated caller.
type Principal struct {
	AccountID string
	KeyID     string
	Plan      string
	// Token is the bearer token itself, only for servers whose keys are no secrets (the mock). Never logged.
	Token string
}
