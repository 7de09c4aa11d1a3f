// Command uncial-accuracy measures how well the service reads: it reads a folder of page images with the service's own steps,
// and once more with plain Tesseract, compares both with the ground truth, and prints the figures of each collection side by
// side. With --ablation it measures instead what each step of the reading contributes.
//
// Pages are read in this process, by the functions that a worker runs in its sandbox. Timings therefore do not include queue,
// pipe and sandbox, and --without can leave out steps, which a worker never does. The measures are in internal/accuracy and the
// steps in impl/ocr/reading. Start with run; read.go reads the pages, stock.go reads them with plain Tesseract, and table.go,
// report.go and ablation.go print the results. lines.go measures how well lines are found, weak.go how well confidence finds
// errors (checked.go corrects the ground truth for it), und.go how often a language is found, regions.go whether regions have
// their kind. fit.go fits the weights of confidence, and fitvote.go those of the vote.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/signal"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"uncial/impl/ocr/models"
	"uncial/impl/ocr/reading"
	"uncial/internal/accuracy"
)

// description is the help above the flags; kong fills in ${steps}.
const description = `Measures how well the service reads a folder of page images with ground truth.

The folder's index.json is an array of pages, each with "id", "collection", "lang" (BCP 47), "kind" ("printed" or "handwritten"),
"image" and "ground_truth" (paths inside the folder, the ground truth as plain text). For example:

  [{"id": "p1", "collection": "letters", "lang": "fr", "kind": "handwritten", "image": "p1.jpg", "ground_truth": "p1.txt"}]

Without a folder it reads the pages that were rendered for tests, which are far easier than scans. The documentation of the package
uncial/internal/accuracy defines the figures.

Examples:
  uncial-accuracy pages
  uncial-accuracy --enhance --html report.html pages
  uncial-accuracy --only gallica --json pages
  uncial-accuracy --without enlarge,missed pages
  uncial-accuracy --ablation --enhance --only oldbooks pages
  uncial-accuracy --lines pages
  uncial-accuracy --und pages
  uncial-accuracy --regions impl/ocr/reading/testdata/regions.tsv pages
  uncial-accuracy --degrade turn90 --only oldbooks pages
  uncial-accuracy --print-only --no-stock --jobs 1 pages

Steps that --without accepts:
  ${steps}`

// options are the flags; check validates those that kong cannot.
type options struct {
	Dir       string   `arg:"" optional:"" default:"impl/ocr/ocrtest/testdata/pages" help:"Folder of pages with ground truth (${default})."`
	Enhance   bool     `help:"Correct the readings as requests with \"enhance\" do."`
	Without   []string `placeholder:"STEP,..." help:"Leave out these steps of the reading."`
	Ablation  bool     `help:"Read the pages once with all steps, then again without each step that changed them, and print what each step contributes."`
	Lines     bool     `help:"Measure only how well lines of handwriting are found, on pages whose lines are in the folder's lines.json, one page at a time."`
	Und       bool     `help:"Read each page a second time with the language undetermined (und), and print how often the language of the index is found, and what that costs."`
	Weak      bool     `help:"Measure how well confidence and the weak places of answers find the errors; with --json, print every word."`
	Regions   string   `placeholder:"FILE" help:"Measure only whether regions have the kind that a file of labels gives them, on the pages that it labels."`
	Fit       bool     `help:"Fit the weights of the words' confidence, and print them."`
	FitVote   bool     `help:"Fit the weights of the vote between Tesseract and the network for print (with --enhance: of the vote after it) and print them."`
	Words     []string `placeholder:"FILE,..." help:"For --weak and --fit: take the words from files that --weak --json wrote, and read no pages."`
	Checked   string   `placeholder:"FILE" help:"For --weak: count as right the passages on a page that its ground truth does not have, or has in another place. Each line is the id of a page, a tab and a passage."`
	HTML      string   `placeholder:"FILE" help:"Write an HTML report that shows each page with its words and errors."`
	JSON      bool     `help:"Print the figures of every page as JSON."`
	Only      string   `placeholder:"TEXT" help:"Read only pages whose id contains this text."`
	Degrade   string   `placeholder:"KIND" help:"Make the pages worse before they are read, in the same way in every run: ${degradations}."`
	NoStock   bool     `help:"Do not also read the pages with plain Tesseract for comparison."`
	PrintOnly bool     `help:"Also read all pages as print, without the handwriting model, for comparison."`
	Jobs      int      `default:"2" help:"Pages read at the same time, 1 or 2 (${default}). Timings are steadier with 1."`
	Models    []string `placeholder:"DIR" help:"Folders with models (*.traineddata) that take precedence over the installed ones."`
}

// main exits with status 1 after an error. An interrupt stops the run; nothing is printed then.
func main() {
	var o options
	kong.Parse(&o, kong.Description(description), kong.UsageOnError(), kong.Vars{
		"steps": strings.Join(reading.Steps(), ", "), "degradations": strings.Join(degradationNames(), ", "),
	})
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, o); err != nil {
		fmt.Fprintln(os.Stderr, "uncial-accuracy:", err)
		os.Exit(1) //nolint:gocritic // stop only releases the signal handler
	}
}

