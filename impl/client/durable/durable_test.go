package durable_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"uncial/impl/client/durable"
)

func TestWrite(t *testing.T) {
	t.Parallel()
	temporary, path := t.TempDir(), filepath.Join(t.TempDir(), "new", "file.txt")
	write := func(content string, err error) error {
		return durable.Write(temporary, path, func(to io.Writer) error {
			_, _ = io.WriteString(to, content)
			return err
		})
	}
	require.ErrorIs(t, write("half", io.ErrUnexpectedEOF), io.ErrUnexpectedEOF)
	assert.NoFileExists(t, path)
	require.NoError(t, write("first", nil))
	require.Error(t, write("half", errors.New("failed")))
	content, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, "first", string(content), "the earlier file stays")
	require.NoError(t, write("second", nil))
	content, err = os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, "second", string(content))
	left, err := os.ReadDir(temporary)
	require.NoError(t, err)
	assert.Empty(t, left, "no temporary file is left behind")
}

func TestExplain(t *testing.T) {
	t.Parallel()
	full := &os.PathError{Op: "write", Path: "/secret/x.part", Err: syscall.ENOSPC}
	require.EqualError(t, durable.Explain("page.txt", full), "cannot write page.txt: the disk is full")
	full.Err = syscall.EDQUOT
	require.EqualError(t, durable.Explain("page.txt", full), "cannot write page.txt: the disk is full")
	full.Err = syscall.EROFS
	require.EqualError(t, durable.Explain("page.txt", full), "cannot write page.txt: read-only file system")
	require.EqualError(t, durable.WithoutPath(&os.LinkError{Op: "rename", Old: "a", New: "b", Err: syscall.EXDEV}), "invalid cross-device link")
}
