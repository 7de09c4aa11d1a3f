package client

import (
	"fmt"
	"strings"

	"uncial/impl/client/journal"
)

// reserved are names that no page gets, because files of the whole volume use them.
var reserved = []string{"volume", "mets", "annotations", "manifest", "report"}

// name gives every page a name that is unique without regard to case, as on some file systems: "page", "page-2". A page keeps
// the name of an earlier run, even if its folder has moved since. It returns the events for names that are new.
func (p *plan) name() (fresh []journal.Event) {
	taken, isUsed, known := map[string]bool{}, map[string]bool{}, map[string]string{}
	for _, name := range reserved {
		taken[name] = true
	}
	if p.store.Journal != nil {
		known = p.store.Names()
	}
	for _, name := range known {
		taken[strings.ToLower(name)] = true
	}
	for _, one := range p.pages {
		one.Name = known[one.from.Locator]
		isUsed[one.Name] = true
	}
	for _, one := range p.pages {
		if one.Name == "" {
			one.Name = p.freshName(one, taken, isUsed)
			taken[strings.ToLower(one.Name)], isUsed[one.Name] = true, true
			fresh = append(fresh, journal.Event{Kind: journal.Name, Locator: one.from.Locator, Name: one.Name, Source: one.Source})
		}
		for _, format := range p.cmd.formats() {
			one.Files[format] = one.Name + extensions[format]
		}
	}
	return fresh
}

// freshName returns the name for a page that was at another place before, or is new.
func (p *plan) freshName(one *page, taken, isUsed map[string]bool) string {
	if p.store.Journal != nil && one.id != "" {
		if name := p.store.NameOf(one.id); name != "" && !isUsed[name] {
			return name
		}
	}
	name := one.from.Stem
	for n := 2; taken[strings.ToLower(name)]; n++ {
		name = fmt.Sprintf("%s-%d", one.from.Stem, n)
	}
	return name
}
