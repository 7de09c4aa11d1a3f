// Package client calls the service, and implements the command "uncial extract": it turns files into requests, retries
// requests that fail because of overload or network errors, and writes the results. It knows the service only through
// openapi.yaml (package gen), so it works with the mock too.
//
// Start with ExtractCmd.Run (command.go): plan.go finds out which pages there are and which must be read, run.go reads
// them, outcome.go decides what an error means, result.go keeps and renders answers, and finish.go writes what belongs to the
// whole volume; protect.go keeps the files of other programs from being overwritten. client.go sends requests, pace.go decides
// how many at once, console.go talks to the user. The packages below know what pages there are (source), make copies of them
// (picture) and remember what happened (journal).
package client

import (
	"context"
	"crypto/rand"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"uncial/gen"
	"uncial/internal/contract"
	"uncial/internal/reach"
)

const (
	// maxTries is the maximum number of times that one image is sent. With the pauses below, the last try comes 7.5 to 15 s after
	// the first.
	maxTries = 5
	// maxFirstTries replaces maxTries while no response has come from the address, which is then probably wrong.
	maxFirstTries = 2
	// firstPause is the pause after the first failed try; it doubles with each try.
	firstPause = 500 * time.Millisecond
	// maxResponse bounds a response in bytes, to protect the memory of the client: ten pages of ALTO with a box for each
	// word take about 30 MB.
	maxResponse = 256 << 20
)

// apiClient calls the service with one API key. It is safe for concurrent use, and reuses connections.
type apiClient struct {
	api     gen.ClientInterface
	timeout time.Duration // of one extraction with all its tries
	pause   time.Duration // firstPause, shorter in tests
	// answered is true once a response came from the address. The address is then correct, and a connection that cannot
	// be made probably means that the service is restarting.
	answered atomic.Bool
}

// refusedAnswer is a response that is not a successful extraction. Depending on the status it may be retried; see isTemporary.
type refusedAnswer struct {
	Status    int
	Message   string
	RequestID string        // empty if the response has none
	Wait      time.Duration // from Retry-After or fetch.retryAfter; negative if the response has none
	// NextReset is when the points reset; zero unless Status is 402.
	NextReset time.Time
	// IsIdempotencyKeyReused means that an earlier request used the same Idempotency-Key with different content, perhaps another
	// copy of the image. That request may have been charged.
	IsIdempotencyKeyReused bool
	// IsByService means that a 5xx has the body that the contract defines, so it comes from the service and not from a proxy.
	// Nothing was charged.
	IsByService bool
	// IsGone means that the image's server has no such image.
	IsGone bool
	// IsLanguageWrong means that the service does not support the language, so every page would fail.
	IsLanguageWrong bool
	// IsFetchTemporary means that the image could not be fetched, and that the service expects a repeat to help.
	IsFetchTemporary bool
}

// Error names the request ID for failures of the service only: operators find the cause of a 5xx in the log by it.
func (r *refusedAnswer) Error() string {
	if r.Status >= 500 && r.RequestID != "" {
		return fmt.Sprintf("the service returned %d: %s (X-Request-Id %s)", r.Status, r.Message, r.RequestID)
	}
	return fmt.Sprintf("the service returned %d: %s", r.Status, r.Message)
}

// connectionError is a connection that could not be made, or a response that was lost or damaged in transit. Such a request
// may have been charged; retrying it with the same Idempotency-Key returns the stored reply.
type connectionError struct{ Err error }

// errDamaged is JSON that does not end, as after a wrong Content-Length.
var errDamaged = errors.New("incomplete JSON")

// Error says whether the service was reached at all, because the user must check different things in the two cases.
func (e *connectionError) Error() string {
	cause := e.Err
	if request := (*url.Error)(nil); errors.As(cause, &request) {
		cause = request.Err // drop method and URL, which are the same for every image
	}
	var dial *net.OpError
	switch {
	case errors.Is(e.Err, http.ErrSchemeMismatch):
		return "cannot connect to the service: it speaks http, not https"
	case errors.As(e.Err, &dial) && dial.Op == "dial":
		return fmt.Sprintf("cannot connect to the service: %v", withoutCall(dial.Err))
	case e.isUnreachable():
		return fmt.Sprintf("cannot connect to the service: %v", cause)
	case errors.Is(cause, io.ErrUnexpectedEOF), errors.Is(cause, errDamaged):
		return fmt.Sprintf("the response was damaged in transit: %v", cause)
	}
	return fmt.Sprintf("lost the connection to the service: %v", cause)
}

// withoutCall removes the name of the system call from an error, such as "connect: connection refused".
func withoutCall(err error) error {
	if call, ok := errors.AsType[*os.SyscallError](err); ok {
		return call.Err
	}
	return err
}

func (e *connectionError) Unwrap() error { return e.Err }

// isUnreachable reports whether no connection could be made at all.
func (e *connectionError) isUnreachable() bool {
	var op *net.OpError
	return e.isTLSMismatch() || errors.As(e.Err, &op) && op.Op == "dial"
}

