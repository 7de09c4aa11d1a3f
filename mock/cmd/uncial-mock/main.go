// Command uncial-mock serves the mock of Uncial to client teams: the contract without a database and without OCR. This
// package only handles flags and signals; package mock does the rest. mock/README.md is the manual.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"runtime/debug"
	"strings"
	"syscall"
	"text/tabwriter"
	"time"

	"github.com/alecthomas/kong"

	"uncial/internal/commandline"
	"uncial/internal/edge"
	"uncial/internal/listen"
	"uncial/internal/version"
	"uncial/mock"
	"uncial/mock/folder"
)

// commands are the subcommands. Every flag is also an environment variable: --cors-origin is UNCIAL_MOCK_CORS_ORIGIN.
type commands struct {
	Serve     serve    `cmd:"" help:"Serve the mock. This is the default command."`
	Record    record   `cmd:"" help:"Record the answers of a real service for --fixtures."`
	Scenarios list     `cmd:"" help:"List the scenarios: everything that the mock does on request."`
	Texts     list     `cmd:"" help:"List the texts that the mock reads from images, with their sources."`
	Health    health   `cmd:"" help:"Check the health of a running mock; exit status 1 if it is not healthy."`
	Version   struct{} `cmd:"" help:"Print the version."`

	PrintVersion kong.VersionFlag `name:"version" env:"-" help:"Print the version."`
}

// about is the text of --help. It names the commands, because kong lists none where a default command has flags.
const about = `A deterministic server that implements the contract, for client teams: no database, no OCR, the same answers every time.

Commands: serve (default), record, scenarios, texts, health, version.

Examples:
  uncial-mock                                    serve on 127.0.0.1:4010
  uncial-mock --listen 127.0.0.1:0 --clock real  on a free port, with a running clock
  uncial-mock --latency 100ms-900ms              delay each answer by 100 to 900 ms
  uncial-mock --fixtures pages                   answer with your own pages, see 'uncial-mock record --help'
  uncial-mock scenarios                          list the keys, images and headers of all scenarios`

// usageError is the exit status for an invalid command line. Other errors exit with 1.
const usageError = 2

// garbagePercent lets the heap grow by half, instead of doubling, between collections: the mock runs next to a client's tests
// and stays under 25 MB, more than half of which are pages of the program itself.
const garbagePercent = 50

func main() {
	debug.SetGCPercent(garbagePercent)
	var c commands
	parser := kong.Must(&c, kong.Name("uncial-mock"), kong.Description(about), kong.DefaultEnvars("UNCIAL_MOCK"),
		kong.Vars{"version": version.Version}, kong.ConfigureHelp(kong.HelpOptions{NoExpandSubcommands: true}))
	chosen, err := parser.Parse(withCommand(os.Args[1:]))
	if err != nil {
		parser.Errorf("%s", commandline.Problem(err))
		os.Exit(usageError)
	}
	// kong adds the arguments to the name of the command, as in "health <url>".
	switch command, _, _ := strings.Cut(chosen.Command(), " "); command {
	case "scenarios":
		err = printAll(c.Scenarios, mock.Scenarios(), scenarioRow)
	case "texts":
		err = printAll(c.Texts, mock.Fixtures(), textRow)
	case "record":
		err = c.Record.run(os.Stdout)
	case "health":
		err = edge.Probe(context.Background(), c.Health.URL)
	case "version":
		_, err = fmt.Println(version.Version)
	default:
		err = c.Serve.run(os.Stderr)
	}
	if _, isUsage := errors.AsType[errUsage](err); isUsage {
		parser.Errorf("%s", err)
		os.Exit(usageError)
	}
	parser.FatalIfErrorf(err)
}

// withCommand inserts "serve" before flags without a command, so that --help shows the flags of serve.
func withCommand(arguments []string) []string {
	if len(arguments) == 0 || strings.HasPrefix(arguments[0], "-") {
		return append([]string{"serve"}, arguments...)
	}
	return arguments
}

// serve holds the flags of the default command. Most become mock.Options. The defaults suit a test on the same machine: the
// mock behaves the same after every start.
type serve struct {
	Listen          string        `default:"127.0.0.1:4010" placeholder:"HOST:PORT" help:"Address to listen on. Port 0 selects a free port, which the first log line shows (default: ${default})."`
	Clock           string        `default:"frozen" enum:"frozen,real" help:"Clock: frozen (2026-01-15T12:00:00Z until a test moves it) or real (default: ${default})."`
	Latency         latency       `default:"0" placeholder:"TIME|MIN-MAX" help:"Delay before each answer: fixed (200ms) or from a range (100ms-900ms), at most 30s (default: ${default})."`
	Seed            uint64        `default:"0" help:"Seed for the choice of texts and for the latencies (default: ${default})."`
	FaultRate       float64       `default:"0" placeholder:"SHARE" help:"Share of the answers that get a network fault, 0 to 1; the seed chooses which (default: ${default})."`
	Fault           []mock.Fault  `placeholder:"KIND" help:"Faults of --fault-rate: reset, cut, length, drip or late; drip and late may be followed by a duration in milliseconds, up to 30000, such as late-1500 (default: all)."`
	Fixtures        string        `placeholder:"DIR" help:"Folder of your own pages and recorded answers; the mock's manual (mock/README.md) describes its layout (default: only the built-in texts)."`
	ControlAnywhere bool          `help:"Open /__mock/ to other machines (default: this machine only)."`
	CORSOrigin      []edge.Origin `name:"cors-origin" default:"*" placeholder:"ORIGIN" help:"Web origins whose pages may call the mock (default: all)."`
	Verbose         bool          `short:"v" help:"Log every request."`
}

