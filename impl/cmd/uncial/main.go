// Command uncial is the service, the engine, the operator's tools and the client. This package only parses flags, catches
// signals and prints results; package app wires the service, and package client implements "uncial extract". Start
// reading at commands.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"os/signal"
	"syscall"

	"github.com/alecthomas/kong"

	"uncial/impl/client"
	"uncial/impl/ocr/sandbox"
	"uncial/internal/commandline"
	"uncial/internal/version"
)

// commands are the subcommands. settings.go says which flags are environment variables too.
type commands struct {
	Serve     serveCmd          `cmd:"" help:"Run the service."`
	Engine    engineCmd         `cmd:"" help:"Run only the workers, for 'serve --engine' on other machines."`
	Demo      demoCmd           `cmd:"" help:"Try the service: SQLite, a new API key and a sample page."`
	Extract   client.ExtractCmd `cmd:"" help:"Read images through a running service."`
	Account   accountCmd        `cmd:"" help:"Create, list and change accounts."`
	Key       keyCmd            `cmd:"" help:"Create, list, rotate and revoke API keys."`
	User      userCmd           `cmd:"" help:"List users, reset passwords, and make the first operator."`
	Usage     usageCmd          `cmd:"" help:"Print what accounts have used, by day or by key."`
	Migrate   migrateCmd        `cmd:"" help:"Update the database schema to the one that this program needs."`
	Audit     auditCmd          `cmd:"" help:"Verify that entries, holds and balances agree; exit status 1 if not."`
	Languages languagesCmd      `cmd:"" help:"List the languages that can be read."`
	Models    modelsCmd         `cmd:"" help:"List the models that are loaded."`
	Train     trainCmd          `cmd:"" help:"Fine-tune a handwriting model on transcribed pages."`

	Health     healthCmd     `cmd:"" help:"Check the health of a running service or engine; exit status 1 if unhealthy."`
	Completion completionCmd `cmd:"" help:"Print the completions of a shell: bash, zsh or fish."`
	Man        manCmd        `cmd:"" hidden:"" help:"Print the manual page (roff)."`
	Help       helpCmd       `cmd:"" help:"Show the help of a command."`

	LogFormat string           `enum:"text,json" default:"text" help:"Format of the log: text or json."`
	LogLevel  string           `enum:"debug,info,warn,error" default:"info" help:"Least severe level to log: debug, info, warn or error."`
	Version   kong.VersionFlag `env:"-" help:"Print the version."`
}

func main() {
	// To confine a worker, the sandbox executes this program again before the worker starts. In that case MaybeShim never
	// returns.
	sandbox.MaybeShim()
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

// run parses args and runs the command. It returns the exit status: 0 success, 1 failure, 2 incorrect usage, 130 stopped by
// a signal, or the status that the error of the command carries (exitStatus, or a method ExitCode).
func run(args []string, stdout, stderr io.Writer) int {
	var c commands
	file, wrong := readSettings()
	exit := -1 // kong calls the Exit function with the status after --help and --version
	parser, err := kong.New(&c,
		kong.Name("uncial"),
		kong.Description("Reads text from images of historical documents, printed and handwritten."),
		settings(), parsers(), exactStrings(), kong.Resolvers(file),
		kong.Writers(stdout, stderr),
		kong.Exit(func(status int) { exit = status }),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, WrapUpperBound: 110}),
		kong.Vars{"version": version.Version},
	)
	if err != nil {
		fmt.Fprintln(stderr, "uncial:", err)
		return 2
	}
	if wrong == nil {
		wrong = file.apply(parser.Model)
	}
	k, err := parser.Parse(asHelp(args))
	if exit >= 0 { // kong has printed the help or the version, which must work with an invalid settings file too
		return exit
	}
	if wrong != nil {
		fmt.Fprintln(stderr, "uncial:", wrong)
		return 2
	}
	if err != nil {
		fmt.Fprintf(stderr, "uncial: %s\nSee '%s --help'.\n", commandline.Problem(err), commandOf(err))
		return 2
	}
	logger := newLogger(stderr, c.LogFormat, c.LogLevel)
	useForLibraries(logger)
	file.warn(logger)
	notify := func(text string) { fmt.Fprintln(stderr, text) }
	if c.LogFormat == "json" { // then every line is JSON
		notify = func(text string) { logger.Info(text) }
	}
	ctx, stop := untilSignal(notify)
	defer stop()
	k.BindTo(ctx, (*context.Context)(nil))
	out := &output{to: stdout}
	err = k.Run(&console{out: out, err: stderr, log: logger, model: parser.Model})
	if err == nil {
		err = out.failed // a full disk must not look like success
	}
	return c.exitStatus(ctx, err, stderr, logger)
}

