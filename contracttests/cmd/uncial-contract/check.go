package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"uncial/contracttests"
	"uncial/contracttests/internal/model"
	"uncial/internal/listen"
)

// The defaults of flags that a command line leaves out if it repeats a case.
const (
	defaultGenerated = model.DefaultGenerated
	defaultPatience  = 90 * time.Second
	defaultMaxWait   = 70 * time.Second
)

// defaultMock is where uncial-mock listens unless told otherwise.
const defaultMock = "http://127.0.0.1:4010/api/v1"

// checkCmd checks one server. Its fields are the flags. Most become a field of contracttests.Target: --patience becomes
// Target.Timeout, the limit for one answer, while --timeout ends the whole run.
type checkCmd struct {
	BaseURL string `name:"base-url" placeholder:"URL" help:"URL of the API; its path ends in /api/v1. Default with --mock: http://127.0.0.1:4010/api/v1."`
	Mock    bool   `help:"The server is uncial-mock: use its scenarios, with new keys."`
	Keys    string `placeholder:"FILE" help:"JSON file with the server's keys and images by scenario."`

	Seed      uint64        `default:"1" help:"Seed that chooses the generated requests (default: ${default})."`
	Generated int           `default:"40" help:"Number of requests that break several rules at once (default: ${default})."`
	MaxPoints *int64        `placeholder:"N" help:"Limit for the points spent; cases that would exceed it are skipped (default: no limit)."`
	MaxWait   time.Duration `default:"70s" help:"Longest wait for a rate limit to reset; 0 disables waiting (default: ${default})."`
	Timeout   time.Duration `help:"Time limit for the run (default: 15m, or with --thorough twice the time that is announced, if that is longer)."`
	Patience  time.Duration `default:"90s" help:"Time limit for one answer (default: ${default})."`

	Only        string `placeholder:"PATTERN" help:"Run only the cases whose names match this regular expression."`
	Quick       bool   `help:"Run only the most important cases: about a second against a mock, one to two minutes against a service."`
	Thorough    bool   `help:"Also run the cases that take a long time or cost many points on a server that reads images; the run announces points and requests."`
	ServeImages string `placeholder:"HOST:PORT" help:"Serve images at this address for the server to fetch; without it, cases that need them are skipped."`
	ImagesURL   string `name:"images-url" placeholder:"URL" help:"URL by which the server reaches --serve-images (default: http:// and the address)."`
	FailFast    bool   `help:"Stop at the first failure."`
	JUnit       string `name:"junit" placeholder:"FILE" help:"Write a JUnit file for CI."`
	HAR         string `name:"har" placeholder:"FILE" help:"Write an HTTP archive of all requests and answers, without the keys."`
	JSON        bool   `name:"json" help:"Print JSON."`
	List        bool   `help:"List the cases with their needs and costs, and send nothing."`
}

// Help is the text of --help above the flags. kong calls it, because this is the default command.
func (checkCmd) Help() string { return about }

