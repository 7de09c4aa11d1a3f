package tryit

// Samples returns the calls that produce the reading.
func (r *Reading) Samples(url, key string) ([]sample, error) { return r.samples(url, key) }
