// Package contracttests holds any server against the contract: openapi.yaml and the meaning that it puts in words. It
// validates the mock, the real service, a deployment, or someone else's implementation.
//
// Every answer of a run, whichever case asked for it, passes four judges: the document (status, headers, strict JSON,
// schema, nothing that leaks), the expectation (what the order of the checks makes of this request on this account),
// the model of the account (points and window, moved by the rules alone), and what the answer carries (text, language,
// documents). Cases are therefore sequences of requests that bring a server into a situation; what must hold there is
// mostly said by the judges.
package contracttests

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"uncial/contracttests/internal/answer"
)

// Case is one thing that a server must do.
type Case struct {
	// Name says operation, status and situation, as in "extract/402/empty".
	Name string
	// Operation is the operationId in the document, or empty for a case about several.
	Operation string
	// Status is the status that the case is about, and must see, or 0 for a case about several.
	Status int
	// Explanation says in one sentence what holds, so that a reader of a failure knows what it means.
	Explanation string
	// Needs are what the target must have: "key:<scenario>", "image:<scenario>", or one of the Need constants.
	Needs []string
	// Extractions is how many requests the case counts against rate limits at most, and Points what it spends at most.
	Extractions, Points int64
	// generated says that the case counts as many requests as Target.Generated.
	generated bool
	// Check runs the case. The error says what is wrong.
	Check func(ctx context.Context, t Target) error
}

// body is what a case does in a session of its own.
type body func(ctx context.Context, s *session) error

// do makes the Check of a case. At its end the accounts that it used must be as the model has them. Called with a Target
// that is no part of a run it makes a run of one case.
func do(b body) func(context.Context, Target) error {
	return func(ctx context.Context, t Target) error {
		s, err := t.session()
		if err != nil {
			return err
		}
		if err := b(ctx, s); err != nil {
			return err
		}
		return s.settleAll(ctx)
	}
}

// Cases are all cases in the order that they run in: what is cheap and telling first, what sends most requests last. The
// error says which part of the document no case covers.
func Cases() ([]Case, error) {
	all := slices.Concat(authCases(), statusCases(), elsewhereCases(), extractCases(), formatCases(), pointsCases(),
		idempotencyCases(), orderCases(), limitCases(), failureCases(), clockCases(), walkCases(), shapeCases())
	return all, covers(all)
}

// covers wants a case for each status of each operation, names that are unique, and sentences that explain.
func covers(cases []Case) error {
	contract, err := answer.Load()
	if err != nil {
		return err
	}
	var faults []error
	for _, op := range contract.Operations() {
		for _, status := range op.Statuses() {
			if !slices.ContainsFunc(cases, func(c Case) bool { return c.Operation == op.ID && c.Status == status }) {
				faults = append(faults, fmt.Errorf("no case covers the status %d of %s", status, op.ID))
			}
		}
	}
	seen := map[string]bool{}
	for _, c := range cases {
		if seen[c.Name] {
			faults = append(faults, fmt.Errorf("two cases are named %s", c.Name))
		}
		seen[c.Name] = true
		if !strings.HasSuffix(c.Explanation, ".") || c.Check == nil {
			faults = append(faults, fmt.Errorf("the case %s needs a sentence and a check", c.Name))
		}
	}
	return errors.Join(faults...)
}

func needKey(scenario string) string   { return "key:" + scenario }
func needImage(scenario string) string { return "image:" + scenario }
