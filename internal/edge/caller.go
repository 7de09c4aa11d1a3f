package edge

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"strings"
	"time"
)

// Caller is what the door knows of an authenticated request.
type Caller struct {
	Principal
	Window    Window // the request included, where it counts
	RequestID string
}

type callerKey struct{}

// NewContext is ctx with the caller in it. The door makes it; tests of a server may.
func NewContext(ctx context.Context, c Caller) context.Context {
	return context.WithValue(ctx, callerKey{}, c)
}

// CallerFrom is the caller of the request, the zero Caller where there is none.
func CallerFrom(ctx context.Context) Caller {
	c, _ := ctx.Value(callerKey{}).(Caller)
	return c
}

// isToken68 tells whether s has the form of a bearer token (RFC 9110, section 11.2; RFC 6750, section 2.1). It is no
// regular expression because every request comes by here.
func isToken68(s string) bool {
	s = strings.TrimRight(s, "=")
	for i := range len(s) {
		if c := s[i] | 0x20; (c < 'a' || c > 'z') && (s[i] < '0' || s[i] > '9') && !strings.Contains("._~+/-", s[i:i+1]) {
			return false
		}
	}
	return s != ""
}

const maxToken = 512 // characters

// authenticate finds the caller by the headers alone; the body stays unread.
func (d *door) authenticate(x *exchange, r *http.Request) error {
	token, err := bearerToken(r.Header)
	if err != nil {
		return Unauthorized(err)
	}
	p, err := d.Gate.Authenticate(r.Context(), token, d.clientAddr(r))
	if err != nil {
		return err
	}
	x.principal = p
	return nil
}

// bearerToken reads the Authorization header. Its errors are for the log.
func bearerToken(h http.Header) (string, error) {
	values := h.Values("Authorization")
	if len(values) != 1 {
		return "", fmt.Errorf("%d Authorization headers", len(values))
	}
	scheme, token, _ := strings.Cut(values[0], " ")
	token = strings.Trim(token, " ")
	switch {
	case !strings.EqualFold(scheme, "Bearer"):
		return "", errors.New("the scheme is not Bearer")
	case token == "":
		return "", errors.New("no token")
	case len(token) > maxToken:
		return "", errors.New("the token is too long")
	case !isToken68(token):
		return "", errors.New("the token has characters that no token has")
	}
	return token, nil
}

// count counts the request against the account's window and refuses it where that is used up.
func (d *door) count(ctx context.Context, x *exchange) error {
	w, allowed, err := d.Gate.Count(ctx, x.principal)
	if err != nil {
		return err
	}
	x.window = &w
	if allowed {
		return nil
	}
	remaining, err := d.Gate.RemainingPoints(ctx, x.principal)
	if err != nil {
		return err
	}
	return Limited(w, remaining)
}

// enter takes a place among the extractions in progress for a body of so many bytes, -1 where that is not known.
func (d *door) enter(account string, length int64) (leave func(), err error) {
	leave, ok := d.flights.take(account, length)
	if !ok {
		return nil, Overloaded(time.Second, errors.New("too many extractions in progress"))
	}
	return leave, nil
}

// clientAddr is the address of the client: the peer, or, where that is a trusted proxy, the last address in
// X-Forwarded-For that is not one. Addresses that a client claims of itself are never believed.
func (d *door) clientAddr(r *http.Request) netip.Addr {
	addr := parseAddr(r.RemoteAddr)
	hops := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for i := len(hops) - 1; i >= 0 && d.trusts(addr); i-- {
		hop := parseAddr(strings.TrimSpace(hops[i]))
		if !hop.IsValid() {
			break
		}
		addr = hop
	}
	return addr
}

func (d *door) trusts(addr netip.Addr) bool {
	for _, p := range d.TrustedProxies {
		if p.Contains(addr) {
			return true
		}
	}
	return false
}

// parseAddr reads an address with or without a port; the zero Addr where there is none.
func parseAddr(s string) netip.Addr {
	if ap, err := netip.ParseAddrPort(s); err == nil {
		return ap.Addr().Unmap().WithZone("")
	}
	addr, err := netip.ParseAddr(strings.Trim(s, "[]"))
	if err != nil {
		return netip.Addr{}
	}
	return addr.Unmap().WithZone("")
}
