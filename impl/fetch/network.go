package fetch

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"sync/atomic"
	"syscall"
	"time"
)

// ErrNetwork means that this machine's own network fails: no name server answers, or there is no route to anywhere. It is not
// the caller's mistake.
var ErrNetwork = errors.New("this machine has no working network")

// recently is how long a resolved name proves that the name servers work.
const recently = time.Minute

// network is what connections have shown about this machine's network. It is safe for concurrent use.
type network struct {
	resolved atomic.Int64 // when a name was last resolved, Unix nanoseconds
}

// dialFunc makes a connection, as net.Dialer.DialContext does.
type dialFunc func(ctx context.Context, network, address string) (net.Conn, error)

// observe notes each name that dial can resolve.
func (n *network) observe(dial dialFunc) dialFunc {
	return func(ctx context.Context, kind, address string) (net.Conn, error) {
		conn, err := dial(ctx, kind, address)
		host, _, splitErr := net.SplitHostPort(address)
		if _, parseErr := netip.ParseAddr(host); splitErr != nil || parseErr == nil {
			return conn, err // no name
		}
		if lookup := (*net.DNSError)(nil); !errors.As(err, &lookup) || lookup.IsNotFound {
			n.resolved.Store(time.Now().UnixNano())
		}
		return conn, err
	}
}

// nameServerRefusals are answers of a name server about one name, in the words of package net: that name is the cause, not our
// network.
var nameServerRefusals = map[string]bool{"server misbehaving": true, "lame referral": true, "no answer from DNS server": true}

// isOwnFailure reports whether an error of a connection comes from the network of this machine. A name server that does not
// answer in time may be waiting for the server of a broken domain, so a timeout counts as ours only if no name was resolved
// recently.
func (n *network) isOwnFailure(err error) bool {
	var (
		lookup  *net.DNSError
		dialled *net.OpError
	)
	switch {
	case errors.As(err, &lookup):
		if lookup.IsTimeout {
			return time.Since(time.Unix(0, n.resolved.Load())) > recently
		}
		return !lookup.IsNotFound && !nameServerRefusals[lookup.Err]
	case errors.Is(err, syscall.ENETDOWN):
		return true
	case errors.Is(err, syscall.ENETUNREACH) && errors.As(err, &dialled) && dialled.Op == "dial":
		// Many networks have no route for IPv6, so only an unreachable IPv4 address is a failure of ours.
		to, ok := dialled.Addr.(*net.TCPAddr)
		return ok && to.IP.To4() != nil
	}
	return false
}

// explain is the package's explain, except that a failure of our own network is ErrNetwork.
func (n *network) explain(err error) error {
	// The URL may have a token in its query, which no log must show.
	if request := (*url.Error)(nil); errors.As(err, &request) {
		err = request.Err
	}
	if errors.Is(err, ErrNetwork) {
		return err
	}
	if failure := (*Error)(nil); !errors.As(err, &failure) && n.isOwnFailure(err) {
		return fmt.Errorf("%w: %w", ErrNetwork, err)
	}
	return explain(err)
}
