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

// Listing the scenarios.
func ExampleScenarios() {
	for _, s := range mock.Scenarios()[:3] {
		fmt.Println(s.By, s.Name, "-", s.About)
	}
	// Output:
	// key ocr_test_ok - works: plan pro, 10,000 points, 60 extractions per minute
	// key ocr_test_low - 12 points left: one extraction succeeds, the next gets a 402
	// key ocr_test_empty - no points left: extractions get a 402
}

// Every status of both operations.
func Example_everyStatus() {
	server := httptest.NewServer(mock.New(mock.Options{}))
	defer server.Close()
	if err := walk(server.URL + "/api/v1"); err != nil {
		fmt.Println(err)
	}
	// Output:
	// extract 200
	// extract 400
	// extract 401
	// extract 402
	// extract 429
	// extract 500
	// status 200
	// status 400
	// status 401
	// status 500
}

func walk(baseURL string) error {
	client, err := gen.NewClientWithResponses(baseURL)
	if err != nil {
		return err
	}
	with := func(header, value string) gen.RequestEditorFn {
		return func(_ context.Context, r *http.Request) error {
			r.Header.Set(header, value)
			return nil
		}
	}
	for _, c := range []struct{ key, image string }{
		{"ocr_test_ok", "https://images.example.org/page-001.jpg"}, // 200
		{"ocr_test_ok", "http://mock.invalid/400"},                 // 400
		{"ocr_test_expired", "http://mock.invalid/printed"},        // 401
		{"ocr_test_empty", "http://mock.invalid/printed"},          // 402
		{"ocr_test_ratelimited", "http://mock.invalid/printed"},    // 429
		{"ocr_test_err", "http://mock.invalid/printed"},            // 500
	} {
		answer, err := client.ExtractWithResponse(context.Background(), nil,
			gen.ExtractionRequest{ImageURL: c.image}, with("Authorization", "Bearer "+c.key))
		if err != nil {
			return err
		}
		fmt.Println("extract", answer.StatusCode())
	}
	for _, c := range []struct{ key, prefer string }{
		{"ocr_test_ok", "code=200"},      // 200
		{"ocr_test_ok", "code=400"},      // 400
		{"ocr_test_revoked", "code=200"}, // 401
		{"ocr_test_err", "code=200"},     // 500
	} {
		answer, err := client.StatusWithResponse(context.Background(),
			with("Authorization", "Bearer "+c.key), with("Prefer", c.prefer))
		if err != nil {
			return err
		}
		fmt.Println("status", answer.StatusCode())
	}
	return nil
}
