package client_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"uncial/impl/client/journal"
)

// TestExtractCmd_Run_AnotherDirectory reads the same pages into two folders: the service has their answers stored.
func TestExtractCmd_Run_AnotherDirectory(t *testing.T) {
	t.Parallel()
	base := mustMock(t)
	const key = "ocr_test_ok_twice"
	run := func(want string) {
		t.Helper()
		out := t.TempDir()
		_, stderr, status := extract(t.Context(), t, base, "--key", key, "--out", out, "http://mock.invalid/printed", "http://mock.invalid/blank")
		assert.Zero(t, status)
		assert.Contains(t, stderr, want)
		assert.Equal(t, []string{"blank.txt", "printed.txt"}, mustNames(t, out))
	}
	run("2 of 2 pages read (1 empty); 20 points used, 9,980 left; ")
	run("2 of 2 pages read (1 empty); 0 points used; ")
	assert.Equal(t, 20, pointsUsed(t, base, key))
}

// TestExtractCmd_Run_LostInBetween loses the first answer, which was charged: the stored one that comes next counts.
func TestExtractCmd_Run_LostInBetween(t *testing.T) {
	t.Parallel()
	base := mustMock(t)
	const key = "ocr_test_ok_between"
	_, stderr, status := extract(t.Context(), t, base, "--key", key, "--out", t.TempDir(), "http://mock.invalid/reset")
	assert.Zero(t, status)
	assert.Contains(t, stderr, "1 of 1 page read; 10 points used, 9,990 left; ")
	assert.Equal(t, 10, pointsUsed(t, base, key))
}

// TestExtractCmd_Run_LostJournal removes the journal, or its content: the answers that are stored count.
func TestExtractCmd_Run_LostJournal(t *testing.T) {
	t.Parallel()
	f, url := mustFake(t, nil)
	files, out := mustFiles(t, "1.jpg", "2.jpg"), t.TempDir()
	events := filepath.Join(out, journal.Folder, "journal.jsonl")
	run := func(want string, args ...string) {
		t.Helper()
		_, stderr, status := extract(t.Context(), t, url, append(append(args, "--out", out), files...)...)
		assert.Zero(t, status, stderr)
		assert.Contains(t, stderr, want)
	}
	run("2 of 2 pages read; 20 points used")
	run("2 of 2 pages read; 20 points used", "--force")
	f.texts()
	require.NoError(t, os.Truncate(events, 0))
	stdout, _, _ := extract(t.Context(), t, url, files[0], "--out", out, "--dry-run")
	assert.Equal(t, "1 page; 0 would be read for 0 points; 1 already read; 90 points left\n", stdout)
	run("2 of 2 pages read (2 before); 0 points used")
	require.NoError(t, os.Remove(events))
	run("2 of 2 pages read (2 before); 0 points used", "--format=tsv")
	assert.Equal(t, []string{"1.tsv", "1.txt", "2.tsv", "2.txt"}, mustNames(t, out))
	assert.Empty(t, f.texts())
	run("2 of 2 pages read; 20 points used", "--language=de")
	run("2 of 2 pages read; 20 points used", "--force")
	assert.Equal(t, 8, f.keyCount(), "--force begins a reading that is new to the service")
}

// TestExtractCmd_Run_DamagedAnswer cuts a stored answer short: its page is read again, under the key that the service may still
// know.
func TestExtractCmd_Run_DamagedAnswer(t *testing.T) {
	t.Parallel()
	f, url := mustFake(t, nil)
	files, out := mustFiles(t, "1.jpg", "2.jpg"), t.TempDir()
	args := append(files, "--out", out)
	_, _, status := extract(t.Context(), t, url, args...)
	require.Zero(t, status)
	answers, err := filepath.Glob(filepath.Join(out, journal.Folder, "answers", "*"))
	require.NoError(t, err)
	require.Len(t, answers, 2)
	require.NoError(t, os.Truncate(answers[0], 30))
	mustAge(t, out, 30*time.Hour)
	stdout, _, _ := extract(t.Context(), t, url, append(args, "--dry-run")...)
	assert.Equal(t, "2 pages; 1 would be read for 10 points; 1 already read; 90 points left\n", stdout)
	_, stderr, status := extract(t.Context(), t, url, append(args, "--volume=text")...)
	assert.Zero(t, status)
	assert.Contains(t, stderr, ".jpg: the stored answer is damaged: unexpected EOF; the page will be read again\n")
	assert.Contains(t, stderr, "2 of 2 pages read (1 before); 0 points used; ")
	assert.Equal(t, "1.jpg\f2.jpg\n", mustRead(t, out, "volume.txt"))
	assert.Equal(t, 2, f.keyCount())

	require.NoError(t, os.Remove(answers[1]))
	require.NoError(t, os.Mkdir(answers[1], 0o700))
	f.texts()
	_, stderr, status = extract(t.Context(), t, url, args...)
	assert.Equal(t, 1, status)
	assert.Contains(t, stderr, ".jpg: cannot read the stored answer: is a directory; nothing was sent\n")
	assert.Contains(t, stderr, "1 of 2 pages read (1 before), 1 failed; 0 points used; ")
	assert.Empty(t, f.texts(), "an unreadable file may be complete")
}

// TestExtractCmd_Run_NothingToRead checks that a run that reads nothing leaves nothing in its folder.
func TestExtractCmd_Run_NothingToRead(t *testing.T) {
	t.Parallel()
	f, url := mustFake(t, nil)
	file := mustFiles(t, "1.jpg")[0]
	empty, parent := t.TempDir(), t.TempDir()
	for name, args := range map[string][]string{
		"a folder without images": {empty}, "a report in no folder": {file, "--report", filepath.Join(empty, "no", "r.json")}, "no jobs": {file, "--jobs=0"},
	} {
		out := filepath.Join(parent, "out")
		_, stderr, status := extract(t.Context(), t, url, append(args, "--out", out)...)
		assert.Equal(t, 2, status, name)
		assert.NotEmpty(t, stderr)
		assert.NoDirExists(t, out, name)
	}
	_, stderr, _ := extract(t.Context(), t, url, file, "--jobs=0")
	assert.Equal(t, "--jobs: must be 1 to 64\n", stderr)
	_, _, status := extract(t.Context(), t, url, file, "--out", parent)
	require.Zero(t, status)
	_, _, status = extract(t.Context(), t, url, empty, "--out", parent)
	assert.Equal(t, 2, status)
	assert.Equal(t, []string{"1.txt"}, mustNames(t, parent))
	_, stderr, _ = extract(t.Context(), t, url, file, "--out", parent)
	assert.Contains(t, stderr, "1 of 1 page read (1 before)", "the journal of an earlier run stays")
	assert.Len(t, f.texts(), 1)
}