// target describes the server as the flags say. It fails if flags contradict each other or are missing, if the keys file
// cannot be read, or if the mock was reached but could not be set up.
func (c *checkCmd) target(ctx context.Context) (t contracttests.Target, err error) {
	if c.BaseURL != "" {
		if _, err := (contracttests.Target{BaseURL: c.BaseURL}).WithDefaults(); err != nil {
			return t, err
		}
	}
	if err := listen.Check("--serve-images", c.ServeImages); err != nil {
		return t, err
	}
	switch {
	case c.MaxPoints != nil && *c.MaxPoints < 0:
		return t, errors.New("--max-points must be 0 or more")
	case c.Generated < 1:
		return t, errors.New("--generated must be 1 or more")
	case c.Patience < minPatience:
		return t, fmt.Errorf("--patience must be at least %s: a server that conforms to the contract may take that long", minPatience)
	case c.MaxWait < 0 || c.Timeout < 0:
		return t, errors.New("--max-wait and --timeout must not be negative")
	case c.Quick && (c.Only != "" || c.Thorough):
		return t, errors.New("--quick chooses the cases: it cannot be combined with --only or --thorough")
	case c.List && (c.JUnit != "" || c.HAR != ""):
		return t, errors.New("--list sends nothing: it cannot be combined with --junit or --har")
	case c.Mock && c.ServeImages != "":
		return t, errors.New("--mock cannot be combined with --serve-images: the mock fetches nothing")
	case c.ImagesURL != "" && c.ServeImages == "":
		return t, errors.New("--images-url needs --serve-images, the address to listen at")
	case c.Mock && c.Keys != "":
		return t, errors.New("--mock cannot be combined with --keys: it has its own keys")
	case c.Mock:
		if c.BaseURL == "" {
			c.BaseURL = defaultMock
		}
		t, err = contracttests.Mock(ctx, c.BaseURL)
	case c.Keys != "":
		t.BaseURL = c.BaseURL
		err = t.LoadKeys(c.Keys)
	// Listing sends nothing, but a target needs a base URL.
	case c.List:
		t.BaseURL = defaultMock
	default:
		err = errors.New("keys are missing; use --keys FILE, or --mock if the server is uncial-mock")
	}
	if err == nil && t.BaseURL == "" {
		err = errors.New("--base-url is missing; expected a URL such as https://ocr.example.org/api/v1")
	}
	t.Seed, t.Generated, t.MaxWait, t.Timeout = c.Seed, c.Generated, c.MaxWait, c.Patience
	if c.MaxPoints != nil {
		t.MaxPoints = cmp.Or(*c.MaxPoints, -1) // a limit of 0 allows no spending
	}
	t.Only, t.FailFast, t.Thorough = c.Only, c.FailFast, c.Thorough
	t.ServeImages, t.ImagesURL = c.ServeImages, c.ImagesURL
	if c.Quick {
		t.Only = contracttests.QuickCases
	}
	return t, err
}

// Run checks the server and sets the exit status: failed if a case failed, couldNotRun if the run has a Problem. An error
// also ends with couldNotRun: invalid flags, an unusable keys file, or a report that cannot be written.
func (c *checkCmd) Run(ctx context.Context, con *console, status *int) error {
	preparing, prepared := context.WithTimeout(ctx, cmp.Or(c.Timeout, defaultTimeout))
	t, err := c.target(preparing)
	late := errors.Is(preparing.Err(), context.DeadlineExceeded)
	prepared()
	if err != nil && late {
		return errors.New("the time limit was reached before the run began; allow more with --timeout")
	}
	if err != nil {
		return err
	}
	if c.List {
		return c.list(con.out)
	}
	plan, err := contracttests.Outline(t)
	if err != nil {
		return err
	}
	if c.Timeout == 0 {
		c.Timeout = max(defaultTimeout, 2*estimate(t, plan))
	}
	ctx, cancel := context.WithTimeout(ctx, c.Timeout)
	defer cancel()
	// The files are created before the run, so that a path that cannot be written costs no points.
	files, err := createReports(c.JUnit, c.HAR)
	if err != nil {
		return err
	}
	// With --json the standard output holds nothing but the report, so that it can be piped into another program. Results are
	// then not printed one by one.
	if c.JSON {
		announce(con.err, t, plan, c.Timeout)
	} else {
		announce(con.out, t, plan, c.Timeout)
		fmt.Fprintf(con.out, "%-6s %-40s %s\n", "RESULT", "CASE", "RULE")
		t.Progress = func(r contracttests.Result) { c.print(con.out, r) }
	}
	t.HAR = files.archive()
	report := contracttests.Check(ctx, t)
	if err := errors.Join(files.write(report), c.write(con.out, report)); err != nil {
		return err
	}
	// A failure outweighs an interrupted run: a defect stays a defect whether or not the remaining cases run.
	switch {
	case report.Count(contracttests.Failed) > 0:
		*status = failed
	case report.Problem != "":
		*status = couldNotRun
	}
	return nil
}

// write prints the report as JSON. Without --json it prints only the verdict, because each case was printed when it ended.
func (c *checkCmd) write(out io.Writer, r contracttests.Report) error {
	if c.JSON {
		return printJSON(out, r)
	}
	return summarize(out, r)
}

