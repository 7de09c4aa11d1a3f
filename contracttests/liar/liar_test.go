package liar_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"uncial/contracttests/liar"
	"uncial/mock"
)

func TestDefects_areNamedAndExplained(t *testing.T) {
	t.Parallel()
	areas, names := map[string]int{}, map[string]bool{}
	for _, d := range liar.Defects() {
		assert.Regexp(t, `^[a-z0-9][a-z0-9.-]*$`, d.Name)
		assert.False(t, names[d.Name], "%s stands twice", d.Name)
		assert.Regexp(t, `\.$`, d.Explanation, d.Name)
		names[d.Name] = true
		areas[d.Area]++
	}
	for _, area := range []string{"schema", "protocol", "errors", "requests", "auth", "ledger", "limits", "idempotency", "formats"} {
		assert.GreaterOrEqual(t, areas[area], 5, area)
	}
	assert.Len(t, areas, 9)
}

func TestTruths_areNamedAndExplained(t *testing.T) {
	t.Parallel()
	names := map[string]bool{}
	for _, d := range liar.Truths() {
		assert.Regexp(t, `^[a-z0-9][a-z0-9-]*$`, d.Name)
		assert.False(t, names[d.Name], "%s stands twice", d.Name)
		assert.Regexp(t, `\.$`, d.Explanation, d.Name)
		names[d.Name] = true
	}
	assert.GreaterOrEqual(t, len(names), 20)
}

func TestNew_tellsItsLieAndNoOther(t *testing.T) {
	t.Parallel()
	for _, d := range liar.Defects() {
		if d.Name != "invalid-as-422" {
			continue
		}
		server := httptest.NewServer(liar.New(mock.New(mock.Options{}), d))
		defer server.Close()
		require.Equal(t, 422, post(t, server.URL, `{}`))
		require.Equal(t, 200, post(t, server.URL, `{"imageUrl":"https://mock.invalid/printed"}`))
		return
	}
	t.Fatal("the defect is gone")
}

func post(t *testing.T, base, body string) int {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, base+"/api/v1/extract", strings.NewReader(body))
	require.NoError(t, err)
	req.Header.Set("Authorization", "Bearer ocr_test_ok")
	req.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	defer func() { _ = res.Body.Close() }()
	_, err = io.Copy(io.Discard, res.Body)
	require.NoError(t, err)
	return res.StatusCode
}
