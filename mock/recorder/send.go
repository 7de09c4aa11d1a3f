package recorder

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"uncial/gen"
	"uncial/internal/reach"
)

const (
	// maxTries bounds how often a request is sent.
	maxTries = 5
	// tryTime is the time limit of one try.
	tryTime = 5 * time.Minute
	// firstPause is Recorder.Pause unless it is set.
	firstPause = 500 * time.Millisecond
	// maxWait is the longest Retry-After that is obeyed. It is longer than the window of a rate limit.
	maxWait = 90 * time.Second
	// maxAnswer is the longest answer that is recorded, in bytes, as in package folder.
	maxAnswer = 64 << 20
)

// refusal is an answer other than 200.
type refusal struct {
	status  int
	message string
	wait    time.Duration // from Retry-After; negative if it is missing
}

func (r *refusal) Error() string {
	return fmt.Sprintf("the service returned %d: %s", r.status, r.message)
}

// isTemporary reports whether the same request may succeed later.
func (r *refusal) isTemporary() bool {
	return r.status == http.StatusTooManyRequests || r.status >= http.StatusInternalServerError
}

// endpoint returns the URL of extractions at the service, whose address may be given with /api/v1 or without.
func (r *Recorder) endpoint() (string, error) {
	u, err := url.Parse(strings.TrimRight(r.From, "/"))
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.RawQuery != "" || u.Fragment != "" || u.User != nil {
		return "", fmt.Errorf("--from: invalid service URL %q; expected one such as https://ocr.example.org", r.From)
	}
	if !strings.HasSuffix(u.Path, "/api/v1") {
		u = u.JoinPath("api/v1")
	}
	return u.JoinPath("extract").String(), nil
}

// send sends one request until it is answered with 200, is refused permanently, or has been tried maxTries times. All tries,
// and those of a second run on the same day, carry the same Idempotency-Key, so that a lost answer is not paid for twice.
func (r *Recorder) send(ctx context.Context, s source, w wanted) ([]byte, error) {
	body, err := json.Marshal(gen.ExtractionRequest{ImageURL: s.imageURL, Language: &r.Language, Format: &w.format, Enhance: &w.enhance})
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(body)
	key := "record-" + hex.EncodeToString(sum[:16])
	if r.Again {
		key = "record-" + rand.Text()
	}
	pause := cmp.Or(r.Pause, firstPause)
	for try := 1; ; try++ {
		answer, err := r.once(ctx, key, body)
		refused, isRefusal := errors.AsType[*refusal](err)
		if err == nil || ctx.Err() != nil || try == maxTries || isRefusal && (!refused.isTemporary() || refused.wait > maxWait) {
			return answer, err
		}
		wait := pause
		if isRefusal && refused.wait >= 0 {
			wait = refused.wait
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(wait):
		}
		pause *= 2
	}
}

// client follows no redirects: they would turn the POST into a GET, and send the key to another server.
var client = &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}

// once sends the request without retrying.
func (r *Recorder) once(ctx context.Context, key string, body []byte) ([]byte, error) {
	endpoint, err := r.endpoint()
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, tryTime)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, endpoint, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header = http.Header{"Authorization": {"Bearer " + r.Key}, "Content-Type": {"application/json"}, "Idempotency-Key": {key}}
	response, err := client.Do(request)
	if err != nil {
		return nil, reach.Explain(request.URL, err)
	}
	defer func() { _ = response.Body.Close() }()
	answer, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("the answer was cut off: %w", err)
	case len(answer) > maxAnswer:
		return nil, fmt.Errorf("the answer is longer than %d MiB", maxAnswer>>20)
	case response.StatusCode == http.StatusOK && json.Valid(answer):
		return answer, nil
	case response.StatusCode == http.StatusOK && strings.HasPrefix(response.Header.Get("Content-Type"), "application/json"):
		return nil, errors.New("the answer was damaged in transit")
	}
	return nil, newRefusal(response, answer)
}

// newRefusal reads an answer other than an extraction, which another server may have sent.
func newRefusal(response *http.Response, body []byte) *refusal {
	refused := &refusal{response.StatusCode, http.StatusText(response.StatusCode) + "; check --from", -1}
	var envelope struct{ Message string }
	if json.Unmarshal(body, &envelope) == nil && envelope.Message != "" {
		refused.message = envelope.Message
	}
	if wait, ok := reach.RetryAfter(response.Header.Get("Retry-After"), time.Now()); ok {
		refused.wait = wait
	}
	return refused
}