// minPatience is the shortest time limit for one answer. With a shorter one, slow answers of correct servers would look like
// defects.
const minPatience = time.Second

// defaultTimeout is the minimum time limit of a run without --timeout.
const defaultTimeout = 15 * time.Minute

// pointsPerExtraction is the price of an extraction.
const pointsPerExtraction = 10

// estimate returns about how long a thorough run takes on a server that reads a page in a second, and 0 for other runs, which
// take minutes.
func estimate(t contracttests.Target, plan []contracttests.Planned) time.Duration {
	if !t.Thorough || t.Simulated {
		return 0
	}
	var points int64
	for _, p := range plan {
		if p.Skip == "" {
			points += p.Points
		}
	}
	return time.Duration(points/pointsPerExtraction) * time.Second
}

// announce prints what the run will do and may cost, before anything is sent. Points and requests are upper limits, because
// a case that fails early sends less.
func announce(w io.Writer, t contracttests.Target, plan []contracttests.Planned, limit time.Duration) {
	var run, skipped int
	var points, requests int64
	for _, p := range plan {
		if p.Skip != "" {
			skipped++
			continue
		}
		run++
		points += p.Points
		requests += p.Extractions
	}
	fmt.Fprintf(w, "%s, seed %d\n", t.BaseURL, t.Seed)
	fmt.Fprintf(w, "Cases to run: %d, to skip: %d. They may cost %s points; requests that count against rate limits: at most %s.\n",
		run, skipped, grouped(points), grouped(requests))
	if needed := estimate(t, plan); needed > 0 {
		fmt.Fprintf(w, "A server that reads a page in a second needs about %s; the run ends after %s at the latest (--timeout).\n", needed, limit)
	}
	fmt.Fprintln(w)
}

// print prints one result, in the columns of the heading that Run prints. Failures show everything that is needed to repeat
// them except the key, so that a log can be shared.
func (c *checkCmd) print(w io.Writer, r contracttests.Result) {
	meaning := r.Explanation
	if r.Outcome == contracttests.Skipped {
		meaning = "skipped: " + r.Reason
	}
	fmt.Fprintf(w, "%-6s %-40s %s\n", strings.ToUpper(string(r.Outcome)), r.Case, meaning)
	if r.Outcome != contracttests.Failed && r.Outcome != contracttests.Errored {
		return
	}
	fmt.Fprintf(w, "       what is wrong  %s\n", r.Reason)
	if r.Answer != "" {
		fmt.Fprintf(w, "       the answer     %s\n", r.Answer)
	}
	// The key itself is never shown.
	if r.Key != "" {
		fmt.Fprintf(w, "       the key        UNCIAL_KEY=<the key of %q>\n", r.Key)
	}
	if r.Curl != "" {
		fmt.Fprintf(w, "       the request    %s\n", r.Curl)
	}
	if r.Requests > 1 {
		fmt.Fprintf(w, "       with the requests before it (%d)  %s\n", r.Requests-1, c.again(r))
	}
}

// again returns the command line that repeats a case with its earlier requests, for failures that a single curl cannot show.
// The seed makes the requests equal; the path of the keys file is quoted for a shell.
func (c *checkCmd) again(r contracttests.Result) string {
	whose := "--mock"
	if !c.Mock {
		whose = "--keys " + quoted(c.Keys)
	}
	line := fmt.Sprintf("uncial-contract --base-url %s %s --seed %d", quoted(c.BaseURL), whose, c.Seed)
	if c.Generated != defaultGenerated {
		line += fmt.Sprintf(" --generated %d", c.Generated)
	}
	if c.Patience != defaultPatience {
		line += fmt.Sprintf(" --patience %s", c.Patience)
	}
	if c.MaxWait != defaultMaxWait {
		line += fmt.Sprintf(" --max-wait %s", c.MaxWait)
	}
	if c.Thorough {
		line += " --thorough"
	}
	if c.ServeImages != "" {
		line += " --serve-images " + quoted(c.ServeImages)
	}
	if c.ImagesURL != "" {
		line += " --images-url " + quoted(c.ImagesURL)
	}
	return line + " --only " + quoted("^"+r.Case+"$")
}

