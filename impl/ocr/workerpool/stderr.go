package workerpool

import (
	"bufio"
	"io"
	"log/slog"
	"slices"
	"strings"
	"sync"
)

// Limits on a worker's standard error, because a hostile image may make it print without end.
const (
	maxLoggedBytes = 256 << 10 // written to the log during the life of a worker
	maxLineBytes   = 1 << 10   // longer lines are split
	maxKeptLines   = 4         // number of first lines, and of last lines, that are kept for the error about an image
	maxFlood       = 4 << 20   // bytes during one image, after which the worker is killed because it would keep a core of the service busy
)

// stderrLog writes a worker's standard error to the log. It also keeps the first and the last lines printed since the current
// image began, because these usually name the cause of a crash.
type stderrLog struct {
	log     *slog.Logger
	flooded func() // called if the worker prints more than maxFlood during one image

	mu          sync.Mutex // guards the following
	first, last []string
	bytes       int // printed since the current image began
}

// drain reads r to its end, so that the worker never blocks on a full pipe.
func (s *stderrLog) drain(r io.Reader) {
	lines := bufio.NewReaderSize(r, maxLineBytes)
	for left := maxLoggedBytes; ; {
		line, _, err := lines.ReadLine()
		if err != nil {
			return
		}
		if left -= len(line) + 1; left > 0 {
			s.log.Debug("worker stderr", "line", string(line))
		}
		s.keep(strings.ToValidUTF8(string(line), "?"))
	}
}

// keep counts a line with its end, and keeps it if it is among the first or the last maxKeptLines of the current image.
func (s *stderrLog) keep(line string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.bytes += len(line) + 1; s.bytes > maxFlood {
		s.flooded()
	}
	if len(s.first) < maxKeptLines {
		s.first = append(s.first, line)
		return
	}
	s.last = append(s.last, line)
	s.last = s.last[max(0, len(s.last)-maxKeptLines):]
}

// reset drops the kept lines. It is called when an image begins.
func (s *stderrLog) reset() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.first, s.last, s.bytes = nil, nil, 0
}

// String returns the kept lines, joined by "; ".
func (s *stderrLog) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.Join(slices.Concat(s.first, s.last), "; ")
}
