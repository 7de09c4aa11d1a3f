package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"uncial/gen"
	"uncial/mock"
	"uncial/mock/recorder"
)

// record fills a folder of fixtures from a real service.
type record struct {
	Images   []string `arg:"" name:"image" help:"Image files, or http or https addresses."`
	From     string   `required:"" placeholder:"URL" help:"Address of the service, such as https://ocr.example.org."`
	To       string   `required:"" placeholder:"DIR" help:"Folder for the answers, which is created if necessary."`
	KeyFile  string   `placeholder:"FILE" help:"File with the API key (default: the environment variable UNCIAL_KEY)."`
	Language string   `short:"l" default:"en" placeholder:"TAG" help:"Language of the documents as a BCP 47 tag (default: ${default})."`
	Format   []string `short:"f" enum:"json,text,hocr,alto,page,tsv,pdf" default:"alto" help:"Formats to record; the mock makes the other formats from alto or page (default: ${default})."`
	Enhance  bool     `help:"Also record the enhanced answers."`
	Again    bool     `help:"Record again, and pay again for, answers that the folder already has."`
}

// Help is the text of --help above the flags.
func (record) Help() string {
	return `The command sends images to a real service and records its answers, for 'uncial-mock --fixtures DIR' to replay. Each answer costs
10 points. Images whose answers are already in the folder are not sent again, so an interrupted run can be repeated.

Exit status: 0 if every answer was recorded, 1 if some were not, 2 for incorrect usage.

Examples:
  UNCIAL_KEY=ocr_live_... uncial-mock record --from https://ocr.example.org --to fixtures scans/*.tif
  uncial-mock record --from https://ocr.example.org --key-file key.txt --to fixtures --language de-Latf --enhance \
      https://images.example.org/page-001.jpg`
}

// maxKeyFile is the size of the largest key file, in bytes: a key has at most 512 characters.
const maxKeyFile = 4 << 10

// key is the API key. It is never a flag, because other users can see the command line.
func (r *record) key() (string, error) {
	if r.KeyFile == "" {
		key := os.Getenv("UNCIAL_KEY")
		if key == "" {
			return "", errors.New("no API key; set UNCIAL_KEY or use --key-file")
		}
		return key, nil
	}
	file, err := os.Open(r.KeyFile)
	if err != nil {
		return "", fmt.Errorf("--key-file: %w", err)
	}
	defer func() { _ = file.Close() }() // it was only read
	text, err := io.ReadAll(io.LimitReader(file, maxKeyFile))
	if err != nil {
		return "", fmt.Errorf("--key-file: %w", err)
	}
	return strings.TrimSpace(string(text)), nil
}

// errUsage is incorrect usage that kong cannot detect; the exit status is usageError.
type errUsage struct{ error }

// run records the images and prints a line for each answer. The first Ctrl-C ends it after the answer that is being written;
// a second one ends the process at once.
func (r *record) run(out io.Writer) error {
	key, err := r.key()
	if err != nil {
		return errUsage{err}
	}
	rec := &recorder.Recorder{
		From: r.From, Key: key, Dir: r.To, Language: r.Language, Languages: mock.Languages(), Enhance: r.Enhance, Again: r.Again,
		Progress: func(image, what string, err error) {
			switch {
			case err == nil:
				_, _ = fmt.Fprintf(out, "recorded  %s (%s)\n", image, what)
			case what == "":
				_, _ = fmt.Fprintf(out, "failed    %s: %v\n", image, err)
			default:
				_, _ = fmt.Fprintf(out, "failed    %s (%s): %v\n", image, what, err)
			}
		},
	}
	for _, f := range r.Format {
		rec.Formats = append(rec.Formats, gen.Format(f))
	}
	if err := rec.Check(); err != nil {
		return errUsage{err}
	}
	points, err := rec.Cost(r.Images)
	if err != nil {
		return err
	}
	_, _ = fmt.Fprintf(out, "images: %d; this may cost %d points\n", len(r.Images), points)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends the process
	s, err := rec.Record(ctx, r.Images)
	_, _ = fmt.Fprintf(out, "answers recorded: %d, known before: %d, failed: %d\n", s.Recorded, s.Known, s.Failed)
	if err != nil {
		return err
	}
	if s.Recorded+s.Known > 0 { // a folder that the mock would refuse must not pass for a finished one
		if _, err := mock.LoadFixtures(r.To); err != nil {
			return fmt.Errorf("the folder is not usable: %w", err)
		}
	}
	if s.Failed > 0 {
		return errors.New("some answers were not recorded; see above")
	}
	return nil
}
