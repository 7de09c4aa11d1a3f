// Package generate makes requests from the contract and a seed: bodies that break one or more of its rules, with the
// fields that are wrong, and bodies that are unusual but valid. The rules for fields follow from the schema, so a rule
// added to the contract is tested without a change here. Package model decides what the answers must be.
//
// Start with Rules and Variants, then Break.
package generate

import (
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strings"

	"pgregory.net/rapid"
)

// Draft is a request under construction: a valid body that rules change.
type Draft struct {
	Members []Member
	Header  http.Header // besides the usual ones; an empty list removes a header
	Query   string
	// spoil changes the text of the body after it is written. nil keeps it.
	spoil func(text []byte) []byte
}

// Member is one name and value of the body. Names may repeat. Value is written as it is, so that it need not be valid.
type Member struct {
	Name  string
	Value json.RawMessage
	// escaped writes the first letter of the name as an escape.
	escaped bool
}

// spelling is the name as the JSON spells it.
func (m Member) spelling() string {
	if m.escaped {
		return fmt.Sprintf(`"\u%04x%s`, m.Name[0], quoted(m.Name)[2:])
	}
	return string(quoted(m.Name))
}

// Body writes the body.
func (d *Draft) Body() []byte {
	var b strings.Builder
	b.WriteByte('{')
	for i, m := range d.Members {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(m.spelling())
		b.WriteByte(':')
		b.Write(m.Value)
	}
	b.WriteByte('}')
	if d.spoil != nil {
		return d.spoil([]byte(b.String()))
	}
	return []byte(b.String())
}

// set changes the value of the member, or adds it.
func (d *Draft) set(name string, value json.RawMessage) {
	i := slices.IndexFunc(d.Members, func(m Member) bool { return m.Name == name })
	if i < 0 {
		d.Members = append(d.Members, Member{Name: name, Value: value})
		return
	}
	d.Members[i].Value = value
}

// remove removes all members of the name.
func (d *Draft) remove(name string) {
	d.Members = slices.DeleteFunc(d.Members, func(m Member) bool { return m.Name == name })
}

func quoted(s string) []byte {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err) // strings can always be encoded
	}
	return b
}

// Rule is one way to break the contract or, in Variants, to follow it in an unusual way.
type Rule struct {
	// Name says what is wrong: "language is a number".
	Name string
	// Fields are the invalid fields that details must name; alternatives are separated by "|". Empty in Variants.
	Fields []string
	// Place is what the rule changes. Rules of one place are not combined, and "body" is combined only with headers.
	Place string
	// Set names rules of one kind that share no request, so that runs with little time try a few of them. Empty for most rules.
	Set string
	// draw draws the values of the change.
	draw func(t *rapid.T) func(*Draft)
}

// Broken is a request and the rules that it breaks. It keeps the drawn changes, so that Without can leave one out without
// changing the values of the others.
type Broken struct {
	Draft Draft
	Rules []Rule
	apply []func(*Draft)
	base  []Member
}

// Fields are the invalid fields that details must name.
func (b *Broken) Fields() []string {
	var all []string
	for _, r := range b.Rules {
		for _, f := range r.Fields {
			if !slices.Contains(all, f) {
				all = append(all, f)
			}
		}
	}
	return all
}

// String says what is wrong, for reports.
func (b *Broken) String() string {
	names := make([]string, len(b.Rules))
	for i, r := range b.Rules {
		names[i] = r.Name
	}
	return strings.Join(names, ", and ")
}

// Break makes a request that breaks the rules, with values drawn by the seed. Equal arguments make equal requests.
func Break(base []Member, seed uint64, rules ...Rule) Broken {
	apply := rapid.Custom(func(t *rapid.T) []func(*Draft) {
		rapid.Bool().Draw(t, "unused") // rapid requires every generator to draw, and some rules have no values
		changes := make([]func(*Draft), len(rules))
		for i, r := range rules {
			changes[i] = r.draw(t)
		}
		return changes
	}).Example(number(seed))
	return assemble(base, rules, apply)
}

// assemble applies drawn changes to a valid request.
func assemble(base []Member, rules []Rule, apply []func(*Draft)) Broken {
	b := Broken{Draft: Draft{Members: slices.Clone(base), Header: http.Header{}}, Rules: rules, apply: apply, base: base}
	for _, change := range apply {
		change(&b.Draft)
	}
	return b
}

// Without is the request without one of its rules. It serves to find the smallest request that still fails.
func (b *Broken) Without(i int) Broken {
	return assemble(b.base, slices.Delete(slices.Clone(b.Rules), i, i+1), slices.Delete(slices.Clone(b.apply), i, i+1))
}

// Combine draws two to four rules that can be broken in the same request. It gives up after 20 draws, so that an unlucky
// seed yields fewer rules, but at least one.
func Combine(rules []Rule, seed uint64) []Rule {
	return rapid.Custom(func(t *rapid.T) []Rule {
		var chosen []Rule
		want := rapid.IntRange(2, 4).Draw(t, "problems")
		for range 20 {
			r := rules[rapid.IntRange(0, len(rules)-1).Draw(t, "rule")]
			if len(chosen) < want && fits(chosen, r) {
				chosen = append(chosen, r)
			}
		}
		return chosen
	}).Example(number(seed))
}

// maxPacked is the maximum number of rules that Pack combines. With more, the messages of servers that list every problem would
// be hard to read.
const maxPacked = 8

// Pack groups rules so that every rule is in one group and those of a group can be broken in the same request. It makes far
// fewer requests than there are rules; Without finds the rule that a failing group is about.
func Pack(rules []Rule) (groups [][]Rule) {
	for _, r := range rules {
		i := slices.IndexFunc(groups, func(g []Rule) bool { return len(g) < maxPacked && fits(g, r) })
		if i < 0 {
			groups, i = append(groups, nil), len(groups)
		}
		groups[i] = append(groups[i], r)
	}
	return groups
}

// number converts the seed for rapid, whose Example takes an int.
func number(seed uint64) int { return int(seed & math.MaxInt) }

// fits reports whether a rule can be combined with others: each place once, and only headers with an unreadable body,
// because a server cannot report its fields.
func fits(chosen []Rule, r Rule) bool {
	inHeader := func(r Rule) bool { return strings.HasPrefix(r.Place, "header ") || strings.HasPrefix(r.Place, "query") }
	for _, c := range chosen {
		if c.Place == r.Place || unreadable(c) && !inHeader(r) || unreadable(r) && !inHeader(c) {
			return false
		}
	}
	return true
}

// unreadable reports whether a rule prevents servers from reading the body.
func unreadable(r Rule) bool {
	return r.Place == "body" || r.Place == "header Content-Type" || r.Place == "header Content-Encoding"
}

// fixed is a change without values to draw.
func fixed(change func(*Draft)) func(*rapid.T) func(*Draft) {
	return func(*rapid.T) func(*Draft) { return change }
}
