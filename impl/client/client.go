// Package client is the calling side of the service, and the command "uncial extract": it turns files into requests,
// tries again what failed for want of capacity, and writes what was read.
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
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"uncial/gen"
)

const (
	// maxTries bounds how often one image is sent, maxFirstTries how often where nothing ever answered at the address.
	maxTries, maxFirstTries = 5, 2
	// maxAnswer bounds an answer: ten pages of ALTO with a box for each word are some 30 MB.
	maxAnswer = 256 << 20
)

// Client calls the service. It is safe for concurrent use.
type Client struct {
	api     gen.ClientInterface
	timeout time.Duration
	pause   time.Duration // behind the first try where the server asks for none; it doubles with each
	// answered is true once anything was heard from the address, which then is no mistake: the service is restarting.
	answered atomic.Bool
}

// Refusal is an answer other than a 200.
type Refusal struct {
	Status    int
	Message   string
	RequestID string        // empty where the server named none
	Wait      time.Duration // what the server asks to wait; negative where it asks nothing
}

func (r *Refusal) Error() string {
	if r.Status >= 500 && r.RequestID != "" {
		return fmt.Sprintf("the service answered %d: %s (X-Request-Id %s)", r.Status, r.Message, r.RequestID)
	}
	return fmt.Sprintf("the service answered %d: %s", r.Status, r.Message)
}

// ConnectionError is a connection that could not be made or that broke.
type ConnectionError struct{ Err error }

func (e *ConnectionError) Error() string {
	cause := e.Err
	if request := (*url.Error)(nil); errors.As(cause, &request) {
		cause = request.Err // without method and address, which are always the same
	}
	if e.Unreachable() {
		return fmt.Sprintf("no connection to the service: %v", cause)
	}
	return fmt.Sprintf("the connection to the service broke: %v", cause)
}

// Unwrap is the cause.
func (e *ConnectionError) Unwrap() error { return e.Err }

// Unreachable says whether there was no connection to the service at all.
func (e *ConnectionError) Unreachable() bool {
	var op *net.OpError
	return e.misfit() || errors.As(e.Err, &op) && op.Op == "dial"
}

// misfit says whether the two sides do not speak the same TLS, which no further try changes.
func (e *ConnectionError) misfit() bool {
	var certificate *tls.CertificateVerificationError
	var record tls.RecordHeaderError
	return errors.As(e.Err, &certificate) || errors.As(e.Err, &record) || errors.Is(e.Err, http.ErrSchemeMismatch)
}

// New makes a client for the service at base, with or without /api/v1 behind it. One extraction takes at most timeout,
// further tries included. Errors: base or key cannot be used; they say what would be right.
func New(base, key string, timeout time.Duration) (*Client, error) {
	u, err := url.Parse(strings.TrimRight(base, "/"))
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" || u.RawQuery != "" || u.Fragment != "" {
		return nil, fmt.Errorf("%q is no address of a service; one like http://127.0.0.1:8080 is needed", base)
	}
	if key == "" || strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return nil, errors.New("the API key is missing or has blanks in it")
	}
	if !strings.HasSuffix(u.Path, "/api/v1") {
		u = u.JoinPath("api/v1")
	}
	api, err := gen.NewClient(u.String(),
		gen.WithRequestEditorFn(func(_ context.Context, request *http.Request) error {
			request.Header.Set("Authorization", "Bearer "+key)
			return nil
		}),
		gen.WithHTTPClient(&http.Client{
			// A redirected POST would arrive as a GET.
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		}),
	)
	return &Client{api: api, timeout: timeout, pause: 500 * time.Millisecond}, err
}

