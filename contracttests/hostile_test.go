package contracttests_test

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"uncial/contracttests"
	"uncial/mock"
)

// MustServeOtherwise is a mock whose extractions go through another handler.
func MustServeOtherwise(tb testing.TB, extract func(honest http.Handler, w http.ResponseWriter, r *http.Request)) string {
	tb.Helper()
	honest := mock.New(mock.Options{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/api/v1/extract" {
			extract(honest, w, r)
			return
		}
		honest.ServeHTTP(w, r)
	}))
	tb.Cleanup(server.Close)
	return server.URL
}

func TestCheck_endsWhereTheServerChargesMoreThanTheRunMaySpend(t *testing.T) {
	t.Parallel()
	url := MustServeOtherwise(t, func(honest http.Handler, w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		for range 9 {
			again := r.Clone(r.Context())
			again.Body = io.NopCloser(bytes.NewReader(body))
			honest.ServeHTTP(httptest.NewRecorder(), again)
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		honest.ServeHTTP(w, r)
	})
	target := MustTarget(t, url)
	target.MaxPoints = 200
	report := contracttests.Check(t.Context(), target)
	require.Positive(t, report.Count(contracttests.Failed))
	assert.Less(t, report.Points, int64(1000), "one case went beyond, and no other")
	last := report.Results[len(report.Results)-1]
	assert.Equal(t, contracttests.Skipped, last.Outcome)
	var stopped int
	for _, r := range report.Results {
		if strings.Contains(r.Reason, "more than the limit of 200 for this run") {
			stopped++
		}
	}
	assert.Positive(t, stopped)
}

func TestCheck_readsNoAnswerWithoutEnd(t *testing.T) {
	t.Parallel()
	url := MustServeOtherwise(t, func(_ http.Handler, w http.ResponseWriter, _ *http.Request) {
		for part := make([]byte, 1<<20); ; {
			if _, err := w.Write(part); err != nil {
				return
			}
		}
	})
	target := MustTarget(t, url)
	target.Only = "^extract/200/least-request$"
	report := contracttests.Check(t.Context(), target)
	require.Len(t, report.Results, 1, report.Problem)
	require.Contains(t, report.Results[0].Reason, "the answer is longer than 16 MiB")
}

func TestCheck_takesNoPasswordInTheAddress(t *testing.T) {
	t.Parallel()
	target := MustMock(t)
	target.BaseURL = strings.Replace(target.BaseURL, "://", "://somebody:sesame@", 1)
	report := contracttests.Check(t.Context(), target)
	require.Contains(t, report.Problem, "must not contain a user name or password")
	require.NotContains(t, report.Problem, "sesame")
}

func TestPagePNG_isTheSameFromManyGoroutines(t *testing.T) {
	t.Parallel()
	want := contracttests.PagePNG(contracttests.KnownText)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() { assert.Equal(t, want, contracttests.PagePNG(contracttests.KnownText)) })
	}
	all.Wait()
}
