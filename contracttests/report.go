package contracttests

import (
	"fmt"
	"strings"
	"time"
)

// Report is the result of a run.
type Report struct {
	BaseURL  string        `json:"baseUrl"`
	Seed     uint64        `json:"seed"`
	Started  time.Time     `json:"started"`
	Duration time.Duration `json:"-"`
	Results  []Result      `json:"results"`
	// Requests counts the requests sent, Points what they cost.
	Requests int   `json:"requests"`
	Points   int64 `json:"points"`
	// Problem says why the run failed or was not completed; empty after a complete run.
	Problem string `json:"problem,omitempty"`
}

// Count returns the number of cases with the outcome.
func (r Report) Count(o Outcome) (n int) {
	for _, result := range r.Results {
		if result.Outcome == o {
			n++
		}
	}
	return n
}

// OK reports whether the run was completed, something passed and nothing failed.
func (r Report) OK() bool { return r.Problem == "" && r.Count(Failed) == 0 && r.Count(Passed) > 0 }

// Err lists the failures and the problem of the run; nil if there are none.
func (r Report) Err() error {
	if r.OK() {
		return nil
	}
	var b strings.Builder
	if r.Problem != "" {
		fmt.Fprintf(&b, "could not run: %s", r.Problem)
	}
	for _, result := range r.Results {
		if result.Outcome == Failed {
			fmt.Fprintf(&b, "\n%s: %s\n  %s\n  %s", result.Case, result.Reason, result.Explanation, result.Curl)
		}
	}
	return fmt.Errorf("%s", strings.TrimSpace(b.String()))
}
