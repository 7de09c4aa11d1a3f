package edge

import (
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// verbatim is true for the bytes that stand for themselves inside a string.
var verbatim = func() (is [256]bool) {
	for c := range is {
		is[c] = c >= ' ' && c != '"' && c != '\\'
	}
	return is
}()

// run is what comes next of a string up to a quote, an escape or an error.
func (p *parser) run() string {
	start := p.i
	for p.i < len(p.s) && verbatim[p.s[p.i]] {
		p.i++
	}
	return p.s[start:p.i]
}

func (p *parser) string() (string, error) {
	p.i++
	text := p.run()
	if p.closes('"') {
		return text, nil
	}
	var b strings.Builder
	b.Grow(len(text) + max(0, strings.IndexByte(p.s[p.i:], '"')))
	for {
		b.WriteString(text)
		switch {
		case p.closes('"'):
			return b.String(), nil
		case p.closes('\\'):
			if err := p.escape(&b); err != nil {
				return "", err
			}
		case p.i < len(p.s):
			return "", p.fault("is not JSON: a control character in a string must be escaped")
		default:
			return "", p.unexpected("the closing quote of a string")
		}
		text = p.run()
	}
}

// escapes is what each letter after a backslash stands for, 0 for none.
var escapes = [256]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// escape takes what follows a backslash.
func (p *parser) escape(b *strings.Builder) error {
	if p.i < len(p.s) {
		if c := escapes[p.s[p.i]]; c != 0 {
			p.i++
			return b.WriteByte(c)
		}
	}
	r, ok := p.unit()
	if !ok {
		return p.unexpected(`an escape such as \n or \u00e9`)
	}
	if utf16.IsSurrogate(r) {
		low := rune(-1)
		if p.closes('\\') {
			low, _ = p.unit()
		}
		if r = utf16.DecodeRune(r, low); r == utf8.RuneError {
			return p.fault("has a lone surrogate, which is no character")
		}
	}
	b.WriteRune(r)
	return nil
}

// unit takes "uXXXX".
func (p *parser) unit() (rune, bool) {
	if len(p.s)-p.i < 5 || p.s[p.i] != 'u' {
		return 0, false
	}
	n, err := strconv.ParseUint(p.s[p.i+1:p.i+5], 16, 16)
	if err != nil {
		return 0, false
	}
	p.i += 5
	return rune(n), true
}
