// Package durable writes files atomically: they are complete or absent, even after a full disk, a crash or a power cut. Start
// with Write.
package durable

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// Write writes a file under a random hidden name in the folder temporary, which must be on the same file system, syncs it to
// the disk, and then renames it to path. It creates the folder of path if necessary. If write fails, Write returns its error
// and leaves no file.
func Write(temporary, path string, write func(io.Writer) error) (err error) {
	part := filepath.Join(temporary, "."+rand.Text()+".part")
	file, err := os.OpenFile(part, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666) //nolint:gosec // the umask decides
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(part)
		}
	}()
	if err = write(file); err == nil {
		err = file.Sync()
	}
	if err = errors.Join(err, file.Close()); err != nil {
		return err
	}
	folder := filepath.Dir(path)
	if err = os.MkdirAll(folder, 0o777); err != nil { //nolint:gosec // the umask decides
		return err
	}
	if err = os.Rename(part, path); err != nil {
		return err
	}
	return SyncFolder(folder)
}

// SyncFolder makes the names of the files in a folder survive a loss of power. It does nothing on file systems that cannot sync
// folders.
func SyncFolder(path string) error {
	folder, err := os.Open(filepath.Clean(path))
	if err != nil {
		return err
	}
	err = folder.Sync()
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, syscall.ENOTSUP) {
		err = nil
	}
	return errors.Join(err, folder.Close())
}

// Explain returns err without paths and with one message for a full disk and an exceeded quota, because the remedy is the same.
// name is the file as the user knows it, or "the result".
func Explain(name string, err error) error {
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		return fmt.Errorf("cannot write %s: the disk is full", name)
	}
	return fmt.Errorf("cannot write %s: %w", name, WithoutPath(err))
}

// WithoutPath removes the operation and the path from an error of the file system: messages name the file as the user wrote it.
func WithoutPath(err error) error {
	var path *fs.PathError
	var link *os.LinkError
	switch {
	case errors.As(err, &path):
		return path.Err
	case errors.As(err, &link):
		return link.Err
	}
	return err
}
