package request

import (
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// maxText is how many bytes of a name, string or number are kept. It is twice the longest valid one, a web address, so a text
// that is cut is invalid anyway, and its beginning fails the same rule.
const maxText = 16 << 10

// cutText is the beginning of a text. The zero value is empty.
type cutText struct{ kept []byte }

// write appends what still fits.
func (t *cutText) write(b []byte) {
	t.kept = append(t.kept, b[:min(len(b), maxText-len(t.kept))]...)
}

func (t *cutText) String() string { return string(t.kept) }

// string reads a name, or a string that is not the URL of an image.
func (p *parser) string() (string, error) {
	if text, ok := p.shortString(); ok {
		return text, nil
	}
	var text cutText
	err := p.characters(text.write)
	return text.String(), err
}

// shortString reads a string that has no escapes and is in the buffer as a whole, as most are; it needs one copy only. It
// consumes nothing if ok is false. The next byte is the opening quote.
func (p *parser) shortString() (text string, ok bool) {
	b := p.buffer[p.start+1 : p.end]
	n := 0
	for n < len(b) && n <= maxText && verbatim[b[n]] {
		n++
	}
	if n == len(b) || b[n] != '"' {
		return "", false
	}
	text = string(b[:n])
	p.discard(n + len(`""`))
	return text, true
}

// verbatim is true for the bytes that stand for themselves inside a string (RFC 8259, section 7). Those of longer
// characters are among them: that they are UTF-8 is checked by source.
var verbatim = func() (is [256]bool) {
	for c := range is {
		is[c] = c >= ' ' && c != '"' && c != '\\'
	}
	return is
}()

// characters reads a string from its opening quote and passes on its characters, unescaped, in slices that write
// must not keep.
func (p *parser) characters(write func([]byte)) error {
	p.consume('"')
	for {
		b := p.buffered()
		n, text := p.unescape(b)
		write(text)
		p.discard(n)
		switch {
		case n > 0:
		case p.consume('"'):
			return nil
		case p.consume('\\'):
			r, err := p.escape()
			if err != nil {
				return err
			}
			write(utf8.AppendRune(p.unescaped[:0], r))
		case len(b) > 0:
			return p.problem("is not JSON: a control character in a string must be escaped")
		default:
			return p.unexpected("the closing quote of a string")
		}
	}
}

// escapes maps the letter after a backslash to its character, 0 if there is none.
var escapes = [256]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// unescape returns the characters that b begins with and the number of bytes they take in b. It stops at a quote, at an
// escape that escape must read, and at an error. Some clients escape every slash, so escapes of one letter must be fast.
// text is valid until the next call.
func (p *parser) unescape(b []byte) (n int, text []byte) {
	start := 0
	p.unescaped = p.unescaped[:0]
	for n < len(b) {
		if verbatim[b[n]] {
			n++
			continue
		}
		if b[n] != '\\' || n+1 == len(b) || escapes[b[n+1]] == 0 {
			break
		}
		p.unescaped = append(append(p.unescaped, b[start:n]...), escapes[b[n+1]])
		n += 2
		start = n
	}
	if start == 0 { // the usual case needs no copy
		return n, b[:n]
	}
	p.unescaped = append(p.unescaped, b[start:n]...)
	return n, p.unescaped
}

// escape reads what follows a backslash: a letter, a code unit, or two code units that are one character beyond U+FFFF.
func (p *parser) escape() (rune, error) {
	if c := escapes[p.next()]; c != 0 {
		p.discard(1)
		return rune(c), nil
	}
	r, ok := p.codeUnit()
	if !ok {
		return 0, p.unexpected(`an escape such as \n or \u00e9`)
	}
	if !utf16.IsSurrogate(r) {
		return r, nil
	}
	low := rune(-1)
	if p.consume('\\') {
		low, _ = p.codeUnit()
	}
	if r = utf16.DecodeRune(r, low); r == utf8.RuneError {
		return 0, p.problem("has a lone surrogate, which is not a character")
	}
	return r, nil
}

// codeUnit reads "uXXXX", a code unit of UTF-16. It consumes nothing if something else is next.
func (p *parser) codeUnit() (rune, bool) {
	b := p.peek(len("uXXXX"))
	if len(b) < len("uXXXX") || b[0] != 'u' {
		return 0, false
	}
	n, err := strconv.ParseUint(string(b[1:]), 16, 16)
	if err != nil {
		return 0, false
	}
	p.discard(len(b))
	return rune(n), true
}
