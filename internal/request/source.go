package request

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"unicode/utf8"
)

const (
	maxRead = 32 << 10 // bytes of the body that are buffered: what net/http reads at once
	minRead = 64       // bytes; more than the longest run that the parser peeks at, and a character of UTF-8
)

// errNotUTF8 takes precedence over problems of the JSON, which are meaningless in another encoding.
var errNotUTF8 = errors.New("must be UTF-8")

// source is a body as it arrives: checked to be UTF-8, in a small buffer, with the position of what comes next. A read
// error ends it like the end of the body; drain tells them apart afterwards.
type source struct {
	r          io.Reader
	buffer     []byte
	start, end int   // buffer[start:end] is unread; it has whole characters only
	held       int   // bytes after end: the beginning of a character
	line       int   // of buffer[start], from 1
	column     int   // of buffer[start], from 1, in characters
	err        error // of the last Read, or errNotUTF8; nothing is read after it
}

// newSource reads from r, which has length bytes, or -1 if that is not known.
func newSource(r io.Reader, length int64) source {
	size := int64(maxRead)
	if length >= 0 {
		size = min(size, max(length+1, minRead)) // one more, so that the end is seen without another read
	}
	return source{r: r, buffer: make([]byte, size), line: 1, column: 1}
}

// peek returns the next n bytes without consuming them, fewer only before the end of the body.
func (s *source) peek(n int) []byte {
	for s.end-s.start < n && s.fill() {
	}
	return s.buffer[s.start:min(s.end, s.start+n)]
}

// buffered returns what can be read without waiting, at least one byte except at the end of the body.
func (s *source) buffered() []byte {
	s.peek(1)
	return s.buffer[s.start:s.end]
}

// discard consumes n buffered bytes. It keeps the position by counting line feeds and characters, which is cheap because
// both counts have fast paths for ASCII. LastIndexByte has none, and long strings have no line feeds.
func (s *source) discard(n int) {
	consumed := s.buffer[s.start : s.start+n]
	s.start += n
	if bytes.IndexByte(consumed, '\n') >= 0 {
		s.line += bytes.Count(consumed, []byte{'\n'})
		s.column = 1
		consumed = consumed[bytes.LastIndexByte(consumed, '\n')+1:]
	}
	s.column += utf8.RuneCount(consumed)
}

// fill reads once and reports whether there may be more to consume. A Read may end in the middle of a character; its bytes
// are held until the rest arrives. There is always room to read: callers peek at less than minRead bytes.
func (s *source) fill() bool {
	if s.err != nil {
		return false
	}
	kept := copy(s.buffer, s.buffer[s.start:s.end+s.held])
	s.start, s.end = 0, kept-s.held
	n, err := s.r.Read(s.buffer[kept:])
	whole := wholeCharacters(s.buffer[:kept+n])
	if !utf8.Valid(s.buffer[s.end:whole]) || errors.Is(err, io.EOF) && whole < kept+n {
		s.err = errNotUTF8
		return false
	}
	s.end, s.held, s.err = whole, kept+n-whole, err
	return true
}

// wholeCharacters returns the length of b without an incomplete character at its end.
func wholeCharacters(b []byte) int {
	for i := len(b) - 1; i >= max(0, len(b)-utf8.UTFMax); i-- {
		if utf8.RuneStart(b[i]) {
			if !utf8.FullRune(b[i:]) {
				return i
			}
			break
		}
	}
	return len(b)
}

// drain reads the rest of the body and returns why it cannot be a request, whatever it says: it did not arrive whole, or is
// not UTF-8. The rest is read even after a problem, so that a client which is still sending gets the answer and not a reset.
func (s *source) drain() error {
	for more := true; more; more = s.fill() {
		s.start = s.end
	}
	switch {
	case errors.Is(s.err, io.EOF):
		return nil
	case errors.Is(s.err, errNotUTF8):
		_, err := io.Copy(io.Discard, s.r)
		if err != nil {
			return errors.New(readProblem(err))
		}
		return s.err
	default:
		return errors.New(readProblem(s.err))
	}
}

var tooLarge = fmt.Sprintf("must be at most %d MiB", MaxBody>>20)

// readProblem says, for the client, why a body could not be read.
func readProblem(err error) string {
	switch {
	case errors.As(err, new(*http.MaxBytesError)):
		return tooLarge
	case errors.Is(err, os.ErrDeadlineExceeded):
		return "did not arrive in time"
	default:
		return "ended early, or is not framed as HTTP requires"
	}
}
