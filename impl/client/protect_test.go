package client_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"uncial/gen"
	"uncial/impl/client/journal"
	"uncial/impl/client/source/sourcetest"
)

// TestExtractCmd_Run_ForeignFiles has files of the user where the command would write its own. It refuses before it sends
// anything, in a dry run too, and leaves no journal behind.
func TestExtractCmd_Run_ForeignFiles(t *testing.T) {
	t.Parallel()
	f, url := mustFake(t, nil)
	const moved = "would be overwritten, but uncial extract did not write"
	for name, c := range map[string]struct {
		files []string // the user's
		args  string
		want  string
	}{
		"a text":            {[]string{"page.txt"}, "", `--out: "OUT/page.txt" ` + moved + " it; move it, or choose another folder\n"},
		"an ALTO file":      {[]string{"page.alto.xml", "page.txt"}, "--format=alto", `--out: "OUT/page.alto.xml" ` + moved + " it; "},
		"two files":         {[]string{"page.alto.xml", "page.txt"}, "--format=alto,text", `--out: "OUT/page.alto.xml" and 1 other file ` + moved + " them; move them"},
		"several files":     {[]string{"page.tsv", "page.txt", "volume.txt"}, "--format=text,tsv --volume=text", `--out: "OUT/page.txt" and 2 other files ` + moved + " them"},
		"a volume":          {[]string{"volume.txt"}, "--volume=text", `--out: "OUT/volume.txt" ` + moved},
		"files of METS":     {[]string{"page.alto.xml"}, "--volume=mets-alto", `--out: "OUT/page.alto.xml" ` + moved},
		"a JSON report":     {[]string{"notes.json"}, "--report=OUT/notes.json", `--report: "OUT/notes.json" would be overwritten, but is not a report of uncial extract; move it, or choose another name` + "\n"},
		"an HTML report":    {[]string{"notes.html"}, "--report=OUT/notes.html", `--report: "OUT/notes.html" would be overwritten`},
		"files and --force": {[]string{"page.txt"}, "--force", `--out: "OUT/page.txt" ` + moved},
	} {
		t.Run("refuses to replace "+name, func(t *testing.T) {
			t.Parallel()
			out := t.TempDir()
			for _, file := range c.files {
				sourcetest.Write(t, out, file, []byte("by hand"))
			}
			args := append([]string{mustFiles(t, "page.jpg")[0], "--out", out}, strings.Fields(strings.ReplaceAll(c.args, "OUT", out))...)
			for _, more := range []string{"--jobs=1", "--dry-run"} {
				stdout, stderr, status := extract(t.Context(), t, url, append(args, more)...)
				assert.Equal(t, 2, status)
				assert.Empty(t, stdout)
				assert.True(t, strings.HasPrefix(stderr, strings.ReplaceAll(c.want, "OUT", out)), stderr)
			}
			for _, file := range c.files {
				assert.Equal(t, "by hand", mustRead(t, out, file))
			}
			assert.NoDirExists(t, filepath.Join(out, journal.Folder))
		})
	}
	t.Cleanup(func() { assert.Empty(t, f.texts()) })
}

// TestExtractCmd_Run_SourceInOut has a source where the volume would be written.
func TestExtractCmd_Run_SourceInOut(t *testing.T) {
	t.Parallel()
	f, url := mustFake(t, nil)
	out := t.TempDir()
	path := sourcetest.Write(t, out, "volume.pdf", sourcetest.PDF(t, sourcetest.Sheet{Text: "a"}))
	_, stderr, status := extract(t.Context(), t, url, "--out", out, "--volume=pdf", out)
	assert.Equal(t, 2, status)
	assert.Contains(t, stderr, fmt.Sprintf("--out: %q would be overwritten", path))
	assert.Empty(t, f.texts())
}

// TestExtractCmd_Run_OutputInSource repeats a run that writes PDFs into the folder of the pages.
func TestExtractCmd_Run_OutputInSource(t *testing.T) {
	t.Parallel()
	f, url := mustFake(t, func(string) gen.ExtractResponseObject { return good200(gen.Page, "words") })
	out := t.TempDir()
	sourcetest.Write(t, out, "book.pdf", sourcetest.PDF(t, sourcetest.Sheet{Text: "a"}))
	for _, sent := range []int{1, 0} {
		_, stderr, status := extract(t.Context(), t, url, "--out", out, "--volume=pdf", out)
		require.Zero(t, status, stderr)
		assert.Contains(t, stderr, "1 of 1 page read")
		assert.Len(t, f.texts(), sent)
		assert.FileExists(t, filepath.Join(out, "volume.pdf"))
	}
}

