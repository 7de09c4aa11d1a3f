// Package logtest collects the logs of servers, or the standard error of programs, for tests. Start with Buffer.
package logtest

import (
	"log/slog"
	"strings"
	"sync"
)

// Buffer collects a log, or the standard error of a program. It is safe for concurrent use; its zero value is empty.
type Buffer struct {
	mu   sync.Mutex
	text strings.Builder
}

// Logger returns a logger of all levels that writes to b.
func (b *Buffer) Logger() *slog.Logger {
	return slog.New(slog.NewTextHandler(b, &slog.HandlerOptions{Level: slog.LevelDebug}))
}

// Write implements io.Writer.
func (b *Buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

// String returns what was written so far.
func (b *Buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}
