package main

import (
	"fmt"
	"io"
	"strings"

	"uncial/impl/ocr/correct"
	"uncial/impl/ocr/reading"
	"uncial/internal/accuracy"
	"uncial/internal/document"
)

// example is a word with its evidence.
type example struct {
	page     int
	evidence reading.Evidence
	score    accuracy.WordScore
}

// ridge is the strength of the ridge penalty, in words.
const ridge = 5.0

// fitWeights fits the weights of the evidence of words, for print on printed pages and for handwriting on all, and prints them
// in the form used in thresholds.go. The figures are for words on pages that were left out of the fit, one page at a time.
func fitWeights(w io.Writer, pages []pageWords) error {
	for _, handwritten := range []bool{false, true} {
		name := "printWeights"
		if handwritten {
			name = "handwritingWeights"
		}
		all := examplesOf(pages, handwritten)
		if len(all) == 0 {
			continue
		}
		weights := regress(samplesOf(all), -1, ridge)
		var values []string
		for _, b := range weights {
			values = append(values, fmt.Sprintf("%.3f", b))
		}
		left := leaveOut(all, len(pages))
		estimated, counted := correctShares(left)
		fmt.Fprintf(w, "%s = Evidence{%s}\n%d words; on pages left out: AUC %.3f, calibration error %.3f, found in 25 %% %.3f; correct characters: estimated %.3f, counted %.3f\n\n",
			name, strings.Join(values, ", "), len(all), accuracy.AUC(left), accuracy.WordCalibration(left), accuracy.FoundErrors(left, accuracy.Errors(left), 0.25),
			estimated, counted)
	}
	return nil
}

// correctShares returns the estimated and the true share of correct characters of words.
func correctShares(words []accuracy.WordScore) (estimated, counted float64) {
	characters := 0.0
	for _, s := range words {
		n := float64(s.Characters)
		characters, estimated, counted = characters+n, estimated+n*s.Share, counted+n-float64(min(s.Errors, s.Characters))
	}
	return estimated / characters, counted / characters
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

// samplesOf returns a sample for each word: 1 if it is right, otherwise 0.
func samplesOf(all []example) []sample {
	out := make([]sample, len(all))
	for i := range all {
		e := &all[i]
		right := 0.0
		if e.score.Errors == 0 {
			right = 1
		}
		out[i] = sample{e.page, e.evidence[:], right, 1}
	}
	return out
}

// leaveOut returns the words with the confidence that the weights of all other pages give them.
func leaveOut(all []example, pages int) []accuracy.WordScore {
	samples := samplesOf(all)
	var out []accuracy.WordScore
	for page := range pages {
		var weights []float64
		for i := range all {
			if all[i].page != page {
				continue
			}
			if weights == nil {
				weights = regress(samples, page, ridge)
			}
			s := all[i].score
			s.Listed, s.Confidence = false, correct.Probability(weights, all[i].evidence[:])
			word := document.Word{Text: s.Text, Confidence: s.Confidence}
			s.Share = word.CorrectShare()
			out = append(out, s)
		}
	}
	return out
}
