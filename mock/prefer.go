package mock

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// maxDelay limits every delay that a request or a flag can set.
const maxDelay = 30 * time.Second

// preferences is what a Prefer header requests. The zero value requests nothing.
type preferences struct {
	code    int           // status of the answer; 0 if absent
	example string        // "full", "minimal" or, if absent, ""
	delay   time.Duration // before the answer
	delayed bool          // whether delay is present, even if it is 0
	seed    uint64        // of the text
	seeded  bool
	fault   Fault // on the network; zero if absent
}

// parsePrefer parses the values of the Prefer headers of a request (RFC 7240, section 2). If a preference is repeated the
// first one counts. The RFC lets servers ignore unknown preferences; the mock refuses them, because a test must not pass
// due to a typo. codes lists the statuses of the operation. The error is meant for the client.
func parsePrefer(values []string, codes []int) (preferences, error) {
	var p preferences
	seen := map[string]bool{}
	s := scanner{rest: strings.Join(values, ",")}
	for s.space(); s.rest != ""; s.space() {
		if s.take(',') {
			continue
		}
		name, value, err := s.preference()
		if err != nil {
			return preferences{}, err
		}
		if seen[name] {
			continue
		}
		seen[name] = true
		if err := p.set(name, value, codes); err != nil {
			return preferences{}, err
		}
	}
	return p, nil
}

// set checks the value of one preference and stores it.
func (p *preferences) set(name, value string, codes []int) error {
	switch name {
	case "code":
		code, err := strconv.Atoi(value)
		if err != nil || !slices.Contains(codes, code) {
			return fmt.Errorf("code must be one of %s", join(codes))
		}
		p.code = code
	case "example":
		if value != "full" && value != "minimal" {
			return fmt.Errorf("example must be full or minimal")
		}
		p.example = value
	case "delay":
		ms, err := strconv.ParseUint(value, 10, 32)
		if err != nil || time.Duration(ms)*time.Millisecond > maxDelay {
			return fmt.Errorf("delay must be a number of milliseconds from 0 to %d", maxDelay.Milliseconds())
		}
		p.delay, p.delayed = time.Duration(ms)*time.Millisecond, true
	case "seed":
		seed, err := strconv.ParseUint(value, 10, 63)
		if err != nil {
			return fmt.Errorf("seed must be a whole number from 0 to 9223372036854775807")
		}
		p.seed, p.seeded = seed, true
	case "fault":
		return p.fault.UnmarshalText([]byte(value))
	default:
		return fmt.Errorf("unknown preference %q; choose code, example, delay, seed or fault", name)
	}
	return nil
}

// join lists statuses for a message.
func join(codes []int) string {
	words := make([]string, len(codes))
	for i, c := range codes {
		words[i] = strconv.Itoa(c)
	}
	return strings.Join(words, ", ")
}

// scanner splits the value of a header field into tokens (RFC 9110, section 5.6).
type scanner struct{ rest string }

// space skips optional white space (OWS in RFC 9110).
func (s *scanner) space() { s.rest = strings.TrimLeft(s.rest, " \t") }

// take skips c if it is the next byte, and reports whether it did.
func (s *scanner) take(c byte) bool {
	if s.rest == "" || s.rest[0] != c {
		return false
	}
	s.rest = s.rest[1:]
	return true
}

// preference reads "token [= word]" up to the next comma. Parameters (";") are not supported. Names are case-insensitive,
// values are not.
func (s *scanner) preference() (name, value string, err error) {
	name = strings.ToLower(s.token())
	s.space()
	if name != "" && s.take('=') {
		s.space()
		if value, err = s.word(); err != nil {
			return "", "", err
		}
		s.space()
	}
	if name == "" || s.rest != "" && s.rest[0] != ',' {
		return "", "", fmt.Errorf("must be preferences separated by commas, such as: code=402, delay=1500 (RFC 7240)")
	}
	return name, value, nil
}

// word reads a token or a quoted string.
func (s *scanner) word() (string, error) {
	if !s.take('"') {
		return s.token(), nil
	}
	var b strings.Builder
	for i := 0; i < len(s.rest); i++ {
		switch c := s.rest[i]; {
		case c == '"':
			s.rest = s.rest[i+1:]
			return b.String(), nil
		case c == '\\' && i+1 < len(s.rest):
			i++
			b.WriteByte(s.rest[i])
		default:
			b.WriteByte(c)
		}
	}
	return "", fmt.Errorf("unterminated quoted string")
}

// token reads the longest run of token characters (RFC 9110, section 5.6.2), which may be empty.
func (s *scanner) token() string {
	n := strings.IndexFunc(s.rest, func(r rune) bool {
		return !strings.ContainsRune("!#$%&'*+-.^_`|~", r) && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
	})
	if n < 0 {
		n = len(s.rest)
	}
	token := s.rest[:n]
	s.rest = s.rest[n:]
	return token
}
