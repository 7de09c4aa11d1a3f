package edge

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"uncial/internal/contract"
	"uncial/internal/fair"
)

// Caller is the authenticated identity of a request.
type Caller struct {
	Principal
	Window    contract.Window // with this request, if it counts
	RequestID string
}

type callerKey struct{}

// newContext returns a context with the caller in it, for the server, and with the account that the work is for.
func newContext(ctx context.Context, c Caller) context.Context {
	ctx = fair.NewContext(ctx, c.account())
	return context.WithValue(ctx, callerKey{}, c)
}

// account returns the account as package fair counts it.
func (p Principal) account() fair.Account { return fair.Account{Label: p.AccountID, Weight: p.Weight} }

// CallerFrom returns the caller of the request that ctx belongs to, or the zero Caller if it belongs to none.
func CallerFrom(ctx context.Context) Caller {
	c, _ := ctx.Value(callerKey{}).(Caller)
	return c
}

type principalKey struct{}

// WithPrincipal returns a context for requests that come from inside the process, such as those of the dashboard for people
// who are signed in: they count as this principal's and need no key.
func WithPrincipal(ctx context.Context, p Principal) context.Context {
	return context.WithValue(ctx, principalKey{}, p)
}

const maxToken = 512 // characters

// authenticate finds the caller. It uses the headers only: the body of an unauthenticated request is not read.
func (h *handler) authenticate(x *exchange, r *http.Request) error {
	if p, ok := r.Context().Value(principalKey{}).(Principal); ok {
		x.principal = p
		return nil
	}
	token, err := bearerToken(r.Header)
	if err != nil {
		return contract.Unauthorized(err)
	}
	x.principal, err = h.Gate.Authenticate(r.Context(), token, h.clientAddr(r))
	return err
}

// bearerToken reads the Authorization header (RFC 6750, section 2.1). Its errors are for the log.
func bearerToken(h http.Header) (string, error) {
	values := h.Values("Authorization")
	if len(values) != 1 {
		return "", fmt.Errorf("%d Authorization headers; expected one", len(values))
	}
	scheme, token, _ := strings.Cut(values[0], " ")
	token = strings.Trim(token, " ")
	switch {
	case !strings.EqualFold(scheme, "Bearer"):
		return "", errors.New("the authentication scheme is not Bearer")
	case token == "":
		return "", errors.New("the bearer token is empty")
	case len(token) > maxToken:
		return "", fmt.Errorf("the bearer token has more than %d characters", maxToken)
	case !isToken68(token):
		return "", errors.New("the bearer token has characters that RFC 6750 does not allow")
	}
	return token, nil
}

// isToken68 reports whether s has the form of a bearer token (RFC 9110, section 11.2). A loop is used because a regular
// expression would be the most expensive part of a status request.
func isToken68(s string) bool {
	s = strings.TrimRight(s, "=")
	for i := range len(s) {
		if c := s[i] | 0x20; (c < 'a' || c > 'z') && (s[i] < '0' || s[i] > '9') && !strings.Contains("._~+/-", s[i:i+1]) {
			return false
		}
	}
	return s != ""
}
