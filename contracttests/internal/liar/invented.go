package liar

import "slices"

// inventedDefects were written from openapi.yaml and its specification alone, without knowledge of the suite, in six lists. The
// five of testdata/invented*.tsv have the sentence that each defect breaks, and what the suite caught at that time; the few
// that cannot show on the mock, and those that another table has, are only there. The cases were made with the sixth, whose
// names are sentences.
func inventedDefects() []row {
	return slices.Concat(inventedImages(), inventedContents(), inventedKeys(), inventedNegotiation(), inventedRepeats(), inventedCalendar(),
		inventedShapes(), inventedLeaks(), inventedServed())
}
