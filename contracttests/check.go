package contracttests

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"uncial/contracttests/internal/cases"
)

// Case is one rule that a server must keep: its name, explanation, needs and costs.
type Case = cases.Case

// Cases returns all cases in the order of a run. It fails if no case covers a status of the contract, and
// names that status.
func Cases() ([]Case, error) { return cases.All() }

// Planned is a case of a run, with the reason if it will be skipped.
type Planned struct {
	Case
	Skip string
}

// Outline returns the cases that Check would run and those that it would skip, with the reasons, in the order of a run. It
// sends nothing. It fails if the target is invalid or Target.Only names no case.
func Outline(t Target) ([]Planned, error) {
	t, err := t.WithDefaults()
	if err != nil {
		return nil, err
	}
	all, err := cases.All()
	if err != nil {
		return nil, fmt.Errorf("the suite is incomplete: %w", err)
	}
	only, err := regexp.Compile(t.Only)
	if err != nil {
		return nil, fmt.Errorf("invalid pattern for the names of cases: %s", strings.TrimPrefix(err.Error(), "error parsing regexp: "))
	}
	var plan []Planned
	var points int64
	for _, c := range all {
		if !only.MatchString(c.Name) {
			continue
		}
		if c.Name == generatedCase {
			c.Extractions = int64(t.Generated)
		}
		p := Planned{Case: c, Skip: t.Missing(c.Needs)}
		if p.Skip == "" && overspends(t, points+c.Points) {
			p.Skip = fmt.Sprintf("it may cost %d points; that would exceed the limit of %d for this run", c.Points, max(0, t.MaxPoints))
		}
		// Only cases that will run count towards the limit, so that cheap ones run after an expensive one was
		// skipped.
		if p.Skip == "" {
			points += c.Points
		}
		plan = append(plan, p)
	}
	if len(plan) == 0 {
		return nil, fmt.Errorf("no case name matches %q; uncial-contract --list shows all names", t.Only)
	}
	return plan, nil
}

// QuickCases is a value of Target.Only that selects the most important cases: those that catch most of what goes wrong, at
// small cost.
const QuickCases = `^(status/401/(no-key|unknown-key)|extract/401/before-everything|status/200/record|elsewhere/(404/unknown-paths|405/wrong-methods|document)|extract/200/(least-request|defaults-spelled-out|format-(alto|page|hocr|tsv)|points-fall-by-10|replay|errors-are-not-kept|image-formats)|` +
	`extract/400/(image|shape-costs-nothing|each-rule|negotiation|fetch-reason)|extract/402/(empty|unusual-but-right)|extract/429/window-used-up|extract/500/key|clock/(month|window))$`

// generatedCase sends as many requests as Target.Generated says.
const generatedCase = "extract/400/several-rules"

// overspends reports whether a total exceeds Target.MaxPoints: 0 means no limit, a negative value no spending.
func overspends(t Target, points int64) bool { return t.MaxPoints != 0 && points > max(0, t.MaxPoints) }

// Check runs the suite against the target. If ctx ends, or the suite cannot run, the report holds the results so far and a
// Problem.
func Check(ctx context.Context, t Target) (report Report) {
	report = Report{BaseURL: t.BaseURL, Seed: t.Seed, Started: time.Now(), Results: []Result{}}
	defer func() { report.Duration = time.Since(report.Started) }()
	plan, err := Outline(t)
	if err != nil {
		report.Problem = err.Error()
		return report
	}
	// Defaults are needed here as well: Outline does not return its target.
	t, _ = t.WithDefaults() // Outline has checked it
	report.BaseURL, report.Seed = t.BaseURL, t.Seed
	archive, t := newArchive(t)
	defer func() { report.Problem = cmp.Or(report.Problem, archive.close()) }()
	run, err := cases.Open(t)
	if err != nil {
		report.Problem = err.Error()
		return report
	}
	if err := run.Begin(); err != nil {
		report.Problem = err.Error()
		return report
	}
	defer run.End()
	archive.begin("probe")
	if err := run.Probe(ctx); err != nil {
		report.Problem = t.Presentable(err.Error(), cases.MaxReason)
		return report
	}
	lanes, err := openLanes(ctx, run, len(plan))
	if err != nil {
		report.Problem = t.Presentable("cannot run cases side by side: "+err.Error(), cases.MaxReason)
		return report
	}
	defer func() {
		for _, lane := range lanes[1:] {
			lane.Client.CloseIdleConnections()
		}
	}()
	var missing string
	if report.Results, missing = runAll(ctx, lanes, plan, archive); missing != "" {
		report.Problem = fmt.Sprintf("%s after %s, at the case %s", cases.Ended(ctx), time.Since(report.Started).Round(time.Millisecond), missing)
	}
	report.Problem = cmp.Or(report.Problem, report.unchecked())
	report.Requests = run.Requests()
	for _, r := range lanes {
		report.Points += r.Spent()
	}
	return report
}

// unchecked says why the results say too little about the server: nothing ran, which must not pass in a pipeline, or
// connections failed. It returns "" if neither happened.
func (r Report) unchecked() string {
	first := func(o Outcome) Result {
		return r.Results[slices.IndexFunc(r.Results, func(r Result) bool { return r.Outcome == o })]
	}
	skipped, errored := r.Count(Skipped), r.Count(Errored)
	switch {
	case skipped == 1 && len(r.Results) == 1:
		return fmt.Sprintf("nothing was checked: the case %s was skipped because %s", first(Skipped).Case, first(Skipped).Reason)
	case skipped > 0 && skipped == len(r.Results):
		return fmt.Sprintf("nothing was checked: all %d cases were skipped, %s because %s", skipped, first(Skipped).Case, first(Skipped).Reason)
	case errored == 1:
		return fmt.Sprintf("the connection failed in case %s, which therefore proves nothing about the server; run the suite again: %s", first(Errored).Case, first(Errored).Reason)
	case errored > 1:
		return fmt.Sprintf("the connection failed in %d cases, which therefore prove nothing about the server; run the suite again; the first is %s: %s", errored, first(Errored).Case, first(Errored).Reason)
	}
	return ""
}

// check runs one case, unless the run must not spend more points.
func check(ctx context.Context, run *cases.Run, p Planned) Result {
	if spent := run.Spent(); overspends(run.Target, spent) && p.Skip == "" {
		p.Skip = fmt.Sprintf("the accounts have lost %d points, more than the limit of %d for this run", spent, max(0, run.MaxPoints))
	}
	if p.Skip != "" {
		return Result{Case: p.Name, Outcome: Skipped, Explanation: p.Explanation, Reason: p.Skip}
	}
	return run.Do(ctx, p.Case)
}

// T is the part of *testing.T that Run needs; the suite does not link the package testing.
type T[S any] interface {
	Helper()
	Context() context.Context
	Run(name string, f func(S)) bool
	Skip(args ...any)
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
}

// Run runs the suite and reports each case as a subtest of t: skipped cases with the reason, failed ones with a curl command
// and the answer. It ends t if the suite could not run.
func Run[S T[S]](t S, target Target) {
	t.Helper()
	report := Check(t.Context(), target)
	for _, r := range report.Results {
		t.Run(r.Case, func(t S) {
			switch r.Outcome {
			case Skipped:
				t.Skip(r.Reason)
			case Failed, Errored:
				t.Errorf("%s\n%s\n%s\n%s", r.Reason, r.Explanation, r.Curl, r.Answer)
			}
		})
	}
	if report.Problem != "" {
		t.Fatalf("%s", report.Problem)
	}
}
