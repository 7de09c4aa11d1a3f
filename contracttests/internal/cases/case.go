// Package cases holds what a server must do, as tables: each row names an account, its requests, and the rule that they
// check. A row seldom says what the answers must be: session.send compares every answer with the contract (package
// answer), with what the account's history requires (package expect) and with the ledger of the account (package model).
// Rows bring a server into a situation. They have code only for checks that these comparisons cannot make.
//
// Start with All and the tables it joins, then row.run. The report and its formats are in package contracttests.
package cases

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"uncial/contracttests/internal/answer"
	"uncial/contracttests/internal/model"
)

// Case is one rule that a server must keep.
type Case struct {
	// Name says operation, status and situation, as in "extract/402/empty".
	Name string
	// Explanation is the rule in one sentence.
	Explanation string
	// Operation and Status are the answer that the case must see at least once; zero values if there is no single one.
	Operation string
	Status    int
	// Needs are what the target must have: "key:<scenario>", "image:<scenario>", "page:<scenario>", or a Need constant of package
	// model.
	Needs []string
	// Extractions limits the requests that count against rate limits, Points what the case spends.
	Extractions, Points int64

	check func(ctx context.Context, s *session) error
}

// row is a case as the tables write it. Names are stable: --only and reports use them. A comment above a row says
// which defects the row finds, or why it has this form.
type row struct {
	name, explanation string
	about             string   // operation/status, if the name does not begin with it
	account           string   // scenario of the account; default: ok
	needs             []string // besides the key of the account
	points            int64    // spent at most
	extractions       int64    // default: the asks that count

	asks   []ask
	build  func(s *session) []ask // instead of asks, if they depend on the target
	atOnce int                    // how many of the first asks are sent concurrently
	// then checks the answers to asks, in their order. nil checks nothing more.
	then func(ctx context.Context, s *session, answers []*model.Exchange) error
	// check replaces asks for situations that no list of requests can produce.
	check func(ctx context.Context, s *session) error
}

// All returns the cases in the order of a run: cheap ones that explain later failures first, those with most requests last.
// The error names statuses of the contract that no case covers, repeated names, and explanations that are not sentences.
func All() ([]Case, error) {
	var all []Case
	for _, r := range slices.Concat(authRows(), statusRows, elsewhereRows, httpRows, extractRows, imageRows, pageRows, addressRows(), unfetchedRows, readerRows, brokenRows(), graphicRows(), weakRows, formatRows(), pointsRows, idempotencyRows, lostRows,
		orderRows, negotiationRows(), limitRows, failureRows, clockRows, walkRows, shapeRows) {
		all = append(all, r.toCase())
	}
	return all, covers(all)
}

// toCase completes a row: operation and status follow from its name, the number of extractions from its asks.
func (r row) toCase() Case {
	operation, status, _ := strings.Cut(r.about, "/")
	if r.about == "" {
		parts := strings.Split(r.name, "/")
		operation, status = parts[0], parts[1]
	}
	c := Case{
		Name: r.name, Explanation: r.explanation, Extractions: r.extractions, Points: r.points,
		Needs: append([]string{needKey(r.scenario())}, r.needs...), check: r.check,
	}
	if code, err := strconv.Atoi(status); err == nil && operation != "elsewhere" {
		c.Operation, c.Status = operation, code
	}
	if c.Extractions == 0 {
		c.Extractions = countExtractions(r.asks)
	}
	if c.check == nil {
		c.check = r.run
	}
	return c
}

// scenario is the scenario of the row's account.
func (r row) scenario() string {
	if r.account == "" {
		return model.KeyOK
	}
	return r.account
}

// covers requires a case for each status of each operation, unique names, and explanations that are sentences.
func covers(cases []Case) error {
	contract, err := answer.Load()
	if err != nil {
		return err
	}
	var problems []error
	for _, op := range contract.Operations() {
		for _, status := range op.Statuses() {
			if !slices.ContainsFunc(cases, func(c Case) bool { return c.Operation == op.ID && c.Status == status }) {
				problems = append(problems, fmt.Errorf("no case covers status %d of %s", status, op.ID))
			}
		}
	}
	seen := map[string]bool{}
	for _, c := range cases {
		if seen[c.Name] {
			problems = append(problems, fmt.Errorf("two cases are named %s", c.Name))
		}
		seen[c.Name] = true
		if !strings.HasSuffix(c.Explanation, ".") {
			problems = append(problems, fmt.Errorf("the explanation of %s is not a sentence", c.Name))
		}
	}
	return errors.Join(problems...)
}

func needKey(scenario string) string   { return "key:" + scenario }
func needImage(scenario string) string { return "image:" + scenario }
func needPage(scenario string) string  { return "page:" + scenario }
