package fetch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"uncial/impl/ocr"
	"uncial/internal/contract"
	"uncial/internal/fair"
	"uncial/internal/reach"
)

// get fetches one URL and returns the body, and its URL after redirects. It refuses HTML, because the usual mistake is to
// give the web page that shows an image. Errors: *Error, *statusError, *incompleteError, those of http.Client.
func (f *Fetcher) get(ctx context.Context, target *url.URL) ([]byte, *url.URL, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, target.String(), http.NoBody)
	if err != nil {
		return nil, nil, failed(contract.FetchInvalidURL, "invalid URL; expected an http, https or data: URL")
	}
	request.Header.Set("User-Agent", f.options.UserAgent)
	// This list keeps servers that negotiate the format from sending one that cannot be read, such as AVIF. "*/*" stays for
	// servers that would otherwise refuse the request.
	request.Header.Set("Accept", "image/tiff, image/png, image/jpeg, image/webp, image/bmp, application/json;q=0.9, */*;q=0.1")
	request.Header.Set("Accept-Encoding", "identity")
	response, err := f.client.Do(request)
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode != http.StatusOK {
		return nil, nil, &statusError{response.StatusCode, retryAfter(response.Header.Get("Retry-After"), time.Now())}
	}
	if encoding := response.Header.Get("Content-Encoding"); encoding != "" && !strings.EqualFold(encoding, "identity") {
		return nil, nil, failed(contract.FetchBadAnswer, "the server sent the image with a Content-Encoding that was not requested")
	}
	body, err := f.read(response)
	if err == nil && strings.HasPrefix(http.DetectContentType(body), "text/html") {
		return nil, nil, failed(contract.FetchNotAnImage, "the server sent a web page; give the URL of the image itself")
	}
	return body, response.Request.URL, err
}

// read reads a body of at most MaxBytes bytes. It refuses a declared length above that at once, and counts the bytes in
// any case.
func (f *Fetcher) read(response *http.Response) ([]byte, error) {
	maxBytes := int64(f.options.MaxBytes)
	if response.ContentLength > maxBytes {
		return nil, f.tooLarge
	}
	expected := maxBytes + 1
	if response.ContentLength > 0 {
		expected = response.ContentLength + 1 // one byte more, so that EOF is seen without another buffer
	}
	reservation := fair.ReservationFrom(response.Request.Context())
	body, err := reservation.ReadAll(io.LimitReader(response.Body, maxBytes+1), int(expected))
	switch {
	case int64(len(body)) > maxBytes:
		err = f.tooLarge
	case errors.Is(err, fair.ErrFull):
		err = ocr.ErrBusy
	case err != nil:
		err = &incompleteError{err}
	case len(body) == 0:
		err = failed(contract.FetchNotAnImage, "the server sent an empty response; give the URL of an image")
	default:
		return body, nil
	}
	reservation.Shrink(cap(body))
	return nil, err
}

// checkRedirect applies the rules for the URLs of callers to each redirect, and removes Referer, which would show one
// server the URL at another. The guard checks the address when the connection is made. Errors: *Error.
func (f *Fetcher) checkRedirect(next *http.Request, past []*http.Request) error {
	next.Header.Del("Referer")
	if len(past) > maxRedirects {
		return failed(contract.FetchRedirect, "the server redirected more than %d times", maxRedirects)
	}
	if next.URL.Scheme != "http" && next.URL.Scheme != "https" {
		return failed(contract.FetchRedirect, "the server redirected to a scheme other than http or https")
	}
	if err := checkURL(next.URL); err != nil {
		reason := contract.FetchRedirect
		if refused, ok := errors.AsType[*Error](err); ok && refused.Reason == contract.FetchRefusedAddress {
			reason = refused.Reason
		}
		return failed(reason, "the server redirected to a URL that is not accepted: %s", err.Error())
	}
	if past[len(past)-1].URL.Scheme == "https" && next.URL.Scheme == "http" {
		return failed(contract.FetchRedirect, "the server redirected from https to http")
	}
	return nil
}

// statusError is a response with a status other than 200. explain turns it into an *Error.
type statusError struct {
	status int
	wait   time.Duration // that the server asked for; 0 if it did not
}

func (e *statusError) Error() string { return fmt.Sprintf("status %d", e.status) }

// explain returns the meaning of the status for the caller.
func (e *statusError) explain() *Error {
	reason, advice := contract.FetchBadAnswer, "give the URL of an image"
	switch e.status {
	case http.StatusNotFound, http.StatusGone:
		reason = contract.FetchNotFound
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusProxyAuthRequired, http.StatusUnavailableForLegalReasons:
		reason, advice = contract.FetchForbidden, "give the URL of an image that is publicly accessible"
	case http.StatusTooManyRequests, http.StatusServiceUnavailable:
		reason, advice = contract.FetchBusy, "it asks clients to try again later"
	case http.StatusRequestTimeout:
		reason, advice = contract.FetchTimeout, "try again later"
	case http.StatusInternalServerError, http.StatusBadGateway, http.StatusGatewayTimeout:
		reason, advice = contract.FetchServerError, "try again later"
	}
	return &Error{Reason: reason, Text: fmt.Sprintf("the server returned %d; %s", e.status, advice), RetryAfter: e.wait}
}

// retryAfter returns how long the header Retry-After asks to wait, at most contract.MaxFetchRetryAfter. It returns 0 if the
// header is missing or invalid.
func retryAfter(header string, now time.Time) time.Duration {
	wait, _ := reach.RetryAfter(header, now)
	return min(wait, contract.MaxFetchRetryAfter)
}

// refusesSize reports whether a IIIF server may have refused the requested size: many have limits that their info.json
// does not mention, and they answer with any of these statuses.
func refusesSize(err error) bool {
	refused, ok := errors.AsType[*statusError](err)
	if !ok {
		return false
	}
	switch refused.status {
	case http.StatusBadRequest, http.StatusForbidden, http.StatusRequestEntityTooLarge,
		http.StatusInternalServerError, http.StatusNotImplemented:
		return true
	}
	return false
}
