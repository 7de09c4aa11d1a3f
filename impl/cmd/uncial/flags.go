package main

import (
	"cmp"
	"fmt"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"uncial/impl/account"
	"uncial/impl/app"
)

// databaseFlags locate the database with accounts, keys and points. Every command that opens the database embeds them, so that
// one set of environment variables serves them all.
type databaseFlags struct {
	Database string `secret:"" default:"sqlite:.uncial/uncial.db" placeholder:"URL" help:"Database, sqlite:PATH or postgres://USER@HOST/NAME (default: ${default})."`
	Plans    string `type:"existingfile" placeholder:"FILE" help:"JSON file with the plan catalogue (default: free, pro and archive)."`
}

// keyless returns the options for commands that neither make nor check keys. They need no key secret, so an operator without
// it can run them.
func (f databaseFlags) keyless() app.DataOptions {
	return app.DataOptions{Database: f.Database, PlansFile: f.Plans, WithoutKeys: true}
}

// keyFlags are for commands that make or check keys.
type keyFlags struct {
	databaseFlags
	KeySecret string `secret:"" placeholder:"SECRET" help:"Secret that API keys are hashed with: at least 32 characters, the same for every process that uses the database. With SQLite the default is generated and stored in a file next to the database."`
}

// options returns the options for commands that make or check keys.
func (f keyFlags) options() app.DataOptions {
	return app.DataOptions{Database: f.Database, KeySecret: f.KeySecret, PlansFile: f.Plans}
}

// existing makes a missing database an error, because it then means a mistyped URL. Only the commands that set up the service
// create a database.
func existing(o app.DataOptions) app.DataOptions {
	o.Existing = true
	return o
}

// readOnly is for commands that only show something: they must not change the schema under a running service.
func readOnly(o app.DataOptions) app.DataOptions {
	o.ReadOnly = true
	return existing(o)
}

// engineFlags configure the workers on this machine. Their help repeats the defaults that package app fills in.
type engineFlags struct {
	Worker           string        `type:"path" placeholder:"PATH" help:"Path of the uncial-worker program (default: next to this program, or in ../libexec/uncial)."`
	Workers          *int          `placeholder:"N" help:"Number of worker processes (default: one per core)."`
	Queue            *int          `placeholder:"N" help:"Images that may wait for a worker (default: 8 per worker, at least 16)."`
	Deadline         time.Duration `default:"60s" help:"Time limit for reading one image (default: ${default})."`
	Models           []string      `type:"existingdir" placeholder:"DIR" help:"Folder with additional models, *.traineddata of Tesseract or *.uhm of uncial train; may be repeated."`
	WorkerPerAccount bool          `help:"Never let one worker read images of two accounts; costs about 0.2 s per change of account."`
	Sandbox          string        `enum:"require,best-effort,off" default:"best-effort" help:"Confine workers with landlock and seccomp: require, best-effort or off (default: ${default})."`
}

// pool returns the options of the worker pool. Package app checks them, with errors that name these flags.
func (f engineFlags) pool() app.EngineOptions {
	return app.EngineOptions{
		Worker: f.Worker, Workers: count(f.Workers), Queue: count(f.Queue), Deadline: cmp.Or(f.Deadline, invalid), Models: f.Models, Sandbox: f.Sandbox,
		WorkerPerAccount: f.WorkerPerAccount,
	}
}

// invalid replaces an explicit 0 of a flag, because package app takes 0 for "use the default".
const invalid = -1

// count returns the value of a flag for package app: 0 without the flag, and never 0 with it.
func count(flag *int) int {
	if flag == nil {
		return 0
	}
	return cmp.Or(*flag, invalid)
}

// lifetime is a positive duration. Its zero value, without the flag, means that the key never expires.
type lifetime time.Duration

// UnmarshalText parses the value of the flag. kong puts the name of the flag before the error.
func (l *lifetime) UnmarshalText(text []byte) error {
	d, err := parseDays(string(text))
	if err != nil || d <= 0 {
		return fmt.Errorf("invalid lifetime %q; use a positive duration such as 90d or 12h, at most %sd", text, maxDays)
	}
	*l = lifetime(d)
	return nil
}

// overlap is a duration that may be 0: the old key then ends at once.
type overlap time.Duration

func (o *overlap) UnmarshalText(text []byte) error {
	d, err := parseDays(string(text))
	if err != nil || d < 0 {
		return fmt.Errorf("invalid overlap %q; use a duration such as 2d, 12h or 0d, at most %sd", text, maxDays)
	}
	*o = overlap(d)
	return nil
}

// retention is a duration, or a negative one for the text "0", which keeps everything.
type retention time.Duration

func (r *retention) UnmarshalText(text []byte) error {
	d, err := parseDays(string(text))
	if err != nil || d < 0 {
		return fmt.Errorf("invalid retention %q; use a duration such as 400d, at most %sd, or 0 to keep everything", text, maxDays)
	}
	if d == 0 {
		d = -1
	}
	*r = retention(d)
	return nil
}

// maxDays is the longest duration of parseDays, in days: 179 years.
const maxDays = "65535"

// parseDays parses a Go duration, or whole days of 24 hours such as 90d, which time.ParseDuration does not accept. A duration
// of more than maxDays is an error.
func parseDays(text string) (time.Duration, error) {
	number, isDays := strings.CutSuffix(text, "d")
	if !isDays {
		d, err := time.ParseDuration(text)
		if longest, _ := parseDays(maxDays + "d"); d > longest {
			return 0, strconv.ErrRange
		}
		return d, err
	}
	days, err := strconv.ParseUint(number, 10, 16)
	return time.Duration(days) * 24 * time.Hour, err
}

// prefix is a CIDR such as 10.0.0.0/8, or a single address, as the value of a flag.
type prefix struct{ netip.Prefix }

// UnmarshalText parses the value of the flag. Its error is not account.ErrAllow, which is about the list of addresses of a key.
func (p *prefix) UnmarshalText(text []byte) error {
	// Lists in the environment may have spaces after their commas.
	parsed, err := account.ParseAllow([]string{strings.TrimSpace(string(text))})
	if err != nil {
		return fmt.Errorf("invalid address range %q; use a CIDR such as 192.0.2.0/24 or 2001:db8::/32", text)
	}
	p.Prefix = parsed[0]
	return nil
}

// prefixes converts the values of a flag to the type that the packages use.
func prefixes(list []prefix) []netip.Prefix {
	out := make([]netip.Prefix, len(list))
	for i, p := range list {
		out[i] = p.Prefix
	}
	return out
}
