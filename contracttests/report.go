package contracttests

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// Outcome is how a case ended.
type Outcome string

// The outcomes.
const (
	Passed  Outcome = "pass"
	Failed  Outcome = "fail"
	Skipped Outcome = "skip"
)

// Result is what became of one case.
type Result struct {
	Case    string  `json:"case"`
	Outcome Outcome `json:"result"`
	// Explanation is what the case stands for.
	Explanation string `json:"explanation"`
	// Reason says why it failed or was skipped; empty where it passed.
	Reason string `json:"reason,omitempty"`
	// Curl repeats the request whose answer was wrong, with the key in $UNCIAL_KEY; empty where none was.
	Curl string `json:"curl,omitempty"`
	// Key is the scenario of the key that UNCIAL_KEY stands for.
	Key string `json:"key,omitempty"`
	// Answer is the answer that was wrong, shortened.
	Answer string `json:"answer,omitempty"`
	// Requests is the number of requests sent, Extractions how many of them counted against a rate limit, and Points
	// what they cost.
	Requests    int           `json:"requests"`
	Extractions int64         `json:"extractions"`
	Points      int64         `json:"points"`
	Duration    time.Duration `json:"-"`
}

// MarshalJSON gives the duration in milliseconds.
func (r Result) MarshalJSON() ([]byte, error) {
	type plain Result
	return json.Marshal(struct {
		plain
		Milliseconds int64 `json:"milliseconds"`
	}{plain(r), r.Duration.Milliseconds()})
}

// Report is what a run found.
type Report struct {
	BaseURL  string        `json:"baseUrl"`
	Seed     uint64        `json:"seed"`
	Started  time.Time     `json:"started"`
	Duration time.Duration `json:"-"`
	Results  []Result      `json:"results"`
	// Requests is the number of requests sent, and Points what they cost.
	Requests int   `json:"requests"`
	Points   int64 `json:"points"`
	// Problem says why the suite could not be run, or not to its end; empty where it was.
	Problem string `json:"problem,omitempty"`
}

// Count is the number of cases that ended so.
func (r Report) Count(o Outcome) (n int) {
	for _, result := range r.Results {
		if result.Outcome == o {
			n++
		}
	}
	return n
}

// OK says whether the suite was run and nothing failed.
func (r Report) OK() bool { return r.Problem == "" && r.Count(Failed) == 0 }

// Err lists what failed, or why the suite could not be run; nil where all is well.
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
