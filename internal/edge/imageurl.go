package edge

import (
	"fmt"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
)

const (
	maxWebURL  = 8192       // characters
	maxDataURL = 27_963_000 // characters: 20 MiB in base64, and a media type
	maxMedia   = 255        // characters before ";base64,"
)

// imageURLFault is the rule of the format "uri": a URL with http, https or data (RFC 3986, RFC 2397) that carries what is
// needed to fetch an image and nothing else. It says what is wrong with the URL and what would be right, "" where it is good.
func imageURLFault(s string) string {
	scheme, rest, ok := strings.Cut(s[:min(len(s), 64)], ":")
	switch {
	case s == "":
		return "must not be empty; must be the URL of an image"
	case ok && strings.EqualFold(scheme, "data"):
		return dataURLFault(s[len("data:"):])
	case ok && (strings.EqualFold(scheme, "http") || strings.EqualFold(scheme, "https")):
		if !strings.HasPrefix(rest, "//") {
			return "must have a host: https://host/path"
		}
		return webURLFault(s)
	default:
		return "must be an absolute URL that begins with https:, http: or data:"
	}
}

// webURLFault holds an http or https URL against RFC 3986.
func webURLFault(s string) string {
	if len(s) > maxWebURL {
		return "must be at most 8,192 characters unless it is a data: URL"
	}
	if i := strings.IndexFunc(s, notInURL); i >= 0 {
		r := []rune(s[i:])[0]
		return fmt.Sprintf("must not have the character %+q; percent-encode it (RFC 3986)", r)
	}
	u, err := url.Parse(s)
	if err != nil {
		return "is not a URL (RFC 3986); look for a stray % or a malformed host or port"
	}
	switch {
	case u.User != nil:
		return "must not carry a user name or a password"
	case !validHost(u.Hostname()):
		return "must have a host that is a name in ASCII or an IP address"
	case !validPort(u.Port()) || strings.HasSuffix(u.Host, ":"):
		return "must have a port from 1 to 65535, or none"
	}
	if _, err := url.PathUnescape(u.RawQuery + u.EscapedFragment()); err != nil {
		return "is not a URL (RFC 3986); look for a stray %"
	}
	return ""
}

// notInURL is true for the characters that RFC 3986 has no place for.
func notInURL(r rune) bool {
	return r <= ' ' || r >= 0x7f || strings.ContainsRune("\"<>\\^`{|}", r)
}

func validHost(host string) bool {
	if strings.Contains(host, ":") {
		addr, err := netip.ParseAddr(host)
		return err == nil && addr.Zone() == ""
	}
	return host != "" && strings.Trim(host, ".") != "" && !strings.ContainsFunc(host, func(r rune) bool {
		return r != '-' && r != '.' && r != '_' && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
	})
}

func validPort(port string) bool {
	if port == "" {
		return true
	}
	n, err := strconv.Atoi(port)
	return err == nil && n >= 1 && n <= 65535
}

// dataURLFault holds what follows "data:" against RFC 2397, base64 being required.
func dataURLFault(s string) string {
	if len("data:")+len(s) > maxDataURL {
		return "must be at most 27,963,000 characters, which is an image of 20 MiB"
	}
	media, _, ok := strings.Cut(s[:min(len(s), maxMedia+len(";base64,"))], ",")
	const base64 = ";base64"
	if !ok || len(media) < len(base64) || !strings.EqualFold(media[len(media)-len(base64):], base64) {
		return "must be data:<media type>;base64,<data> where it is a data: URL"
	}
	if strings.ContainsFunc(media, notInURL) {
		return "must have a media type of visible ASCII characters before ;base64"
	}
	return base64Fault(s[len(media)+1:])
}