// quoted quotes a text for a shell if necessary.
func quoted(text string) string {
	if safe.MatchString(text) {
		return text
	}
	return model.Quote(text)
}

var safe = regexp.MustCompile(`^[\w./:-]+$`)

// summarize prints the verdict. Like the exit status, it reports failures before a problem of the run.
func summarize(w io.Writer, r contracttests.Report) error {
	verdict := "The server conforms to the contract in all checked cases."
	switch {
	case r.Count(contracttests.Failed) > 0:
		verdict = "The server breaks the contract."
	case r.Problem != "":
		verdict = "The suite could not run."
		if r.Count(contracttests.Passed) > 0 {
			verdict = "The run is incomplete."
		}
	}
	if r.Problem != "" {
		fmt.Fprintf(w, "\n%s\n", r.Problem)
	}
	if left := leftOut(r); left != "" {
		fmt.Fprintf(w, "\nNot tried with seed %d: %s. --json names them; another --seed chooses others.\n", r.Seed, left)
	}
	if len(r.Results) == 0 {
		_, err := fmt.Fprintf(w, "\n%s\n", verdict)
		return err
	}
	_, err := fmt.Fprintf(w, "\n%s %d passed, %d failed, %d skipped; %s requests and %s points in %s.\n", verdict,
		r.Count(contracttests.Passed), r.Count(contracttests.Failed), r.Count(contracttests.Skipped),
		grouped(int64(r.Requests)), grouped(r.Points), r.Duration.Round(time.Millisecond))
	return err
}

// leftOut counts the members of sets that no case has tried, as in "17 of 22 forms of data: URLs".
func leftOut(r contracttests.Report) string {
	untried, sizes := map[string][]string{}, map[string]int{} // by set
	for _, result := range r.Results {
		for _, l := range result.LeftOut {
			if _, seen := sizes[l.Set]; seen {
				l.Names = slices.DeleteFunc(slices.Clone(untried[l.Set]), func(name string) bool { return !slices.Contains(l.Names, name) })
			}
			untried[l.Set], sizes[l.Set] = l.Names, l.Of
		}
	}
	var all []string
	for _, set := range slices.Sorted(maps.Keys(untried)) {
		if n := len(untried[set]); n > 0 {
			all = append(all, fmt.Sprintf("%d of %d %s", n, sizes[set], set))
		}
	}
	return strings.Join(all, ", ")
}

// grouped formats a number with commas between thousands, as in 1,100: a run with several accounts may cost thousands of
// points, and people must read the number before they start it. Numbers are never negative here.
func grouped(n int64) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// listed is a case as --list --json prints it. Scripts read it, so names of members must not change. Needs is never null.
type listed struct {
	Name        string   `json:"name"`
	Explanation string   `json:"explanation"`
	Needs       []string `json:"needs"`
	Extractions int64    `json:"extractions"`
	Points      int64    `json:"points"`
}

// list prints the cases without a server: names, rules, needs and costs, in the order of a run. With --json it prints them for
// programs. The target is empty, so that no case is left out for lack of a key.
func (c *checkCmd) list(w io.Writer) error {
	only := c.Only
	if c.Quick {
		only = contracttests.QuickCases
	}
	plan, err := contracttests.Outline(contracttests.Target{BaseURL: defaultMock, Only: only})
	if err != nil {
		return err
	}
	if c.JSON {
		all := []listed{}
		for _, p := range plan {
			all = append(all, listed{p.Name, p.Explanation, append([]string{}, p.Needs...), p.Extractions, p.Points})
		}
		return printJSON(w, all)
	}
	for _, p := range plan {
		if _, err := fmt.Fprintf(w, "%-40s %s\n", p.Name, p.Explanation); err != nil {
			return err
		}
		if _, err := fmt.Fprintf(w, "%-40s needs %s; at most %d counted requests and %d points\n", "", strings.Join(append([]string{"a server"}, p.Needs...), ", "), p.Extractions, p.Points); err != nil {
			return err
		}
	}
	return nil
}
