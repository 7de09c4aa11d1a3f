package liar

import (
	"cmp"
	"slices"
)

// Mutants returns defects that are made systematically, class by class: every dimension of a class of promises is varied, and
// the variations are combined in turn. They show what the suite catches without having been written for it. The files
// mutants_*.go hold a class each. The error says what of openapi.yaml cannot be mutated.
func Mutants() ([]Defect, error) {
	served, err := servedMutants()
	if err != nil {
		return nil, err
	}
	var all []Defect
	for _, class := range []struct {
		name string
		rows []row
	}{
		{"images", imageMutants()},
		{"contents", contentMutants()},
		{"authentication", authMutants()},
		{"negotiation", negotiationMutants()},
		{"repeats", repeatMutants()},
		{"calendar", calendarMutants()},
		{"shapes", shapeMutants()},
		{"leaks", leakMutants()},
		{"served contract", served},
	} {
		for _, r := range class.rows {
			all = append(all, Defect{class.name, r.does, r.caughtBy, r.lie, nil})
		}
	}
	slices.SortStableFunc(all, func(a, b Defect) int { return cmp.Compare(a.Area, b.Area) })
	return all, nil
}

// mutant is a row whose case is not known yet.
func mutant(does string, l lie) row { return row{does, "", l} }

// named is something with a name that mutants vary: a condition, an answer, a change.
type named[T any] struct {
	name string
	of   T
}

// pick takes elements in turn, so that all of them are combined with few mutants.
func pick[T any](all []T, i int) T { return all[i%len(all)] }

// answersOf are the answers of the contract, by operation and status.
func answersOf() []named[when] {
	at := func(path when, code int) when { return both(path, status(code)) }
	reports := func(c *call, _ *reply) bool { return c.isStatus() }
	return []named[when]{
		{"extract 400", at(isExtraction, 400)},
		{"extract 401", at(isExtraction, 401)},
		{"extract 402", at(isExtraction, 402)},
		{"extract 429", at(isExtraction, 429)},
		{"extract 500", at(isExtraction, 500)},
		{"status 400", at(reports, 400)},
		{"status 401", at(reports, 401)},
		{"status 500", at(reports, 500)},
		{"404", status(404)},
		{"405", status(405)},
	}
}
