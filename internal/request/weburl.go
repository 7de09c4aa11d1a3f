package request

import (
	"fmt"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/idna"
)

const maxWebURL = 8192 // characters; openapi.yaml has it as maxLength

// webURLProblem checks that s is an http or https URL (RFC 3986) with what is needed to fetch an image and nothing else. It
// says what is wrong and what would be right, "" if s is valid. Addresses that must not be reached are refused later, by
// impl/fetch.
func webURLProblem(s string) string {
	scheme, rest, ok := strings.Cut(s[:min(len(s), maxWebURL)], ":")
	switch {
	case s == "":
		return "must not be empty; must be the URL of an image"
	case !ok || !strings.EqualFold(scheme, "http") && !strings.EqualFold(scheme, "https"):
		return "must be an absolute URL that begins with https:, http: or data:"
	case !strings.HasPrefix(rest, "//"):
		return "must have a host: https://host/path"
	case len(s) > maxWebURL && utf8.RuneCountInString(s) > maxWebURL:
		return "must be at most 8,192 characters unless it is a data: URL"
	}
	// url.Parse is lenient about characters that other parsers read differently, such as a backslash.
	if problem := foreignHostProblem(rest); problem != "" {
		return problem
	}
	if i := strings.IndexFunc(s, notInURL); i >= 0 {
		r := []rune(s[i:])[0]
		return fmt.Sprintf("must not contain the character %+q; percent-encode it (RFC 3986)", r)
	}
	u, err := url.Parse(s)
	if err != nil {
		return "is not a URL (RFC 3986); look for a stray % or a malformed host or port"
	}
	switch {
	case u.User != nil:
		return "must not contain a user name or a password"
	case !isHost(u.Hostname()):
		return "must have a host that is a name in ASCII or an IP address"
	case !isPort(u.Port()) || strings.HasSuffix(u.Host, ":"):
		return "must have a port from 1 to 65535, or none"
	}
	// url.Parse checks the percent signs of host and path only.
	if _, err := url.PathUnescape(u.RawQuery + u.EscapedFragment()); err != nil {
		return "is not a URL (RFC 3986); look for a stray %"
	}
	return ""
}

// hostNames turns names into their ASCII form. Unlike idna.Lookup it refuses empty labels and those that are too long for the
// DNS.
var hostNames = idna.New(idna.MapForLookup(), idna.BidiRule(), idna.VerifyDNSLength(true))

// foreignHostProblem suggests the ASCII form (punycode, RFC 5891) of a host name in other letters. afterScheme begins with
// "//". It returns "" if the name is in ASCII.
func foreignHostProblem(afterScheme string) string {
	host, _, _ := strings.Cut(strings.TrimPrefix(afterScheme, "//"), "/")
	if end := strings.IndexAny(host, "?#:@"); end >= 0 {
		host = host[:end]
	}
	if !strings.ContainsFunc(host, func(r rune) bool { return r > unicode.MaxASCII }) {
		return ""
	}
	ascii, err := hostNames.ToASCII(host)
	if err != nil || !isHost(ascii) {
		return "must have a host that is a name in ASCII or an IP address"
	}
	return fmt.Sprintf("must have a host name in ASCII; write %q", ascii)
}

// notInURL is true for the characters that RFC 3986 does not allow anywhere in a URL.
func notInURL(r rune) bool {
	return r <= ' ' || r >= 0x7f || strings.ContainsRune("\"<>\\^`{|}", r)
}

// isHost reports whether host, without brackets, is an IP address without a zone or a name of ASCII letters, digits and -._
func isHost(host string) bool {
	if strings.Contains(host, ":") {
		addr, err := netip.ParseAddr(host)
		return err == nil && addr.Zone() == ""
	}
	return host != "" && strings.Trim(host, ".") != "" && !strings.ContainsFunc(host, func(r rune) bool {
		return r != '-' && r != '.' && r != '_' && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
	})
}

// isPort reports whether port is absent or a valid TCP port other than 0.
func isPort(port string) bool {
	if port == "" {
		return true
	}
	n, err := strconv.Atoi(port)
	return err == nil && n >= 1 && n <= 65535
}
