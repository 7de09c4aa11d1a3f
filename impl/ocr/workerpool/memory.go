package workerpool

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"uncial/impl/cgroup"
)

// resident returns the resident memory of the process in bytes, or 0 if it is unknown.
func (w *worker) resident() uint64 {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(w.cmd.Process.Pid) + "/statm")
	if err != nil {
		return 0
	}
	var total, resident uint64 // in pages; proc(5)
	if _, err := fmt.Sscan(string(text), &total, &resident); err != nil {
		return 0
	}
	return resident * uint64(os.Getpagesize())
}

// ticksPerSecond is the unit of times in /proc, the same on every Linux: proc(5), sysconf(_SC_CLK_TCK).
const ticksPerSecond = 100

// cpuTime returns the processor time that the process has used since it started, or 0 if it is unknown.
func (w *worker) cpuTime() time.Duration {
	if w.hasExited() && w.cmd.ProcessState != nil {
		return w.cmd.ProcessState.UserTime() + w.cmd.ProcessState.SystemTime()
	}
	text, err := os.ReadFile("/proc/" + strconv.Itoa(w.cmd.Process.Pid) + "/stat")
	if err != nil {
		return 0
	}
	// The second field is the name of the program, in parentheses, and may contain blanks. User and system time are fields 14
	// and 15.
	fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
	if len(fields) < 13 {
		return 0
	}
	var ticks time.Duration
	for _, field := range fields[11:13] {
		n, err := strconv.ParseInt(field, 10, 64)
		if err != nil {
			return 0
		}
		ticks += time.Duration(n)
	}
	return ticks * time.Second / ticksPerSecond
}

// hasRoomFor reports whether another process of that many bytes fits into memory, with a quarter to spare.
func hasRoomFor(bytes uint64) bool { return cgroup.Free() > bytes+bytes/4 }
