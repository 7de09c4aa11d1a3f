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

// TestDefects_invented ties the lists of invented defects to the code: each is a defect, there is another of the same kind, or
// its row says why it cannot be one here.
func TestDefects_invented(t *testing.T) {
	t.Parallel()
	defects, err := liar.Defects()
	require.NoError(t, err)
	exists := map[string]bool{}
	for _, d := range defects {
		exists[d.Does] = true
	}
	alike := map[string]string{}
	for _, row := range mustRows(t, "testdata/invented-alike.tsv") {
		require.Len(t, row, 2)
		assert.True(t, exists[row[1]], "%s: there is no defect %q", row[0], row[1])
		alike[row[0]] = row[1]
	}
	used := map[string]bool{}
	for _, name := range []string{"invented", "invented-second", "invented-third", "invented-fourth", "invented-fifth"} {
		rows := mustRows(t, "testdata/"+name+".tsv")
		require.Len(t, rows, 45, name)
		for _, row := range rows {
			require.Len(t, row, 4, "%s: %s", name, row[0])
			result := row[2]
			hasReason := strings.HasPrefix(result, "not counted: ") || strings.Contains(result, "on a service")
			assert.True(t, exists[row[0]] || alike[row[0]] != "" || hasReason, "%s: %s is no defect, and nothing says why", name, row[0])
			used[row[0]] = true
		}
	}
	for name := range alike {
		assert.True(t, used[name] && !exists[name], "invented-alike.tsv: %s is in no list, or is a defect itself", name)
	}
}

// mustRows reads a table without its heading.
func mustRows(tb testing.TB, path string) (rows [][]string) {
	tb.Helper()
	text, err := os.ReadFile(path)
	require.NoError(tb, err)
	for line := range strings.Lines(string(text)) {
		rows = append(rows, strings.Split(strings.TrimSuffix(line, "\n"), "\t"))
	}
	return rows[1:]
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
