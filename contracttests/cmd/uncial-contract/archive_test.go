package main_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// archive is what the tests look at in an HTTP archive.
type archive struct {
	Log struct {
		Version string
		Pages   []struct{ ID, Title string }
		Entries []struct {
			Pageref, Comment string
			Request          struct{ Method, URL string }
			Response         struct{ Status int }
		}
	}
}

func mustArchive(tb testing.TB, path string) (a archive, text string) {
	tb.Helper()
	raw, err := os.ReadFile(path)
	require.NoError(tb, err)
	require.NoError(tb, json.Unmarshal(raw, &a))
	require.Equal(tb, "1.2", a.Log.Version)
	return a, string(raw)
}

func TestCheck_writesAnArchive(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "run.har")
	o := mustRun(t, "--mock", "--base-url", mustServe(t, honest()), "--har", file, "--json")
	require.Equal(t, 0, o.status, "%s%s", o.out, o.errout)
	var report struct {
		Requests int
		Results  []struct{ Case string }
	}
	require.NoError(t, json.Unmarshal([]byte(o.out), &report))
	a, text := mustArchive(t, file)
	assert.GreaterOrEqual(t, len(a.Log.Entries), report.Requests, "those of the probe come first")
	assert.Len(t, a.Log.Pages, len(report.Results)+1, "a page for each case")
	assert.Empty(t, regexp.MustCompile(`ocr_test_[a-z]+`).FindString(text), "no key")
	statuses := map[int]int{}
	for _, e := range a.Log.Entries {
		statuses[e.Response.Status]++
		assert.NotEmpty(t, e.Pageref)
	}
	for _, status := range []int{200, 400, 401, 402, 404, 405, 429, 500} {
		assert.Positive(t, statuses[status], "an answer with %d", status)
	}
	assert.Positive(t, statuses[0], "a request without an answer, which a case provokes")
}

func TestCheck_refusesAnArchiveThatCannotBeWritten(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	o := mustRun(t, "--mock", "--base-url", mustServe(t, honest()), "--junit", filepath.Join(dir, "report.xml"), "--har", "/nowhere/run.har")
	require.Equal(t, 2, o.status)
	assert.Contains(t, o.errout, "--har: cannot write to /nowhere/run.har: no such file or directory")
	files, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Empty(t, files, "no temporary file remains")
	o = mustRun(t, "--mock", "--base-url", mustServe(t, honest()), "--only", "record", "--har", "/dev/full")
	require.Equal(t, 2, o.status)
	assert.Contains(t, o.out, "the HTTP archive cannot be written: no space left on device")
}
