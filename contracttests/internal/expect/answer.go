// Package expect predicts answers. Given a request and the model of its account, For says which status, details and
// stored reply the contract requires; Readings compares the results of extractions with the request, with themselves
// and with each other. Rules about a single answer without its context, such as the schema, are in package answer.
//
// Start with For, then Readings.CheckResult.
package expect

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"uncial/contracttests/internal/answer"
	"uncial/contracttests/internal/model"
)

// Answer is what the answer to a request must be. Why completes the sentence "the answer must be 402, not 200: ..." of a
// report.
type Answer struct {
	Status int
	Why    string
	Fields []string // that details must name; alternatives are separated by "|"
	Replay []byte   // the stored body that must be returned, or nil
	also   int      // a second status that is acceptable, or 0
	retry  bool     // the answer must say when to try again
}

// For derives the answer from the request and from what is known about its account, in the order of the contract: path and
// method, key, rate limit, shape, capacity, points, image. It must be called before the request is sent, because the answer
// changes the account. Two statuses are acceptable only if the window resets about now.
func For(contract *answer.Contract, r *model.Request) Answer {
	if r.Refusal != 0 {
		return Answer{Status: r.Refusal, Why: "the server must refuse it before it looks at path and key", Fields: r.Wrong}
	}
	if _, ok := contract.Operation(r.Method, r.Path); !ok {
		if methods := contract.Methods(r.Path); len(methods) > 0 {
			return Answer{Status: http.StatusMethodNotAllowed, Why: r.Path + " supports only " + strings.Join(methods, ", ")}
		}
		return Answer{Status: http.StatusNotFound, Why: "there is nothing at " + r.Path}
	}
	a := r.Account
	switch {
	case a == nil:
		return Answer{Status: http.StatusUnauthorized, Why: "it has no valid key"}
	case a.Scenario == model.KeyError:
		return Answer{Status: http.StatusInternalServerError, Why: "the server fails for this key"}
	case r.IsStatus() && len(r.Wrong) > 0:
		return Answer{Status: http.StatusBadRequest, Why: "GET /status takes no parameters and no body", Fields: r.Wrong}
	case r.IsStatus():
		return Answer{Status: http.StatusOK, Why: "the key is valid"}
	}
	e := forExtraction(r)
	now, w := a.Instant(), a.Window
	switch {
	case w.Left > 0 || !now.Before(w.Reset.Add(a.Slack())):
	case now.Before(w.Reset.Add(-a.Slack())):
		return Answer{Status: http.StatusTooManyRequests, Why: fmt.Sprintf("all %d requests of the window are used up", w.Limit)}
	default: // too close to the reset to tell
		e.also = http.StatusTooManyRequests
	}
	return e
}

// forExtraction returns the answer to an extraction within the rate limit. Stored replies come before the points: a repeat is
// free.
func forExtraction(r *model.Request) Answer {
	replay, conflict := r.Account.ReplayOf(r)
	left := r.Account.Points.Left
	switch {
	case len(r.Wrong) > 0:
		return Answer{Status: http.StatusBadRequest, Why: "the request is invalid in " + strings.Join(r.Wrong, ", "), Fields: r.Wrong}
	case conflict:
		return Conflict
	case replay != nil:
		return Answer{Status: http.StatusOK, Why: "it repeats a request with its Idempotency-Key", Replay: replay}
	case r.Job != nil && r.Job.Image == model.ImageOverload:
		return Answer{Status: http.StatusInternalServerError, Why: "the server has no capacity for this image", retry: true}
	case left < model.Cost:
		return Answer{Status: http.StatusPaymentRequired, Why: fmt.Sprintf("an extraction costs %d points; %d are left", model.Cost, left)}
	}
	switch r.Job.Image {
	case model.ImageUnfetchable, model.ImageBusy, model.ImageNotAnImage:
		return Answer{Status: http.StatusBadRequest, Why: "the image cannot be fetched or read", Fields: []string{"imageUrl"}}
	case model.ImageError:
		return Answer{Status: http.StatusInternalServerError, Why: "the server fails for this image"}
	}
	return Answer{Status: http.StatusOK, Why: fmt.Sprintf("the request is valid and %d points are left", left)}
}

// Conflict is the answer to a request whose Idempotency-Key belongs to a different one.
var Conflict = Answer{Status: http.StatusBadRequest, Why: "its Idempotency-Key was used for a different request", Fields: []string{"Idempotency-Key"}}

