package client

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"uncial/gen"
	"uncial/impl/client/durable"
	"uncial/impl/client/journal"
	"uncial/impl/volume"
	"uncial/impl/volume/write"
)

// ExtractCmd is the command "uncial extract". Its exit status is 0 if every page was read, 1 if some or all were not, and 2 if
// the command cannot begin or go on: incorrect usage, no source with pages, no valid key, or no service at the URL.
type ExtractCmd struct {
	Images     []string      `arg:"" name:"image" help:"Image files, folders, PDFs, http, https or data: URLs, IIIF manifests or collections, or - for standard input."`
	URL        string        `name:"url" env:"UNCIAL_URL" default:"http://127.0.0.1:8080" placeholder:"BASE" help:"Base URL of the service (default: ${default})."`
	Key        string        `env:"UNCIAL_KEY" placeholder:"KEY" help:"API key. Prefer the environment: other users can see the command line."`
	Language   string        `short:"l" placeholder:"TAG" help:"Language of the documents as a BCP 47 tag, such as de-Latf, or und to detect it on each page (default: that of the service, which is en)."`
	Enhance    bool          `help:"Correct doubtful words after reading."`
	Format     []string      `short:"f" enum:"text,json,hocr,alto,page,tsv,pdf" default:"text" help:"Output format, or several with --out: text, json, hocr, alto, page, tsv or pdf."`
	JSON       bool          `name:"json" help:"Write whole responses as JSON, one per line, each with the name of its image."`
	Out        string        `short:"o" placeholder:"DIR" help:"Write files for each page into this folder, and record progress there: a second run reads only pages that are missing. Files of other programs are not overwritten."`
	Volume     []string      `placeholder:"KIND" help:"With --out, write files for all pages together; see Kinds of --volume."`
	Partial    bool          `help:"Write the files of --volume even if pages are missing."`
	Report     string        `placeholder:"FILE" help:"With --out, write a report as .json or .html: pages by confidence, worst first, with pictures of weak places."`
	Recursive  bool          `short:"r" help:"Also read subfolders."`
	FetchHere  bool          `help:"Fetch images from URLs here instead of letting the service fetch them."`
	FetchAllow []string      `placeholder:"CIDR" help:"Non-public address range that manifests may refer to; may be repeated."`
	Force      bool          `help:"With --out, read all pages again, and pay for them again."`
	DryRun     bool          `short:"n" help:"Print which pages would be read and what they would cost; send nothing."`
	Jobs       *int          `short:"j" placeholder:"N" help:"Pages to send at the same time, 1 to 64 (default: 2, but one from each IIIF server). The command sends fewer while the service asks clients to wait."`
	Timeout    time.Duration `default:"5m" help:"Time limit for one page including retries (default: ${default})."`

	// oneByHost is set unless --jobs is given: IIIF servers of archives refuse clients that ask for many images at once.
	oneByHost bool

	Stdin  io.Reader `kong:"-"` // default: os.Stdin
	Stdout io.Writer `kong:"-"` // default: os.Stdout
	Stderr io.Writer `kong:"-"` // default: os.Stderr
}

// Help returns the text between the usage line and the flags.
func (*ExtractCmd) Help() string {
	var kinds strings.Builder
	for _, w := range write.Writers() {
		_, _ = fmt.Fprintf(&kinds, "\n  %-12s %s", w.Name, w.About)
	}
	return `Examples:

  uncial extract page.jpg
  uncial extract --language de-Latf --format alto --out texts scans/
  uncial extract --out book --volume text,pdf scans/
  uncial extract --dry-run --out codex https://iiif.example.org/codex/manifest.json
  uncial extract --json https://images.example.org/page-001.jpg | jq .confidence

Kinds of --volume:
` + kinds.String() + `

Each page costs 10 points. A request that fails because of overload or network errors is tried at most five
times and never charged twice. When the limit of extractions per minute is reached, the command waits. With --out, a run
that was interrupted continues where it stopped, and files are complete or absent. PDF needs Debian's poppler-utils;
JPEG 2000, and images that are too large for the service, need libvips-tools.

Exit status: 0 if every page was read; 1 if some or all were not, a file could not be written, or --dry-run finds too few points; 2 if
the command cannot begin or go on (incorrect usage, no source with pages, no valid key, no service). A file that is missing or not an
image is a page that was not read (1); a folder without images and an unreadable PDF are sources without pages (2 if there is no other).`
}

