package fetch

import (
	"encoding/base64"
	"net/url"
	"strings"
)

// isData says whether a URL carries its data in itself (RFC 2397).
func isData(raw string) bool {
	return len(raw) >= len("data:") && strings.EqualFold(raw[:len("data:")], "data:")
}

// decodeData returns the bytes in a data: URL. They must be in base64 with either alphabet of RFC 4648, with or without
// padding; line breaks are passed over, and characters may be percent-encoded, as careful writers of URLs do with "+",
// "/" and "=". Anything else is refused. The media type is ignored: what counts is the content.
func decodeData(raw string, most int) ([]byte, error) {
	header, payload, found := strings.Cut(raw, ",")
	if !found || len(header) < len(";base64") || !strings.EqualFold(header[len(header)-len(";base64"):], ";base64") {
		return nil, blame("a data: URL must have the form data:image/png;base64,...")
	}
	if strings.Contains(payload, "%") {
		if len(payload) > 3*base64.StdEncoding.EncodedLen(most+3) {
			return nil, tooLarge(most)
		}
		var err error
		if payload, err = url.PathUnescape(payload); err != nil {
			return nil, blame("the data: URL has a percent sign that is not followed by two hexadecimal digits")
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
		return nil, tooLarge(most)
	}
	image, err := encoding.Strict().DecodeString(payload)
	switch {
	case err != nil:
		return nil, blame("the data: URL is not valid base64; is it cut off?")
	case len(image) == 0:
		return nil, blame("the data: URL is empty")
	case len(image) > most:
		return nil, tooLarge(most)
	}
	return image, nil
}
