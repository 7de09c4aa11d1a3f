package liar

import "slices"

// inventedDefects were written from openapi.yaml and its specification alone, without knowledge of the suite. testdata/invented.tsv has
// all of them with the sentences that they break, and what the suite caught of them at that time; the few that cannot show on the mock
// are only there.
func inventedDefects() []row {
	return slices.Concat(inventedImages(), inventedContents(), inventedKeys(), inventedNegotiation(), inventedCalendar(),
		inventedShapes(), inventedLeaks(), inventedServed())
}

// chain is several lies at once, the first of them next to the honest server.
func chain(lies ...lie) lie {
	return func(honest server) server {
		for _, l := range lies {
			honest = l(honest)
		}
		return honest
	}
}