// commandOf returns the command whose arguments were wrong, such as "uncial key create", or "uncial" if there is none.
func commandOf(err error) string {
	if wrong, ok := errors.AsType[*kong.ParseError](err); ok && wrong.Context.Selected() != nil {
		return wrong.Context.Selected().FullPath()
	}
	return "uncial"
}

// exitStatus reports the error of a command and returns the exit status of the program.
func (c *commands) exitStatus(ctx context.Context, err error, stderr io.Writer, logger *slog.Logger) int {
	say := func() { fmt.Fprintln(stderr, "uncial:", err) }
	if c.LogFormat == "json" {
		say = func() { logger.Error("failed", "error", err) }
	}
	var (
		silent   exitStatus
		coded    interface{ ExitCode() int }
		ofWorker = errors.As(err, new(*exec.ExitError))
	)
	switch {
	case err == nil:
		return 0
	case errors.As(err, &silent):
		return int(silent)
	case ctx.Err() != nil && (errors.Is(err, context.Canceled) || ofWorker): // the signal also ended a worker
		return 130
	case errors.As(err, &coded) && !ofWorker:
		say()
		return coded.ExitCode()
	default:
		say()
		return 1
	}
}

// console is where a command prints: results to out, so that they can be piped, notes for the user to err, and events to
// log, which also goes to standard error.
type console struct {
	out, err io.Writer
	log      *slog.Logger
	model    *kong.Application // of the command line, for completions and the manual page
}

// warnings returns the log without routine events, for commands that print an answer and end.
func (c *console) warnings() *slog.Logger { return slog.New(atLeastWarn{c.log.Handler()}) }

// atLeastWarn drops records below warnings.
type atLeastWarn struct{ slog.Handler }

// Enabled implements slog.Handler.
func (h atLeastWarn) Enabled(ctx context.Context, l slog.Level) bool {
	return l >= slog.LevelWarn && h.Handler.Enabled(ctx, l)
}

// WithAttrs implements slog.Handler.
func (h atLeastWarn) WithAttrs(attrs []slog.Attr) slog.Handler {
	return atLeastWarn{h.Handler.WithAttrs(attrs)}
}

// WithGroup implements slog.Handler.
func (h atLeastWarn) WithGroup(name string) slog.Handler {
	return atLeastWarn{h.Handler.WithGroup(name)}
}

// output is standard output. It remembers the first write error, so that commands need not check every print; run reports
// it at the end.
type output struct {
	to     io.Writer
	failed error
}

// Write returns the error too, for callers that stop early.
func (o *output) Write(p []byte) (int, error) {
	n, err := o.to.Write(p)
	if err != nil && o.failed == nil {
		o.failed = fmt.Errorf("cannot write to standard output: %w", err)
	}
	return n, err
}

// exitStatus is an error that ends the program with this status without a message: the command has printed its result.
type exitStatus int

func (s exitStatus) Error() string { return fmt.Sprintf("exit status %d", int(s)) }

// untilSignal returns a context that ends at the first SIGINT or SIGTERM, and a function that stops catching signals. A
// second signal exits at once with status 130, without waiting for running requests. notify tells the user.
func untilSignal(notify func(string)) (context.Context, func()) {
	ctx, cancel := context.WithCancel(context.Background())
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		<-signals
		notify("Shutting down; press Ctrl-C again to stop immediately.")
		cancel()
		<-signals
		os.Exit(130)
	}()
	return ctx, func() { signal.Stop(signals); cancel() }
}