// isTLSMismatch reports whether retrying is useless because of TLS: the certificate is not trusted, or the service speaks
// HTTP where the URL says https.
func (e *connectionError) isTLSMismatch() bool {
	var certificate *tls.CertificateVerificationError
	var record tls.RecordHeaderError
	return errors.As(e.Err, &certificate) || errors.As(e.Err, &record) || errors.Is(e.Err, http.ErrSchemeMismatch)
}

// newAPIClient returns a client for the service at base, a URL with or without /api/v1 at its end. timeout bounds one
// extraction with all its tries. Errors: base or key are invalid; the text says what is expected.
func newAPIClient(base, key string, timeout time.Duration) (*apiClient, error) {
	u, err := url.Parse(strings.TrimRight(base, "/"))
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" || u.RawQuery != "" || u.Fragment != "" {
		return nil, fmt.Errorf("invalid service URL %q; expected one such as http://127.0.0.1:8080", base)
	}
	if key == "" || strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return nil, errors.New("invalid API key; expected visible ASCII without spaces, beginning with ocr_live_")
	}
	if !strings.HasSuffix(u.Path, "/api/v1") {
		u = u.JoinPath("api/v1")
	}
	api, err := gen.NewClient(u.String(),
		gen.WithRequestEditorFn(func(_ context.Context, request *http.Request) error {
			// net/http would silently repeat a request with an Idempotency-Key when a connection is lost, in addition to the
			// number of tries.
			request.GetBody = nil
			request.Header.Set("Authorization", "Bearer "+key)
			return nil
		}),
		gen.WithHTTPClient(&http.Client{
			// Following a redirect would turn the POST into a GET.
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		}),
	)
	return &apiClient{api: api, timeout: timeout, pause: firstPause}, err
}

// reply is an answer with the points that it cost: 0 if it is the stored answer to a request of an earlier call.
type reply struct {
	Answer *gen.Extraction
	Points int64
}

// extract sends one request until it succeeds, is refused permanently, or runs out of attempts or time. All tries carry the
// same Idempotency-Key, so that at most one is charged. A 429 does not count as a try: its wait ends with a window of the rate
// limit. notify, which may be nil, is called after each failed try that will be repeated, with the pause before the next one.
// Errors:
// *refusedAnswer, *connectionError, errNoResponse, or ctx's error.
func (c *apiClient) extract(ctx context.Context, key string, request gen.ExtractionRequest, notify func(failed error, wait time.Duration)) (*reply, error) {
	bounded, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	pause, isLost := c.pause, false // isLost: an earlier try may have been charged
	// bounded ends at the time limit and ctx when the user interrupts: the two need different messages.
	for try := 1; ; try++ {
		answer, isReplayed, err := c.once(bounded, key, request)
		isLost = isLost || mayBeCharged(err)
		switch {
		case err == nil && isReplayed && !isLost:
			return &reply{Answer: answer}, nil
		case err == nil:
			return &reply{answer, int64(answer.PointsUsed)}, nil
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case bounded.Err() != nil:
			return nil, fmt.Errorf("%w within %v; the extraction may have been charged", errNoResponse, c.timeout)
		case try >= c.triesFor(err):
			return nil, afterLastTry(err)
		}
		wait := pause + time.Duration(float64(pause)*jitter())
		refusal := (*refusedAnswer)(nil)
		if errors.As(err, &refusal) && refusal.Wait >= 0 {
			wait = refusal.Wait
		}
		if deadline, _ := bounded.Deadline(); time.Until(deadline) <= wait {
			return nil, fmt.Errorf("%w; the time limit leaves no time to wait %v and retry", afterLastTry(err), wait.Round(time.Second))
		}
		if notify != nil {
			notify(err, wait)
		}
		if err := sleep(ctx, wait); err != nil {
			return nil, err
		}
		if refusal != nil && refusal.Status == http.StatusTooManyRequests {
			try--
			continue
		}
		pause *= 2
	}
}

// errNoResponse means that the time ran out before a response came. The extraction may have been charged.
var errNoResponse = errors.New("no response")

// status requests the state of the key, without retries. It returns the errors of extract.
func (c *apiClient) status(ctx context.Context) (*gen.StatusRecord, error) {
	bounded, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	response, err := c.api.Status(bounded)
	if err != nil {
		return nil, &connectionError{err}
	}
	defer func() { _ = response.Body.Close() }()
	body, err := c.read(response)
	if err != nil {
		return nil, err
	}
	var record gen.StatusRecord
	if json.Unmarshal(body, &record) != nil || record.Plan == "" {
		return nil, notUncial()
	}
	return &record, nil
}

// afterLastTry adds to the error of a lost response that the extraction may have been charged.
func afterLastTry(err error) error {
	if lost := (*connectionError)(nil); errors.As(err, &lost) && !lost.isUnreachable() {
		return fmt.Errorf("%w; the extraction may have been charged", err)
	}
	return err
}

