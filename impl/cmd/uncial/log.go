package main

import (
	"bytes"
	"io"
	"log"
	"log/slog"
)

// newLogger returns a logger with the format and the minimum level of the flags.
func newLogger(w io.Writer, form, minimum string) *slog.Logger {
	var level slog.Level
	_ = level.UnmarshalText([]byte(minimum)) // kong has checked that it is a level
	o := &slog.HandlerOptions{Level: level}
	if form == "json" {
		return slog.New(slog.NewJSONHandler(w, o))
	}
	return slog.New(slog.NewTextHandler(w, o))
}

// useForLibraries makes libraries that use package log write to the logger.
func useForLibraries(logger *slog.Logger) {
	slog.SetDefault(logger)
	log.SetOutput(withoutQuotes{log.Writer()})
}

// withoutQuotes drops the lines in which Go's HTTP client quotes bytes that a host sent unasked: an image host must not be able
// to write into the log.
type withoutQuotes struct{ to io.Writer }

// Write implements io.Writer for one line of package log.
func (w withoutQuotes) Write(line []byte) (int, error) {
	if bytes.Contains(line, []byte("Unsolicited response received")) {
		return len(line), nil
	}
	return w.to.Write(line)
}
