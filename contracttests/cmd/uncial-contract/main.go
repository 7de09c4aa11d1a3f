// Command uncial-contract checks a server against the contract: the mock, the real service, a deployment, or an
// implementation by someone else. It also compares two servers, and checks the traffic between clients and a server.
//
// This package parses flags and prints reports. The checks are in package contracttests.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"strings"
	"syscall"

	"github.com/alecthomas/kong"

	"uncial/internal/commandline"
	"uncial/internal/version"
)

// The exit statuses, which README.md and the help promise. A server that breaks the contract is told apart from a run that
// could not take place (server down, wrong keys, invalid flags), so that CI can treat them differently.
const (
	passed = iota
	failed
	couldNotRun
)

// commands are the subcommands. check is the default, so that CI can pass flags only. Every flag is also an environment
// variable: --max-points is UNCIAL_CONTRACT_MAX_POINTS.
type commands struct {
	Check checkCmd `cmd:"" default:"withargs" help:"Check a server against the contract (the default command)."`
	Diff  diffCmd  `cmd:"" help:"Send the same requests to two servers and compare their answers."`
	Proxy proxyCmd `cmd:"" help:"Pass the traffic of other clients to a server and check it."`

	Version kong.VersionFlag `env:"-" help:"Print the version."`
}

// about is the text of --help, also for the default command. A test compares its examples with the flags.
const about = `Checks a server against the contract: the mock, the real service, a deployment, or an implementation by someone else.

Exit status: 0 everything passed, 1 the server breaks the contract, 2 the suite could not run.

Other commands: diff compares two servers, proxy checks the traffic of your clients; each has its own --help.

Examples:
  uncial-contract --mock                                          the mock on 127.0.0.1:4010
  uncial-contract --mock --base-url http://127.0.0.1:9000/api/v1  a mock elsewhere
  uncial-contract --base-url https://ocr.example.org/api/v1 --keys keys.json --max-points 3500 --junit report.xml
  uncial-contract --mock --only '^extract/402' --json             some cases, as JSON
  uncial-contract --list                                          list all cases
  uncial-contract diff --a http://127.0.0.1:4010/api/v1 --b https://ocr.example.org/api/v1 --keys-b keys.json
  uncial-contract proxy --to https://ocr.example.org/api/v1       the traffic of your clients; see 'proxy --help'

A keys file names a key for each scenario; cases without their key are skipped:
  {"keys": {"ok": "$OCR_KEY", "spare": ["ocr_live_..."], "sibling": "...", "empty": "...", "low": ["..."], "exact": "...",
            "expired": "...", "revoked": "...", "ratelimited": "...", "error": "..."},
   "images": {"printed": "https://images.example.org/page.jpg"}, "enhances": true}
A key that begins with $ is the name of an environment variable. contracttests/README.md explains the scenarios.`

// Between collections the heap may grow to three times what is in use, because a run makes many long bodies and ends soon, but
// hardly beyond memoryLimit.
const (
	garbagePercent = 200
	memoryLimit    = 768 << 20
)

func main() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(garbagePercent)
	}
	debug.SetMemoryLimit(min(memoryLimit, debug.SetMemoryLimit(-1)))
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

// console is the output of a command: reports go to out, errors to err.
type console struct{ out, err io.Writer }

// run runs a command line, without the name of the program, and returns the exit status. It never ends the process, so that
// tests can call it.
func run(args []string, stdout, stderr io.Writer) int {
	var c commands
	exit := -1
	parser, err := kong.New(&c,
		kong.Name("uncial-contract"), kong.Description("Checks a server or its traffic against the contract, or compares two servers."), kong.DefaultEnvars("UNCIAL_CONTRACT"),
		kong.Writers(stdout, stderr), kong.Exit(func(status int) { exit = status }),
		kong.ConfigureHelp(kong.HelpOptions{WrapUpperBound: 110}), kong.Vars{"version": version.Version},
	)
	if err != nil {
		fmt.Fprintln(stderr, "uncial-contract:", err)
		return couldNotRun
	}
	k, err := parser.Parse(withCommand(args))
	if exit >= 0 { // kong has printed the help or the version
		return exit
	}
	if err != nil {
		fmt.Fprintf(stderr, "uncial-contract: %s\nSee 'uncial-contract %s--help'.\n", commandline.Problem(err), commandOf(args))
		return couldNotRun
	}
	// The first signal ends the run with a report of the cases so far and the status couldNotRun; a second one ends the process
	// at once, by the default action that stop restores.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	k.BindTo(ctx, (*context.Context)(nil))
	status := passed
	if err := k.Run(&console{stdout, stderr}, &status); err != nil {
		fmt.Fprintln(stderr, "uncial-contract:", err)
		return couldNotRun
	}
	return status
}

// commandOf is the command at the beginning of a command line, with a space after it, or "" for the default command.
func commandOf(args []string) string {
	if len(args) > 0 && (args[0] == "diff" || args[0] == "proxy") {
		return args[0] + " "
	}
	return ""
}

// withCommand adds the default command to flags without a command: kong would otherwise print a help that lists the commands
// but none of the flags. --version belongs to the program, not to a command.
func withCommand(args []string) []string {
	if len(args) == 0 || strings.HasPrefix(args[0], "-") && args[0] != "--version" {
		return append([]string{"check"}, args...)
	}
	return args
}

// printJSON writes indented JSON and a line feed. It does not escape "<" and "&", because people read reports as well.
func printJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}
