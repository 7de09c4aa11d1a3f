package client

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"uncial/gen"
)

// ExtractCmd is the command "uncial extract". Its exit status is 0 when every image was read, 1 when some were not, and
// 2 when none could be: wrong usage, no valid key, no service at the address.
type ExtractCmd struct {
	Images   []string      `arg:"" name:"image" help:"Files to read, or http, https and data: URLs."`
	URL      string        `name:"url" env:"UNCIAL_URL" default:"http://127.0.0.1:8080" placeholder:"BASE" help:"Address of the service."`
	Key      string        `env:"UNCIAL_KEY" placeholder:"KEY" help:"API key. The environment is the better place for it: others on the machine can see the command line."`
	Language string        `short:"l" placeholder:"TAG" help:"Language of the documents as a BCP 47 tag, such as de-Latf. The service takes en unless told."`
	Enhance  bool          `help:"Correct the text in difficult scripts after it was read."`
	Format   string        `short:"f" enum:"text,json,hocr,alto,page,tsv" default:"text" help:"What to write: ${enum}."`
	JSON     bool          `name:"json" help:"Write whole answers as JSON, one a line, each with its image's name."`
	Out      string        `short:"o" placeholder:"DIR" help:"Write one file for each image into this directory, which is made if need be."`
	Jobs     int           `short:"j" default:"2" help:"Images to send at the same time, 1 to 64."`
	Timeout  time.Duration `default:"5m" help:"Time for one image, further tries included."`

	Stdout io.Writer `kong:"-"` // nil for the process's
	Stderr io.Writer `kong:"-"` // nil for the process's
}

// Help is the rest of the command's help.
func (*ExtractCmd) Help() string {
	return `Examples:

  uncial extract page.jpg
  uncial extract --language de-Latf --format alto --out texts scans/*.tif
  uncial extract --json https://images.example.org/page-001.jpg | jq .confidence

Each extraction costs 10 points. What fails for want of capacity or network is tried again up to four times, and is
never charged twice.

Exit status: 0 every image was read; 1 some were not; 2 none could be (wrong usage, no valid key, no service).`
}

// Failure is how the command ends when not every image was read.
type Failure struct {
	Status  int // exit status, 1 or 2
	Message string
}

func (f *Failure) Error() string { return f.Message }

// ExitCode is the exit status of the process.
func (f *Failure) ExitCode() int { return f.Status }

func usage(format string, args ...any) error {
	return &Failure{2, fmt.Sprintf(format, args...)}
}

// Run reads the images. Its errors are *Failure.
func (c *ExtractCmd) Run(ctx context.Context) error {
	api, err := c.check()
	if err != nil {
		return err
	}
	stdout, stderr := c.Stdout, c.Stderr
	if stdout == nil {
		stdout = os.Stdout
	}
	if stderr == nil {
		stderr = os.Stderr
	}
	r := &run{cmd: c, api: api, console: newConsole(stdout, stderr, len(c.Images))}
	for _, image := range c.Images {
		r.sources = append(r.sources, source(image))
	}
	if c.Out != "" {
		format := gen.Format(c.Format)
		if c.JSON {
			format = gen.JSON
		}
		r.names = fileNames(r.sources, extensions[format])
	}
	defer r.console.close()
	return r.all(ctx)
}

// check finds wrong usage before anything is sent.
func (c *ExtractCmd) check() (*Client, error) {
	switch {
	case len(c.Images) == 0:
		return nil, usage("name the images to read: files, or http, https and data: URLs")
	case c.Key == "":
		return nil, usage("no API key: set UNCIAL_KEY or give --key")
	case !gen.Format(c.Format).Valid():
		return nil, usage("--format: %q is none; text, json, hocr, alto, page and tsv are", c.Format)
	case c.Jobs < 1 || c.Jobs > 64:
		return nil, usage("--jobs must be 1 to 64")
	case c.Timeout <= 0:
		return nil, usage("--timeout must be more than 0")
	}
	api, err := New(c.URL, c.Key, c.Timeout)
	if err != nil {
		return nil, usage("%v", err)
	}
	if c.Out == "" {
		return api, nil
	}
	if err := os.MkdirAll(c.Out, 0o777); err != nil { //nolint:gosec // the umask decides
		return nil, usage("--out: %q cannot be made: %v", c.Out, plain(err))
	}
	const probe = ".uncial-probe"
	if err := writeFile(c.Out, probe, nil); err != nil {
		return nil, usage("--out: %q is not writable: %v", c.Out, err)
	}
	return api, os.Remove(filepath.Join(c.Out, probe))
}