// check returns an error that names the first invalid flag. A mistyped step would otherwise look like a step without
// effect.
func (o options) check() error {
	if o.Jobs < 1 || o.Jobs > 2 {
		return fmt.Errorf("--jobs: %d is out of range; choose 1 or 2", o.Jobs)
	}
	for _, name := range o.Without {
		if !slices.Contains(reading.Steps(), name) {
			return fmt.Errorf("--without: unknown step %q; choose among %s", name, strings.Join(reading.Steps(), ", "))
		}
	}
	if _, ok := degradations[o.Degrade]; !ok {
		return fmt.Errorf("--degrade: unknown kind %q; choose among %s", o.Degrade, strings.Join(degradationNames(), ", "))
	}
	if o.Ablation && (o.JSON || o.HTML != "" || o.Degrade == "mixed") {
		return errors.New("--ablation prints only a table of print and handwriting; leave out --json, --html and --degrade mixed")
	}
	if (o.Weak || o.Fit) && (o.Ablation || o.Lines || o.HTML != "" || o.PrintOnly || o.Weak == o.Fit || o.Fit && o.JSON) {
		return errors.New("--weak and --fit print tables of their own; use one of them, without --ablation, --lines, --html and --print-only, and --fit without --json")
	}
	if len(o.Words) > 0 && !o.Weak && !o.Fit {
		return errors.New("--words: add --weak or --fit")
	}
	if o.Checked != "" && !o.Weak {
		return errors.New("--checked: add --weak")
	}
	if o.Und && (o.Ablation || o.Lines || o.Weak || o.Fit || o.HTML != "" || o.PrintOnly) {
		return errors.New("--und prints a table of its own; leave out --ablation, --lines, --weak, --fit, --html and --print-only")
	}
	if o.Regions != "" && (o.Ablation || o.Lines || o.Und || o.Weak || o.Fit || o.HTML != "" || o.JSON || o.PrintOnly || o.Degrade != "") {
		return errors.New("--regions prints a table of its own; leave out --ablation, --lines, --und, --weak, --fit, --html, --json, --print-only and --degrade")
	}
	if o.FitVote && (o.Ablation || o.Lines || o.Und || o.Weak || o.Fit || o.HTML != "" || o.JSON || o.PrintOnly || o.Regions != "") {
		return errors.New("--fit-vote prints weights only; leave out --ablation, --lines, --und, --weak, --fit, --html, --json, --print-only and --regions")
	}
	if o.Lines && (o.Ablation || o.Enhance || o.HTML != "" || len(o.Without) > 0 || o.PrintOnly || len(o.Models) > 0 || o.Degrade != "") {
		return errors.New("--lines reads nothing; leave out --ablation, --enhance, --html, --without, --print-only, --models and --degrade")
	}
	return nil
}

// run reads the folder as the flags say, and reports the result. An invalid flag is reported before anything is read.
func run(ctx context.Context, o options) (err error) {
	if err := o.check(); err != nil {
		return err
	}
	if len(o.Words) > 0 {
		words, err := loadWords(o.Words)
		if err != nil {
			return err
		}
		return reportWords(o, words)
	}
	folder, err := accuracy.OpenFolder(o.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("%w\nExpected a folder with an index.json; 'uncial-accuracy --help' shows its form", err)
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, folder.Close()) }()
	// The first folder with a model of a name wins, so the models of --models replace the installed ones.
	set, err := models.Find(append(o.Models, models.Dirs()...)...)
	if err != nil {
		return err
	}
	if o.Lines {
		return measureLines(ctx, folder, set, o, os.Stdout)
	}
	if o.Ablation {
		return ablate(o, os.Stdout, func(o options, known []outcome) ([]outcome, error) {
			return readAll(ctx, folder, set, o, known)
		})
	}
	var labels []region
	if o.Regions != "" {
		if labels, err = loadRegions(o.Regions); err != nil {
			return err
		}
		folder.Pages = slices.DeleteFunc(folder.Pages, func(p accuracy.Page) bool {
			return !slices.ContainsFunc(labels, func(l region) bool { return l.page == p.ID })
		})
		o.NoStock = true
	}
	outcomes, err := readAll(ctx, folder, set, o, nil)
	if err != nil {
		return err
	}
	return report(o, labels, outcomes)
}

// report prints what the flags ask for, to standard output, and writes the HTML report if requested.
func report(o options, labels []region, outcomes []outcome) error {
	if o.Weak || o.Fit {
		words, err := scoreAll(outcomes)
		if err != nil {
			return err
		}
		return reportWords(o, words)
	}
	if o.FitVote {
		name := "networkWeights"
		if o.Enhance {
			name = "voteWeights"
		}
		return fitVote(os.Stdout, name, outcomes)
	}
	if o.Und {
		return reportFound(os.Stdout, o, outcomes)
	}
	if o.Regions != "" {
		return printRegions(os.Stdout, labels, outcomes)
	}
	if o.HTML != "" {
		if err := writeReport(o.HTML, outcomes); err != nil {
			return err
		}
	}
	if o.JSON {
		return printJSON(os.Stdout, outcomes)
	}
	return printTable(os.Stdout, outcomes)
}

// reportWords prints what --weak or --fit asks for.
func reportWords(o options, words []pageWords) error {
	checked, err := loadPassages(o.Checked)
	if err != nil {
		return err
	}
	if n := checked.apply(words); n > 0 {
		fmt.Fprintf(os.Stderr, "%d characters of checked passages count as right\n", n)
	}
	switch {
	case o.Fit:
		return fitWeights(os.Stdout, words)
	case o.JSON:
		return json.NewEncoder(os.Stdout).Encode(words)
	}
	return printWeak(os.Stdout, words)
}