// failure is the error of a command that did not read every page. The program prints Message and exits with Status.
type failure struct {
	Status  int // exit status, 1 or 2
	Message string
}

// Error returns Message as one line.
func (f *failure) Error() string { return oneLine(f.Message) }

// ExitCode returns the exit status of the process.
func (f *failure) ExitCode() int { return f.Status }

// usage returns a *failure with exit status 2. The text names the flag and says what is valid.
func usage(format string, args ...any) error {
	return &failure{2, fmt.Sprintf(format, args...)}
}

// Run checks the flags, finds the pages, reads them and writes the results. Wrong usage, and sources without any page, are
// detected before the first request; a missing file is reported when its turn comes. An error has an ExitCode.
func (c *ExtractCmd) Run(ctx context.Context) error {
	api, err := c.check()
	if err != nil {
		return err
	}
	store, closeStore, err := c.open()
	if err != nil {
		return err
	}
	defer closeStore()
	if err := c.checkReport(); err != nil {
		store.isUnused = true
		return err
	}
	p, err := c.plan(ctx, store)
	if err != nil {
		store.isUnused = true
		return err
	}
	defer p.close()
	if c.DryRun {
		return p.describe(ctx, api)
	}
	r := &run{plan: p, api: api, pace: newPace(*c.Jobs), hosts: newHosts(c.oneByHost)}
	r.console.expect(p.toRead())
	defer r.console.close()
	return r.all(ctx)
}

const (
	// maxJobs bounds --jobs: a single server answers 429 or 500 to far fewer requests at the same time.
	maxJobs = 64
	// defaultJobs is --jobs unless it is given.
	defaultJobs = 2
)

// check reports incorrect usage before anything is sent. Errors are *failure.
func (c *ExtractCmd) check() (*apiClient, error) {
	if c.Jobs == nil {
		c.Jobs, c.oneByHost = new(defaultJobs), true
	}
	c.Stdin = cmp.Or[io.Reader](c.Stdin, os.Stdin)
	c.Stdout, c.Stderr = cmp.Or[io.Writer](c.Stdout, os.Stdout), cmp.Or[io.Writer](c.Stderr, os.Stderr)
	switch {
	case len(c.Images) == 0:
		return nil, usage("no images; give files, folders, http, https or data: URLs, or - for standard input")
	case c.Key == "" && !c.DryRun:
		return nil, usage("no API key; set UNCIAL_KEY or use --key")
	case *c.Jobs < 1 || *c.Jobs > maxJobs:
		return nil, usage("--jobs: must be 1 to %d", maxJobs)
	case c.Timeout <= 0:
		return nil, usage("--timeout: must be positive, such as 5m")
	}
	if err := c.checkOutput(); err != nil {
		return nil, err
	}
	if c.Key == "" { // only --dry-run
		return nil, nil //nolint:nilnil // there is nobody to ask
	}
	api, err := newAPIClient(c.URL, c.Key, c.Timeout)
	if err != nil {
		return nil, usage("%v", err)
	}
	return api, nil
}

// chooseFormat ends the errors about --format.
const chooseFormat = "choose text, json, hocr, alto, page, tsv or pdf"