// TestExtractCmd_Run_FilesBetweenRuns has the user transcribe a page by hand that failed, and add another format: neither file
// is replaced by a later run, but all files of earlier runs are.
func TestExtractCmd_Run_FilesBetweenRuns(t *testing.T) {
	t.Parallel()
	f, url, isFailing := mustFailing(t)
	files, out := mustFiles(t, "1.jpg", "2.jpg"), t.TempDir()
	run := func(want int, args ...string) string {
		t.Helper()
		_, stderr, status := extract(t.Context(), t, url, append(append(args, "--out", out), files...)...)
		assert.Equal(t, want, status, stderr)
		return stderr
	}
	run(1, "--volume=text", "--partial")
	sourcetest.Write(t, out, "2.txt", []byte("by hand"))
	isFailing.Store(false)
	f.texts()
	assert.Contains(t, run(2), "2.txt\" would be overwritten")
	assert.Empty(t, f.texts())
	require.NoError(t, os.Remove(filepath.Join(out, "2.txt")))
	run(0, "--volume=text", "--report", filepath.Join(out, "r.json"))
	assert.Equal(t, "1.jpg\f2.jpg\n", mustRead(t, out, "volume.txt"))
	sourcetest.Write(t, out, "1.tsv", []byte("by hand"))
	assert.Contains(t, run(2, "--format=tsv"), "1.tsv\" would be overwritten")
	assert.Contains(t, run(2, "--format=tsv", "--dry-run"), "1.tsv\" would be overwritten")
	run(0, "--force", "--volume=text", "--report", filepath.Join(out, "r.json"))
	assert.Equal(t, "by hand", mustRead(t, out, "1.tsv"))
}

// TestExtractCmd_Run_FileDuringRun has another program write a file while its page is read.
func TestExtractCmd_Run_FileDuringRun(t *testing.T) {
	t.Parallel()
	out := t.TempDir()
	_, url := mustFake(t, func(string) gen.ExtractResponseObject {
		_ = os.WriteFile(filepath.Join(out, "page.txt"), []byte("by hand"), 0o600)
		return nil
	})
	args := append(mustFiles(t, "page.jpg"), "--out", out)
	_, stderr, status := extract(t.Context(), t, url, args...)
	assert.Equal(t, 1, status)
	assert.Contains(t, stderr, "cannot write page.txt: another program has created it since this run began; move it, and run the command again")
	assert.Equal(t, "by hand", mustRead(t, out, "page.txt"))
	require.NoError(t, os.Remove(filepath.Join(out, "page.txt")))
	_, stderr, status = extract(t.Context(), t, url, args...)
	assert.Zero(t, status, stderr)
	assert.Contains(t, stderr, "1 of 1 page read (1 before); 0 points used")
}

// TestExtractCmd_Run_UnlistedFiles continues in a folder whose journal does not list the files, as that of an earlier version.
func TestExtractCmd_Run_UnlistedFiles(t *testing.T) {
	t.Parallel()
	_, url := mustFake(t, nil)
	args := append(mustFiles(t, "page.jpg"), "--volume=text,mets-page", "--out", t.TempDir())
	out := args[len(args)-1]
	_, stderr, status := extract(t.Context(), t, url, args...)
	require.Zero(t, status, stderr)
	path := filepath.Join(out, journal.Folder, "journal.jsonl")
	var kept strings.Builder
	for line := range strings.Lines(mustRead(t, filepath.Dir(path), "journal.jsonl")) {
		if !strings.Contains(line, `"kind":"write"`) {
			kept.WriteString(line)
		}
	}
	require.NoError(t, os.WriteFile(path, []byte(kept.String()), 0o600))
	for range 2 {
		_, stderr, status = extract(t.Context(), t, url, append(args, "--force")...)
		assert.Zero(t, status, stderr)
	}
	sourcetest.Write(t, out, "page.tsv", []byte("by hand"))
	_, stderr, status = extract(t.Context(), t, url, append(args, "--format=tsv")...)
	assert.Equal(t, 2, status)
	assert.Contains(t, stderr, "page.tsv\" would be overwritten")
}