// Extract sends one request until it is answered with a 200, is at fault itself, or tries and time have run out. All
// tries carry one random idempotency key, so that at most one is charged. notice, which may be nil, is told of each
// failed try that another one follows. Errors: *Refusal, *ConnectionError, ctx's, or that time ran out.
func (c *Client) Extract(ctx context.Context, request gen.ExtractionRequest, notice func(failed error, wait time.Duration)) (*gen.Extraction, error) {
	bounded, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	key := rand.Text()
	pause := c.pause
	for try := 1; ; try++ {
		answer, err := c.once(bounded, key, request)
		switch {
		case err == nil:
			return answer, nil
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case bounded.Err() != nil:
			return nil, fmt.Errorf("no answer within %v", c.timeout)
		case try >= c.triesFor(err):
			return nil, err
		}
		wait := pause + time.Duration(float64(pause)*jitter())
		if refusal := (*Refusal)(nil); errors.As(err, &refusal) && refusal.Wait >= 0 {
			wait = refusal.Wait
		}
		if deadline, _ := bounded.Deadline(); time.Until(deadline) <= wait {
			return nil, fmt.Errorf("%w; another try would have to wait %v", err, wait.Round(time.Second))
		}
		if notice != nil {
			notice(err, wait)
		}
		if err := sleep(ctx, wait); err != nil {
			return nil, err
		}
		pause *= 2
	}
}

// once sends the request once. Errors: *Refusal, *ConnectionError.
func (c *Client) once(ctx context.Context, key string, request gen.ExtractionRequest) (*gen.Extraction, error) {
	response, err := c.api.Extract(ctx, &gen.ExtractParams{IdempotencyKey: &key}, request)
	if err != nil {
		return nil, &ConnectionError{err}
	}
	c.answered.Store(true)
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(http.MaxBytesReader(nil, response.Body, maxAnswer))
	if err != nil {
		return nil, &ConnectionError{err}
	}
	if response.StatusCode != http.StatusOK {
		return nil, refusal(response, body)
	}
	// Not by gen.ParseExtractResponse, which fails for a header that it cannot read and we do not need.
	var answer gen.Extraction
	if json.Unmarshal(body, &answer) != nil || !answer.Success.Valid() {
		return nil, &Refusal{Status: http.StatusOK, Message: "the answer is none of this service; is the address right?", Wait: -1}
	}
	return &answer, nil
}

// refusal reads an answer other than a 200. It may come from something between us and the service.
func refusal(response *http.Response, body []byte) *Refusal {
	var envelope struct{ Message, Error string }
	refused := &Refusal{
		Status:    response.StatusCode,
		RequestID: response.Header.Get("X-Request-Id"),
		Wait:      retryAfter(response.Header.Get("Retry-After"), time.Now()),
		Message:   http.StatusText(response.StatusCode) + "; is the address right?",
	}
	if json.Unmarshal(body, &envelope) == nil && envelope.Message+envelope.Error != "" {
		refused.Message = envelope.Message
		if refused.Message == "" {
			refused.Message = envelope.Error
		}
	} else if to := response.Header.Get("Location"); to != "" {
		refused.Message = fmt.Sprintf("it redirects to %q; is that the address of the service?", to)
	}
	return refused
}

// retryAfter reads the header of that name (RFC 9110, section 10.2.3). It is negative where there is none.
func retryAfter(header string, now time.Time) time.Duration {
	if seconds, err := strconv.ParseUint(header, 10, 31); err == nil {
		return time.Duration(seconds) * time.Second
	}
	if at, err := http.ParseTime(header); err == nil {
		return max(0, at.Sub(now))
	}
	return -1
}

// triesFor is how often a request that failed so is sent in all.
func (c *Client) triesFor(err error) int {
	var refused *Refusal
	var connection *ConnectionError
	switch {
	case errors.As(err, &refused) && !refused.passing(), errors.As(err, &connection) && connection.misfit():
		return 1
	case connection != nil && connection.Unreachable() && !c.answered.Load():
		return maxFirstTries
	}
	return maxTries
}

// passing says whether the same request may succeed later.
func (r *Refusal) passing() bool {
	switch r.Status {
	case http.StatusTooManyRequests, http.StatusInternalServerError, http.StatusBadGateway,
		http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true
	}
	return false
}

// jitter is a random fraction, so that callers that failed together do not come back together.
func jitter() float64 {
	var b [1]byte
	_, _ = rand.Read(b[:])
	return float64(b[0]) / 256
}

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
