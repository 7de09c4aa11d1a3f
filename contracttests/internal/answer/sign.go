package answer

import (
	"net/netip"
	"slices"
	"strings"
	"sync"
)

// sign is a piece of text that was written for the operators of a server, and of what kind it is.
type sign struct{ what, text string }

// Most lines occur in many answers, and searching one takes longer than all other checks.
const (
	maxRemembered = 1 << 10 // bytes; longer lines seldom repeat
	maxLines      = 1 << 15 // after which all lines are forgotten
)

// remembered are the signs in lines that were searched before.
var remembered = struct {
	sync.RWMutex
	lines map[searched][]sign
}{lines: map[searched][]sign{}}

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

func (l searched) signs() []sign {
	if len(l.line) > maxRemembered {
		return l.search()
	}
	remembered.RLock()
	signs, known := remembered.lines[l]
	remembered.RUnlock()
	if known {
		return signs
	}
	signs = l.search()
	remembered.Lock()
	defer remembered.Unlock()
	if len(remembered.lines) >= maxLines {
		clear(remembered.lines)
	}
	l.line = strings.Clone(l.line)
	remembered.lines[l] = signs
	return signs
}

// search looks for internals. Addresses of hosts behind the server help attackers to map its network; markup may look like them.
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