// once sends the request once. isReplayed means that the answer is the stored answer to an earlier request. A 200 whose body is
// not an extraction is a *refusedAnswer too, because the URL belongs to some other server. Errors: *refusedAnswer,
// *connectionError.
func (c *apiClient) once(ctx context.Context, key string, request gen.ExtractionRequest) (answer *gen.Extraction, isReplayed bool, err error) {
	response, err := c.api.Extract(ctx, &gen.ExtractParams{IdempotencyKey: &key}, request)
	if err != nil {
		return nil, false, &connectionError{err}
	}
	defer func() { _ = response.Body.Close() }()
	body, err := c.read(response)
	if err != nil {
		return nil, false, err
	}
	// gen.ParseExtractResponse would fail on malformed headers that are not needed here.
	answer = new(gen.Extraction)
	if json.Unmarshal(body, answer) != nil || !answer.Success.Valid() {
		return nil, false, notUncial()
	}
	return answer, response.Header.Get("Idempotency-Replayed") == "true", nil
}

// read returns the body of a response with status 200. Errors: *refusedAnswer, *connectionError.
func (c *apiClient) read(response *http.Response) ([]byte, error) {
	c.answered.Store(true)
	body, err := io.ReadAll(http.MaxBytesReader(nil, response.Body, maxResponse))
	if err != nil {
		return nil, &connectionError{err}
	}
	if strings.HasPrefix(response.Header.Get("Content-Type"), "application/json") && !json.Valid(body) {
		return nil, &connectionError{errDamaged}
	}
	if response.StatusCode != http.StatusOK {
		return nil, refusal(response, body)
	}
	return body, nil
}

// notUncial returns the error for a 200 from a server that is not Uncial.
func notUncial() error {
	return &refusedAnswer{Status: http.StatusOK, Message: "the response does not come from Uncial; check the service URL", Wait: -1}
}

// refusal reads a response with a status other than 200. The body may lack the error object of openapi.yaml, because the
// response may come from a proxy or another server; its message is then the status text, with advice about the URL.
func refusal(response *http.Response, body []byte) *refusedAnswer {
	var envelope struct {
		Message, Error string
		Fetch          gen.FetchFailure
		NextReset      time.Time
		Details        gen.Details
		Code           any // of another server, perhaps a number
	}
	refused := &refusedAnswer{
		Status:    response.StatusCode,
		RequestID: response.Header.Get("X-Request-Id"),
		Wait:      retryAfter(response.Header.Get("Retry-After"), time.Now()),
		Message:   http.StatusText(response.StatusCode) + "; check the service URL",
	}
	if json.Unmarshal(body, &envelope) == nil && envelope.Message+envelope.Error != "" {
		refused.Message = envelope.Message
		if refused.Message == "" {
			refused.Message = envelope.Error
		}
		refused.IsByService = envelope.Code == string(gen.SERVERERROR)
		refused.IsFetchTemporary = envelope.Fetch.Retryable
		refused.IsGone = envelope.Fetch.Reason == string(contract.FetchNotFound)
		refused.NextReset = envelope.NextReset
		_, refused.IsIdempotencyKeyReused = envelope.Details["Idempotency-Key"]
		_, refused.IsLanguageWrong = envelope.Details["language"]
		if wait := envelope.Fetch.RetryAfter; refused.Wait < 0 && refused.IsFetchTemporary && wait != nil {
			refused.Wait = time.Duration(*wait) * time.Second
		}
	} else if to := response.Header.Get("Location"); to != "" {
		refused.Message = fmt.Sprintf("redirect to %q; use that service URL instead", to)
	}
	return refused
}

// retryAfter returns how long the header Retry-After asks to wait. It returns a negative duration if the header is missing or
// invalid.
func retryAfter(header string, now time.Time) time.Duration {
	if wait, ok := reach.RetryAfter(header, now); ok {
		return wait
	}
	return -1
}

// triesFor returns how often a request that failed with err may be sent, the first try included.
func (c *apiClient) triesFor(err error) int {
	var refused *refusedAnswer
	var connection *connectionError
	switch {
	case errors.As(err, &refused) && !refused.isTemporary(), errors.As(err, &connection) && connection.isTLSMismatch():
		return 1
	case connection != nil && connection.isUnreachable() && !c.answered.Load():
		return maxFirstTries
	}
	return maxTries
}

// isTemporary reports whether the same request may succeed later. A 400 is temporary exactly if the service says so. A 402 is
// not temporary: points return only with the next month or a larger plan.
func (r *refusedAnswer) isTemporary() bool {
	switch r.Status {
	case http.StatusTooManyRequests, http.StatusInternalServerError, http.StatusBadGateway,
		http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true
	}
	return r.IsFetchTemporary
}

// jitter returns a random fraction in [0, 1), so that clients that failed at the same time do not retry at the same time.
func jitter() float64 {
	var b [1]byte
	_, _ = rand.Read(b[:])
	return float64(b[0]) / 256
}

// sleep waits for d and returns nil, or returns ctx's error if ctx ends before.
func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
