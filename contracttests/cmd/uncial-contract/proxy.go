package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"uncial/contracttests"
	"uncial/contracttests/internal/har"
	"uncial/contracttests/internal/proxy"
	"uncial/internal/listen"
	"uncial/internal/version"
)

// proxyCmd checks the traffic of other clients.
type proxyCmd struct {
	To     string `required:"" placeholder:"URL" help:"URL of the API that the traffic is for; its path ends in /api/v1."`
	Listen string `default:"127.0.0.1:4020" placeholder:"HOST:PORT" help:"Address for the clients. Port 0 selects a free port, which the first line of output shows (default: ${default})."`

	AllowInvalidRequests bool `help:"Do not report an invalid request as a violation if the server refuses it."`

	JUnit string `name:"junit" placeholder:"FILE" help:"Write a JUnit file for CI at the end."`
	HAR   string `name:"har" placeholder:"FILE" help:"Write an HTTP archive of all requests and answers, without the keys."`
	JSON  bool   `name:"json" help:"Print JSON at the end."`
}

// Help is the text of --help above the flags.
func (proxyCmd) Help() string {
	return `The proxy forwards the traffic of your clients to a server, and checks each request and each answer against the contract. It
reports violations as they happen; Ctrl-C or SIGTERM ends it with a report.

Exit status: 0 nothing broke the contract, 1 something did, 2 the proxy could not run or nothing passed through.

Example:
  uncial-contract proxy --to https://ocr.example.org/api/v1 --junit report.xml --har traffic.har
  UNCIAL_URL=http://127.0.0.1:4020 uncial extract page.jpg     in another terminal`
}

const (
	// grace is the time that running requests have to finish when the proxy ends.
	grace = 10 * time.Second
	// readHeaderTimeout and idleTimeout limit clients that are slow on purpose. Bodies and answers have no limit of the
	// proxy's own, because servers and clients have theirs.
	readHeaderTimeout = 10 * time.Second
	idleTimeout       = 2 * time.Minute
)

// Run passes traffic on until ctx ends, then writes the reports and sets the exit status.
func (c *proxyCmd) Run(ctx context.Context, con *console, status *int) error {
	files, err := createReports(c.JUnit, c.HAR)
	if err != nil {
		return err
	}
	out := con.out
	if c.JSON { // standard output is for the report
		out = con.err
	}
	started := time.Now()
	o := proxy.Options{To: c.To, AllowInvalidRequests: c.AllowInvalidRequests, Violation: func(v proxy.Violation) { printViolation(out, v) }}
	if to := files.archive(); to != nil {
		o.Archive = har.NewWriter(to, "uncial-contract proxy", version.Version)
	}
	report, err := c.serve(ctx, out, o)
	if err != nil {
		files.discard()
		return err
	}
	if o.Archive != nil {
		err = o.Archive.Close() // files.write reports the same error with the name of the file
	}
	summary := c.summary(report, started)
	err = errors.Join(cmp.Or(files.write(summary), err), c.write(con.out, report))
	switch {
	case report.Violations > 0:
		*status = failed
	case summary.Problem != "":
		*status = couldNotRun
	}
	return err
}

// serve passes traffic on until ctx ends.
func (c *proxyCmd) serve(ctx context.Context, out io.Writer, o proxy.Options) (proxy.Report, error) {
	p, err := proxy.New(ctx, o)
	if err != nil {
		return proxy.Report{}, fmt.Errorf("--to: %w", err)
	}
	listener, err := listen.TCP("--listen", c.Listen)
	if err != nil {
		p.Close()
		return proxy.Report{}, err
	}
	fmt.Fprintf(out, "Listening on http://%s/api/v1 for %s\n", listener.Addr(), c.To)
	server := &http.Server{Handler: p, ReadHeaderTimeout: readHeaderTimeout, IdleTimeout: idleTimeout, DisableGeneralOptionsHandler: true}
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	select {
	case err = <-served: // the listener failed
	case <-ctx.Done():
		stop(server)
		if closed := <-served; !errors.Is(closed, http.ErrServerClosed) {
			err = closed
		}
	}
	return p.Close(), err
}

// stop waits for running requests, and cuts off those that take longer than grace.
func stop(server *http.Server) {
	ctx, cancel := context.WithTimeout(context.Background(), grace)
	defer cancel()
	if server.Shutdown(ctx) != nil {
		_ = server.Close() // cancels the contexts of its requests
	}
}

func printViolation(out io.Writer, v proxy.Violation) {
	id := ""
	if v.RequestID != "" {
		id = "  (X-Request-Id " + v.RequestID + ")"
	}
	fmt.Fprintf(out, "%s  %-7s  %s %s %s  %s%s\n", v.At.Format("15:04:05"), v.Side, v.Method, v.Path, answered(v.Status), v.Problem, id)
}

// counted returns a number with its noun.
func counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return grouped(int64(n)) + " " + noun + "s"
}

// answered describes a status for people.
func answered(status int) string {
	if status == 0 {
		return "no answer"
	}
	return fmt.Sprint(status)
}

// summary is the report in the form of a run of the suite, for JUnit: a case for each kind of exchange.
func (c *proxyCmd) summary(r proxy.Report, started time.Time) contracttests.Report {
	s := contracttests.Report{BaseURL: c.To, Started: started, Duration: time.Since(started), Requests: r.Exchanges}
	for _, k := range r.Kinds {
		result := contracttests.Result{
			Case: k.Name, Outcome: contracttests.Passed, Requests: k.Exchanges,
			Explanation: fmt.Sprintf("%s, %s of the contract", counted(k.Exchanges, "exchange"), counted(k.Violations, "violation")),
		}
		if k.Violations > 0 {
			result.Outcome, result.Reason = contracttests.Failed, k.Examples[0].Problem
			var all strings.Builder
			for _, v := range k.Examples {
				printViolation(&all, v)
			}
			result.Answer = all.String()
		}
		s.Results = append(s.Results, result)
	}
	if r.Exchanges == 0 {
		s.Problem = "nothing was checked: no complete exchange of the API passed through"
	}
	return s
}

// write prints the report: as JSON, or a line for each kind and the verdict.
func (c *proxyCmd) write(out io.Writer, r proxy.Report) error {
	if c.JSON {
		return printJSON(out, r)
	}
	fmt.Fprintf(out, "\n%-24s %10s %10s\n", "KIND", "EXCHANGES", "VIOLATIONS")
	for _, k := range r.Kinds {
		fmt.Fprintf(out, "%-24s %10d %10d\n", k.Name, k.Exchanges, k.Violations)
	}
	if r.Unchecked > 0 {
		fmt.Fprintf(out, "exchanges passed on but not checked, because of too many large bodies at once: %d\n", r.Unchecked)
	}
	if r.HungUp > 0 {
		fmt.Fprintf(out, "exchanges ended by their clients: %d\n", r.HungUp)
	}
	verdict := "The traffic conforms to the contract."
	switch {
	case r.Violations > 0:
		verdict = "The traffic broke the contract."
	case r.Exchanges == 0:
		verdict = "Nothing was checked: no complete exchange of the API passed through."
	}
	_, err := fmt.Fprintf(out, "\n%s %s, %s.\n", verdict, counted(r.Exchanges, "exchange"), counted(r.Violations, "violation"))
	return err
}
