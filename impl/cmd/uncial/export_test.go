package main

import "io"

// Run is main with the arguments and the output streams as parameters.
var Run = run

// HasLoopback says where the demo may print a link to the dashboard.
var HasLoopback = hasLoopback

// WithoutQuotes returns the writer that package log uses for w.
func WithoutQuotes(w io.Writer) io.Writer { return withoutQuotes{w} }