// check returns an error that names an invalid flag. It is not a Validate method, because kong would put "serve:" before the
// error.
func (s *serve) check() error {
	if !(s.FaultRate >= 0 && s.FaultRate <= 1) {
		return errors.New("--fault-rate: must be a share from 0 to 1, such as 0.1")
	}
	if len(s.Fault) > 0 && s.FaultRate == 0 {
		return errors.New("--fault: needs --fault-rate, such as 0.1")
	}
	return nil
}

// Help is the text of --help above the flags.
func (serve) Help() string { return about }

// latency is the value of --latency.
type latency mock.Latency

// UnmarshalText parses a duration such as "200ms" or a range such as "100ms-900ms".
func (l *latency) UnmarshalText(text []byte) error {
	low, high, ranged := strings.Cut(string(text), "-")
	if !ranged {
		high = low
	}
	var err, err2 error
	l.Min, err = time.ParseDuration(low)
	l.Max, err2 = time.ParseDuration(high)
	if err != nil || err2 != nil || l.Min < 0 || l.Max < l.Min || l.Max > 30*time.Second {
		return errors.New("must be a time such as 200ms, or a range such as 100ms-900ms, of at most 30s")
	}
	return nil
}

// grace is the time that running requests have to finish after a signal. It is below the 10 s after which Docker kills a
// container.
const grace = 5 * time.Second

// run serves until SIGTERM or SIGINT. The log line "listening" comes first, so that a test can start the mock on port 0
// and read the address from it.
func (s *serve) run(log io.Writer) error {
	if err := s.check(); err != nil {
		return errUsage{err}
	}
	logger := slog.New(slog.NewTextHandler(log, nil))
	var requests *slog.Logger
	if s.Verbose {
		requests = logger
	}
	var own *folder.Folder
	if s.Fixtures != "" {
		var err error
		if own, err = mock.LoadFixtures(s.Fixtures); err != nil {
			return fmt.Errorf("--fixtures: %w", err)
		}
	}
	m := mock.New(mock.Options{
		RealClock: s.Clock == "real", Latency: mock.Latency(s.Latency), Seed: s.Seed,
		FaultRate: s.FaultRate, Faults: s.Fault, Fixtures: own, ControlAnywhere: s.ControlAnywhere, CORSOrigins: edge.Origins(s.CORSOrigin), Logger: requests,
	})
	listener, err := listen.TCP("--listen", s.Listen)
	if err != nil {
		return err
	}
	logger.Info("listening", "address", listener.Addr().String(), "api", "http://"+listener.Addr().String()+"/api/v1", "clock", s.Clock)
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	context.AfterFunc(ctx, func() {
		logger.Info("shutting down")
		stop() // restores the default: a second signal ends the process at once
	})
	err = edge.Serve(ctx, edge.NewServer(m, logger), listener, grace)
	if err == nil {
		logger.Info("stopped")
	}
	return err
}

// list prints all rows of a command: as a table for people, or as JSON for programs.
type list struct {
	JSON bool `name:"json" help:"Print JSON."`
}

// printAll prints to standard output one row per entry, or all entries as one JSON array. The columns of a row are separated
// by tabs.
func printAll[T any](l list, all []T, row func(T) string) error {
	if l.JSON {
		enc := json.NewEncoder(os.Stdout)
		enc.SetEscapeHTML(false) // keeps <, > and & readable
		enc.SetIndent("", "  ")
		return enc.Encode(all)
	}
	table := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	for _, v := range all {
		_, _ = fmt.Fprintln(table, row(v)) // a tabwriter reports its errors when it is flushed
	}
	return table.Flush()
}

// scenarioRow has the columns of `uncial-mock scenarios`: what selects the scenario, its name, and what happens.
func scenarioRow(s mock.Scenario) string { return s.By + "\t" + s.Name + "\t" + s.About }

// textRow has the columns of `uncial-mock texts`. Years before Christ are negative.
func textRow(f mock.Fixture) string {
	return fmt.Sprintf("%s\t%s\t%s: %s (%d)", f.Language, f.Kind, f.Author, f.Work, f.Year)
}

// health is the health check of a container image that has no other program. The URL must answer 200 within 3 s; otherwise
// the exit status is 1.
type health struct {
	URL string `arg:"" optional:"" default:"http://127.0.0.1:4010/healthz" help:"URL to check (default: ${default})."`
}
