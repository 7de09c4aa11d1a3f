package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"uncial/contracttests"
)

// reports are the files that a run writes, nil if they were not requested.
type reports struct{ junit, har *reportFile }

// createReports creates the files before the run spends points. An empty path means that no such file was requested.
func createReports(junit, har string) (r reports, err error) {
	if isOneFile(junit, har) {
		return r, fmt.Errorf("--junit and --har must be different files, not both %s", junit)
	}
	if r.junit, err = createReport("--junit", junit); err != nil {
		return r, err
	}
	if r.har, err = createReport("--har", har); err != nil {
		r.junit.discard()
	}
	return r, err
}

// isOneFile reports whether two paths, neither of them empty, lead to the same place.
func isOneFile(a, b string) bool {
	if a == "" || b == "" {
		return false
	}
	wholeA, errA := filepath.Abs(a)
	wholeB, errB := filepath.Abs(b)
	return errA == nil && errB == nil && wholeA == wholeB
}

// archive is where the HTTP archive is written during the run, nil if none was requested.
func (r reports) archive() io.Writer {
	if r.har == nil {
		return nil
	}
	return r.har.buffer
}

// write completes the files. The archive has been written during the run.
func (r reports) write(report contracttests.Report) error {
	var err error
	if r.junit != nil {
		err = report.WriteJUnit(r.junit.buffer)
	}
	return errors.Join(r.junit.finish(err), r.har.finish(nil))
}

// discard drops the files of a run that does not take place.
func (r reports) discard() {
	r.junit.discard()
	r.har.discard()
}

// reportFile is a file being written, which is renamed when it is complete. A nil file was not requested.
type reportFile struct {
	flag, path string
	file       *os.File
	buffer     *bufio.Writer
	temp       bool
}

// createReport opens the file at path, or a temporary one next to it, so that a reader never sees an incomplete report. The
// error names the flag.
func createReport(flag, path string) (r *reportFile, err error) {
	if path == "" {
		return nil, nil //nolint:nilnil // a report that was not requested
	}
	r = &reportFile{flag: flag, path: path}
	// Special files are written directly, because renaming would replace them. They are only opened for writing, neither
	// created nor truncated.
	if info, e := os.Stat(path); e == nil && !info.Mode().IsRegular() { // a pipe or /dev/stdout
		r.file, err = os.OpenFile(path, os.O_WRONLY, 0)
	} else {
		r.temp = true
		r.file, err = os.CreateTemp(filepath.Dir(path), ".uncial-contract-*")
	}
	if err != nil {
		return nil, r.failed(err)
	}
	r.buffer = bufio.NewWriter(r.file)
	return r, nil
}

// finish gives the file its name. After an error, its own or that of the caller, no file is left, so that CI never reads
// half a report.
func (r *reportFile) finish(err error) error {
	if r == nil {
		return nil
	}
	err = errors.Join(err, r.buffer.Flush(), r.chmod(), r.file.Close())
	if err == nil && r.temp {
		err = os.Rename(r.file.Name(), r.path)
	}
	if err == nil {
		return nil
	}
	r.remove()
	return r.failed(err)
}

// discard drops a file of a run that does not take place.
func (r *reportFile) discard() {
	if r != nil {
		_ = r.file.Close()
		r.remove()
	}
}

func (r *reportFile) remove() {
	if r.temp {
		_ = os.Remove(r.file.Name()) // an earlier error is more useful
	}
}

// chmod lets other users read the file: CI often collects reports as another user, and temporary files are private (0600).
func (r *reportFile) chmod() error {
	if !r.temp {
		return nil
	}
	return r.file.Chmod(0o644)
}

func (r *reportFile) failed(err error) error {
	return fmt.Errorf("%s: cannot write to %s: %w", r.flag, r.path, cause(err))
}

// cause is the error of the system without the name of the temporary file, which the user has never seen.
func cause(err error) error {
	if e, ok := errors.AsType[*os.PathError](err); ok {
		return e.Err
	}
	return err
}
