package report_test

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"uncial/impl/client/report"
	"uncial/impl/volume"
)

func TestMayReplace(t *testing.T) {
	t.Parallel()
	made, err := report.New(&volume.Volume{Title: "Codex"}, "0 of 0 pages read", time.Now())
	require.NoError(t, err)
	written := func(write func(io.Writer) error) string {
		var b bytes.Buffer
		require.NoError(t, write(&b))
		return b.String()
	}
	dir := t.TempDir()
	for content, want := range map[string]bool{
		written(made.WriteJSON): true,
		written(func(to io.Writer) error { return made.WriteHTML(t.Context(), to) }): true,
		"": false, "{}": false, `{"title": "Notes", "created": "2026"}`: false,
		`{"title": "a", "created": "b", "summary": "c", "states": 1}`:    false,
		`{"title": {}, "created": "b", "summary": "c", "states": {}}`:    false,
		`[{"title": "a", "created": "b", "summary": "c", "states": {}}]`: false,
		"<title>Notes about reading</title>":                             false,
	} {
		path := filepath.Join(dir, "file")
		require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
		require.Equal(t, want, report.MayReplace(path), content)
	}
	require.True(t, report.MayReplace(filepath.Join(dir, "missing")))
	require.False(t, report.MayReplace(dir))
}
