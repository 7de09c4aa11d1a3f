package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"text/tabwriter"

	"uncial/impl/ocr/reading"
	"uncial/internal/accuracy"
	"uncial/internal/document"
)

// pageWords says how well the words of a page were read. Its JSON form is the output of --weak --json.
type pageWords struct {
	Page       accuracy.Page        `json:"page"`
	FoldedCER  float64              `json:"foldedCer"`
	Confidence float64              `json:"confidence"`
	Words      []accuracy.WordScore `json:"words"`
	// Evidence of each word, for --fit; nil for words that were not read.
	Evidence []*wordEvidence `json:"evidence"`
	// Missed is the number of characters that were not read and are in no listed place.
	Missed int `json:"missed"`
	// Lines counts the lines of the ground truth by kind, and as errors those of which no word was read.
	Lines map[accuracy.LineKind]accuracy.Rate `json:"lines"`
}

// wordEvidence is the input of the confidence estimate of a word. A word that was divided at a line end has that of its first
// part.
type wordEvidence struct {
	Handwritten bool             `json:"handwritten,omitempty"`
	Values      reading.Evidence `json:"values"`
}

// scoreWords compares the words of a page with the ground truth.
func scoreWords(o outcome) (pageWords, error) {
	words, unread := listedWords(o.document)
	evidence, err := evidenceOf(o)
	if err != nil {
		return pageWords{}, err
	}
	scores, missed := accuracy.CompareWords(o.truth, words)
	p := pageWords{Page: o.Page, FoldedCER: o.Score.FoldedCER.Value(), Confidence: o.Read.Confidence}
	for _, s := range scores {
		p.Evidence = append(p.Evidence, evidence[s.First])
	}
	p.Words = accuracy.WithUnread(scores, missed, unread)
	p.Evidence = append(p.Evidence, make([]*wordEvidence, len(unread))...)
	p.Lines = accuracy.FoundLines(o.truth, o.Read.Text)
	p.Missed = missed - (accuracy.Errors(p.Words) - accuracy.Errors(scores))
	return p, nil
}

// evidenceOf returns the evidence of each word of the document.
func evidenceOf(o outcome) ([]*wordEvidence, error) {
	var all []*wordEvidence
	rest := o.evidence
	for i := range o.document.Pages {
		for line := range document.Lines(o.document.Pages[i].Blocks) {
			kind := 0
			if line.Handwritten {
				kind = 1
			}
			n := len(line.Words)
			if len(rest[kind]) < n {
				return nil, errors.New(o.Page.ID + ": words and evidence differ in number")
			}
			for _, e := range rest[kind][:n] {
				all = append(all, &wordEvidence{line.Handwritten, e})
			}
			rest[kind] = rest[kind][n:]
		}
	}
	return all, nil
}

// scoreAll compares the words of all pages with the ground truth.
func scoreAll(outcomes []outcome) ([]pageWords, error) {
	all := make([]pageWords, len(outcomes))
	for i, o := range outcomes {
		var err error
		if all[i], err = scoreWords(o); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// loadWords reads files that --weak --json has written.
func loadWords(paths []string) (all []pageWords, err error) {
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			return nil, fmt.Errorf("--words: %w", err)
		}
		var some []pageWords
		if err := json.Unmarshal(data, &some); err != nil {
			return nil, fmt.Errorf("--words: %s was not written by --weak --json: %w", path, err)
		}
		for _, p := range some {
			if slices.ContainsFunc(p.Words, func(w accuracy.WordScore) bool { return w.Confidence > 0 && w.Share == 0 }) {
				return nil, fmt.Errorf("--words: %s was written by an earlier version, which did not know the share of correct characters of each word; write it again", path)
			}
		}
		all = append(all, some...)
	}
	return all, nil
}

// listedWords returns the words of a document, each marked if it lies in a place that an answer lists as weak, and the listed
// places that were not read.
func listedWords(doc *document.Document) (words []accuracy.Word, unread []accuracy.Unread) {
	weak := doc.Weak()
	for i := range doc.Pages {
		for line := range document.Lines(doc.Pages[i].Blocks) {
			for k := range line.Words {
				w := &line.Words[k]
				words = append(words, accuracy.Word{
					Text: w.Text, EndsLine: k == len(line.Words)-1, Confidence: w.Confidence, Share: w.CorrectShare(), Place: placeOf(weak, i, w.Box),
				})
			}
		}
		for _, d := range doc.Pages[i].Doubts {
			if d.Reason == document.UnreadInk && placeOf(weak, i, d.Box) > 0 {
				unread = append(unread, accuracy.Unread{Characters: d.Characters})
			}
		}
	}
	return words, unread
}

