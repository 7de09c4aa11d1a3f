// Package edge is the door that every server of the contract stands behind: request ids, panics, routes, keys, the
// rate limit, the shape of requests, the envelope of every answer, and the log.
//
// A server brings a Gate, which knows the callers, and a gen.StrictServerInterface, which does the work. It returns a
// result or an *Error, and finds who is calling in CallerFrom. A server that must see more of a request wraps the
// handler: values in the request's context reach the Gate and the server, and headers that are set on the answer stay.
package edge

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"net/netip"
	"slices"
	"time"

	"uncial/gen"
)

// Options make a door.
type Options struct {
	// Server does the work of the two operations. Required.
	Server gen.StrictServerInterface
	// Gate knows the callers and counts their requests. Required.
	Gate Gate
	// Logger receives one line for each request. Default: slog.Default().
	Logger *slog.Logger
	// CORSOrigins are the web origins whose pages may call the service, such as "https://example.org"; "*" stands for
	// all (see CheckOrigin). Default: none, and no CORS header is ever sent.
	CORSOrigins []string
	// Ready says what keeps the service from working; it decides /readyz. Default: nil, always ready.
	Ready func(ctx context.Context) error
	// Answered is told of each request once it is answered: its path as in the contract, "" for paths that there are not,
	// and the status, 0 where the connection was cut instead. Default: nil, nobody.
	Answered func(path string, status int)
	// Routes are further paths outside /api/v1, by "METHOD /path", where a segment may be a wildcard such as "{key}"
	// that the handler reads with PathValue. They are open to anyone. Default: none.
	Routes map[string]http.Handler
	// MaxInFlight bounds the extractions in progress, bodies being received included, by the memory of their bodies:
	// so many of 28 MiB, or 28 times as many of up to 1 MiB. One account may take a quarter. More are told to try again.
	// Default: 64.
	MaxInFlight int
	// TrustedProxies are the networks of the proxies whose X-Forwarded-For is believed. Default: none, the client is
	// the peer of the connection.
	TrustedProxies []netip.Prefix
	// RequestID makes the id of a request that brings no usable one: 1 to 128 visible ASCII characters.
	// Default: 26 random characters.
	RequestID func(r *http.Request) string
}

const (
	basePath       = "/api/v1"
	defaultFlights = 64
	answerTime     = time.Minute // for an answer to leave
)

// door is the handler that New makes. It is immutable.
type door struct {
	Options
	contract *contract
	routes   routes
	flights  *budget // of the extractions in progress
}

// New makes the handler. The error tells of a missing or malformed option.
func New(o Options) (http.Handler, error) {
	if o.Server == nil || o.Gate == nil {
		return nil, errors.New("a door needs a server and a gate")
	}
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
	if o.MaxInFlight <= 0 {
		o.MaxInFlight = defaultFlights
	}
	if o.RequestID == nil {
		o.RequestID = func(*http.Request) string { return randomID() }
	}
	for _, origin := range o.CORSOrigins {
		if err := CheckOrigin(origin); err != nil {
			return nil, err
		}
	}
	c, err := loadContract()
	if err != nil {
		return nil, fmt.Errorf("load the contract: %w", err)
	}
	d := &door{Options: o, contract: c, flights: newBudget(o.MaxInFlight)}
	if err := d.addRoutes(); err != nil {
		return nil, err
	}
	return d, nil
}

func (d *door) addRoutes() error {
	d.routes.add("POST", basePath+"/extract", d.extract)
	d.routes.add("GET", basePath+"/status", d.status)
	if err := d.addPages(); err != nil {
		return err
	}
	for _, pattern := range slices.SortedFunc(maps.Keys(d.Routes), byPath) {
		if err := d.routes.addExtra(pattern, d.Routes[pattern]); err != nil {
			return err
		}
	}
	return nil
}

// ServeHTTP answers one request. Whatever happens, the answer is in the form of the contract and there is a line in the log.
func (d *door) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	x := newExchange(w, d.requestID(r))
	defer d.finish(x, r)
	if d.cors(x, r) {
		return
	}
	route, params, err := d.routes.find(r)
	if err == nil {
		x.route, r.Pattern = route.pattern, route.pattern
		for name, value := range params {
			r.SetPathValue(name, value)
		}
		err = route.methods[r.Method](x, r)
	}
	if err != nil {
		x.fail(err)
	}
}

// extract is POST /extract: the key, the rate limit, the shape, the server.
func (d *door) extract(x *exchange, r *http.Request) error {
	if err := d.authenticate(x, r); err != nil {
		return err
	}
	if err := d.count(r.Context(), x); err != nil {
		return err
	}
	leave, err := d.enter(x.principal.AccountID, r.ContentLength)
	if err != nil {
		return err
	}
	defer leave()
	body, err := d.contract.extract.check(x.ResponseWriter, r)
	if err != nil {
		return err
	}
	counted := time.Now()
	res, err := d.Server.Extract(NewContext(r.Context(), x.caller()), gen.ExtractRequestObject{
		Params: extractParams(r.Header), Body: extractionRequest(body),
	})
	d.refresh(r.Context(), x, counted)
	// However long the work took, its answer has time to leave. Not every ResponseWriter has a connection.
	_ = http.NewResponseController(x.ResponseWriter).SetWriteDeadline(time.Now().Add(answerTime))
	if err != nil {
		return err
	}
	switch res := res.(type) {
	case gen.Extract200JSONResponse:
		return x.writeJSON(http.StatusOK, res.Body)
	case nil:
		return errors.New("the server answered nothing")
	default:
		return res.VisitExtractResponse(x)
	}
}

// staleAfter is how old the state of a window may be when it is told: RateLimit tells whole seconds.
const staleAfter = time.Second

// refresh reads the window anew where the work took so long that what was counted before it is no longer true. Where
// that fails the answer tells the old one.
func (d *door) refresh(ctx context.Context, x *exchange, counted time.Time) {
	if time.Since(counted) < staleAfter {
		return
	}
	if w, err := d.Gate.Window(ctx, x.principal); err == nil {
		x.window = &w
	}
}

// status is GET /status: the key, the shape, the server.
func (d *door) status(x *exchange, r *http.Request) error {
	if err := d.authenticate(x, r); err != nil {
		return err
	}
	window, err := d.Gate.Window(r.Context(), x.principal)
	if err != nil {
		return err
	}
	x.window = &window
	if _, err := d.contract.status.check(x.ResponseWriter, r); err != nil {
		return err
	}
	res, err := d.Server.Status(NewContext(r.Context(), x.caller()), gen.StatusRequestObject{})
	if err != nil {
		return err
	}
	switch res := res.(type) {
	case gen.Status200JSONResponse:
		return x.writeJSON(http.StatusOK, res.Body)
	case nil:
		return errors.New("the server answered nothing")
	default:
		return res.VisitStatusResponse(x)
	}
}
