package proxy

import (
	"maps"
	"slices"
	"time"
)

// Violation is one way in which an exchange broke the contract.
type Violation struct {
	At        time.Time `json:"at"`   // when the request came
	Kind      string    `json:"kind"` // such as "extract/200"
	Side      string    `json:"side"` // "request" or "answer"
	Method    string    `json:"method"`
	Path      string    `json:"path"`
	Status    int       `json:"status,omitempty"` // 0 if there was no answer
	RequestID string    `json:"requestId,omitempty"`
	Problem   string    `json:"problem"`
}

// Kind is what passed through of one kind.
type Kind struct {
	Name       string      `json:"name"` // such as "extract/200"
	Exchanges  int         `json:"exchanges"`
	Violations int         `json:"violations"`
	Examples   []Violation `json:"examples"` // the first ones, at most maxExamples
}

// Report is what passed through.
type Report struct {
	Exchanges  int    `json:"exchanges"` // checked
	Violations int    `json:"violations"`
	Unchecked  int    `json:"unchecked"` // passed on without a check, because too much came at once
	HungUp     int    `json:"hungUp"`    // ended by the client before the answer was complete
	Kinds      []Kind `json:"kinds"`     // by name
}

// maxExamples is the maximum number of violations that a report shows for each kind of exchange.
const maxExamples = 20

// counts is a report under construction. It belongs to the checking goroutine until that has ended.
type counts struct {
	kinds             map[string]*Kind
	unchecked, hungUp int
}

func newCounts() counts { return counts{kinds: map[string]*Kind{}} }

func (c *counts) add(kind string) {
	if c.kinds[kind] == nil {
		c.kinds[kind] = &Kind{Name: kind, Examples: []Violation{}}
	}
	c.kinds[kind].Exchanges++
}

// addViolation counts a violation of an exchange that was added.
func (c *counts) addViolation(v Violation) {
	k := c.kinds[v.Kind]
	k.Violations++
	if len(k.Examples) < maxExamples {
		k.Examples = append(k.Examples, v)
	}
}

// report returns the counts so far, with the kinds sorted by name.
func (c *counts) report() Report {
	r := Report{Unchecked: c.unchecked, HungUp: c.hungUp, Kinds: []Kind{}}
	for _, name := range slices.Sorted(maps.Keys(c.kinds)) {
		k := *c.kinds[name]
		r.Exchanges += k.Exchanges
		r.Violations += k.Violations
		r.Kinds = append(r.Kinds, k)
	}
	return r
}