// Check returns how the answer's status, details and body differ from the expectation.
func (e Answer) Check(x *model.Exchange) []string {
	if x.Status != e.Status && (e.also == 0 || x.Status != e.also) {
		return []string{fmt.Sprintf("the answer must be %d, not %d: %s", e.Status, x.Status, e.Why)}
	}
	if e.Replay != nil && x.Status == e.Status && !bytes.Equal(x.Body, e.Replay) {
		return []string{fmt.Sprintf("a repeat must get the stored answer byte for byte: %s, not %s", model.Shorten(string(e.Replay), 200), model.Shorten(string(x.Body), 200))}
	}
	isStored := e.Replay != nil && x.Status == http.StatusOK
	switch {
	case isStored && !x.IsReplayed():
		return []string{"Idempotency-Replayed must be true: this is the stored answer to an earlier request"}
	case !isStored && x.IsReplayed():
		return []string{"Idempotency-Replayed must be absent: this is not the stored answer to an earlier request"}
	}
	if x.Status != e.Status {
		return nil
	}
	if seconds, err := strconv.Atoi(x.Header.Get("Retry-After")); e.retry && (err != nil || seconds < 1) {
		return []string{fmt.Sprintf("a server without capacity must send Retry-After with a number of seconds, not %q", x.Header.Get("Retry-After"))}
	}
	if len(e.Fields) == 0 {
		return nil
	}
	return e.checkDetails(x)
}

// SameJSON reports whether two bodies hold the same values, however they are written.
func SameJSON(a, b []byte) bool {
	var x, y any
	return bytes.Equal(a, b) || json.Unmarshal(a, &x) == nil && json.Unmarshal(b, &y) == nil && reflect.DeepEqual(x, y)
}

// checkDetails requires details to name every invalid field and no other. It compares names only; answer.checkProse looks at
// the sentences.
func (e Answer) checkDetails(x *model.Exchange) (problems []string) {
	named := slices.Sorted(maps.Keys(x.Object("details")))
	extra := slices.Clone(named)
	for _, want := range slices.Compact(slices.Sorted(slices.Values(e.Fields))) { // one field may break two rules
		i := slices.IndexFunc(extra, func(name string) bool { return names(name, want) })
		if i < 0 {
			problems = append(problems, fmt.Sprintf("details must name %s; they name %s", strings.ReplaceAll(want, "|", " or "), strings.Join(named, ", ")))
			continue
		}
		extra = slices.Delete(extra, i, i+1)
	}
	if problems == nil && len(extra) > 0 {
		problems = append(problems, fmt.Sprintf("details name %s, which is valid", strings.Join(extra, ", ")))
	}
	return problems
}

// pointerEscapes escapes a name as a part of a JSON pointer (RFC 6901, section 3).
var pointerEscapes = strings.NewReplacer("~", "~0", "/", "~1")

// shortest is the minimum length of the beginning of a long name that servers must repeat before "...", in bytes.
const shortest = 32

// names reports whether a key of details names one of the alternatives in want: a field by its name or its JSON
// pointer (RFC 6901), or a header in any letter case. Long names may be cut.
func names(key, want string) bool {
	head, isCut := strings.CutSuffix(strings.TrimSuffix(key, "…"), "...")
	isCut = isCut || strings.HasSuffix(key, "…")
	return slices.ContainsFunc(strings.Split(want, "|"), func(w string) bool {
		return isCut && len(head) >= shortest && strings.HasPrefix(strings.TrimPrefix(w, "/"), strings.TrimPrefix(head, "/")) || key == w || key == "/"+pointerEscapes.Replace(w) || strings.Contains(w, "-") && strings.EqualFold(key, w)
	})
}

// CheckRetryAfter requires Retry-After and RateLimit of a 429 to name the same reset.
func CheckRetryAfter(x *model.Exchange) []string {
	_, in, _, ok := model.HeaderWindow(x)
	if x.Status != http.StatusTooManyRequests || !ok {
		return nil
	}
	var wait int64
	if _, err := fmt.Sscan(x.Header.Get("Retry-After"), &wait); err == nil && max(wait-in, in-wait) > 1 {
		return []string{fmt.Sprintf("Retry-After says %d seconds, but the window resets in %d", wait, in)}
	}
	return nil
}
