package model

import (
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxShown is the longest body that a command line contains, in bytes. The suite's own images fit.
const maxShown = 16 << 10

// Curl returns a command line that repeats the request, with the key in $UNCIAL_KEY.
func (x *Exchange) Curl() string {
	r := x.Request
	if r.Text != "" {
		return x.netcat()
	}
	var b strings.Builder
	b.WriteString("curl -isS")
	if r.Method == http.MethodHead {
		b.WriteString(" --head")
	} else if r.Method != http.MethodGet || r.Body != nil {
		b.WriteString(" -X " + r.Method)
	}
	secrets := x.Target.Secrets()
	for _, c := range r.Auth {
		shell := c.Shell
		for _, key := range secrets {
			shell = strings.ReplaceAll(shell, key, "$UNCIAL_KEY")
		}
		fmt.Fprintf(&b, ` -H "Authorization: %s"`, shell)
	}
	headers := r.headers()
	headers.Del("User-Agent")
	for _, name := range slices.Sorted(maps.Keys(headers)) {
		for _, v := range headers[name] {
			line := name + ": " + v
			if v == "" {
				line = name + ";" // curl's way to send a header without a value
			}
			b.WriteString(" -H " + Quote(line))
		}
	}
	if r.OldHTTP {
		b.WriteString(" --http1.0")
	}
	if r.Close {
		b.WriteString(" -H 'Connection: close'")
	}
	if r.Chunked {
		b.WriteString(" -H 'Transfer-Encoding: chunked'")
	}
	remark := ""
	if len(r.Body) > maxShown {
		b.WriteString(" --data-binary @body.json")
		remark = fmt.Sprintf(" # body.json: %d bytes that begin with %s", len(r.Body), Quote(string(r.Body[:80])))
	} else if r.Body != nil {
		b.WriteString(" --data-binary " + Quote(string(r.Body)))
	}
	// The credentials above are in double quotes. Keys in queries, other headers and bodies are in single quotes,
	// which have to end for a variable.
	line := b.String() + " " + Quote(r.url(x.Target.BaseURL)) + remark
	for _, key := range secrets {
		line = strings.ReplaceAll(line, key, `'"$UNCIAL_KEY"'`)
	}
	return line
}

// netcat returns the command line for a request that curl cannot send.
func (x *Exchange) netcat() string {
	text, remark := x.Request.Text, ""
	if len(text) > maxShown {
		text, remark = text[:200], fmt.Sprintf(" # the beginning of %d bytes", len(text))
	}
	line := "printf %s " + Quote(text)
	for _, key := range x.Target.Secrets() {
		line = strings.ReplaceAll(line, key, `'"$UNCIAL_KEY"$'`)
	}
	host := "HOST PORT"
	if u, err := url.Parse(x.Target.BaseURL); err == nil {
		host = strings.TrimSpace(u.Hostname() + " " + u.Port())
	}
	return line + " | nc " + host + remark
}

// Quote quotes the text for a POSIX shell. Bytes that do not print are escaped as bash and zsh read them.
func Quote(s string) string {
	if utf8.ValidString(s) && !strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
	}
	var b strings.Builder
	b.WriteString("$'")
	for i := range len(s) {
		switch c := s[i]; {
		case c == '\'' || c == '\\':
			b.WriteString(`\` + string(c))
		case c < ' ' || c >= 0x7f:
			b.WriteString(`\x` + strconv.FormatInt(0x100+int64(c), 16)[1:])
		default:
			b.WriteByte(c)
		}
	}
	return b.String() + "'"
}

// maxSearched is the length of text that Presentable searches for keys, in bytes. Names that replace keys are shorter than
// keys and let later text move up, but far less than this.
const maxSearched = 64 << 10

// distinctive is the number of characters that identify a key: the common prefix and eight more.
const distinctive = len("ocr_live_") + 8

// Presentable returns a text from a server as a report may show it: on one line, without characters that move the cursor or
// change the direction of writing, at most n characters long, and without the keys of the run.
func (t Target) Presentable(s string, n int) string {
	var b strings.Builder
	s = s[:min(len(s), maxSearched)]
	for scenario, keys := range t.Keys {
		for _, key := range keys {
			s = replaceKey(s, key, fmt.Sprintf("<the key of %q>", scenario))
		}
	}
	for _, r := range Shorten(s, n) {
		switch {
		case r == '\n':
			b.WriteString(`\n`)
		case r == ' ' || unicode.IsPrint(r):
			b.WriteRune(r)
		case r <= 0xffff:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			fmt.Fprintf(&b, `\U%08x`, r)
		}
	}
	return b.String()
}

// replaceKey replaces a key in any letter case, and also a key whose end is cut off.
func replaceKey(s, key, name string) string {
	start := key[:min(len(key), distinctive)]
	for i := 0; start != "" && i+len(start) <= len(s); i++ {
		if !strings.EqualFold(s[i:i+len(start)], start) {
			continue
		}
		end := i + len(start)
		for end < len(s) && end-i < len(key) && strings.EqualFold(s[end:end+1], key[end-i:end-i+1]) {
			end++
		}
		s = s[:i] + name + s[end:]
		i += len(name) - 1
	}
	return s
}

// Shorten cuts the text after n characters and marks the cut with "...".
func Shorten(s string, n int) string {
	s = strings.ToValidUTF8(strings.TrimSpace(s), "?")
	if r := []rune(s); len(r) > n {
		return string(r[:n]) + "..."
	}
	return s
}
