package correct

var EvidenceNames = evidenceNames

// Text returns the text of the candidate.
func (c *Candidate) Text() string { return c.text() }

// Partners returns the number of characters of two texts that are aligned with each other.
func Partners(a, b []rune) (n int) {
	for _, p := range align(a, b) {
		if p.a >= 0 && p.b >= 0 {
			n++
		}
	}
	return n
}
