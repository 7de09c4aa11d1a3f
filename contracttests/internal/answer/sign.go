package answer

import (
	"net/netip"
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
	lines map[string][]sign
}{lines: map[string][]sign{}}

// signsIn finds internals in each line of a text.
func signsIn(text string) (all []sign) {
	for line := range strings.Lines(text) {
		all = append(all, signsInLine(strings.TrimSuffix(line, "\n"))...)
	}
	return all
}

func signsInLine(line string) []sign {
	if len(line) > maxRemembered {
		return search(line)
	}
	remembered.RLock()
	signs, known := remembered.lines[line]
	remembered.RUnlock()
	if known {
		return signs
	}
	signs = search(line)
	remembered.Lock()
	defer remembered.Unlock()
	if len(remembered.lines) >= maxLines {
		clear(remembered.lines)
	}
	remembered.lines[strings.Clone(line)] = signs
	return signs
}

// search looks for every kind of internals. Addresses of hosts behind the server help attackers to map its network.
func search(line string) (signs []sign) {
	for _, i := range internals {
		for _, m := range i.mark.FindAllString(line, -1) {
			signs = append(signs, sign{i.what, strings.TrimSpace(m)})
		}
	}
	for _, m := range ipAddress.FindAllString(line, -1) {
		m = strings.Trim(m, "[]")
		if _, err := netip.ParseAddr(m); err == nil && len(m) > 3 {
			signs = append(signs, sign{"an IP address", m})
		}
	}
	return signs
}
