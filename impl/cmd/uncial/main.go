// Command uncial is the service, its engine, its operator's tools and its client.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	"github.com/alecthomas/kong"

	"uncial/impl/client"
	"uncial/impl/ocr/sandbox"
	"uncial/internal/version"
)

// commands are what uncial can do. Every flag is also an environment variable: --fetch-allow is UNCIAL_FETCH_ALLOW.
type commands struct {
	Serve     serveCmd          `cmd:"" help:"Run the service."`
	Engine    engineCmd         `cmd:"" help:"Run the workers alone, for serve --engine on other machines."`
	Demo      demoCmd           `cmd:"" help:"Run the service for a first look: SQLite, a key, a sample page."`
	Extract   client.ExtractCmd `cmd:"" help:"Read images through a running service."`
	Account   accountCmd        `cmd:"" help:"Create and list accounts, change their plans."`
	Key       keyCmd            `cmd:"" help:"Create, list, rotate and revoke API keys."`
	Migrate   migrateCmd        `cmd:"" help:"Bring the database to this version."`
	Audit     auditCmd          `cmd:"" help:"Prove that entries, holds and balances agree; exit status 1 if not."`
	Languages languagesCmd      `cmd:"" help:"List the languages that can be read here."`

	Health healthCmd `cmd:"" help:"Ask a running service or engine whether it is well; exit status 1 if not."`

	LogFormat string           `enum:"text,json" default:"text" help:"Form of the log: ${enum}."`
	LogLevel  string           `enum:"debug,info,warn,error" default:"info" help:"What is logged: ${enum}."`
	Version   kong.VersionFlag `env:"-" help:"Print the version."`
}

func main() {
	sandbox.MaybeShim()
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

// run is main with its surroundings as parameters; it returns the exit status: 0 done, 1 failed, 2 wrong usage.
func run(args []string, stdout, stderr io.Writer) int {
	var c commands
	exit := -1
	parser, err := kong.New(&c,
		kong.Name("uncial"),
		kong.Description("Reads text from images of historical documents, printed and handwritten."),
		kong.DefaultEnvars("UNCIAL"),
		kong.Writers(stdout, stderr),
		kong.Exit(func(status int) { exit = status }),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, WrapUpperBound: 110}),
		kong.Vars{"version": version.Version},
	)
	if err != nil {
		fmt.Fprintln(stderr, "uncial:", err)
		return 2
	}
	k, err := parser.Parse(args)
	if exit >= 0 { // help or version was asked for
		return exit
	}
	if err != nil {
		fmt.Fprintf(stderr, "uncial: %v\nSee 'uncial --help'.\n", err)
		return 2
	}
	logger := newLogger(stderr, c.LogFormat, c.LogLevel)
	slog.SetDefault(logger)
	ctx, stop := untilSignal(stderr)
	defer stop()
	k.BindTo(ctx, (*context.Context)(nil))
	out := &output{to: stdout}
	err = k.Run(&console{out: out, err: stderr, log: logger})
	if err == nil {
		err = out.failed // a full disk must not look like success
	}
	var (
		silent exitStatus
		coded  interface{ ExitCode() int }
	)
	switch {
	case err == nil:
		return 0
	case errors.As(err, &silent):
		return int(silent)
	case errors.As(err, &coded):
		fmt.Fprintln(stderr, "uncial:", err)
		return coded.ExitCode()
	case errors.Is(err, context.Canceled) && ctx.Err() != nil:
		return 130
	default:
		fmt.Fprintln(stderr, "uncial:", err)
		return 1
	}
}

// console is where a command writes.
type console struct {
	out, err io.Writer
	log      *slog.Logger
}

// output remembers the first error of writing.
type output struct {
	to     io.Writer
	failed error
}

func (o *output) Write(p []byte) (int, error) {
	n, err := o.to.Write(p)
	if err != nil && o.failed == nil {
		o.failed = fmt.Errorf("standard output: %w", err)
	}
	return n, err
}

// exitStatus ends the program with a status and no further words.
type exitStatus int

func (s exitStatus) Error() string { return fmt.Sprintf("exit status %d", int(s)) }

func newLogger(w io.Writer, form, least string) *slog.Logger {
	var level slog.Level
	_ = level.UnmarshalText([]byte(least)) // one of the flag's enumeration
	o := &slog.HandlerOptions{Level: level}
	if form == "json" {
		return slog.New(slog.NewJSONHandler(w, o))
	}
	return slog.New(slog.NewTextHandler(w, o))
}

// untilSignal is a context that ends at the first SIGINT or SIGTERM; the second ends the program at once.
func untilSignal(stderr io.Writer) (context.Context, func()) {
	ctx, cancel := context.WithCancel(context.Background())
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		<-signals
		fmt.Fprintln(stderr, "uncial: stopping; once more to stop at once")
		cancel()
		<-signals
		os.Exit(130)
	}()
	return ctx, func() { signal.Stop(signals); cancel() }
}
