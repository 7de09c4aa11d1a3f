package journal_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"uncial/gen"
	"uncial/impl/client/journal"
	"uncial/impl/volume"
)

func mustOpen(tb testing.TB, dir string) *journal.Journal {
	tb.Helper()
	j, err := journal.Open(dir)
	require.NoError(tb, err)
	tb.Cleanup(func() { _ = j.Close() })
	return j
}

func mustAppend(tb testing.TB, j *journal.Journal, events ...journal.Event) {
	tb.Helper()
	for _, e := range events {
		require.NoError(tb, j.Append(e))
	}
}

// TestJournal_Append_Long appends what could not be read again, such as the page of a foreign server that answered instead of
// ours.
func TestJournal_Append_Long(t *testing.T) {
	t.Parallel()
	dir, long := t.TempDir(), strings.Repeat("é", 2<<20)
	j := mustOpen(t, dir)
	mustAppend(t, j, journal.Event{Kind: journal.Failed, Page: "a", Reason: long})
	require.ErrorContains(t, j.Append(journal.Event{Kind: journal.Sent, Page: "b", Source: long}), "an event is longer than ")
	require.NoError(t, j.Close())
	j = mustOpen(t, dir)
	assert.Equal(t, strings.Repeat("é", 1000)+"...", j.Page("a").Reason)
	assert.Equal(t, journal.Page{State: volume.Waiting}, j.Page("b"))
}

func TestJournal_Append(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	j := mustOpen(t, dir)
	assert.Equal(t, journal.Page{State: volume.Waiting}, j.Page("a"))
	mustAppend(t, j,
		journal.Event{Kind: journal.Name, Locator: "1.jpg", Name: "1"},
		journal.Event{Kind: journal.Sent, Page: "a"},
		journal.Event{Kind: journal.Done, Page: "a", Points: 10},
		journal.Event{Kind: journal.Files, Page: "a", Name: "1", Formats: []string{"text", "alto"}},
		journal.Event{Kind: journal.Sent, Page: "b"},
		journal.Event{Kind: journal.Done, Page: "b", IsEmpty: true},
		journal.Event{Kind: journal.Sent, Page: "c"},
		journal.Event{Kind: journal.Failed, Page: "c", Reason: "the service returned 400: no image"},
		journal.Event{Kind: journal.Absent, Page: "d", Reason: "no such file or directory"},
		journal.Event{Kind: journal.Sent, Page: "e", Generation: 3},
		journal.Event{Kind: journal.Sent, Page: "e", Generation: 3},
	)
	sent := j.Page("e").SentAt
	assert.False(t, sent.IsZero())
	for range 2 {
		require.NoError(t, j.Close())
		j = mustOpen(t, dir)
		assert.Equal(t, journal.Page{State: volume.Read, Formats: []string{"text", "alto"}}, j.Page("a"))
		assert.Equal(t, journal.Page{State: volume.Empty}, j.Page("b"))
		assert.Equal(t, journal.Page{State: volume.Failed, Reason: "the service returned 400: no image"}, j.Page("c"))
		assert.Equal(t, journal.Page{State: volume.Absent, Reason: "no such file or directory"}, j.Page("d"))
		assert.Equal(t, journal.Page{State: volume.Waiting, Generation: 3, SentAt: sent}, j.Page("e"), "the time of the first sending counts")
		assert.Equal(t, map[string]string{"1.jpg": "1"}, j.Names())
	}
	mustAppend(t, j, journal.Event{Kind: journal.Files, Page: "b", Name: "1", Formats: []string{"text"}})
	assert.Nil(t, j.Page("a").Formats, "its files were overwritten")
}

func TestJournal_IsOwn(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	j := mustOpen(t, dir)
	assert.False(t, j.ListsFiles())
	mustAppend(t, j, journal.Event{Kind: journal.Write, File: "volume.txt"})
	assert.False(t, j.ListsFiles(), "there may be others")
	mustAppend(t, j, journal.Event{Kind: journal.Write})
	require.NoError(t, j.Close())
	j = mustOpen(t, dir)
	assert.True(t, j.ListsFiles())
	assert.True(t, j.IsOwn("volume.txt"))
	assert.False(t, j.IsOwn("volume.pdf"))
	assert.False(t, j.HasAnswers())
	require.NoError(t, j.SaveAnswer("a", &journal.Answer{}))
	assert.True(t, j.HasAnswers())
}

