package main

import (
	"context"
	"encoding/json"
	"fmt"
	"image"
	"io"
	"strings"
	"text/tabwriter"

	"uncial/impl/ocr/models"
	"uncial/impl/ocr/reading"
	"uncial/internal/accuracy"
)

// pageLines says how well the lines of a page were found. Its JSON form is the output of --lines --json.
type pageLines struct {
	Page       accuracy.Page      `json:"page"`
	Score      accuracy.LineScore `json:"score"`
	CPUSeconds float64            `json:"cpuSeconds"`
}

// measureLines finds the lines on the selected pages whose true lines are known, and prints how well they were found.
func measureLines(ctx context.Context, folder *accuracy.Folder, set *models.Set, o options, w io.Writer) error {
	truth, err := folder.Lines()
	if err != nil {
		return err
	}
	engines := reading.NewEngines(set, warmModels)
	defer engines.Close()
	var all []pageLines
	for _, p := range folder.Pages {
		if truth[p.ID] == nil || !strings.Contains(p.ID, o.Only) {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		one, err := findLines(ctx, engines, folder, p, truth[p.ID])
		if err != nil {
			return fmt.Errorf("%s: %w", p.ID, err)
		}
		all = append(all, one)
	}
	if len(all) == 0 {
		return fmt.Errorf("--only: lines.json has no page whose id contains %q", o.Only)
	}
	if o.JSON {
		e := json.NewEncoder(w)
		e.SetIndent("", "  ")
		return e.Encode(all)
	}
	return printLines(w, all)
}

// findLines finds the lines of a page and compares them with the true ones.
func findLines(ctx context.Context, engines *reading.Engines, folder *accuracy.Folder, p accuracy.Page, truth []accuracy.TrueLine) (pageLines, error) {
	gray, err := loadGray(folder, p)
	if err != nil {
		return pageLines{}, err
	}
	var found []accuracy.Polygon
	cost, err := measured(func() (string, float64, error) {
		lines, err := engines.FindLines(ctx, gray)
		if err != nil {
			return "", 0, err
		}
		for _, l := range lines.Lines() {
			var polygon accuracy.Polygon
			for _, at := range l.Polygon() {
				polygon = append(polygon, [2]float64{float64(at.X), float64(at.Y)})
			}
			found = append(found, polygon)
		}
		return "", 0, nil
	})
	return pageLines{p, accuracy.CompareLines(truth, found), cost.CPUSeconds}, err
}

// loadGray returns the first page of an image file, as the service sees it before the first step.
func loadGray(folder *accuracy.Folder, p accuracy.Page) (*image.Gray, error) {
	data, _, err := folder.Load(p)
	if err != nil {
		return nil, err
	}
	g, err := firstImage(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", p.Image, err)
	}
	return g, nil
}

// linesLegend explains the columns below the table.
const linesLegend = `Shares of the characters of true lines: one to one (true and found line are each other's best match, and share at least half of
the area that they cover together), merged with another line, split, missed. true, found: numbers of lines. cpu: processor seconds.
`

// printLines prints a row for each page, each collection, each kind and all pages.
func printLines(w io.Writer, all []pageLines) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "\tpages\tone to one\tmerged\tsplit\tmissed\ttrue\tfound\tcpu\t")
	row := func(name string, isIn func(accuracy.Page) bool) {
		var sum accuracy.LineScore
		pages, cpu := 0, 0.0
		for _, p := range all {
			if isIn(p.Page) {
				sum, pages, cpu = sum.Plus(p.Score), pages+1, cpu+p.CPUSeconds
			}
		}
		share := func(n int) float64 { return float64(n) / float64(max(sum.Characters, 1)) }
		fmt.Fprintf(t, "%s\t%d\t%.4f\t%.4f\t%.4f\t%.4f\t%d\t%d\t%.2f\t\n", name, pages,
			share(sum.OneToOne), share(sum.Merged), share(sum.Split), share(sum.Missed), sum.True, sum.Found, cpu/float64(pages))
	}
	seen := map[string]bool{}
	once := func(name string, isIn func(accuracy.Page) bool) {
		if !seen[name] {
			seen[name] = true
			row(name, isIn)
		}
	}
	for _, p := range all {
		row(p.Page.ID, func(q accuracy.Page) bool { return q.ID == p.Page.ID })
	}
	for _, p := range all {
		once(p.Page.Collection, func(q accuracy.Page) bool { return q.Collection == p.Page.Collection })
	}
	for _, p := range all {
		once("all in "+p.Page.Language, func(q accuracy.Page) bool { return q.Language == p.Page.Language })
	}
	row(allPages, func(accuracy.Page) bool { return true })
	if err := t.Flush(); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n"+linesLegend)
	return err
}
