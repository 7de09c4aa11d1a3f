package mock

import (
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/netip"
	"net/url"
	"time"

	"uncial/internal/address"
	"uncial/internal/contract"
	"uncial/internal/edge"
	"uncial/internal/strictjson"
)

// control returns the routes by which a test prepares and inspects the mock:
//
//   - POST /__mock/reset returns everything, or with ?key= one key, to the initial state.
//   - PUT /__mock/keys/{key} changes or creates a key; see keyState.
//   - POST /__mock/clock moves the clock forwards, with ?key= only that of one key; see clockMove.
//   - GET /__mock/requests lists the recent requests, with ?key= only those of one key; see record.
//
// They are outside the contract: openapi.yaml does not have them, and the real service answers 404. Errors have the form of
// the contract, so that a client library can show them.
func (m *Mock) control() map[string]http.Handler {
	routes := map[string]http.Handler{}
	for pattern, do := range map[string]func(r *http.Request) (any, error){
		"POST /__mock/reset":     m.reset,
		"PUT /__mock/keys/{key}": m.putKey,
		"POST /__mock/clock":     m.moveClock,
		"GET /__mock/requests":   m.requests,
	} {
		routes[pattern] = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if !m.options.ControlAnywhere && !isLocal(r) {
				edge.WriteError(w, errNotLocal())
				return
			}
			answer, err := do(r)
			if err != nil {
				edge.WriteError(w, err)
				return
			}
			w.Header().Set("Content-Type", "application/json")
			_ = json.NewEncoder(w).Encode(answer) // fails only if the client has gone
		})
	}
	return routes
}

// isLocal reports whether the request comes from this machine. Host and Origin are checked too, because a browser on this
// machine also sends requests on behalf of other sites.
func isLocal(r *http.Request) bool {
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	return err == nil && peer.Addr().Unmap().IsLoopback() && address.IsLoopbackHost(r.Host) && address.IsLoopbackOrigin(r.Header.Get("Origin"))
}

// errNotLocal returns a 404, as for a path that does not exist, whose text tells developers how to open the control endpoints.
func errNotLocal() *contract.Error {
	e := contract.NotFound()
	e.Details = map[string]string{"path": "open to this machine only; start the mock with --control-anywhere to open it to others"}
	e.Message = "path: " + e.Details["path"]
	return e
}

// clockState is the answer of the endpoints that move or reset the clock.
type clockState struct {
	Now    time.Time `json:"now"`
	Frozen bool      `json:"frozen"`
}

// reset returns the mock, or with ?key= one key, to its initial state.
func (m *Mock) reset(r *http.Request) (any, error) {
	name, err := keyParameter(r)
	if err != nil {
		return nil, err
	}
	s := m.state
	s.mu.Lock()
	defer s.mu.Unlock()
	if name == "" {
		s.reset()
		return clockState{s.now(nil), s.frozen}, nil
	}
	if !isKey(name) {
		return nil, errNotKey
	}
	if k := s.keys[name]; k != nil {
		s.deleteKey(k)
	}
	s.journal.deleteRequests(name)
	return clockState{s.now(nil), s.frozen}, nil
}

// requests returns the journal, or with ?key= the records of one key, oldest first. Faults are counted since the last reset,
// including those of requests that the journal has dropped.
func (m *Mock) requests(r *http.Request) (any, error) {
	name, err := keyParameter(r)
	if err != nil {
		return nil, err
	}
	m.state.mu.Lock()
	defer m.state.mu.Unlock()
	counts := maps.Clone(m.state.faults[name])
	if counts == nil {
		counts = map[string]int64{}
	}
	return map[string]any{"requests": m.state.journal.recordsOf(name), "faults": counts}, nil
}

// keyParameter returns the query parameter key, or "" if it is missing. No other parameter is allowed.
func keyParameter(r *http.Request) (string, error) {
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return "", invalid("query", "malformed; the only parameter is key")
	}
	for name, values := range query {
		if name != "key" || len(values) != 1 || values[0] == "" {
			return "", invalid("query", "must be empty or a single key=...")
		}
	}
	return query.Get("key"), nil
}

// invalid returns a 400 about one field.
func invalid(field, problem string) error { return contract.Invalid(map[string]string{field: problem}) }

const maxControlBody = 64 << 10 // bytes; the rest is cut off, which makes the JSON incomplete

// readJSON decodes a body that must be one JSON object with known fields. Errors: a 400 about the body.
func readJSON(r *http.Request, into any) error {
	text, err := io.ReadAll(io.LimitReader(r.Body, maxControlBody))
	if err != nil {
		return invalid("body", "ended before it was complete")
	}
	if err := strictjson.Object(text, into); err != nil {
		return invalid("body", err.Error())
	}
	return nil
}
