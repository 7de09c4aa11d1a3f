package liar_test

import (
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"uncial/contracttests/internal/liar"
	"uncial/mock"
)

// update writes testdata/generated.txt anew, after openapi.yaml or the generator has changed.
var update = flag.Bool("update", false, "write testdata/generated.txt")

func TestDefects(t *testing.T) {
	t.Parallel()
	defects, err := liar.Defects()
	require.NoError(t, err)
	areas := map[string]int{}
	unique := map[string]bool{}
	for _, d := range defects {
		areas[d.Area]++
		assert.False(t, unique[d.Does], "two defects are described as %q", d.Does)
		assert.NotEmpty(t, d.CaughtBy, d.Does)
		unique[d.Does] = true
	}
	for _, area := range []string{"auth", "protocol", "errors", "requests", "ledger", "limits", "idempotency", "results", "documents", "generated"} {
		assert.GreaterOrEqual(t, areas[area], 25, area)
	}
	assert.Len(t, areas, 15)
}

// TestDefects_generated compares the generated defects with the committed list, so that none of them is lost unnoticed.
func TestDefects_generated(t *testing.T) {
	t.Parallel()
	const path = "testdata/generated.txt"
	defects, err := liar.Defects()
	require.NoError(t, err)
	var list strings.Builder
	for _, d := range defects {
		if d.Area == "generated" {
			fmt.Fprintf(&list, "%-40s %s\n", d.CaughtBy, d.Does)
		}
	}
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(list.String()), 0o600))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, string(want), list.String(), "go test ./contracttests/internal/liar -update writes the list anew")
}

func TestTruths(t *testing.T) {
	t.Parallel()
	unique := map[string]bool{}
	for _, d := range liar.Truths() {
		assert.False(t, unique[d.Does], "two truths are described as %q", d.Does)
		unique[d.Does] = true
	}
	assert.GreaterOrEqual(t, len(unique), 20)
}

func TestNew(t *testing.T) {
	t.Parallel()
	defects, err := liar.Defects()
	require.NoError(t, err)
	for _, d := range defects {
		if d.Does != "extract 400: answers with status 422" {
			continue
		}
		server := httptest.NewServer(liar.New(mock.New(mock.Options{}), d))
		defer server.Close()
		require.Equal(t, 422, post(t, server.URL, `{}`), "the defect shows")
		require.Equal(t, 200, post(t, server.URL, `{"imageUrl":"https://mock.invalid/printed"}`), "nothing else changes")
		return
	}
	t.Fatal("no such defect")
}

// post sends an extraction and returns the status of the answer.
func post(t *testing.T, base, body string) int {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, base+"/api/v1/extract", strings.NewReader(body))
	require.NoError(t, err)
	r.Header.Set("Authorization", "Bearer ocr_test_ok")
	r.Header.Set("Content-Type", "application/json")
	answer, err := http.DefaultClient.Do(r)
	require.NoError(t, err)
	require.NoError(t, answer.Body.Close())
	return answer.StatusCode
}
