package model

import (
	"encoding/json"
	"time"
)

// Outcome is how a case ended.
type Outcome string

// The outcomes, as reports write them.
const (
	Passed  Outcome = "pass"
	Failed  Outcome = "fail"
	Skipped Outcome = "skip"
	// Errored says that the connection failed in a way that says nothing about the server.
	Errored Outcome = "error"
)

// Result is the outcome of one case.
type Result struct {
	Case    string  `json:"case"`
	Outcome Outcome `json:"result"`
	// Explanation is the rule that the case checks.
	Explanation string `json:"explanation"`
	// Reason says why the case failed or was skipped; empty if it passed.
	Reason string `json:"reason,omitempty"`
	// Curl repeats the request with the wrong answer, with the key in $UNCIAL_KEY; empty if there was none.
	Curl string `json:"curl,omitempty"`
	// Key is the scenario of the key that UNCIAL_KEY stands for.
	Key string `json:"key,omitempty"`
	// Answer is the wrong answer, shortened.
	Answer string `json:"answer,omitempty"`
	// LeftOut are the sets from which the case has tried members: some, chosen by the seed, or all.
	LeftOut []LeftOut `json:"leftOut,omitempty"`
	// Requests counts the requests sent, Extractions those that counted against a rate limit, Points what they cost.
	Requests    int           `json:"requests"`
	Extractions int64         `json:"extractions"`
	Points      int64         `json:"points"`
	Duration    time.Duration `json:"-"`
}

// LeftOut names the members of a set, such as the image files, that a case has not tried.
type LeftOut struct {
	Set   string   `json:"set"`
	Of    int      `json:"of"` // how many members the set has
	Names []string `json:"names"`
}

// MarshalJSON writes the duration in milliseconds.
func (r Result) MarshalJSON() ([]byte, error) {
	type withoutMethods Result
	return json.Marshal(struct {
		withoutMethods
		Milliseconds int64 `json:"milliseconds"`
	}{withoutMethods(r), r.Duration.Milliseconds()})
}
