package client

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"uncial/impl/client/durable"
	"uncial/impl/client/journal"
	"uncial/impl/client/source"
	"uncial/impl/volume"
)

// loadError is a page that could not be made ready: nothing was sent.
type loadError struct{ error }

func (e *loadError) Unwrap() error { return e.error }

// conclude records the outcome of a page, and prints the reason if it was not read. An error that would affect every other page
// too ends the run.
func (r *run) conclude(ctx context.Context, one *page, err error) {
	var ended *failure
	switch {
	case err == nil:
		r.console.advance()
		return
	case ctx.Err() != nil: // stopped by the user: the next run continues
		return
	case errors.As(err, &ended):
		r.halt(ended)
		return
	case fatalStatus(err) != 0:
		r.recordFailure(one, err)
		one.State, one.Reason = volume.Waiting, ""
		r.halt(&failure{fatalStatus(err), fmt.Sprintf("%s: %v%s", r.cmd.URL, err, advice(err))})
		return
	}
	if one.isDoubtful && !provesNoCharge(err) && !mayBeCharged(err) {
		err = fmt.Errorf("%w; an earlier request may have been charged", err)
	}
	one.State, one.Reason = stateAfter(err), err.Error()
	r.recordFailure(one, err)
	r.console.advance()
	if len(r.pages) == 1 && len(r.failures) == 0 { // the error becomes that of the command, so that it is printed only once
		r.halt(&failure{1, fmt.Sprintf("%s: %v", one.Source, err)})
		return
	}
	r.console.note("%s: %v", one.Source, err)
}

// stateAfter is the state of a page after an error.
func stateAfter(err error) volume.State {
	var refused *refusedAnswer
	if source.IsAbsent(err) || errors.As(err, &refused) && refused.IsGone {
		return volume.Absent
	}
	return volume.Failed
}

// recordFailure writes a failure to the journal, unless the page may have been charged: the next run then sends it again with
// the same key, and gets the answer that is stored.
func (r *run) recordFailure(one *page, err error) {
	if r.store.Journal == nil || one.id == "" || mayBeCharged(err) || one.isDoubtful && !provesNoCharge(err) {
		return
	}
	event := journal.Event{Kind: journal.Failed, Page: one.id, Reason: err.Error()}
	if stateAfter(err) == volume.Absent {
		event.Kind = journal.Absent
	}
	if err := r.store.Append(event); err != nil {
		r.halt(&failure{1, durable.Explain("the journal", err).Error()})
	}
}

// mayBeCharged reports whether the service may have charged a request that failed with err: the connection was lost, the time
// ran out, or a proxy answered in its place, perhaps after it had passed the request on. The service itself charges only what
// it answers with 200.
func mayBeCharged(err error) bool {
	var connection *connectionError
	var refused *refusedAnswer
	switch {
	case errors.Is(err, errNoResponse):
		return true
	case errors.As(err, &connection):
		return !connection.isUnreachable()
	case errors.As(err, &refused):
		switch refused.Status {
		case http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout, http.StatusOK:
			return !refused.IsByService
		}
		return refused.IsIdempotencyKeyReused
	}
	return false
}

// provesNoCharge reports whether err proves that no earlier request with the same key was charged: the service looks for the
// stored reply before it refuses a request with one of these statuses.
func provesNoCharge(err error) bool {
	var refused *refusedAnswer
	return errors.As(err, &refused) && (refused.Status == http.StatusBadRequest || refused.Status == http.StatusPaymentRequired)
}

// fatalStatus returns the exit status for an error that would affect every other page too, and 0 for all other errors:
// 2 if the key, the language, the URL or the connection is wrong, 1 if the points are used up.
func fatalStatus(err error) int {
	var connection *connectionError
	var refused *refusedAnswer
	switch {
	case errors.As(err, &connection) && connection.isUnreachable():
		return 2
	case errors.As(err, &refused) && refused.Status == http.StatusBadRequest && refused.IsLanguageWrong:
		return 2
	case !errors.As(err, &refused), refused.isTemporary(), refused.Status == http.StatusBadRequest:
		return 0
	case refused.Status == http.StatusPaymentRequired:
		return 1
	}
	return 2 // the key is refused, or the URL belongs to another kind of server
}

// advice says what to do about an error that ends the run: when points return, after a 402, and what to check if there was no
// connection. "" if the error says all.
func advice(err error) string {
	var connection *connectionError
	var refused *refusedAnswer
	switch {
	case errors.Is(err, http.ErrSchemeMismatch):
		return "; write http:// instead of https:// in --url or UNCIAL_URL"
	case errors.As(err, &connection) && connection.isUnreachable():
		return "; check that the service is running, and --url or UNCIAL_URL"
	case errors.As(err, &refused) && !refused.NextReset.IsZero():
		return "; points reset at " + refused.NextReset.UTC().Format(time.RFC3339)
	}
	return ""
}
