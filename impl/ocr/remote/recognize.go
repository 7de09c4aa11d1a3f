package remote

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"sync/atomic"

	"uncial/impl/ocr"
	"uncial/impl/ocr/pipe"
	"uncial/impl/tracing"
	"uncial/internal/document"
	"uncial/internal/fair"
)

// Recognize reads an image on the engine with the lowest load. If that engine dies or is full, it tries one other. An
// image that cannot be read or takes too long is not retried, because it would fail on any engine. Errors: those of
// ocr.Recognizer, *diedError. A *diedError does not invite a retry, because the image may have killed the engines; if none of
// them got any of the image, the error is ocr.ErrUnavailable instead.
func (c *Client) Recognize(ctx context.Context, req ocr.Request) (*document.Document, error) {
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case len(req.Image) == 0:
		return nil, &ocr.ImageError{Reason: "the image is empty; send a JPEG, PNG, TIFF, BMP or WebP file"}
	}
	// The deadline is also sent to the engine, so that it does not read on for a caller who has left.
	bounded, cancel := c.withTimeout(ctx)
	defer cancel()
	var previous *engine
	var got bool // an engine that died had got some of the image
	for attempt := 1; ; attempt++ {
		e := c.engines.acquire(previous)
		if e == nil {
			return nil, errNoEngine
		}
		c.requests.Add(1)
		doc, err := c.send(bounded, e, req)
		c.engines.release(e)
		died := (*diedError)(nil)
		// If the caller has left or its time is up, return that error: it may have caused the engine's error.
		switch {
		case err == nil:
			return doc, nil
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case bounded.Err() != nil:
			return nil, context.Cause(bounded)
		case errors.As(err, &died):
			c.died.Add(1)
			got = got || died.got
			c.engines.avoid(e, c.opts.Shun)
			c.opts.Logger.Warn("engine died", "address", e.addr, "error", err)
		case !errors.Is(err, ocr.ErrBusy) || !c.engines.hasRoom(e):
			return nil, err
		}
		switch {
		case attempt < maxAttempts:
		case died != nil && !got:
			return nil, fmt.Errorf("%w: %w", ocr.ErrUnavailable, err)
		default:
			return nil, err
		}
		c.repeated.Add(1)
		previous = e
	}
}

// withTimeout gives ctx a deadline if it has none, so that an engine that hangs cannot block a caller forever.
func (c *Client) withTimeout(ctx context.Context) (context.Context, context.CancelFunc) {
	if _, set := ctx.Deadline(); set {
		return ctx, func() {}
	}
	return context.WithTimeoutCause(ctx, c.opts.Timeout, ocr.ErrTimeout)
}

// diedError means that an engine did not answer completely. The image may be retried once, on another engine.
type diedError struct {
	cause error
	got   bool // the engine got some of the image
}

// Error includes the cause, which may name an address: it is for the log.
func (e *diedError) Error() string { return "the engine gave no answer: " + e.cause.Error() }
func (e *diedError) Unwrap() error { return e.cause }

// send sends the image to one engine and returns its document, or its error as one of package ocr. It checks the document as
// strictly as that of a worker, because an engine decodes untrusted images too.
func (c *Client) send(ctx context.Context, e *engine, req ocr.Request) (*document.Document, error) {
	query := url.Values{"language": {req.Language}}
	if req.Enhance {
		query.Set("enhance", "true")
	}
	if req.Picture {
		query.Set("picture", "true")
	}
	if req.Preview {
		query.Set("preview", "true")
	}
	r, err := c.newRequest(ctx, e, http.MethodPost, "/recognize?"+query.Encode(), bytes.NewReader(req.Image))
	if err != nil {
		return nil, err
	}
	setDeadline(r.Header, ctx)
	setAccount(r.Header, ctx)
	tracing.Inject(ctx, r.Header)
	r.Header.Set("Content-Type", "application/octet-stream")
	r.Header.Set("Expect", "100-continue") // so that a busy engine can refuse before the image is sent
	var sent atomic.Bool
	r.GetBody = func() (io.ReadCloser, error) { return &upload{bytes.NewReader(req.Image), &sent}, nil }
	r.Body, _ = r.GetBody()
	to := pipe.Request{Language: req.Language, Enhance: req.Enhance, Preview: req.Preview, Picture: req.Picture}
	status, header, text, err := c.do(r, pipe.AnswerLimit(to)+1)
	if errors.Is(err, fair.ErrFull) {
		return nil, err
	}
	if err != nil {
		return nil, &diedError{cause: err, got: sent.Load()}
	}
	// The reported load no longer includes this request, although the caller releases it only later.
	if load, ok := getLoad(header); ok {
		c.engines.report(e, load, 1)
	}
	if status == http.StatusOK {
		doc, err := pipe.DecodeDocument(text, to)
		fair.ReservationFrom(ctx).Shrink(cap(text) - pipe.ImageBytes(doc)) // the images stay in memory
		return doc, err
	}
	var f failure
	if err := json.Unmarshal(text, &f); err != nil {
		return nil, fmt.Errorf("the engine returned status %d", status)
	}
	return nil, f.toError()
}

// upload is an image as the body of a request. It notes when some of the image is sent.
type upload struct {
	image *bytes.Reader
	sent  *atomic.Bool
}

// Read implements io.Reader.
func (u *upload) Read(p []byte) (int, error) {
	u.sent.Store(true)
	return u.image.Read(p)
}

// Close implements io.Closer.
func (u *upload) Close() error { return nil }
