package main

import (
	"fmt"
	"io"
	"math"
	"strings"

	"uncial/impl/ocr/reading"
	"uncial/internal/accuracy"
)

// example is a word with its evidence.
type example struct {
	page     int
	evidence reading.Evidence
	score    accuracy.WordScore
}

// share is the share of the word's characters that are correct.
func (e *example) share() float64 {
	return 1 - float64(min(e.score.Errors, e.score.Characters))/float64(e.score.Characters)
}

// fitWeights fits the weights of the evidence of words, for print on printed pages and for handwriting on all, and prints them as they
// are in thresholds.go. The figures are of words on pages that were left out of the fit, one page at a time.
func fitWeights(w io.Writer, pages []pageWords) error {
	for _, handwritten := range []bool{false, true} {
		name := "printWeights"
		if handwritten {
			name = "handWeights"
		}
		all := examplesOf(pages, handwritten)
		if len(all) == 0 {
			continue
		}
		weights := regress(all, -1)
		var values []string
		for _, b := range weights {
			values = append(values, fmt.Sprintf("%.3f", b))
		}
		left := leaveOut(all, len(pages))
		fmt.Fprintf(w, "%s = Evidence{%s}\n%d words; on pages left out: AUC %.3f, found in 25 %% %.3f\n\n", name, strings.Join(values, ", "),
			len(all), accuracy.AUC(left), accuracy.FoundErrors(left, accuracy.Errors(left), 0.25))
	}
	return nil
}

// examplesOf returns the words of print or of handwriting.
func examplesOf(pages []pageWords, handwritten bool) (all []example) {
	for i, p := range pages {
		if !handwritten && p.Page.Kind != "printed" {
			continue // ground truth of handwritten pages often lacks the print on them
		}
		for k, e := range p.Evidence {
			if e != nil && e.Handwritten == handwritten {
				all = append(all, example{i, e.Values, p.Words[k]})
			}
		}
	}
	return all
}

// leaveOut returns the words with the confidence that the weights of all other pages give them.
func leaveOut(all []example, pages int) []accuracy.WordScore {
	var out []accuracy.WordScore
	for page := range pages {
		var weights reading.Evidence
		fitted := false
		for i := range all {
			if all[i].page != page {
				continue
			}
			if !fitted {
				weights, fitted = regress(all, page), true
			}
			s := all[i].score
			s.Listed, s.Confidence = false, probability(&weights, &all[i].evidence)
			out = append(out, s)
		}
	}
	return out
}

// Settings of the regression.
const (
	// ridge pulls weights towards 0: as much as that many characters would.
	ridge    = 20.0
	maxSteps = 30
)

// regress fits a logistic regression to all words but those of one page, each as often as it has characters (Newton's method).
func regress(all []example, without int) (weights reading.Evidence) {
	const n = len(weights)
	for range maxSteps {
		var gradient [n]float64
		var hessian [n][n]float64
		for i := range all {
			e := &all[i]
			if e.page == without {
				continue
			}
			p := probability(&weights, &e.evidence)
			characters := float64(e.score.Characters)
			for a, x := range e.evidence {
				gradient[a] += characters * (e.share() - p) * x
				for b, y := range e.evidence {
					hessian[a][b] += characters * p * (1 - p) * x * y
				}
			}
		}
		for a := range weights {
			hessian[a][a] += ridge
			gradient[a] -= ridge * weights[a]
		}
		step := solve(hessian, gradient)
		largest := 0.0
		for a := range weights {
			weights[a] += step[a]
			largest = max(largest, math.Abs(step[a]))
		}
		if largest < 1e-6 {
			break
		}
	}
	return weights
}

func probability(weights, evidence *reading.Evidence) float64 {
	z := 0.0
	for i, w := range weights {
		z += w * evidence[i]
	}
	return 1 / (1 + math.Exp(-z))
}

// solve solves a system of linear equations whose matrix is positive definite (Gauss-Jordan).
func solve(m [len(reading.Evidence{})][len(reading.Evidence{})]float64, y [len(reading.Evidence{})]float64) [len(reading.Evidence{})]float64 {
	for i := range m {
		pivot := m[i][i]
		for c := range m[i] {
			m[i][c] /= pivot
		}
		y[i] /= pivot
		for r := range m {
			factor := m[r][i]
			if r == i || factor == 0 {
				continue
			}
			for c := range m[r] {
				m[r][c] -= factor * m[i][c]
			}
			y[r] -= factor * y[i]
		}
	}
	return y
}
