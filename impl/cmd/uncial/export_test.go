package main

import (
	"context"
	"io"
)

// Run is main with the arguments and the output streams as parameters.
var Run = run

// HasLoopback says where the demo may print a link to the dashboard.
var HasLoopback = hasLoopback

// ShowSample reads the sample page as the demo does.
func ShowSample(ctx context.Context, out io.Writer, base, key, account, database string) error {
	return demoSample{base, key, account, database}.show(ctx, out)
}

// WithoutQuotes returns the writer that package log uses for w.
func WithoutQuotes(w io.Writer) io.Writer { return withoutQuotes{w} }

// ExitStatus returns the exit status of a command that failed, after a signal or not.
func ExitStatus(ctx context.Context, err error, stderr io.Writer) int {
	return (&commands{}).exitStatus(ctx, err, stderr, nil)
}
