package main

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"text/tabwriter"

	"uncial/internal/accuracy"
)

// foundPage is one page read twice: in the language of its ground truth, and with the language left open. Its JSON form is the
// output of --und --json.
type foundPage struct {
	ID       string           `json:"id"`
	Kind     string           `json:"kind"`
	Language string           `json:"language"`
	Found    string           `json:"found"`
	Score    accuracy.Score   `json:"score"`
	Read     accuracy.Reading `json:"reading"`
	// UndScore and UndRead belong to the reading with the language und.
	UndScore accuracy.Score   `json:"undScore"`
	UndRead  accuracy.Reading `json:"undReading"`
}

// languageFigures are sums over the pages of one language.
type languageFigures struct {
	pages, right int
	cer, undCER  float64 // folded, sums over pages
	cpu, undCPU  float64
}

// add counts a page that was read twice, with its language given and with und.
func (f *languageFigures) add(p foundPage) {
	f.pages++
	if p.Found == p.Language {
		f.right++
	}
	f.cer += p.Score.FoldedCER.Value()
	f.undCER += p.UndScore.FoldedCER.Value()
	f.cpu += p.Read.CPUSeconds
	f.undCPU += p.UndRead.CPUSeconds
}

// foundPages returns the pages of a run with --und.
func foundPages(outcomes []outcome) []foundPage {
	var pages []foundPage
	for _, o := range outcomes {
		pages = append(pages, foundPage{
			ID: o.Page.ID, Kind: o.Page.Kind, Language: o.Page.Language, Found: o.found,
			Score: o.Score, Read: o.Read, UndScore: *o.Und, UndRead: *o.UndRead,
		})
	}
	return pages
}

// printFound prints, for each language and for their mean, how often the language was found, and the mean error rates and times
// of both readings. Below it are the pages whose detected language is not that of the index.
func printFound(w io.Writer, pages []foundPage) error {
	byLanguage := map[string]*languageFigures{}
	for _, p := range pages {
		if byLanguage[p.Language] == nil {
			byLanguage[p.Language] = &languageFigures{}
		}
		byLanguage[p.Language].add(p)
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "\tpages\tright\tCER named\tCER und\tcpu named\tcpu und\t")
	var right, cer, undCER, cpu, undCPU float64
	for _, tag := range slices.Sorted(maps.Keys(byLanguage)) {
		f := byLanguage[tag]
		n := float64(f.pages)
		fmt.Fprintf(t, "%s\t%d\t%.2f\t%.4f\t%.4f\t%.2f\t%.2f\t\n", tag, f.pages, float64(f.right)/n, f.cer/n, f.undCER/n, f.cpu/n, f.undCPU/n)
		right, cer, undCER, cpu, undCPU = right+float64(f.right)/n, cer+f.cer/n, undCER+f.undCER/n, cpu+f.cpu/n, undCPU+f.undCPU/n
	}
	n := float64(len(byLanguage))
	fmt.Fprintf(t, "mean of languages\t%d\t%.2f\t%.4f\t%.4f\t%.2f\t%.2f\t\n", len(pages), right/n, cer/n, undCER/n, cpu/n, undCPU/n)
	if err := t.Flush(); err != nil {
		return err
	}
	for _, p := range pages {
		if p.Found != p.Language {
			if _, err := fmt.Fprintf(w, "%s: %s was found instead of %s\n", p.ID, p.Found, p.Language); err != nil {
				return err
			}
		}
	}
	return nil
}

// reportFound prints what --und asks for.
func reportFound(w io.Writer, o options, outcomes []outcome) error {
	pages := foundPages(outcomes)
	if o.JSON {
		e := json.NewEncoder(w)
		e.SetIndent("", "  ")
		return e.Encode(pages)
	}
	return printFound(w, pages)
}
