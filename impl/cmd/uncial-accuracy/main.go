// Command uncial-accuracy measures how well the service reads: it reads a folder of page images with the service's own
// pipeline, and once more with plain Tesseract, compares both with the ground truth, and prints the figures of each
// collection side by side.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"

	"github.com/alecthomas/kong"

	"uncial/impl/ocr/models"
	"uncial/internal/accuracy"
)

const description = `Measures how well the service reads the pages of a folder that holds an index.json, images and ground truth.

The folder's index.json is an array of pages, each with "id", "collection", "lang" (BCP 47), "kind" (printed or
handwritten), "image" and "ground_truth" (paths in the folder). What the columns mean is said in the documentation of
the package uncial/internal/accuracy.

Examples:
  uncial-accuracy ../shared/pages
  uncial-accuracy --enhance --html report.html ../shared/pages
  uncial-accuracy --only gallica --json ../shared/pages
  uncial-accuracy --print-only --no-stock --jobs 1 ../shared/pages`

type options struct {
	Dir       string   `arg:"" optional:"" default:"../shared/pages" help:"Folder of pages with ground truth (${default})."`
	Enhance   bool     `help:"Run the enhancement as well."`
	HTML      string   `placeholder:"FILE" help:"Write a report in which each page can be looked at."`
	JSON      bool     `help:"Print JSON: the figures of every page."`
	Only      string   `placeholder:"TEXT" help:"Read only the pages whose id contains this text."`
	NoStock   bool     `help:"Do not read the pages with plain Tesseract for comparison."`
	PrintOnly bool     `help:"Read the pages once more without the part for handwriting, for comparison."`
	Jobs      int      `default:"2" help:"Pages read at a time, at most 2 (${default}). With 1 the seconds are steadier."`
	Models    []string `placeholder:"DIR" help:"Directories of models (*.traineddata) that come before the installed ones."`
}

func main() {
	var o options
	kong.Parse(&o, kong.Description(description), kong.UsageOnError())
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, o); err != nil {
		fmt.Fprintln(os.Stderr, "uncial-accuracy:", err)
		os.Exit(1) //nolint:gocritic // nothing is left to be done
	}
}

func run(ctx context.Context, o options) (err error) {
	if o.Jobs < 1 || o.Jobs > 2 {
		return fmt.Errorf("--jobs is %d; want 1 or 2", o.Jobs)
	}
	folder, err := accuracy.OpenFolder(o.Dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, folder.Close()) }()
	set, err := models.Find(append(o.Models, models.Dirs()...)...)
	if err != nil {
		return err
	}
	outcomes, err := readAll(ctx, folder, set, o)
	if err != nil {
		return err
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
