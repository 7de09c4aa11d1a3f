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

// get fetches one URL and returns the body, and its URL after redirects. It refuses HTML, because the usual mistake is to
// give the web page that shows an image. Errors: *ocr.ImageError, *statusError, *incompleteError, those of http.Client.
func (f *Fetcher) get(ctx context.Context, target *url.URL) ([]byte, *url.URL, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, target.String(), http.NoBody)
	if err != nil {
		return nil, nil, imageError("invalid URL; expected an http, https or data: URL")
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
		return nil, nil, &statusError{response.StatusCode}
	}
	if encoding := response.Header.Get("Content-Encoding"); encoding != "" && !strings.EqualFold(encoding, "identity") {
		return nil, nil, imageError("the server sent the image with a Content-Encoding that was not requested")
	}
	body, err := f.read(response)
	if err == nil && strings.HasPrefix(http.DetectContentType(body), "text/html") {
		return nil, nil, imageError("the server sent a web page; give the URL of the image itself")
	}
	return body, response.Request.URL, err
}

// read reads a body of at most MaxBytes bytes. It refuses a declared length above that at once, and counts the bytes in
// any case.
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
		return nil, &incompleteError{err}
	case n == 0:
		return nil, imageError("the server sent an empty response; give the URL of an image")
	}
	return body.Bytes(), nil
}

// checkRedirect applies the rules for the URLs of callers to each redirect, and removes Referer, which would show one
// server the URL at another. The guard checks the address when the connection is made. Errors: *ocr.ImageError.
func (f *Fetcher) checkRedirect(next *http.Request, past []*http.Request) error {
	next.Header.Del("Referer")
	if len(past) > f.options.MaxRedirects {
		return imageError("the server redirects more than %d times", f.options.MaxRedirects)
	}
	if next.URL.Scheme != "http" && next.URL.Scheme != "https" {
		return imageError("the server redirects to a scheme other than http or https")
	}
	if err := checkURL(next.URL); err != nil {
		return imageError("the server redirects to a URL that is not accepted: %s", err.Error())
	}
	if past[len(past)-1].URL.Scheme == "https" && next.URL.Scheme == "http" {
		return imageError("the server redirects from https to http")
	}
	return nil
}

// statusError is a response with a status other than 200. explain turns it into an *ocr.ImageError.
type statusError struct{ status int }

func (e *statusError) Error() string {
	return fmt.Sprintf("the server answered %d; give the URL of an image", e.status)
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
