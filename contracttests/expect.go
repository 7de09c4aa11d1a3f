package contracttests

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strings"
)

// expectation is what the answer to a request must be.
type expectation struct {
	status int
	why    string
	fields []string // that details name; alternatives are separated by "|"
	also   int      // a second status that is right too, or 0
	replay []byte   // the body that is due, or nil
}

// expect derives the answer from the request and from what is known of the account, in the order of the contract: the
// path and the method, the key, the rate limit, the shape, the points, the image.
func (s *session) expect(r *request) expectation {
	if _, ok := s.contract.Operation(r.method, r.path); !ok {
		return s.elsewhere(r)
	}
	a := r.account
	if a == nil {
		return expectation{status: http.StatusUnauthorized, why: "its key does not open the door"}
	}
	if a.scenario == KeyError {
		return expectation{status: http.StatusInternalServerError, why: "the server fails for this key"}
	}
	if r.isStatus() {
		if len(r.faults) > 0 {
			return expectation{status: http.StatusBadRequest, why: "GET /status takes no parameters and no body", fields: r.faults}
		}
		return expectation{status: http.StatusOK, why: "the key is good"}
	}
	e := s.expectCounted(r)
	now, w := a.instant(), a.window
	switch {
	case w.left > 0 || !now.Before(w.reset.Add(a.slack())):
	case now.Before(w.reset.Add(-a.slack())):
		return expectation{status: http.StatusTooManyRequests, why: fmt.Sprintf("all %d requests of the window are used up", w.limit)}
	default:
		e.also = http.StatusTooManyRequests
	}
	return e
}

// elsewhere is the answer where there is no operation.
func (s *session) elsewhere(r *request) expectation {
	if methods := s.contract.Methods(r.path); len(methods) > 0 {
		return expectation{status: http.StatusMethodNotAllowed, why: r.path + " knows only " + strings.Join(methods, ", ")}
	}
	return expectation{status: http.StatusNotFound, why: "there is nothing at " + r.path}
}

// expectCounted is the answer to an extraction that the rate limit lets through.
func (s *session) expectCounted(r *request) expectation {
	a := r.account
	replay, conflict := a.replayOf(r)
	switch {
	case len(r.faults) > 0:
		return expectation{status: http.StatusBadRequest, why: "the request is malformed in " + strings.Join(r.faults, ", "), fields: r.faults}
	case conflict:
		return expectation{status: http.StatusBadRequest, why: "its Idempotency-Key was used for another request", fields: []string{"Idempotency-Key"}}
	case replay != nil:
		return expectation{status: http.StatusOK, why: "it repeats a request with its Idempotency-Key", replay: replay}
	case a.points.left < cost:
		return expectation{status: http.StatusPaymentRequired, why: fmt.Sprintf("an extraction costs %d points and %d are left", cost, a.points.left)}
	}
	switch r.job.image {
	case ImageUnfetchable, ImageNotAnImage:
		return expectation{status: http.StatusBadRequest, why: "the image cannot be fetched or read", fields: []string{"imageUrl"}}
	case ImageError:
		return expectation{status: http.StatusInternalServerError, why: "the server fails on this image"}
	}
	return expectation{status: http.StatusOK, why: fmt.Sprintf("the request is good and %d points are left", a.points.left)}
}

// check holds status and details against the expectation.
func (e expectation) check(x *Exchange) []string {
	if x.Status != e.status && (e.also == 0 || x.Status != e.also) {
		return []string{fmt.Sprintf("the answer must be %d, not %d: %s", e.status, x.Status, e.why)}
	}
	if e.replay != nil && x.Status == e.status && !sameJSON(x.Body, e.replay) {
		return []string{fmt.Sprintf("a repeat must get the stored answer: %s, not %s", shorten(string(e.replay), 200), shorten(string(x.Body), 200))}
	}
	if x.Status != http.StatusBadRequest || len(e.fields) == 0 {
		return nil
	}
	return e.checkDetails(x)
}

// sameJSON says whether two bodies hold the same values, however they are written.
func sameJSON(a, b []byte) bool {
	var x, y any
	return bytes.Equal(a, b) || json.Unmarshal(a, &x) == nil && json.Unmarshal(b, &y) == nil && reflect.DeepEqual(x, y)
}

// checkDetails wants details to name each field that is wrong, and no other.
func (e expectation) checkDetails(x *Exchange) (faults []string) {
	details, _ := x.JSON["details"].(map[string]any)
	named := slices.Sorted(maps.Keys(details))
	innocent := slices.Clone(named)
	for _, want := range e.fields {
		i := slices.IndexFunc(innocent, func(name string) bool { return names(name, want) })
		if i < 0 {
			faults = append(faults, fmt.Sprintf("details must name %s, not %s", strings.ReplaceAll(want, "|", " or "), strings.Join(named, ", ")))
			continue
		}
		innocent = slices.Delete(innocent, i, i+1)
	}
	if faults == nil && len(innocent) > 0 {
		faults = append(faults, fmt.Sprintf("details name %s, with which nothing is wrong", strings.Join(innocent, ", ")))
	}
	return faults
}

var pointerEscapes = strings.NewReplacer("~", "~0", "/", "~1")

// names says whether a key of details stands for one of the alternatives in want: a field by its name or its JSON
// pointer (RFC 6901), a header in any case.
func names(key, want string) bool {
	return slices.ContainsFunc(strings.Split(want, "|"), func(w string) bool {
		return key == w || key == "/"+pointerEscapes.Replace(w) || strings.Contains(w, "-") && strings.EqualFold(key, w)
	})
}
