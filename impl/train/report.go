package train

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"html/template"
	"io"
	"io/fs"
	"os"
	"strings"

	"uncial/impl/ocr/neural/training"
)

//go:embed report.html
var reportHTML string

var reportPage = template.Must(template.New("report").Funcs(template.FuncMap{"count": count}).Parse(reportHTML))

// report is the content of the HTML report.
type report struct {
	Model, Base, Languages string
	Pages, Lines, Held     int
	Before, After          float64
	Minutes                float64
	New, Rare              string
	Skipped                map[string]int
	Samples                []training.Sample
	curve                  [][2]float64
}

// add records what an event of the training says.
func (r *report) add(e training.Event) {
	switch e.Kind {
	case "start":
		r.Lines, r.Held, r.Skipped = e.Lines, e.Held, e.Skipped
		r.New, r.Rare = strings.Join(e.New, " "), strings.Join(e.Rare, " ")
	case "done":
		r.Before, r.After, r.Minutes, r.curve, r.Samples = e.Before, e.Error, e.Seconds/60, e.Curve, e.Samples
	}
}

// Points returns the error curve as the points of an SVG polyline in a picture of 600 x 160 pixels, or "" if nothing was
// measured. The template calls it.
func (r *report) Points() string {
	if len(r.curve) == 0 {
		return ""
	}
	const width, height = 600, 160
	last, maxError := r.curve[len(r.curve)-1][0], r.Before
	for _, p := range r.curve {
		maxError = max(maxError, p[1])
	}
	points := []string{fmt.Sprintf("0,%.1f", height-height*r.Before/max(maxError, 1e-9))}
	for _, p := range r.curve {
		points = append(points, fmt.Sprintf("%.1f,%.1f", width*p[0]/max(last, 1), height-height*p[1]/max(maxError, 1e-9)))
	}
	return strings.Join(points, " ")
}

// write writes the report to path. The file is complete or, after an error, unchanged.
func (r *report) write(path string) error {
	return writeFile(path, func(w io.Writer) error { return reportPage.Execute(w, r) })
}

// reportPath returns the path of the report about the model at out.
func reportPath(out string) string { return strings.TrimSuffix(out, modelExtension) + ".html" }

// reportTitle is in the title of each report, within its first titleWithin bytes.
const (
	reportTitle = ": training report</title>"
	titleWithin = 4 << 10
)

// isFreeForReport reports whether there is no file at path, or a report of an earlier training.
func isFreeForReport(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return errors.Is(err, fs.ErrNotExist)
	}
	defer f.Close() //nolint:errcheck // only read
	begin, err := io.ReadAll(io.LimitReader(f, titleWithin))
	return err == nil && bytes.Contains(begin, []byte(reportTitle))
}