// placeOf returns the number, from 1, of the largest weak place that contains the middle of a box on page number i, or 0 if no
// place does.
func placeOf(weak []document.Weak, i int, b document.Box) int {
	x, y := b.X+b.W/2, b.Y+b.H/2
	largest, at := 0, 0
	for k, w := range weak {
		isIn := w.Page == i && w.Box.X <= x && x < w.Box.X+w.Box.W && w.Box.Y <= y && y < w.Box.Y+w.Box.H
		if area := w.Box.W * w.Box.H; isIn && area > largest {
			largest, at = area, k+1
		}
	}
	return at
}

// Shares of the text at which the curve is printed.
var curveShares = []float64{0.05, 0.10, 0.25, 0.50}

const (
	// cleanPage is the CER up to which a page should list hardly anything.
	cleanPage = 0.005
	// ruinedPage is the CER above which a page should not be confident.
	ruinedPage = 0.5
)

// weakLegend explains the figures below the table.
const weakLegend = `AUC: how well the confidence of words tells correct words from others. cal words: mean |confidence - share of the words that are right|,
in ten groups of words of similar confidence. cal pages: mean |confidence - (1 - folded CER)| of pages. listed: share of the words in
weak places. found in N %: share of all wrong, missing and misplaced characters that lie in the first N % of the text, if listed places
come first, those with the smallest share of correct characters before the others, and then the other words in the same order. Writing
that is missing between two words of one weak place lies in that place, and counts as text too. misread in 25 %: the same for misread
characters alone, without missed writing and misplaced words, if weak places do not come first.
`

// weakGroup is a group of pages.
type weakGroup struct {
	name        string
	words       []accuracy.WordScore
	missed      int
	calibration float64
	pages       int
}

// printWeak prints the curve for print, handwriting and all pages, the calibration of each kind in each language, and the pages
// that list too much or are too confident.
func printWeak(w io.Writer, all []pageWords) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(t, "\tpages\twords\tAUC\tcal words\tcal pages\tlisted\t")
	for _, share := range curveShares {
		fmt.Fprintf(t, "found in %.0f %%\t", 100*share)
	}
	fmt.Fprintln(t, "misread in 25 %\t")
	for _, g := range weakGroups(all) {
		errors := accuracy.Errors(g.words) + g.missed
		fmt.Fprintf(t, "%s\t%d\t%d\t%.3f\t%.3f\t%.3f\t%.3f\t", g.name, g.pages, len(g.words), accuracy.AUC(g.words), accuracy.WordCalibration(g.words),
			g.calibration/float64(g.pages), accuracy.ListedShare(g.words))
		for _, share := range curveShares {
			fmt.Fprintf(t, "%.3f\t", accuracy.FoundErrors(g.words, errors, share))
		}
		fmt.Fprintf(t, "%.3f\t\n", accuracy.FoundMisread(g.words, 0.25))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	fmt.Fprintln(w)
	for _, kind := range accuracy.LineKinds {
		var sum accuracy.Rate
		for _, p := range all {
			if p.Page.Kind == "printed" {
				sum = sum.Plus(p.Lines[kind])
			}
		}
		fmt.Fprintf(w, "%s of printed pages of which no word was read: %d of %d\n", kind, sum.Errors, sum.Length)
	}
	for _, p := range all {
		switch {
		case p.FoldedCER <= cleanPage:
			fmt.Fprintf(w, "%s: CER %.4f, %.1f %% of the words listed\n", p.Page.ID, p.FoldedCER, 100*accuracy.ListedShare(p.Words))
		case p.FoldedCER > ruinedPage:
			fmt.Fprintf(w, "%s: CER %.4f, confidence %.3f\n", p.Page.ID, p.FoldedCER, p.Confidence)
		}
	}
	_, err := io.WriteString(w, "\n"+weakLegend)
	return err
}

// weakGroups returns each kind of page in each language, each kind, and all pages.
func weakGroups(all []pageWords) []*weakGroup {
	var list []*weakGroup
	byName := map[string]*weakGroup{}
	for _, name := range []func(accuracy.Page) string{
		func(p accuracy.Page) string { return p.Kind + " " + p.Language },
		func(p accuracy.Page) string { return "all " + p.Kind },
		func(accuracy.Page) string { return allPages },
	} {
		for _, p := range all {
			n := name(p.Page)
			if byName[n] == nil {
				byName[n] = &weakGroup{name: n}
				list = append(list, byName[n])
			}
			g := byName[n]
			g.words = append(g.words, p.Words...)
			g.missed += p.Missed
			g.calibration += math.Abs(p.Confidence - max(0, 1-p.FoldedCER))
			g.pages++
		}
	}
	return list
}
