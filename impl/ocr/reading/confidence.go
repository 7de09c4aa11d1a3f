package reading

import (
	"math"

	"uncial/internal/document"
)

// The recognizer's confidence is turned into the share of characters that are right by a logistic curve for print; that for
// hands is in package hand. curveBase and earlyPrintIsModest were fitted to the 40 printed ones of the shared pages, for the
// least mean absolute error, which is 0.049; leaving out one collection after the other and predicting it from the rest gives
// 0.053. curveSlope and missedWriting are round figures, the best of a coarse grid of such for collections left out and for
// pages of handwriting that are read as print. Further terms (the share of words in the lexicon, a slope for each model) made
// the left-out collections worse.
const (
	curveBase  = -1.18
	curveSlope = 1.6
	// earlyPrintIsModest is added for the model for early print, which is right more often than it says.
	earlyPrintIsModest = 1.82
	// missedWriting weighs the share of the ink that became text, the more the less sure the reading is: a page of
	// which little was read, and that badly, is handwriting or no text at all.
	missedWriting = 0.6
	// leastShare keeps the logarithm of that share finite.
	leastShare = 0.05
	// leastConfidence keeps the curve away from never and always.
	leastConfidence = 0.02
)

// pageConfidence estimates the share of a page's characters that are right. letters is the number of spots of ink in
// the shape of a letter. The blocks carry the recognizer's own confidences.
func pageConfidence(blocks []document.Block, letters int) float64 {
	n := characters(blocks)
	if n == 0 {
		return 0
	}
	own := meanConfidence(blocks)
	share := min(float64(n)/float64(max(letters, 1)), 1)
	return logistic(curve(own, mainModel(blocks)) + missedWriting*math.Log(share+leastShare)*(1-own))
}

// calibrate replaces the recognizer's confidence in each word by an estimate of the share of its characters that are
// right.
func calibrate(blocks []document.Block) {
	for i := range blocks {
		for j := range blocks[i].Lines {
			words := blocks[i].Lines[j].Words
			for k := range words {
				words[k].Confidence = logistic(curve(words[k].Confidence, words[k].Model))
			}
		}
	}
}

func curve(own float64, model string) float64 {
	own = min(max(own, leastConfidence), 1-leastConfidence)
	z := curveBase + curveSlope*math.Log(own/(1-own))
	if model == earlyPrint {
		z += earlyPrintIsModest
	}
	return z
}

func logistic(z float64) float64 { return 1 / (1 + math.Exp(-z)) }

// mainModel is the model that read most characters.
func mainModel(blocks []document.Block) string {
	counts := map[string]int{}
	best := ""
	for _, b := range blocks {
		for _, l := range b.Lines {
			for _, w := range l.Words {
				counts[w.Model] += len(w.Text)
				if counts[w.Model] > counts[best] {
					best = w.Model
				}
			}
		}
	}
	return best
}
