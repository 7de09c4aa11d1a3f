package contracttests

import "context"

// T is the part of *testing.T that Run needs; the suite itself does not link the package testing.
type T[S any] interface {
	Helper()
	Context() context.Context
	Run(name string, f func(S)) bool
	Skip(args ...any)
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
}

// Run runs the suite as subtests of t, one for each case.
func Run[S T[S]](t S, target Target) {
	t.Helper()
	report := Check(t.Context(), target)
	for _, r := range report.Results {
		t.Run(r.Case, func(t S) {
			switch r.Outcome {
			case Skipped:
				t.Skip(r.Reason)
			case Failed:
				t.Errorf("%s\n%s\n%s\n%s", r.Reason, r.Explanation, r.Curl, r.Answer)
			}
		})
	}
	if report.Problem != "" {
		t.Fatalf("%s", report.Problem)
	}
}
