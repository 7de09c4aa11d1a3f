package fetch

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
)

// get fetches one address and returns the body and the address that it came from in the end.
func (f *Fetcher) get(ctx context.Context, target *url.URL) ([]byte, *url.URL, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, target.String(), http.NoBody)
	if err != nil {
		return nil, nil, blame("not a URL; an http, https or data: URL is needed")
	}
	request.Header.Set("User-Agent", f.options.UserAgent)
	// Servers that choose a format by what is asked for must not choose one that cannot be read.
	request.Header.Set("Accept", "image/tiff, image/png, image/jpeg, image/webp, image/bmp, application/json;q=0.9, */*;q=0.1")
	request.Header.Set("Accept-Encoding", "identity")
	response, err := f.client.Do(request)
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode != http.StatusOK {
		return nil, nil, &statusError{response.StatusCode}
	}
	if encoding := response.Header.Get("Content-Encoding"); encoding != "" && !strings.EqualFold(encoding, "identity") {
		return nil, nil, blame("the server sends the image compressed (Content-Encoding), which was not asked for")
	}
	body, err := f.read(response)
	if err == nil && strings.HasPrefix(http.DetectContentType(body), "text/html") {
		return nil, nil, blame("the server sent a web page; the URL of the image itself is needed")
	}
	return body, response.Request.URL, err
}

// read reads a body of at most MaxBytes bytes.
func (f *Fetcher) read(response *http.Response) ([]byte, error) {
	most := int64(f.options.MaxBytes)
	if response.ContentLength > most {
		return nil, f.tooLarge
	}
	var body bytes.Buffer
	if response.ContentLength > 0 {
		body.Grow(int(response.ContentLength) + bytes.MinRead)
	}
	n, err := body.ReadFrom(io.LimitReader(response.Body, most+1))
	switch {
	case n > most:
		return nil, f.tooLarge
	case err != nil:
		return nil, &brokenOff{err}
	case n == 0:
		return nil, blame("the server sent an empty answer; the URL of an image is needed")
	}
	return body.Bytes(), nil
}

// checkRedirect judges the next address as if the caller had given it. Where the dial leads, the guard checks.
func (f *Fetcher) checkRedirect(next *http.Request, past []*http.Request) error {
	next.Header.Del("Referer")
	if len(past) > f.options.MaxRedirects {
		return blame("redirects more than %d times", f.options.MaxRedirects)
	}
	if next.URL.Scheme != "http" && next.URL.Scheme != "https" {
		return blame("redirects to another scheme than http or https")
	}
	if err := checkURL(next.URL); err != nil {
		return blame("redirects to another address: %s", err.Error())
	}
	if past[len(past)-1].URL.Scheme == "https" && next.URL.Scheme == "http" {
		return blame("redirects from https to http")
	}
	return nil
}

// statusError is an answer other than a 200.
type statusError struct{ status int }

func (e *statusError) Error() string {
	return fmt.Sprintf("the server answered %d; the URL of an image is needed", e.status)
}

// refusesSize says whether a IIIF server's refusal may be about the size asked for: many bound it without telling.
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
