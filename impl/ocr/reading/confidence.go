package reading

import (
	"math"
	"unicode/utf8"

	"uncial/impl/ocr/hand"
	"uncial/impl/ocr/models/own"
	"uncial/internal/document"
)

// meanConfidence returns the mean confidence of the words, weighted by their length, or 0 if there are none.
func meanConfidence(blocks []document.Block) float64 {
	var sum, n float64
	for w := range document.Words(blocks) {
		k := float64(utf8.RuneCountInString(w.Text))
		sum += k * w.Confidence
		n += k
	}
	if n == 0 {
		return 0
	}
	return sum / n
}

// meanWordConfidence is meanConfidence for some words.
func meanWordConfidence(words []document.Word) float64 {
	return meanConfidence([]document.Block{{Lines: []document.Line{{Words: words}}}})
}

// pageConfidence estimates the share of a page's characters that are correct, 0..1. letters is the number of letter-shaped
// components of ink. The blocks must have the recognizer's own confidences.
func pageConfidence(blocks []document.Block, letters int) float64 {
	n := characters(blocks)
	if n == 0 {
		return 0
	}
	own := meanConfidence(blocks)
	share := min(float64(n)/float64(max(letters, 1)), 1)
	return logistic(curve(own, mainModel(blocks)) + missedWeight*math.Log(share+minInkShare)*(1-own))
}

// calibrate replaces the recognizer's confidence in each word with an estimate of the share of its characters that are correct.
func calibrate(blocks []document.Block) {
	for w := range document.Words(blocks) {
		if own.ReadsPrint(w.Model) {
			w.Confidence = hand.ExpectedAccuracy(w.Confidence)
		} else {
			w.Confidence = logistic(curve(w.Confidence, w.Model))
		}
	}
}

// curve returns the log-odds that a character is correct, given the model's own confidence, 0..1.
func curve(own float64, model string) float64 {
	own = min(max(own, minCurveConfidence), 1-minCurveConfidence)
	z := curveBase + curveSlope*math.Log(own/(1-own))
	if model == earlyPrint {
		z += earlyPrintBonus
	}
	return z
}

// logistic returns the probability, 0..1, for the log-odds z. It is the inverse of logOdds.
func logistic(z float64) float64 { return 1 / (1 + math.Exp(-z)) }

// mainModel returns the name of the model that read most of the text, or "" if there is no text.
func mainModel(blocks []document.Block) string {
	bytes := map[string]int{}
	best := ""
	for w := range document.Words(blocks) {
		bytes[w.Model] += len(w.Text)
		if bytes[w.Model] > bytes[best] {
			best = w.Model
		}
	}
	return best
}
