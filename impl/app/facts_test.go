package app_test

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"uncial/impl/app"
	"uncial/impl/app/apptest"
	"uncial/impl/sample"
)

// mustRead returns the contents of all files in a folder, by name.
func mustRead(tb testing.TB, dir string) (names []string, content []byte) {
	tb.Helper()
	entries, err := os.ReadDir(dir)
	require.NoError(tb, err)
	for _, e := range entries {
		names = append(names, e.Name())
		data, err := os.ReadFile(filepath.Join(dir, e.Name()))
		require.NoError(tb, err)
		content = append(content, data...)
	}
	return names, content
}

// TestApp_KeepsOnlyReplies checks what the operator's guide says about scans and texts: an image is never written to disk, and
// a text only in the reply to a request with an Idempotency-Key, until --reply-ttl has passed.
func TestApp_KeepsOnlyReplies(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var ahead atomic.Int64 // how far the clock of the service is ahead
	a := apptest.Start(t, app.Options{
		Data: app.DataOptions{Database: "sqlite:" + filepath.Join(dir, "uncial.db"), ReplyTTL: 48 * time.Hour},
		Now:  func() time.Time { return time.Now().Add(time.Duration(ahead.Load())) },
	})
	_, key := apptest.Key(t, a, "pro")
	read := func(idempotencyKey string) {
		var headers []string
		if idempotencyKey != "" {
			headers = []string{"Idempotency-Key", idempotencyKey}
		}
		requireSample(t, mustExtract(t, "http://"+a.Addr(), key, map[string]any{"imageUrl": inline(sample.Image)}, headers...))
	}
	word := strings.Fields(sample.Text)[slices.IndexFunc(strings.Fields(sample.Text), func(w string) bool { return len(w) > 7 && strings.Trim(w, "abcdefghijklmnopqrstuvwxyz") == "" })]
	kept := func() bool {
		names, content := mustRead(t, dir)
		for _, name := range names {
			require.Regexp(t, `^uncial\.db(-wal|-shm)?$`, name, "nothing else is written")
		}
		require.NotContains(t, string(content), string(sample.Image[2000:2100]), "no image is kept")
		require.NotContains(t, string(content), inline(sample.Image)[2000:2100], "no image is kept")
		return bytes.Contains(content, []byte(word))
	}
	read("")
	require.False(t, kept(), "no text is kept")
	read("page-1")
	require.True(t, kept(), "the reply is kept for repeats; %q", word)
	sweep := func(after time.Duration) {
		ahead.Store(int64(after))
		_, err := a.Data().Sweep(t.Context())
		require.NoError(t, err)
		_, err = a.Data().Store.Writer().Exec(t.Context(), `PRAGMA wal_checkpoint(TRUNCATE)`)
		require.NoError(t, err)
	}
	sweep(47 * time.Hour)
	require.True(t, kept(), "the reply is kept until --reply-ttl has passed")
	sweep(49 * time.Hour)
	require.False(t, kept(), "the reply is gone from the file")
}
