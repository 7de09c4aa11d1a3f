package mock

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Fault damages an answer on the network. The server has done its work by then: a success was charged, and its reply is stored
// under the Idempotency-Key. The zero value means no fault.
type Fault struct {
	kind string
	over time.Duration // how long a drip or a late answer takes
}

// The kinds of faults. Each is also the name of a key, of an image and of a preference.
const (
	faultReset  = "reset"
	faultCut    = "cut"
	faultLength = "length"
	faultDrip   = "drip"
	faultLate   = "late"
)

// faultTime is the duration of a drip or a late answer whose name states none: longer than careful clients wait for
// progress, shorter than a test may take.
const faultTime = 10 * time.Second

// faultKinds describes the faults, in the order of the documentation.
var faultKinds = []struct {
	name, about string
	takesTime   bool
}{
	{faultReset, "the connection is reset, without an answer", false},
	{faultCut, "half the body, then the connection is closed", false},
	{faultLength, "a Content-Length that counts only half the body", false},
	{faultDrip, "the body in small pieces over 10 seconds", true},
	{faultLate, "the answer comes 10 seconds late, after the points are charged", true},
}

// AllFaults returns one fault of each kind.
func AllFaults() []Fault {
	all := make([]Fault, len(faultKinds))
	for i, k := range faultKinds {
		all[i] = namedFault(k.name, k.takesTime)
	}
	return all
}

// namedFault returns the fault of a kind as a scenario names it, without a time; faultTime then applies.
func namedFault(name string, takesTime bool) Fault {
	if takesTime {
		return Fault{name, faultTime}
	}
	return Fault{kind: name}
}

// UnmarshalText parses a name such as "reset" or, with a number of milliseconds, "late-1500".
func (f *Fault) UnmarshalText(text []byte) error {
	name, digits, timed := strings.Cut(string(text), "-")
	for _, k := range faultKinds {
		if k.name != name || timed && !k.takesTime {
			continue
		}
		*f = namedFault(name, k.takesTime)
		if !timed {
			return nil
		}
		if ms, err := strconv.ParseUint(digits, 10, 32); err == nil && time.Duration(ms)*time.Millisecond <= maxDelay {
			f.over = time.Duration(ms) * time.Millisecond
			return nil
		}
	}
	return fmt.Errorf("fault must be reset, cut, length, drip or late; drip and late may be followed by a duration in milliseconds, up to %d, such as late-1500", maxDelay.Milliseconds())
}

// String is the name that UnmarshalText parses, "" for no fault.
func (f Fault) String() string {
	if takesTime := f.kind == faultDrip || f.kind == faultLate; takesTime && f.over != faultTime {
		return fmt.Sprintf("%s-%d", f.kind, f.over.Milliseconds())
	}
	return f.kind
}

// randomFault decides whether the n-th request with a key gets one of the faults, and which. It depends on the seed, so that
// a soak test repeats.
func (o *Options) randomFault(key string, n uint64) Fault {
	if o.FaultRate <= 0 || len(o.Faults) == 0 {
		return Fault{}
	}
	const steps = 1_000_000
	h := digest("fault", strconv.FormatUint(o.Seed, 10), key, strconv.FormatUint(n, 10)).number()
	if float64(h%steps) >= o.FaultRate*steps {
		return Fault{}
	}
	return o.Faults[(h/steps)%uint64(len(o.Faults))]
}

// heldAnswer is a complete answer that is waiting for its fault.
type heldAnswer struct {
	status int
	header http.Header
	body   []byte
}

// dripPieces is the number of pieces in which a drip sends the body.
const dripPieces = 20

// send sends the answer with the fault. If there is no HTTP/1 connection to hijack, as in HTTP/2 or a test without a network,
// reset, cut and length abort the handler, which has the closest effect.
func (f Fault) send(w http.ResponseWriter, r *http.Request, a heldAnswer) {
	half := a.body[:len(a.body)/2]
	switch f.kind {
	case faultLate:
		if wait(r.Context(), f.over) == nil {
			w.WriteHeader(a.status)
			_, _ = w.Write(a.body) // fails only if the client has gone
		}
		return
	case faultDrip:
		f.drip(w, r.Context(), a)
		return
	}
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		if f.kind != faultReset {
			w.WriteHeader(a.status)
			_, _ = w.Write(half)
		}
		panic(http.ErrAbortHandler)
	}
	defer func() { _ = conn.Close() }()
	switch f.kind {
	case faultReset:
		if tcp, ok := conn.(interface{ SetLinger(seconds int) error }); ok {
			_ = tcp.SetLinger(0) // Close sends RST instead of FIN
		}
	case faultCut:
		_, _ = conn.Write(append(a.head(len(a.body)), half...))
	case faultLength:
		_, _ = conn.Write(append(a.head(len(half)), a.body...))
	}
}

// drip sends the header at once and the body in pieces, until the client disconnects.
func (f Fault) drip(w http.ResponseWriter, ctx context.Context, a heldAnswer) { //nolint:revive // w comes first, as in handlers
	control := http.NewResponseController(w)
	w.WriteHeader(a.status)
	_ = control.Flush()
	size := max(1, (len(a.body)+dripPieces-1)/dripPieces)
	for piece := range slices.Chunk(a.body, size) {
		if wait(ctx, f.over/dripPieces) != nil {
			return
		}
		_, _ = w.Write(piece)
		_ = control.Flush()
	}
}

// head is the header of an HTTP/1.1 answer with this Content-Length, true or not.
func (a heldAnswer) head(length int) []byte {
	var b bytes.Buffer
	h := maps.Clone(a.header)
	h.Set("Content-Length", strconv.Itoa(length))
	h.Set("Connection", "close")
	h.Set("Date", time.Now().UTC().Format(http.TimeFormat))
	_, _ = fmt.Fprintf(&b, "HTTP/1.1 %d %s\r\n", a.status, http.StatusText(a.status))
	_ = h.Write(&b) // a buffer never fails
	b.WriteString("\r\n")
	return b.Bytes()
}
