package workerpool

import (
	"fmt"
	"os"
	"strconv"

	"uncial/impl/cgroup"
)

// resident returns the memory that the process occupies, in bytes; 0 if it is unknown.
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

// hasRoomFor reports whether another process of that many bytes fits in memory, with a quarter to spare.
func hasRoomFor(bytes uint64) bool { return cgroup.Free() > bytes+bytes/4 }