// run is one run of the command.
type run struct {
	cmd     *ExtractCmd
	api     *Client
	console *console
	sources []source
	names   []string // of the output files; nil for stdout

	// halt keeps further images from being sent; those under way are left to finish, as they may have been charged.
	halt context.CancelCauseFunc
	read atomic.Int64
}

// all reads every image, at most so many at a time, and writes the results in the order of the images.
func (r *run) all(ctx context.Context) error {
	launch, halt := context.WithCancelCause(ctx)
	defer halt(nil)
	r.halt = halt
	// The bound keeps results that wait for an earlier one from piling up.
	pending := make(chan chan []byte, 4*r.cmd.Jobs)
	go func() {
		defer close(pending)
		slots := make(chan struct{}, r.cmd.Jobs)
		for i := range r.sources {
			slots <- struct{}{}
			if launch.Err() != nil {
				return
			}
			done := make(chan []byte, 1)
			pending <- done
			go func() {
				defer func() { <-slots }()
				done <- r.one(ctx, i)
			}()
		}
	}()
	for done := range pending {
		if content := <-done; len(content) > 0 {
			if err := r.console.result(content); err != nil {
				halt(&Failure{1, writeError("the result", err).Error()})
			}
		}
	}
	return r.verdict(context.Cause(launch))
}

// one reads one image and returns what belongs on stdout: nothing when it failed or went to a file.
func (r *run) one(ctx context.Context, i int) []byte {
	image := r.sources[i]
	content, err := r.extract(ctx, image)
	if err == nil && r.names != nil {
		if err := writeFile(r.cmd.Out, r.names[i], content); err != nil {
			// The next would be charged and lost as well.
			r.halt(&Failure{1, err.Error()})
			return nil
		}
		content = nil
	}
	r.judge(ctx, image, err)
	return content
}

// extract sends one image and renders the answer.
func (r *run) extract(ctx context.Context, image source) ([]byte, error) {
	imageURL, err := image.imageURL()
	if err != nil {
		return nil, err
	}
	format := gen.Format(r.cmd.Format)
	request := gen.ExtractionRequest{ImageURL: imageURL, Format: &format}
	if r.cmd.Language != "" {
		request.Language = &r.cmd.Language
	}
	if r.cmd.Enhance {
		request.Enhance = &r.cmd.Enhance
	}
	answer, err := r.api.Extract(ctx, request, func(failed error, wait time.Duration) {
		r.console.note("%s: %v; trying again in %v", image, failed, wait.Round(100*time.Millisecond))
	})
	if err != nil {
		return nil, err
	}
	return render(image, answer, format, r.cmd.JSON)
}

// judge counts an image and tells of a failure. What would meet every other image as well ends the run.
func (r *run) judge(ctx context.Context, image source, err error) {
	switch {
	case err == nil:
		r.read.Add(1)
		r.console.advance()
	case ctx.Err() != nil: // stopped by the user, who knows
	case endsRun(err) != 0:
		r.halt(&Failure{endsRun(err), fmt.Sprintf("%s: %v", r.cmd.URL, err)})
	case len(r.sources) == 1:
		r.halt(&Failure{1, fmt.Sprintf("%s: %v", image, err)})
	default:
		r.console.advance()
		r.console.note("%s: %v", image, err)
	}
}

// endsRun is the exit status for an error that every other image would meet too, and 0 for all other errors.
func endsRun(err error) int {
	var connection *ConnectionError
	var refused *Refusal
	switch {
	case errors.As(err, &connection) && connection.Unreachable():
		return 2
	case !errors.As(err, &refused), refused.passing(), refused.Status == http.StatusBadRequest:
		return 0
	case refused.Status == http.StatusPaymentRequired:
		return 1
	}
	return 2 // the key does not open the door, or there is no service of ours behind it
}

// verdict is how the run ended, by what kept images from being sent: nil, a *Failure, or an error of the context.
func (r *run) verdict(cause error) error {
	read, all := int(r.read.Load()), len(r.sources)
	sum := fmt.Sprintf("%d of %d images were read", read, all)
	var ended *Failure
	switch {
	case errors.As(cause, &ended) && all > 1:
		return &Failure{ended.Status, ended.Message + "; " + sum}
	case ended != nil:
		return ended
	case read == all:
		return nil
	case cause != nil:
		return &Failure{1, "stopped; " + sum}
	}
	return &Failure{1, sum}
}
