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

// Add adds a page.
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

func (s *Summary) BoWF1() float64 { return s.mean(s.bow) }

func (s *Summary) Confidence() float64 { return s.mean(s.confidence) }

func (s *Summary) CalibrationError() float64 { return s.mean(s.calibration) }

// Seconds is wall time.
func (s *Summary) Seconds() float64 { return s.mean(s.seconds) }

func (s *Summary) CPUSeconds() float64 { return s.mean(s.cpu) }

// mean is that over pages. It is NaN without pages, so that no table shows a figure that nobody measured.
func (s *Summary) mean(sum float64) float64 {
	if s.Pages == 0 {
		return math.NaN()
	}
	return sum / float64(s.Pages)
}
