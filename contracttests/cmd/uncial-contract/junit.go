package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"uncial/contracttests"
)

// junitFile is a JUnit file to come. It is made before anything is spent, and takes its name once it is whole.
type junitFile struct {
	path string
	file *os.File // nil where none is wanted
	temp bool
}

func createJUnit(path string) (j junitFile, err error) {
	if path == "" {
		return j, nil
	}
	j.path = path
	if info, e := os.Stat(path); e == nil && !info.Mode().IsRegular() { // a pipe, say, or /dev/stdout
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
		_ = os.Remove(j.file.Name()) // the error before it says more
	}
	return fmt.Errorf("--junit: cannot write to %s: %w", j.path, cause(err))
}

// chmod lets others read the file, as they may read one that a shell makes.
func (j junitFile) chmod() error {
	if !j.temp {
		return nil
	}
	return j.file.Chmod(0o644)
}

// cause is what the system said, without the name of the file in the making.
func cause(err error) error {
	if e, ok := errors.AsType[*os.PathError](err); ok {
		return e.Err
	}
	return err
}
