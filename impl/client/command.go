package client

import (
	"cmp"
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

// ExtractCmd is the command "uncial extract". Its exit status is 0 if every image was read, 1 if some were not, and 2 if
// none can be: wrong usage, no valid key, or no service at the URL.
type ExtractCmd struct {
	Images   []string      `arg:"" name:"image" help:"Image files, or http, https or data: URLs."`
	URL      string        `name:"url" env:"UNCIAL_URL" default:"http://127.0.0.1:8080" placeholder:"BASE" help:"Base URL of the service (default: ${default})."`
	Key      string        `env:"UNCIAL_KEY" placeholder:"KEY" help:"API key. Prefer the environment: other users can see the command line."`
	Language string        `short:"l" placeholder:"TAG" help:"Language of the documents as a BCP 47 tag, such as de-Latf (default: the service's, en)."`
	Enhance  bool          `help:"Correct the text after reading, for difficult scripts."`
	Format   string        `short:"f" enum:"text,json,hocr,alto,page,tsv" default:"text" help:"Output format: ${enum}."`
	JSON     bool          `name:"json" help:"Write whole responses as JSON, one per line, each with the name of its image."`
	Out      string        `short:"o" placeholder:"DIR" help:"Write one file per image into this directory, which is created if necessary."`
	Jobs     int           `short:"j" placeholder:"N" help:"Images to send at the same time, 1 to 64 (default: 2, but one from each IIIF server)."`
	Timeout  time.Duration `default:"5m" help:"Time limit for one image including retries (default: ${default})."`

	// oneByHost is set unless --jobs is given: IIIF servers of archives refuse clients that ask for many images at once.
	oneByHost bool

	Stdout io.Writer `kong:"-"` // default: os.Stdout
	Stderr io.Writer `kong:"-"` // default: os.Stderr
}

// Help returns the text below the flags.
func (*ExtractCmd) Help() string {
	return `Examples:

  uncial extract page.jpg
  uncial extract --language de-Latf --format alto --out texts scans/*.tif
  uncial extract --json https://images.example.org/page-001.jpg | jq .confidence

Each extraction costs 10 points. Requests that fail because of overload or network errors are retried up to four
times and never charged twice.

Exit status: 0 if every image was read; 1 if some were not; 2 if none can be (wrong usage, no valid key, no service).`
}

// Failure is the error of a command that did not read every image. The program prints Message and exits with Status.
type Failure struct {
	Status  int // exit status, 1 or 2
	Message string
}

func (f *Failure) Error() string { return f.Message }

// ExitCode returns the exit status of the process.
func (f *Failure) ExitCode() int { return f.Status }

// usage returns a *Failure with exit status 2. The text names the flag and says what is valid.
func usage(format string, args ...any) error {
	return &Failure{2, fmt.Sprintf(format, args...)}
}

// Run checks the flags, reads the images and writes the results. Only wrong usage is detected before the first request:
// a missing file is reported when its turn comes, and the other images are read all the same. Errors are *Failure.
func (c *ExtractCmd) Run(ctx context.Context) error {
	api, err := c.check()
	if err != nil {
		return err
	}
	stdout, stderr := cmp.Or[io.Writer](c.Stdout, os.Stdout), cmp.Or[io.Writer](c.Stderr, os.Stderr)
	r := &run{cmd: c, api: api, console: newConsole(stdout, stderr, len(c.Images)), turns: map[string]chan struct{}{}}
	for _, image := range c.Images {
		r.sources = append(r.sources, source(image))
		if host := source(image).iiifHost(); host != "" && c.oneByHost {
			r.turns[host] = make(chan struct{}, 1)
		}
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

const (
	// maxJobs bounds --jobs: a single server answers 429 or 500 to far fewer requests at the same time.
	maxJobs = 64
	// defaultJobs is --jobs unless it is given.
	defaultJobs = 2
)

// check reports wrong usage before anything is sent, and tries whether --out is writable: an image that was charged but
// cannot be stored would be lost. Errors are *Failure.
func (c *ExtractCmd) check() (*Client, error) {
	if c.Jobs == 0 {
		c.Jobs, c.oneByHost = defaultJobs, true
	}
	switch {
	case len(c.Images) == 0:
		return nil, usage("no images; give files, or http, https or data: URLs")
	case c.Key == "":
		return nil, usage("no API key; set UNCIAL_KEY or use --key")
	case !gen.Format(c.Format).Valid():
		return nil, usage("--format: unknown format %q; choose text, json, hocr, alto, page or tsv", c.Format)
	case c.Jobs < 1 || c.Jobs > maxJobs:
		return nil, usage("--jobs: must be 1 to %d", maxJobs)
	case c.Timeout <= 0:
		return nil, usage("--timeout: must be positive, such as 5m")
	}
	api, err := New(c.URL, c.Key, c.Timeout)
	if err != nil {
		return nil, usage("%v", err)
	}
	if c.Out == "" {
		return api, nil
	}
	if err := os.MkdirAll(c.Out, 0o777); err != nil { //nolint:gosec // the umask decides
		return nil, usage("--out: cannot create %q: %v", c.Out, withoutPath(err))
	}
	const probe = ".uncial-probe" // a hidden file that is removed at once
	if err := writeFile(c.Out, probe, nil); err != nil {
		return nil, usage("--out: cannot write to %q: %v", c.Out, err)
	}
	return api, os.Remove(filepath.Join(c.Out, probe))
}

// run is the state of one run of the command. Its goroutines share it; everything that changes is atomic or in console,
// which has a mutex.
type run struct {
	cmd     *ExtractCmd
	api     *Client
	console *console
	sources []source
	names   []string                 // output files, one per source; nil for stdout
	turns   map[string]chan struct{} // by host: holds one value while an image of a IIIF server is read

	// halt stops sending further images. Images being read are left to finish, because they may be charged.
	halt context.CancelCauseFunc
	read atomic.Int64 // images read
}

// all reads every image, at most --jobs at a time, and writes the results in the order of the images. A result whose
// predecessor is not finished waits in memory.
func (r *run) all(ctx context.Context) error {
	sending, halt := context.WithCancelCause(ctx)
	defer halt(nil)
	r.halt = halt
	// The capacity bounds how many results can wait for an earlier one.
	pending := make(chan chan []byte, 4*r.cmd.Jobs)
	go func() {
		defer close(pending)
		slots := make(chan struct{}, r.cmd.Jobs)
		for i := range r.sources {
			slots <- struct{}{}
			if sending.Err() != nil {
				return
			}
			done := make(chan []byte, 1)
			pending <- done
			go func() {
				defer func() { <-slots }()
				done <- r.readImage(ctx, i)
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
	return r.summary(context.Cause(sending))
}

// readImage reads one image and returns the bytes to write to stdout: nil if it failed or was written to a file.
func (r *run) readImage(ctx context.Context, i int) []byte {
	image := r.sources[i]
	if turn := r.turns[image.iiifHost()]; turn != nil {
		select {
		case turn <- struct{}{}:
			defer func() { <-turn }()
		case <-ctx.Done():
		}
	}
	content, err := r.extract(ctx, image)
	if err == nil && r.names != nil {
		if err := writeFile(r.cmd.Out, r.names[i], content); err != nil {
			// Stop: the next image would be charged and lost too.
			r.halt(&Failure{1, err.Error()})
			return nil
		}
		content = nil
	}
	r.report(ctx, image, err)
	return content
}

// extract sends one image and renders the response. While the client retries, the user sees why and for how long on
// stderr.
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
		r.console.note("%s: %v; retrying in %v", image, failed, wait.Round(100*time.Millisecond))
	})
	if err != nil {
		return nil, err
	}
	return render(image, answer, format, r.cmd.JSON)
}

// report counts an image that was read, or prints why it was not. An error that would affect every other image too ends
// the run. For a single image the error becomes that of the command, so that it is printed only once.
func (r *run) report(ctx context.Context, image source, err error) {
	switch {
	case err == nil:
		r.read.Add(1)
		r.console.advance()
	case ctx.Err() != nil: // stopped by the user: no message is needed
	case fatalStatus(err) != 0:
		r.halt(&Failure{fatalStatus(err), fmt.Sprintf("%s: %v", r.cmd.URL, err)})
	case len(r.sources) == 1:
		r.halt(&Failure{1, fmt.Sprintf("%s: %v", image, err)})
	default:
		r.console.advance()
		r.console.note("%s: %v", image, err)
	}
}

// fatalStatus returns the exit status for an error that would affect every other image too, and 0 for all other errors:
// 2 if the key, the URL or the connection is wrong, 1 if the points are used up.
func fatalStatus(err error) int {
	var connection *ConnectionError
	var refused *Refusal
	switch {
	case errors.As(err, &connection) && connection.Unreachable():
		return 2
	case !errors.As(err, &refused), refused.isTemporary(), refused.Status == http.StatusBadRequest:
		return 0
	case refused.Status == http.StatusPaymentRequired:
		return 1
	}
	return 2 // the key is refused, or the URL is that of another server
}

// summary returns nil if every image was read, else a *Failure. cause says why sending stopped: nil, a *Failure, or an
// error of the context.
func (r *run) summary(cause error) error {
	read, all := int(r.read.Load()), len(r.sources)
	// One image needs no count: its own message says everything.
	sum := fmt.Sprintf("%d of %d images read", read, all)
	var ended *Failure
	switch {
	case errors.As(cause, &ended) && all > 1:
		return &Failure{ended.Status, ended.Message + "; " + sum}
	case ended != nil:
		return ended
	case read == all:
		return nil
	case cause != nil:
		return &Failure{1, "interrupted; " + sum}
	}
	return &Failure{1, sum}
}
