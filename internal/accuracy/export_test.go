package accuracy

// Strict is exported for the tests that compare it with Folded.
var Strict = strict

// CalibrationError returns the difference between a confidence and the share of correct characters.
func (s Score) CalibrationError(confidence float64) float64 { return s.calibrationError(confidence) }
