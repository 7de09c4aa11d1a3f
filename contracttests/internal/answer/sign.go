package answer

import (
	"net/netip"
	"slices"
	"strings"
	"sync"
)

// sign is a text that was meant for the operators of a server, with its kind.
type sign struct{ what, text string }

// Most lines recur, or differ from others only in numbers, and searching a line takes longer than all other checks.
const (
	maxRemembered = 1 << 10 // bytes; longer lines seldom repeat
	maxLines      = 1 << 15 // after which all lines are forgotten
)

// clean are lines, with all digits made equal, that were searched before and in which nothing was found.
var clean = struct {
	sync.RWMutex
	lines map[searched]bool
}{lines: map[searched]bool{}}

// searched is a line, and whether it is of a document.
type searched struct {
	line       string
	isDocument bool
}

// signsIn finds internals in each line of a text. In documents it looks for inDocuments only.
func signsIn(text string, isDocument bool) (all []sign) {
	for line := range strings.Lines(text) {
		all = append(all, searched{strings.TrimSuffix(line, "\n"), isDocument}.signs()...)
	}
	return all
}

// signs returns the signs of a leak in a line. Lines that differ only in digits share one search, because most lines of
// documents are coordinates; only lines in which nothing was found are remembered.
func (l searched) signs() []sign {
	if len(l.line) > maxRemembered {
		return l.search()
	}
	alike := searched{equalDigits(l.line), l.isDocument}
	clean.RLock()
	known := clean.lines[alike]
	clean.RUnlock()
	if known {
		return nil
	}
	if len(alike.search()) > 0 {
		return l.search()
	}
	clean.Lock()
	defer clean.Unlock()
	if len(clean.lines) >= maxLines {
		clear(clean.lines)
	}
	clean.lines[alike] = true
	return nil
}

// equalDigits replaces every digit except 0 by 1, unless it follows a letter, as in s3 and sqlite3. No mark depends on other
// digits, so a line has signs if, and only if, the result has.
func equalDigits(line string) string {
	b := []byte(line)
	for i, c := range b {
		if c >= '2' && c <= '9' && (i == 0 || b[i-1]|0x20 < 'a' || b[i-1]|0x20 > 'z') {
			b[i] = '1'
		}
	}
	return string(b)
}

// search looks for internals. Addresses of hosts behind the server help attackers to map its network; markup may look like
// them.
func (l searched) search() (signs []sign) {
	line := l.line
	for _, i := range internals {
		if l.isDocument && !slices.Contains(inDocuments, i.what) {
			continue
		}
		for _, m := range i.mark.FindAllString(line, -1) {
			signs = append(signs, sign{i.what, strings.TrimSpace(m)})
		}
	}
	if l.isDocument {
		return signs
	}
	for _, m := range ipAddress.FindAllString(line, -1) {
		m = strings.Trim(m, "[]")
		if _, err := netip.ParseAddr(m); err == nil && len(m) > 3 {
			signs = append(signs, sign{"an IP address", m})
		}
	}
	return signs
}
