// Command uncial-contract holds a server against the contract: the mock, the real service, a deployment, or someone
// else's implementation.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/alecthomas/kong"

	"uncial/internal/version"
)

// The exit statuses.
const (
	passed = iota
	failed
	couldNotRun
)

// commands are what uncial-contract can do. Every flag is also an environment variable: --max-points is
// UNCIAL_CONTRACT_MAX_POINTS.
type commands struct {
	Check checkCmd `cmd:"" default:"withargs" help:"Hold a server against the contract; this is what happens without a command."`
	Diff  diffCmd  `cmd:"" help:"Send the same requests to two servers and compare their answers."`

	Version kong.VersionFlag `env:"-" help:"Print the version."`
}

const about = `Holds a server against the contract: the mock, the real service, a deployment, or someone else's implementation.

Exit status: 0 all is well, 1 the server breaks the contract, 2 the suite could not be run.

Examples:
  uncial-contract --mock                                          the mock on 127.0.0.1:4010
  uncial-contract --mock --base-url http://127.0.0.1:9000/api/v1  a mock elsewhere
  uncial-contract --base-url https://ocr.example.org/api/v1 --keys keys.json --max-points 500 --junit report.xml
  uncial-contract --mock --only '^extract/402' --json             some cases, as JSON
  uncial-contract --list                                          what there is to check
  uncial-contract diff --a http://127.0.0.1:4010/api/v1 --b https://ocr.example.org/api/v1 --keys-b keys.json

A keys file says what the server has for each scenario; what it does not name is skipped:
  {"keys": {"ok": "$OCR_KEY", "spare": ["ocr_live_..."], "sibling": "...", "empty": "...", "low": ["..."], "exact": "...",
            "expired": "...", "revoked": "...", "ratelimited": "...", "error": "..."},
   "images": {"printed": "https://images.example.org/page.jpg"}, "enhances": true}
A key that begins with $ is taken from that environment variable. The README tells what each scenario stands for.`

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// console is where a command writes.
type console struct{ out, err io.Writer }

// run is main with its surroundings as parameters; it returns the exit status.
func run(args []string, stdout, stderr io.Writer) int {
	var c commands
	exit := -1
	parser, err := kong.New(&c,
		kong.Name("uncial-contract"), kong.Description("Holds a server against the contract, or two against each other."), kong.DefaultEnvars("UNCIAL_CONTRACT"),
		kong.Writers(stdout, stderr), kong.Exit(func(status int) { exit = status }),
		kong.ConfigureHelp(kong.HelpOptions{WrapUpperBound: 110}), kong.Vars{"version": version.Version},
	)
	if err != nil {
		fmt.Fprintln(stderr, "uncial-contract:", err)
		return couldNotRun
	}
	k, err := parser.Parse(withCommand(args))
	if exit >= 0 { // help or version was asked for
		return exit
	}
	if err != nil {
		fmt.Fprintf(stderr, "uncial-contract: %v\nSee 'uncial-contract --help'.\n", err)
		return couldNotRun
	}
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

// withCommand puts "check" before flags that come without a command, so that --help tells of them.
func withCommand(args []string) []string {
	if len(args) == 0 || strings.HasPrefix(args[0], "-") && args[0] != "--version" {
		return append([]string{"check"}, args...)
	}
	return args
}

func printJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}
