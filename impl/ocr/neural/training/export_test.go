package training

import (
	"testing"
	"time"
)

// SetPython replaces Python by another program until the end of the test.
func SetPython(tb testing.TB, program string) {
	tb.Helper()
	before := python
	python = program
	tb.Cleanup(func() { python = before })
}

// SetOverrun changes the time that a training may take in addition, until the end of the test.
func SetOverrun(tb testing.TB, d time.Duration) {
	tb.Helper()
	before := overrun
	overrun = d
	tb.Cleanup(func() { overrun = before })
}

// ErrNoTorch and ErrOverrun are errors of Check and Run.
var (
	ErrNoTorch = errNoTorch
	ErrOverrun = errOverrun
)
