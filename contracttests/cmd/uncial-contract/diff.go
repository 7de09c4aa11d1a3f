package main

import (
	"context"
	"fmt"
	"io"
	"time"

	"uncial/contracttests"
)

// diffCmd compares two servers. It has no limit for points: the sequence is fixed by the seed, and Run prints its costs
// before the first request.
type diffCmd struct {
	A     string `required:"" placeholder:"URL" help:"Address of the API of the first server."`
	B     string `required:"" placeholder:"URL" help:"Address of the API of the second server."`
	KeysA string `name:"keys-a" placeholder:"FILE" help:"Keys file of the first server (default: the server is uncial-mock)."`
	KeysB string `name:"keys-b" placeholder:"FILE" help:"Keys file of the second server (default: the server is uncial-mock)."`

	Seed     uint64        `default:"1" help:"Seed that chooses the generated requests (default: ${default})."`
	MaxWait  time.Duration `default:"70s" help:"Longest single wait for a rate limit to reset (default: ${default})."`
	Timeout  time.Duration `default:"15m" help:"Time for the whole comparison (default: ${default})."`
	Patience time.Duration `default:"90s" help:"Time for one answer (default: ${default})."`
	JSON     bool          `name:"json" help:"Print JSON."`
}

// target describes one of the servers: by its keys file or, without one, as a mock. The mock gets new keys, so that earlier
// runs do not affect the comparison.
func (d *diffCmd) target(ctx context.Context, flag, url, keys string) (t contracttests.Target, err error) {
	if _, err := (contracttests.Target{BaseURL: url}).WithDefaults(); err != nil {
		return t, fmt.Errorf("%s: %w", flag, err)
	}
	if keys == "" {
		t, err = contracttests.Mock(ctx, url)
	} else {
		t.BaseURL = url
		err = t.LoadKeys(keys)
	}
	t.Seed, t.MaxWait, t.Timeout = d.Seed, d.MaxWait, d.Patience
	return t, err
}

// Run compares the servers and sets the exit status: failed if they differ, couldNotRun if the comparison was not completed.
// With --json the announcement goes to standard error, so that standard output holds only the report.
func (d *diffCmd) Run(ctx context.Context, con *console, status *int) error {
	ctx, cancel := context.WithTimeout(ctx, d.Timeout)
	defer cancel()
	a, err := d.target(ctx, "--a", d.A, d.KeysA)
	if err != nil {
		return err
	}
	b, err := d.target(ctx, "--b", d.B, d.KeysB)
	if err != nil {
		return err
	}
	out := con.out
	if d.JSON {
		out = con.err
	}
	requests, points := contracttests.DiffCost(a.Seed)
	fmt.Fprintf(out, "%s and %s, seed %d\nEach receives %d requests, which may cost %s points.\n\n", a.BaseURL, b.BaseURL, a.Seed, requests, grouped(points))
	report := contracttests.Diff(ctx, a, b)
	switch {
	case len(report.Differences) > 0:
		*status = failed
	case report.Problem != "":
		*status = couldNotRun
	}
	if d.JSON {
		return printJSON(con.out, report)
	}
	return d.write(con.out, report)
}

// write prints the differences with the command lines that repeat both requests, then the verdict. Steps for which a server
// has no key or image are listed as SKIP and do not count as differences.
func (d *diffCmd) write(w io.Writer, r contracttests.DiffReport) error {
	for _, s := range r.Skipped {
		fmt.Fprintf(w, "SKIP   %s\n", s)
	}
	for _, x := range r.Differences {
		fmt.Fprintf(w, "DIFF   %s: A and B disagree on %s\n       A  %q\n          %s\n       B  %q\n          %s\n", x.Step, x.What, x.A, x.CurlA, x.B, x.CurlB)
	}
	verdict := "The servers agree."
	switch {
	case len(r.Differences) > 0:
		verdict = "The servers differ."
	case r.Problem != "":
		verdict = "The servers could not be compared."
	}
	if r.Problem != "" {
		fmt.Fprintf(w, "\n%s\n", r.Problem)
	}
	_, err := fmt.Fprintf(w, "\n%s Requests to each: %d, differences: %d, seed: %d\n", verdict, r.Steps, len(r.Differences), r.Seed)
	return err
}
