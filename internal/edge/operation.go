package edge

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"uncial/gen"
	"uncial/internal/contract"
	"uncial/internal/fair"
	"uncial/internal/request"
)

const (
	// answerTime is the time limit for sending an answer, however long the work took.
	answerTime = time.Minute
	// staleAfter is the maximum age of a window's state when it is reported: the RateLimit header has whole seconds.
	staleAfter = time.Second
)

// operation is one operation of openapi.yaml behind the checks that come before its generated handler.
type operation struct {
	*handler
	check     *request.Operation
	isCounted bool // against the rate limit
	generated http.HandlerFunc
}

// addOperations registers the operations with the generated router, which calls HandleFunc for each.
func (h *handler) addOperations() {
	writeError := func(w http.ResponseWriter, _ *http.Request, err error) { WriteError(w, err) }
	strict := gen.NewStrictHandlerWithOptions(h.Server, []gen.StrictMiddlewareFunc{h.prepareAnswer}, gen.StrictHTTPServerOptions{
		RequestErrorHandlerFunc: writeError, ResponseErrorHandlerFunc: writeError,
	})
	gen.HandlerWithOptions(strict, gen.StdHTTPServerOptions{BaseURL: basePath, BaseRouter: h, ErrorHandlerFunc: writeError})
}

// HandleFunc implements gen.ServeMux: it registers an operation. It wraps the whole generated handler, which reads
// parameters and body before its own middleware runs: authentication must come first. It panics if the generated code is
// older than openapi.yaml.
func (h *handler) HandleFunc(pattern string, generated func(http.ResponseWriter, *http.Request)) {
	method, path, _ := strings.Cut(pattern, " ")
	item := h.doc.Paths.Value(strings.TrimPrefix(path, basePath))
	if item == nil || item.GetOperation(method) == nil {
		panic(fmt.Sprintf("edge: openapi.yaml has no operation %s; run make generate", pattern))
	}
	spec := item.GetOperation(method)
	h.router.add(method, path, &operation{
		handler: h, check: request.NewOperation(spec), generated: generated,
		isCounted: spec.Responses.Value("429") != nil,
	})
}

// ServeHTTP implements http.Handler. w is the exchange.
func (op *operation) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	x := exchangeOf(w)
	b := pace(x.ResponseWriter, r)
	if err := op.serve(x, r, b); err != nil {
		x.refuse(r, b, err)
	}
}

// serve checks the caller (401), the rate limit (429), the shape of the request (400) and the memory for its images (500), in
// this order, and only then calls the server.
func (op *operation) serve(x *exchange, r *http.Request, b *body) error {
	if err := op.authenticate(x, r); err != nil {
		return err
	}
	if err := op.readWindow(r.Context(), x); err != nil {
		return err
	}
	reservation, closeReservation := op.memory.open(x.principal.account())
	defer closeReservation()
	ctx := fair.WithReservation(newContext(r.Context(), x.caller()), reservation)
	paced := r.WithContext(ctx) // the only copy; it belongs to Check
	paced.Body = b
	valid, err := op.check.Check(x.ResponseWriter, paced)
	switch invalid := (*request.Invalid)(nil); {
	case errors.As(err, &invalid):
		return contract.Invalid(invalid.Details)
	case err != nil:
		return contract.Overloaded(contract.BusyRetryAfter, err)
	}
	op.generated(x, valid)
	if x.status == 0 { // the server returned nil for an answer
		return errors.New("the operation returned no answer")
	}
	return nil
}

// readWindow counts the request if the operation is counted, and reads the window for the response headers.
func (op *operation) readWindow(ctx context.Context, x *exchange) error {
	if !op.isCounted {
		w, err := op.Gate.Window(ctx, x.principal)
		if err == nil {
			x.window = &w
		}
		return err
	}
	w, allowed, err := op.Gate.Count(ctx, x.principal)
	if err != nil {
		return err
	}
	x.window = &w
	if allowed {
		return nil
	}
	remaining, err := op.Gate.RemainingPoints(ctx, x.principal)
	if err != nil {
		return err
	}
	return contract.Limited(w, remaining)
}

// prepareAnswer runs after the server and before its answer is written: it reads the window again if the work took long
// enough to make the first reading stale, and gives the answer its own deadline.
func (h *handler) prepareAnswer(next gen.StrictHandlerFunc, _ string) gen.StrictHandlerFunc {
	return func(ctx context.Context, w http.ResponseWriter, r *http.Request, req any) (any, error) {
		started := time.Now()
		res, err := next(ctx, w, r, req)
		if x := exchangeOf(w); time.Since(started) >= staleAfter {
			if window, err := h.Gate.Window(ctx, x.principal); err == nil { // otherwise the old state is reported
				x.window = &window
			}
		}
		// Not every ResponseWriter has a connection with a deadline.
		_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(answerTime))
		return res, err
	}
}
