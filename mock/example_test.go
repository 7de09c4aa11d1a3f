package mock_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"

	"uncial/gen"
	"uncial/mock"
)

// A test of a client: the mock in the test's own process, and a key of the test's own.
func Example() {
	server := httptest.NewServer(mock.New(mock.Options{}))
	defer server.Close()
	withKey := gen.WithRequestEditorFn(func(_ context.Context, r *http.Request) error {
		r.Header.Set("Authorization", "Bearer ocr_test_low_example")
		return nil
	})
	client, err := gen.NewClientWithResponses(server.URL+"/api/v1", withKey)
	if err != nil {
		panic(err)
	}
	language := "enm"
	request := gen.ExtractionRequest{ImageURL: "http://mock.invalid/printed", Language: &language}
	for range 2 {
		answer, err := client.ExtractWithResponse(context.Background(), nil, request)
		if err != nil {
			panic(err)
		}
		if answer.JSON200 != nil {
			fmt.Println(answer.JSON200.Text)
			fmt.Println(*answer.JSON200.RemainingPoints, "points left")
		}
		if answer.JSON402 != nil {
			fmt.Println(answer.JSON402.Error, "They return on", answer.JSON402.NextReset.Format("2 January 2006."))
		}
	}
	// Output:
	// Hit befel in the dayes of Vther pendragon
	// when he was kynge of all Englond and fo
	// regned that there was a myghty duke in
	// Cornewaill that helde warre ageynft hym
	// long tyme
	// 2 points left
	// Not enough points for this extraction. They return on 1 February 2026.
}

// Which other scenarios there are.
func ExampleScenarios() {
	for _, s := range mock.Scenarios()[:3] {
		fmt.Println(s.By, s.Name, "-", s.About)
	}
	// Output:
	// key ocr_test_ok - works: plan pro, 10,000 points, 60 requests a minute
	// key ocr_test_low - 12 points left: one extraction passes, the next is 402
	// key ocr_test_empty - no points left: extractions are 402
}
