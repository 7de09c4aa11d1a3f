package contracttests_test

import (
	"context"
	"fmt"
	"net/http/httptest"

	"uncial/contracttests"
	"uncial/mock"
)

// A server of your own, in a test or a program: say what its keys are good for, and check it. In a test, Run makes a
// subtest of each case.
func ExampleCheck() {
	server := httptest.NewServer(mock.New(mock.Options{}))
	defer server.Close()
	target := contracttests.Target{
		BaseURL: server.URL + "/api/v1",
		Keys: map[string][]string{
			contracttests.KeyLow:   {"ocr_test_low_example"},
			contracttests.KeyEmpty: {"ocr_test_empty_example"},
			contracttests.KeyOK:    {"ocr_test_ok_example"},
		},
		Simulated: true, // texts come from fixtures
		Only:      "^extract/402/(low|empty|exact)$",
	}
	report := contracttests.Check(context.Background(), target)
	for _, r := range report.Results {
		fmt.Printf("%s %s %q\n", r.Outcome, r.Case, r.Reason)
	}
	// Output:
	// pass extract/402/empty ""
	// pass extract/402/low ""
	// skip extract/402/exact "no key is mapped to \"exact\""
}
