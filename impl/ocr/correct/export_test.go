package correct

var EvidenceNames = evidenceNames

// Text returns the text of the candidate.
func (c *Candidate) Text() string { return c.text() }
