package tool_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"uncial/impl/client/tool"
)

// mustProgram puts a script into PATH, in front of the installed programs.
func mustProgram(t *testing.T, name, script string) {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+script+"\n"), 0o700))
	t.Setenv("PATH", dir+":/usr/bin:/bin")
}

func TestRun(t *testing.T) {
	mustProgram(t, "pdfinfo", `echo "$1"; pwd; echo "$HOME"; env | grep -c SECRET`)
	t.Setenv("SECRET", "x")
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	_, err = tool.Run(t.Context(), dir, "pdfinfo", "a b; $(id)")
	require.EqualError(t, err, "pdfinfo: exit status 1", "grep finds no secret")
	mustProgram(t, "pdfinfo", `echo "$1"; pwd; echo "$TMPDIR"`)
	out, err := tool.Run(t.Context(), dir, "pdfinfo", "a b; $(id)")
	require.NoError(t, err)
	assert.Equal(t, "a b; $(id)\n"+dir+"\n"+dir+"\n", string(out), "no shell expands arguments")
}

func TestRun_Missing(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	for program, name := range map[string]string{"pdftoppm": "poppler-utils", "vips": "libvips-tools"} {
		_, err := tool.Run(t.Context(), t.TempDir(), program)
		require.EqualError(t, err, program+" is not installed; install it with: apt-get install "+name)
	}
}

func TestRun_Fails(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct{ name, script, text string }{
		{"with a message", "echo first >&2; echo 'Incorrect password' >&2; exit 1", "pdfinfo: Incorrect password"},
		{"without the folder in its message", "echo \"$TMPDIR/page.jp2: broken\" >&2; exit 3", "pdfinfo: page.jp2: broken"},
		{"by a signal", "kill -SEGV $$", "pdfinfo: segmentation fault"},
		{"on a full disk", "echo 'write: No space left on device' >&2; echo failed >&2; exit 1", "pdfinfo: no space left on device"},
	} {
		t.Run("fails "+c.name, func(t *testing.T) {
			mustProgram(t, "pdfinfo", c.script)
			_, err := tool.Run(t.Context(), dir, "pdfinfo")
			require.EqualError(t, err, c.text)
		})
	}
}

func TestRun_LimitsFiles(t *testing.T) {
	// The limits are set just after the start, so that a script must wait for them.
	mustProgram(t, "pdfinfo", "sleep 0.3; ulimit -f; ulimit -d; ulimit -c; ulimit -t")
	out, err := tool.Run(t.Context(), t.TempDir(), "pdfinfo")
	require.NoError(t, err)
	assert.Equal(t, "8388608\n4194304\n0\n300\n", string(out))
}

func TestRun_Bounds(t *testing.T) {
	mustProgram(t, "pdfinfo", "head -c 20000000 /dev/zero")
	_, err := tool.Run(t.Context(), t.TempDir(), "pdfinfo")
	require.EqualError(t, err, "pdfinfo printed more than 16 MiB")

	mustProgram(t, "pdfinfo", "exec sleep 60")
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	_, err = tool.Run(ctx, t.TempDir(), "pdfinfo")
	require.ErrorIs(t, err, context.DeadlineExceeded)
}
