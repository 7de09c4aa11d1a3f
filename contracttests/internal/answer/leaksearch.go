package answer

import (
	"net/netip"
	"slices"
	"strings"
	"sync"
)

// leak is a text that was meant for the operators of a server, with its kind.
type leak struct{ what, text string }

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

// leaksIn finds leaks in each line of a text. In documents it looks for inDocuments only.
func leaksIn(text string, isDocument bool) (all []leak) {
	for line := range strings.Lines(text) {
		all = append(all, searched{strings.TrimSuffix(line, "\n"), isDocument}.leaks()...)
	}
	return all
}

// leaks returns the leaks in a line. Lines that differ only in digits share one search, because most lines of
// documents are coordinates; only lines in which nothing was found are remembered.
func (l searched) leaks() []leak {
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

// equalDigits replaces every digit except 0 by 1, unless it follows a letter, as in s3 and sqlite3. No pattern depends on other
// digits, so a line has leaks if, and only if, the result has.
func equalDigits(line string) string {
	b := []byte(line)
	for i, c := range b {
		if c >= '2' && c <= '9' && (i == 0 || b[i-1]|0x20 < 'a' || b[i-1]|0x20 > 'z') {
			b[i] = '1'
		}
	}
	return string(b)
}

// search looks for leaks. Addresses of hosts behind the server help attackers to map its network; markup may look like
// them.
func (l searched) search() (found []leak) {
	line := l.line
	for _, p := range leakPatterns {
		if l.isDocument && !slices.Contains(inDocuments, p.what) {
			continue
		}
		for _, m := range p.pattern.FindAllString(line, -1) {
			found = append(found, leak{p.what, strings.TrimSpace(m)})
		}
	}
	if l.isDocument {
		return found
	}
	for _, m := range ipAddress.FindAllString(line, -1) {
		m = strings.Trim(m, "[]")
		if _, err := netip.ParseAddr(m); err == nil && len(m) > 3 {
			found = append(found, leak{"an IP address", m})
		}
	}
	return found
}
