package main

import (
	"fmt"
	"io"
	"math"
	"slices"
	"text/tabwriter"

	"uncial/impl/ocr/reading"
)

// enhancing names the steps that run with --enhance only. Without --enhance their rows would be zero, and each would cost a
// whole run.
var enhancing = []string{"vote", "long-s"}

// ablate reads the pages once as o says. Then, for each step, it reads only the pages that the step changed, this time without
// it. It prints the differences from the first run. A positive difference of CER means that the step reduces errors. read reads
// the pages that have no outcome yet; tests replace it.
func ablate(o options, w io.Writer, read func(o options, known []outcome) ([]outcome, error)) error {
	o.NoStock, o.PrintOnly = true, false // the table does not show these comparisons
	outcomes, err := read(o, nil)
	if err != nil {
		return err
	}
	// All later figures are printed as differences from these.
	whole := figuresOf(outcomes)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "without\tCER print\tCER handwriting\tBoW\tcpu\tpages read again\tpages changed\t")
	fmt.Fprintf(t, "(nothing)\t%.4f\t%.4f\t%.3f\t%.2f\t\t\t\n", whole.print, whole.handwriting, whole.bow, whole.cpu)
	// Steps that --without already leaves out have no row.
	for _, name := range reading.Steps() {
		if slices.Contains(o.Without, name) || !o.Enhance && slices.Contains(enhancing, name) {
			continue
		}
		without := o
		without.Without = append(slices.Clone(o.Without), name)
		unchanged, again := unchangedBy(name, outcomes)
		other, err := read(without, unchanged)
		if err != nil {
			return fmt.Errorf("without %s: %w", name, err)
		}
		f := figuresOf(other)
		fmt.Fprintf(t, "%s\t%+.4f\t%+.4f\t%+.3f\t%+.2f\t%d\t%d\t\n", name,
			f.print-whole.print, f.handwriting-whole.handwriting, f.bow-whole.bow, f.cpu-whole.cpu, again, pagesChanged(outcomes, other))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	_, err = io.WriteString(w, ablationLegend)
	return err
}

// unchangedBy returns the outcomes of the pages that the step did not change, with empty ones in the places of the others, and
// the number of these others.
func unchangedBy(step string, outcomes []outcome) (unchanged []outcome, others int) {
	unchanged = slices.Clone(outcomes)
	for i := range unchanged {
		if unchanged[i].changedBy[step] {
			unchanged[i] = outcome{}
			others++
		}
	}
	return unchanged, others
}

// ablationLegend explains the columns below the table.
const ablationLegend = `
The first row gives the figures with all steps, the others the differences without one step. CER: folded, over the characters of
all pages of the kind. BoW: mean F1 of the bags of words. cpu: processor seconds per page, including the time to find out
which steps change it; a page that the step does not change counts as if the step took no time. NaN: no page of the kind.
`

// figures sum up a set of pages. The folded CERs are NaN if there is no page of the kind; cpu is in seconds per page.
type figures struct{ print, handwriting, bow, cpu float64 }

// figuresOf takes the figures from the groups that table.go prints, so that both tables agree.
func figuresOf(outcomes []outcome) figures {
	f := figures{print: math.NaN(), handwriting: math.NaN()}
	for _, g := range groups(outcomes) {
		switch g.name {
		case allPrinted:
			f.print = g.own.FoldedCER.Value()
		case allHandwritten:
			f.handwriting = g.own.FoldedCER.Value()
		case allPages:
			f.bow, f.cpu = g.own.BoWF1(), g.own.CPUSeconds()
		}
	}
	return f
}

// pagesChanged counts the pages whose text differs between two runs over the same pages. A step that changes the state of
// a page need not change its text.
func pagesChanged(a, b []outcome) int {
	n := 0
	for i := range a {
		if a[i].Read.Text != b[i].Read.Text {
			n++
		}
	}
	return n
}
