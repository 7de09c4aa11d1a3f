// Package dataurl decodes the images that stand inside requests.
package dataurl

import (
	"encoding/base64"
	"errors"
	"net/url"
	"strings"
)

// ErrTooLarge is data of more bytes than are accepted.
var ErrTooLarge = errors.New("the data: URL has too much data")

// Is says whether a URL carries its data in itself (RFC 2397).
func Is(raw string) bool {
	return len(raw) >= len("data:") && strings.EqualFold(raw[:len("data:")], "data:")
}

// Decode returns the bytes in a data: URL, at most so many of them. They must be in base64 with either alphabet of
// RFC 4648, with or without padding; line breaks are passed over, and characters may be percent-encoded, as careful writers
// of URLs do with "+", "/" and "=". Anything else is refused. The media type is ignored: what counts is the content.
// Errors are ErrTooLarge, or are fit for a caller's eyes.
func Decode(raw string, most int) ([]byte, error) {
	header, payload, found := strings.Cut(raw, ",")
	if !found || len(header) < len(";base64") || !strings.EqualFold(header[len(header)-len(";base64"):], ";base64") {
		return nil, errors.New("a data: URL must have the form data:image/png;base64,DATA")
	}
	if strings.Contains(payload, "%") {
		if len(payload) > 3*base64.StdEncoding.EncodedLen(most+3) {
			return nil, ErrTooLarge
		}
		var err error
		if payload, err = url.PathUnescape(payload); err != nil {
			return nil, errors.New("the data: URL has a percent sign that is not followed by two hexadecimal digits")
		}
	}
	payload = strings.TrimRight(payload, "\r\n")
	encoding := base64.StdEncoding
	if strings.Contains(payload, "-") || strings.Contains(payload, "_") {
		encoding = base64.URLEncoding
	}
	if !strings.HasSuffix(payload, "=") {
		encoding = encoding.WithPadding(base64.NoPadding)
	}
	if encoding.DecodedLen(len(payload)) > most+2 { // the padding counts for two at most
		return nil, ErrTooLarge
	}
	data, err := encoding.Strict().DecodeString(payload)
	switch {
	case err != nil:
		return nil, errors.New("the data: URL is not valid base64; is it cut off?")
	case len(data) == 0:
		return nil, errors.New("the data: URL is empty")
	case len(data) > most:
		return nil, ErrTooLarge
	}
	return data, nil
}