// checkOutput checks the flags for output files and formats.
func (c *ExtractCmd) checkOutput() error {
	if len(c.Format) == 0 {
		return usage("--format: must not be empty; %s", chooseFormat)
	}
	for _, format := range c.Format {
		if _, ok := extensions[gen.Format(format)]; !ok {
			return usage("--format: unknown format %q; %s", format, chooseFormat)
		}
	}
	for _, kind := range c.Volume {
		if writerOf(kind) == nil {
			var names []string
			for _, w := range write.Writers() {
				names = append(names, w.Name)
			}
			return usage("--volume: unknown kind %q; choose %s", kind, strings.Join(names, ", "))
		}
	}
	if c.Out == "" {
		switch {
		case len(c.Format) > 1:
			return usage("--format: several formats need --out")
		case len(c.Volume) > 0:
			return usage("--volume: needs --out")
		case c.Report != "":
			return usage("--report: needs --out")
		case c.Force:
			return usage("--force: needs --out; without it, every run reads all pages")
		}
	}
	if c.Partial && len(c.Volume) == 0 {
		return usage("--partial: needs --volume")
	}
	if extension := filepath.Ext(c.Report); c.Report != "" && extension != ".json" && extension != ".html" {
		return usage("--report: the name must end in .json or .html")
	}
	return nil
}

// formats returns the formats of the files of each page: those of --format, and those that writers of --volume refer to. With
// --json it returns nothing but JSON; the document in the JSON has the format of --format.
func (c *ExtractCmd) formats() []gen.Format {
	var all []gen.Format
	if c.JSON {
		all = []gen.Format{gen.JSON}
	} else {
		for _, name := range c.Format {
			all = append(all, gen.Format(name))
		}
	}
	for _, kind := range c.Volume {
		all = append(all, writerOf(kind).Formats...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// writerOf returns the writer of a kind of --volume, or nil if no writer has that kind.
func writerOf(kind string) *volume.Writer {
	for _, w := range write.Writers() {
		if w.Name == kind {
			return &w
		}
	}
	return nil
}

// store is where a run keeps things: the journal of the output folder, and a folder for temporary files.
type store struct {
	*journal.Journal // nil without --out, and for a dry run into a folder without a journal
	temporary        string
	// isUnused makes close remove what open created: nothing will be read.
	isUnused bool
}

// open opens the journal of the output folder, which it creates if necessary, or makes a temporary folder. A dry run creates
// nothing in the output folder. Errors are *failure.
func (c *ExtractCmd) open() (*store, func(), error) {
	folder := filepath.Join(c.Out, journal.Folder)
	_, err := os.Stat(folder)
	isNew := err != nil
	if c.Out == "" || c.DryRun && isNew {
		temporary, err := os.MkdirTemp("", "uncial-extract-")
		if err != nil {
			return nil, nil, usage("%v", durable.Explain("temporary files", err))
		}
		return &store{temporary: temporary}, func() { _ = os.RemoveAll(temporary) }, nil
	}
	_, err = os.Stat(c.Out)
	isNewOut := err != nil
	if err := os.MkdirAll(c.Out, 0o777); err != nil { //nolint:gosec // the umask decides
		return nil, nil, usage("--out: cannot create %q: %v", c.Out, durable.WithoutPath(err))
	}
	j, err := journal.Open(c.Out)
	switch {
	case errors.Is(err, journal.ErrLocked):
		return nil, nil, usage("--out: %q: %v", c.Out, err)
	case errors.Is(err, journal.ErrUnreadable):
		return nil, nil, usage("--out: %q: %v", c.Out, err)
	case err != nil:
		return nil, nil, usage("--out: %v", durable.Explain(fmt.Sprintf("to %q", c.Out), err))
	}
	s := &store{Journal: j, temporary: j.Temporary()}
	return s, func() {
		_ = os.RemoveAll(j.Temporary())
		if s.isUnused && isNew {
			_ = os.RemoveAll(folder)
		}
		if s.isUnused && isNewOut {
			_ = os.Remove(c.Out)
		}
		_ = j.Close()
	}, nil
}
