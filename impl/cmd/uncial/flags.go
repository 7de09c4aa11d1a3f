package main

import (
	"errors"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"uncial/impl/account"
	"uncial/impl/app"
)

// dataFlags say where accounts, keys and points are.
type dataFlags struct {
	Database  string `default:"sqlite:.uncial/uncial.db" placeholder:"URL" help:"sqlite:PATH or postgres://... (default: ${default})."`
	KeySecret string `placeholder:"S" help:"What API keys are hashed with, at least 32 characters, the same for every process on one database. With SQLite the default is kept in a file beside the database."`
	Plans     string `type:"existingfile" placeholder:"FILE" help:"JSON file with the plan catalogue (default: free, pro and archive)."`
}

func (f dataFlags) options() app.DataOptions {
	return app.DataOptions{Database: f.Database, KeySecret: f.KeySecret, PlansFile: f.Plans}
}

// keyless is for commands that neither make nor check keys and so need no secret.
func (f dataFlags) keyless() app.DataOptions {
	o := f.options()
	o.WithoutKeys = true
	return o
}

// existing is for commands that would do nothing of use on a new database: its path must have been mistyped.
func existing(o app.DataOptions) app.DataOptions {
	o.Existing = true
	return o
}

// engineFlags configure the workers of this machine.
type engineFlags struct {
	Worker   string        `type:"path" placeholder:"PATH" help:"The uncial-worker program (default: beside this one)."`
	Workers  int           `placeholder:"N" help:"Child processes (default: one for each core)."`
	Queue    int           `placeholder:"N" help:"Images that may wait for a worker (default: 8 for each, at least 16)."`
	Deadline time.Duration `default:"60s" help:"Time for reading one image (default: ${default})."`
	Models   []string      `type:"existingdir" placeholder:"DIR" help:"Directory with further *.traineddata; may be repeated."`
	Sandbox  string        `enum:"require,best-effort,off" default:"best-effort" help:"Whether workers must be, may be or are not confined: ${enum} (default: ${default})."`
}

func (f engineFlags) pool() app.EngineOptions {
	return app.EngineOptions{
		Worker: f.Worker, Workers: f.Workers, Queue: f.Queue, Deadline: f.Deadline, Models: f.Models, Sandbox: f.Sandbox,
	}
}

// lifetime is a positive duration; without the flag it is 0, for ever.
type lifetime time.Duration

func (l *lifetime) UnmarshalText(text []byte) error {
	d, err := parseDays(string(text))
	if err != nil || d <= 0 {
		return errors.New("must be a positive number of days or a duration, such as 90d or 12h")
	}
	*l = lifetime(d)
	return nil
}

// overlap is a duration that may be 0.
type overlap time.Duration

func (o *overlap) UnmarshalText(text []byte) error {
	d, err := parseDays(string(text))
	if err != nil || d < 0 {
		return errors.New("must be a number of days or a duration, such as 2d, 12h or 0")
	}
	*o = overlap(d)
	return nil
}

// parseDays reads a Go duration, or whole days such as 90d.
func parseDays(text string) (time.Duration, error) {
	number, isDays := strings.CutSuffix(text, "d")
	if !isDays {
		return time.ParseDuration(text)
	}
	days, err := strconv.ParseUint(number, 10, 16) // 65,535 days are 179 years
	return time.Duration(days) * 24 * time.Hour, err
}

// prefix is a CIDR such as 10.0.0.0/8, or a single address.
type prefix struct{ netip.Prefix }

func (p *prefix) UnmarshalText(text []byte) error {
	parsed, err := account.ParseAllow([]string{strings.TrimSpace(string(text))}) // "10.0.0.0/8, 192.0.2.1" is a list too
	if err != nil {
		return errCIDR
	}
	p.Prefix = parsed[0]
	return nil
}

func prefixes(list []prefix) []netip.Prefix {
	out := make([]netip.Prefix, len(list))
	for i, p := range list {
		out[i] = p.Prefix
	}
	return out
}
