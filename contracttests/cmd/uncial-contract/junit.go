package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"uncial/contracttests"
)

// junitFile is a JUnit file in the making. It is created before the run spends points, and renamed when complete.
type junitFile struct {
	path string
	file *os.File // nil if no file was requested
	temp bool
}

// createJUnit opens the file at path, or a temporary one next to it, so that a reader never sees an incomplete report. An
// empty path means that no report was requested. The error names the flag.
func createJUnit(path string) (j junitFile, err error) {
	if path == "" {
		return j, nil
	}
	j.path = path
	// Special files are written directly, because renaming would replace them. They are only opened for writing, neither
	// created nor truncated.
	if info, e := os.Stat(path); e == nil && !info.Mode().IsRegular() { // a pipe or /dev/stdout
		j.file, err = os.OpenFile(path, os.O_WRONLY, 0)
	} else {
		j.temp = true
		j.file, err = os.CreateTemp(filepath.Dir(path), ".uncial-contract-*.xml")
	}
	if err != nil {
		return j, fmt.Errorf("--junit: cannot write to %s: %w", path, cause(err))
	}
	return j, nil
}

// write writes the report and gives the file its name. After an error no file is left, so that CI never reads half a report.
func (j junitFile) write(r contracttests.Report) error {
	if j.file == nil {
		return nil
	}
	err := errors.Join(r.WriteJUnit(j.file), j.chmod(), j.file.Close())
	if err == nil && j.temp {
		err = os.Rename(j.file.Name(), j.path)
	}
	if err == nil {
		return nil
	}
	if j.temp {
		_ = os.Remove(j.file.Name()) // the earlier error is more useful
	}
	return fmt.Errorf("--junit: cannot write to %s: %w", j.path, cause(err))
}

// chmod lets other users read the file: CI often collects reports as another user, and temporary files are private (0600).
func (j junitFile) chmod() error {
	if !j.temp {
		return nil
	}
	return j.file.Chmod(0o644)
}

// cause is the error of the system without the name of the temporary file, which the user has never seen.
func cause(err error) error {
	if e, ok := errors.AsType[*os.PathError](err); ok {
		return e.Err
	}
	return err
}
