package main

import (
	"encoding/json"
	"fmt"
	"io"
	"text/tabwriter"

	"uncial/internal/accuracy"
)

// group is the sum of several pages, such as a collection. stock and printOnly have no pages if they were not requested.
type group struct {
	name                  string
	own, stock, printOnly accuracy.Summary
}

// add adds one page with the results of all ways in which it was read.
func (g *group) add(o outcome) {
	g.own.Add(o.Score, o.Read)
	if o.Stock != nil {
		g.stock.Add(*o.Stock, *o.StockRead)
	}
	if o.PrintOnly != nil {
		g.printOnly.Add(*o.PrintOnly, *o.PrintOnlyRead)
	}
}

// The names of the groups that are not collections. ablation.go finds them by these names.
const allPrinted, allHandwritten, allPages = "all printed", "all handwritten", "all pages"

// groups returns the collections in the order of the folder, then print, handwriting and all pages together. A page is in
// its collection, in the group of its kind, and in all pages.
func groups(outcomes []outcome) []*group {
	var list []*group
	byName := map[string]*group{}
	// find returns the group of this name, and appends it to the list at its first use: that gives the order.
	find := func(name string) *group {
		if byName[name] == nil {
			byName[name] = &group{name: name}
			list = append(list, byName[name])
		}
		return byName[name]
	}
	for _, o := range outcomes {
		find(o.Page.Collection).add(o)
	}
	for _, kind := range [][2]string{{"printed", allPrinted}, {"handwritten", allHandwritten}} {
		for _, o := range outcomes {
			if o.Page.Kind == kind[0] {
				find(kind[1]).add(o)
			}
		}
	}
	for _, o := range outcomes {
		find(allPages).add(o)
	}
	return list
}

// legend explains the columns below the table and in the report.
const legend = `CER, WER: error rate of characters and words, strict and folded. BoW: F1 of the bags of words. conf: mean confidence.
cal: mean |confidence - (1 - folded CER)|. s, cpu: seconds and processor seconds a page. "Tesseract" is plain Tesseract;
"without hands" is the service without its handwriting model.
`

// row is one line of the table of figures, in the terminal and in the report.
type row struct {
	Name string
	*accuracy.Summary
}

// rows returns one row for each group, and below it one for each comparison that was requested. stock is the name of the row
// of plain Tesseract.
func rows(outcomes []outcome, stock string) []row {
	var all []row
	for _, g := range groups(outcomes) {
		all = append(all, row{g.name, &g.own})
		if g.printOnly.Pages > 0 {
			all = append(all, row{"without hands", &g.printOnly})
		}
		if g.stock.Pages > 0 {
			all = append(all, row{stock, &g.stock})
		}
	}
	return all
}

// printTable prints the figures, four decimals for error rates, and then the legend.
func printTable(w io.Writer, outcomes []outcome) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "\tpages\tCER\tWER\tCER folded\tWER folded\tBoW\tconf\tcal\ts\tcpu\t")
	for _, r := range rows(outcomes, "Tesseract") {
		fmt.Fprintf(t, "%s\t%d\t%.4f\t%.4f\t%.4f\t%.4f\t%.3f\t%.3f\t%.3f\t%.2f\t%.2f\t\n", r.Name, r.Pages,
			r.CER.Value(), r.WER.Value(), r.FoldedCER.Value(), r.FoldedWER.Value(), r.BoWF1(),
			r.Confidence(), r.CalibrationError(), r.Seconds(), r.CPUSeconds())
	}
	if err := t.Flush(); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n"+legend)
	return err
}

// printJSON prints the outcomes of all pages, with their texts, as one JSON array in the order of the folder.
func printJSON(w io.Writer, outcomes []outcome) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(outcomes)
}
