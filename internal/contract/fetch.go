package contract

import (
	"slices"
	"time"
)

// FetchReason says why an image could not be fetched, for programs. openapi.yaml explains each.
type FetchReason string

// All reasons of the contract. temporary has those for which a retry may succeed.
const (
	FetchInvalidURL     FetchReason = "invalid-url"
	FetchRefusedAddress FetchReason = "refused-address"
	FetchNoAddress      FetchReason = "no-address"
	FetchUnreachable    FetchReason = "unreachable"
	FetchTLS            FetchReason = "tls"
	FetchTimeout        FetchReason = "timeout"
	FetchIncomplete     FetchReason = "incomplete"
	FetchRedirect       FetchReason = "redirect"
	FetchNotFound       FetchReason = "not-found"
	FetchForbidden      FetchReason = "forbidden"
	FetchBusy           FetchReason = "busy"
	FetchServerError    FetchReason = "server-error"
	FetchBadAnswer      FetchReason = "bad-answer"
	FetchNotAnImage     FetchReason = "not-an-image"
	FetchTooLarge       FetchReason = "too-large"
)

// temporary are the reasons for which the same request may succeed later.
var temporary = []FetchReason{FetchUnreachable, FetchTimeout, FetchIncomplete, FetchBusy, FetchServerError}

// IsRetryable reports whether the same request may succeed later.
func (r FetchReason) IsRetryable() bool { return slices.Contains(temporary, r) }

const (
	// defaultFetchRetryAfter is the wait that is advised if the image's server names none: long enough for a restart or a
	// short overload of that server.
	defaultFetchRetryAfter = 5 * time.Second
	// MaxFetchRetryAfter is the longest wait that answers advise and that the fetcher observes for a server.
	MaxFetchRetryAfter = time.Hour
)

// FetchFailure says why an image could not be fetched.
type FetchFailure struct {
	Reason     FetchReason
	RetryAfter time.Duration // 0 if Reason is not retryable
}

// Unfetched is a 400 for an image that could not be fetched. The text says what is wrong and what is expected. retryAfter is
// the wait that the image's server asked for, 0 if it named none; it has no effect if the reason is not retryable.
func Unfetched(reason FetchReason, text string, retryAfter time.Duration) *Error {
	e := BadImage(text)
	e.Fetch = &FetchFailure{Reason: reason}
	if reason.IsRetryable() {
		if retryAfter <= 0 {
			retryAfter = defaultFetchRetryAfter
		}
		e.Fetch.RetryAfter = min(retryAfter, MaxFetchRetryAfter)
	}
	return e
}

// NotPublic is the problem of an image whose address is not public. It is the same whatever the address is and whatever answers
// there.
const NotPublic = "the address is not public; give the URL of an image on a public server"
