package gen_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"

	"uncial/gen"
	"uncial/mock"
)

// Reads an image through the generated client. Each status has a field of its own in the answer.
func ExampleNewClientWithResponses() {
	server := httptest.NewServer(mock.New(mock.Options{}))
	defer server.Close()
	withKey := gen.WithRequestEditorFn(func(_ context.Context, r *http.Request) error {
		r.Header.Set("Authorization", "Bearer ocr_test_ok")
		return nil
	})
	client, err := gen.NewClientWithResponses(server.URL+"/api/v1", withKey)
	if err != nil {
		panic(err)
	}
	answer, err := client.ExtractWithResponse(context.Background(), nil, gen.ExtractionRequest{ImageURL: "http://mock.invalid/notfound"})
	if err != nil {
		panic(err)
	}
	switch {
	case answer.JSON200 != nil:
		fmt.Println(answer.JSON200.Text)
	case answer.JSON400 != nil:
		fmt.Println(answer.JSON400.Code)
	}
	// Output: INVALID_REQUEST
}
