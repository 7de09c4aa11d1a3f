// Package liar sits between a client and an honest server of the contract and injects one defect at a time, so that the
// contract suite can prove that it catches each of them.
//
// Defects of a single answer (a missing field, a malformed header, a wrong status) are generated from openapi.yaml; start
// reading in generated.go. Defects of state or meaning (a charge, a window, a replay, the words of a document) are rows of
// tables, one file for each area; those of the published lists are in the files invented_*, by class. edit.go, condition.go and
// memory.go hold the pieces that rows are made of. The examination itself, which runs the suite against each defect, is a test
// of package contracttests.
//
// The honest server is uncial-mock or a proxy to one: defects know its keys by name (ocr_test_ok, ocr_test_empty) and move
// its clock only through its control routes.
package liar

import (
	"bytes"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
)

// Defect is one way in which a server breaks the contract.
type Defect struct {
	// Area is the part of the contract that is broken, such as "ledger"; "generated" for defects made from openapi.yaml.
	Area string
	// Does completes the sentence "the server ...", as in "charges 15 points for an enhanced page". It is unique. Generated
	// defects begin with the operation and the status of the answer: "extract 200: leaves out /text".
	Does string
	// CaughtBy is the case that must fail on the defect: the one whose subject is the broken promise. Empty for truths.
	CaughtBy string

	lie  lie
	wire *wire // nil unless it is a defect of connections
}

// row is a defect in the table of its area. Comments between rows give the source of a promise, or how servers come to break
// it.
type row struct {
	does, caughtBy string
	lie            lie
}

// Defects returns all defects: those of the tables, then the generated ones. The error says what of openapi.yaml cannot be
// turned into defects.
func Defects() ([]Defect, error) {
	var all []Defect
	for _, area := range []struct {
		name string
		rows []row
	}{
		{"auth", slices.Concat(keyDefects(), headerDefects(), orderDefects())},
		{"protocol", slices.Concat(pathDefects(), methodDefects(), negotiationDefects(), requestIDDefects())},
		{"errors", errorDefects()},
		{"requests", requestDefects()},
		{"ledger", slices.Concat(chargeDefects(), balanceDefects(), sharingDefects(), nextResetDefects(), periodDefects())},
		{"limits", slices.Concat(countDefects(), reportedDefects(), windowDefects(), refusalDefects())},
		{"idempotency", slices.Concat(replayDefects(), conflictDefects(), storageDefects())},
		{"results", slices.Concat(textDefects(), resultDefects(), editDefects(), weakDefects())},
		{"documents", slices.Concat(documentDefects(), pdfDefects(), readerDefects(), brokenDefects(), graphicDefects(), altoDefects(), pageDefects(), hocrDefects(), tableDefects())},
		{"fetched", fetchedDefects()},
		{"sentences", sentenceDefects()},
		{"combined", combinedDefects()},
		{"invented", inventedDefects()},
	} {
		for _, r := range area.rows {
			all = append(all, Defect{area.name, r.does, r.caughtBy, r.lie, nil})
		}
	}
	all = append(all, connectionDefects()...)
	answers, err := generated()
	return append(all, answers...), err
}

// New is the honest server with the defect. Requests to the control routes of a mock pass through unchanged.
func New(honest http.Handler, d Defect) http.Handler {
	lying := d.lie(func(c *call) *reply {
		rec := httptest.NewRecorder()
		honest.ServeHTTP(rec, c.httpRequest())
		return &reply{rec.Code, rec.Header(), rec.Body.Bytes()}
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/__mock/") {
			honest.ServeHTTP(w, r)
			return
		}
		var body bytes.Buffer
		body.Grow(bytes.MinRead + int(min(max(r.ContentLength, 0), 32<<20))) // one allocation for bodies of 30 MiB
		if _, err := body.ReadFrom(r.Body); err != nil {
			return // the client is gone
		}
		a := lying(&call{request: r, body: body.Bytes()})
		a.header.Del("Content-Length")
		maps.Copy(w.Header(), a.header)
		w.WriteHeader(a.status)
		_, _ = w.Write(a.body) // the client may be gone
	})
}