// TestOpen_Crash cuts the journal at every byte: complete events stay known, and further ones can be added.
func TestOpen_Crash(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	j := mustOpen(t, dir)
	mustAppend(t, j, journal.Event{Kind: journal.Sent, Page: "a"}, journal.Event{Kind: journal.Done, Page: "a"})
	require.NoError(t, j.Close())
	path := filepath.Join(dir, journal.Folder, "journal.jsonl")
	whole, err := os.ReadFile(path)
	require.NoError(t, err)
	lines := strings.SplitAfter(strings.TrimSuffix(string(whole), "\n"), "\n")
	require.Len(t, lines, 3)
	for cut := range len(whole) {
		require.NoError(t, os.WriteFile(path, whole[:cut], 0o600))
		require.NoError(t, os.WriteFile(filepath.Join(dir, journal.Folder, "tmp", "x.part"), nil, 0o600))
		j := mustOpen(t, dir)
		assert.Equal(t, cut >= len(lines[0])+len(lines[1]), !j.Page("a").SentAt.IsZero(), cut)
		assert.NoFileExists(t, filepath.Join(dir, journal.Folder, "tmp", "x.part"))
		mustAppend(t, j, journal.Event{Kind: journal.Done, Page: "z"})
		require.NoError(t, j.Close())
		j = mustOpen(t, dir)
		assert.Equal(t, volume.Read, j.Page("z").State)
		require.NoError(t, j.Close())
	}
}

func TestOpen_Refuses(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	j := mustOpen(t, dir)
	_, err := journal.Open(dir)
	require.ErrorIs(t, err, journal.ErrLocked)
	require.NoError(t, j.Close())

	path := filepath.Join(dir, journal.Folder, "journal.jsonl")
	require.NoError(t, os.WriteFile(path, []byte("{\"kind\":\"start\",\"version\":2}\n"), 0o600))
	_, err = journal.Open(dir)
	require.ErrorIs(t, err, journal.ErrUnreadable)
	require.ErrorContains(t, err, "later version")
	require.NoError(t, os.WriteFile(path, []byte("{\"kind\":\"start\"}\nrubbish\n{}\n"), 0o600))
	_, err = journal.Open(dir)
	require.ErrorContains(t, err, "cannot read the journal: .uncial-extract/journal.jsonl, line 2 is not an event")
	_, err = journal.Open("/dev/null")
	require.Error(t, err)
}

func TestJournal_SaveAnswer(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	j := mustOpen(t, dir)
	id := journal.PageID("1.jpg", "sha256:0", "en")
	_, err := j.LoadAnswer(id)
	require.ErrorIs(t, err, os.ErrNotExist)
	want := &journal.Answer{Source: "1.jpg", Master: volume.Size{Width: 5, Height: 6}, Answer: &gen.Extraction{Success: true, Text: "a", PointsUsed: 10}}
	require.NoError(t, j.SaveAnswer(id, want))
	got, err := j.LoadAnswer(id)
	require.NoError(t, err)
	assert.Equal(t, want, got)
	path := filepath.Join(dir, journal.Folder, "answers", id+".json.gz")
	whole, err := os.ReadFile(filepath.Clean(path))
	require.NoError(t, err)
	for name, damaged := range map[string][]byte{
		"empty": {}, "cut": whole[:30], "without its checksum": whole[:len(whole)-8], "with a wrong checksum": append(whole[:len(whole)-8:len(whole)-8], "12345678"...),
	} {
		require.NoError(t, os.WriteFile(path, damaged, 0o600))
		_, err = j.LoadAnswer(id)
		require.ErrorIs(t, err, journal.ErrDamaged, name)
	}
	require.NoError(t, os.Remove(path))
	require.NoError(t, os.Mkdir(path, 0o700))
	_, err = j.LoadAnswer(id)
	require.Error(t, err)
	require.NotErrorIs(t, err, journal.ErrDamaged, "an unreadable file may be complete")
}

func TestPageID(t *testing.T) {
	t.Parallel()
	ids := map[string]bool{}
	for _, parts := range [][]string{{"a", "b"}, {"ab", ""}, {"", "ab"}, {"a", "b", "c"}, {"a", "bc"}, {"a", "b", "", "c"}} {
		ids[journal.PageID(parts[0], parts[1], parts[2:]...)] = true
	}
	assert.Len(t, ids, 6)
	assert.Regexp(t, `^[A-Za-z0-9_-]{24}$`, journal.PageID("a", "b"))
	assert.Equal(t, "uncial-extract-x-2", journal.Key("x", 2))
}
