package mock

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/netip"
	"net/url"
	"reflect"
	"strings"
	"time"

	"uncial/internal/edge"
)

// control are the routes by which a test sets the mock up and looks into it.
func (m *Mock) control() map[string]http.Handler {
	routes := map[string]http.Handler{}
	for pattern, do := range map[string]func(r *http.Request) (any, error){
		"POST /__mock/reset":     m.reset,
		"PUT /__mock/keys/{key}": m.putKey,
		"POST /__mock/clock":     m.moveClock,
		"GET /__mock/requests":   m.requests,
	} {
		routes[pattern] = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if !m.options.ControlAnywhere && !local(r) {
				edge.WriteError(w, notHere())
				return
			}
			answer, err := do(r)
			if err != nil {
				edge.WriteError(w, err)
				return
			}
			w.Header().Set("Content-Type", "application/json")
			_ = json.NewEncoder(w).Encode(answer) // the client is gone
		})
	}
	return routes
}

// local is true for requests of this machine: not for those of others, nor for pages of foreign sites in a browser here.
func local(r *http.Request) bool {
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil || !peer.Addr().Unmap().IsLoopback() || !localHost(r.Host) {
		return false
	}
	origin := r.Header.Get("Origin")
	u, err := url.Parse(origin)
	return origin == "" || err == nil && localHost(u.Host)
}

func localHost(host string) bool {
	u := url.URL{Host: host}
	addr, err := netip.ParseAddr(u.Hostname())
	return err == nil && addr.Unmap().IsLoopback() || strings.EqualFold(u.Hostname(), "localhost")
}

func notHere() *edge.Error {
	e := edge.NotFound()
	e.Details = map[string]string{"path": "is open to this machine alone; start the mock with --control-anywhere to open it"}
	e.Message = "path: " + e.Details["path"]
	return e
}

type clockState struct {
	Now    time.Time `json:"now"`
	Frozen bool      `json:"frozen"`
}

// reset brings the mock, or with ?key= one key, back to its first state.
func (m *Mock) reset(r *http.Request) (any, error) {
	name, err := keyParameter(r)
	if err != nil {
		return nil, err
	}
	w := m.world
	w.mu.Lock()
	defer w.mu.Unlock()
	if name == "" {
		w.forget()
		return clockState{w.now(nil), w.frozen}, nil
	}
	if k := w.keys[name]; k != nil {
		w.drop(k)
	}
	w.journal.forget(name)
	return clockState{w.now(nil), w.frozen}, nil
}

// keyParameter is the query parameter key, the only one there is; "" where it is absent.
func keyParameter(r *http.Request) (string, error) {
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return "", edge.Invalid(map[string]string{"query": "is malformed; only key is known"})
	}
	for name, values := range query {
		if name != "key" || len(values) != 1 || values[0] == "" {
			return "", edge.Invalid(map[string]string{"query": "must be key=..., once, or nothing"})
		}
	}
	return query.Get("key"), nil
}

// requests are what was received, of all keys or with ?key= of one, the oldest first.
func (m *Mock) requests(r *http.Request) (any, error) {
	name, err := keyParameter(r)
	if err != nil {
		return nil, err
	}
	m.world.mu.Lock()
	defer m.world.mu.Unlock()
	return map[string]any{"requests": m.world.journal.of(name)}, nil
}

const maxControlBody = 64 << 10 // bytes

// readJSON reads a body of one JSON object with known fields only.
func readJSON(r *http.Request, into any) error {
	decoder := json.NewDecoder(io.LimitReader(r.Body, maxControlBody))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(into); err != nil {
		field, fault := jsonFault(err)
		return edge.Invalid(map[string]string{field: fault})
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return edge.Invalid(map[string]string{"body": "must be one JSON object and nothing after it"})
	}
	return nil
}

// jsonFault says what is wrong, and in which field, without the names of our types.
func jsonFault(err error) (field, fault string) {
	var mistyped *json.UnmarshalTypeError
	switch {
	case errors.As(err, &mistyped) && mistyped.Field != "" && mistyped.Type.Kind() == reflect.String:
		return mistyped.Field, "must be a string"
	case errors.As(err, &mistyped) && mistyped.Field != "":
		return mistyped.Field, "must be a whole number"
	case strings.HasPrefix(err.Error(), "json: unknown field "):
		return "body", "has the unknown field " + strings.TrimPrefix(err.Error(), "json: unknown field ")
	}
	return "body", "must be a JSON object"
}
