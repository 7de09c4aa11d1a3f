package accuracy

import "math"

// Reading is the result of reading one page: text, confidence, and cost.
type Reading struct {
	Text       string  `json:"text"`
	Confidence float64 `json:"confidence"` // 0..1
	Seconds    float64 `json:"seconds"`    // wall clock
	CPUSeconds float64 `json:"cpuSeconds"`
}

// Summary adds up the readings of several pages.
type Summary struct {
	Pages int
	CER   Rate // strict
	WER   Rate
	// The folded measures.
	FoldedCER, FoldedWER Rate

	bow, confidence, calibration, seconds, cpu float64
}

// Add adds a page with its score and what reading it gave.
func (s *Summary) Add(score Score, r Reading) {
	s.Pages++
	s.CER, s.WER = s.CER.Plus(score.CER), s.WER.Plus(score.WER)
	s.FoldedCER, s.FoldedWER = s.FoldedCER.Plus(score.FoldedCER), s.FoldedWER.Plus(score.FoldedWER)
	s.bow += score.BoWF1
	s.confidence += r.Confidence
	s.calibration += score.calibrationError(r.Confidence)
	s.seconds += r.Seconds
	s.cpu += r.CPUSeconds
}

// BoWF1 returns the mean of Score.BoWF1 over the pages. Like all means of a Summary, it is NaN without pages.
func (s *Summary) BoWF1() float64 { return s.mean(s.bow) }

// Confidence returns the mean confidence of the pages, from 0 to 1.
func (s *Summary) Confidence() float64 { return s.mean(s.confidence) }

// CalibrationError returns the mean distance, from 0 to 1, between a page's confidence and its share of correct characters.
func (s *Summary) CalibrationError() float64 { return s.mean(s.calibration) }

// Seconds returns the mean wall-clock time per page.
func (s *Summary) Seconds() float64 { return s.mean(s.seconds) }

// CPUSeconds returns the mean processor time per page, over all cores.
func (s *Summary) CPUSeconds() float64 { return s.mean(s.cpu) }

// mean returns the mean over pages, of which sum is the sum. It is NaN without pages, so that no table shows a figure that
// nobody measured.
func (s *Summary) mean(sum float64) float64 {
	if s.Pages == 0 {
		return math.NaN()
	}
	return sum / float64(s.Pages)
}
