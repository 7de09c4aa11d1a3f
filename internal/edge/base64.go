package edge

import (
	"fmt"
	"net/url"
	"strings"
)

// base64Fault says what is wrong with the data of a data: URL, "" where it is good. It takes both alphabets of RFC 4648,
// though not in one, with or without padding, line breaks, and characters that are percent-encoded, as careful writers of
// URLs do with "+", "/" and "=". It decodes nothing, so that an image of 20 MiB costs one look at each character.
func base64Fault(s string) string {
	var d base64Data
	for i := 0; i < len(s); {
		if n := alphanumerics(s[i:]); n > 0 && d.pads == 0 {
			d.n, d.last, i = d.n+n, s[i+n-1], i+n
			continue
		}
		width := 1
		if s[i] == '%' {
			width = min(3, len(s)-i)
		}
		c, err := url.PathUnescape(s[i : i+width])
		if err != nil || !d.take(c[0]) {
			return fmt.Sprintf("must have base64 data (RFC 4648); character %d of the data does not fit", i+1)
		}
		i += width
	}
	return d.fault()
}

// base64Data is what was seen of the data.
type base64Data struct {
	n        int  // characters that stand for bits
	last     byte // of them
	pads     int
	std, url bool // whether there were characters of one alphabet alone
}

// take is false where c cannot come next.
func (d *base64Data) take(c byte) bool {
	switch {
	case c == '\r' || c == '\n':
		return true
	case c == '=':
		d.pads++
		return d.pads <= 2
	case c == '+' || c == '/':
		d.std = true
	case c == '-' || c == '_':
		d.url = true
	case !isAlphanumeric[c]:
		return false
	}
	d.n, d.last = d.n+1, c
	return d.pads == 0 && (!d.std || !d.url)
}

// fault is what is wrong with the data as a whole.
func (d *base64Data) fault() string {
	switch {
	case d.n == 0:
		return "must have data after ;base64,"
	case d.pads > 0 && (d.n+d.pads)%4 != 0 || d.n%4 == 1 || d.spareBits() != 0:
		return "must have whole base64 data (RFC 4648); its end does not fit, is it cut off?"
	default:
		return ""
	}
}

// spareBits is the bits of the last character beyond the last byte, which must be 0 (RFC 4648, section 3.5).
func (d *base64Data) spareBits() int {
	value := max(strings.IndexByte(alphabet, d.last), strings.IndexByte(alphabetOfURLs, d.last))
	return value & [4]int{0, 0, 0x0f, 0x03}[d.n%4]
}

const (
	alphanumeric   = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
	alphabet       = alphanumeric + "+/"
	alphabetOfURLs = alphanumeric + "-_"
)

var isAlphanumeric = func() (is [256]bool) {
	for _, c := range []byte(alphanumeric) {
		is[c] = true
	}
	return is
}()

// alphanumerics is the length of the run of letters and digits that s begins with.
func alphanumerics(s string) int {
	for i := range len(s) {
		if !isAlphanumeric[s[i]] {
			return i
		}
	}
	return len(s)
}
