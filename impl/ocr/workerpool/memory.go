package workerpool

import (
	"bufio"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
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

// hasRoomFor reports whether another process of that many bytes fits in memory, with a quarter to spare. A limit that
// cannot be determined counts as absent.
func hasRoomFor(bytes uint64) bool {
	return min(machineFree(), groupFree()) > bytes+bytes/4
}

// machineFree returns the memory, in bytes, that the kernel estimates to be available without swapping.
func machineFree() uint64 {
	if kib, ok := namedNumber("/proc/meminfo", "MemAvailable:"); ok {
		return kib << 10
	}
	return math.MaxUint64
}

// groupFree returns the memory, in bytes, that the control group (version 2), such as that of a container, leaves to
// this process. Only the process's own group is examined, not its ancestors.
func groupFree() uint64 {
	text, err := os.ReadFile("/proc/self/cgroup")
	if err != nil {
		return math.MaxUint64
	}
	_, path, ok := strings.Cut(strings.TrimSpace(string(text)), "0::")
	if !ok {
		return math.MaxUint64
	}
	dir := filepath.Join("/sys/fs/cgroup", path)
	limit, limited := number(filepath.Join(dir, "memory.max"))
	used, known := number(filepath.Join(dir, "memory.current"))
	if !limited || !known {
		return math.MaxUint64
	}
	// The kernel gives the inactive file cache back before it refuses memory.
	cache, _ := namedNumber(filepath.Join(dir, "memory.stat"), "inactive_file")
	return limit - min(limit, used-min(used, cache))
}

// number reads a file that holds a single number. It reports false for anything else, such as "max".
func number(path string) (uint64, bool) {
	text, err := os.ReadFile(path) //nolint:gosec // a path below /sys/fs/cgroup
	if err != nil {
		return 0, false
	}
	n, err := strconv.ParseUint(strings.TrimSpace(string(text)), 10, 64)
	return n, err == nil
}

// namedNumber returns the number that follows name in a file with one name and one number per line.
func namedNumber(path, name string) (uint64, bool) {
	f, err := os.Open(path) //nolint:gosec // a path below /proc or /sys/fs/cgroup
	if err != nil {
		return 0, false
	}
	defer func() { _ = f.Close() }()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if words := strings.Fields(lines.Text()); len(words) > 1 && words[0] == name {
			n, err := strconv.ParseUint(words[1], 10, 64)
			return n, err == nil
		}
	}
	return 0, false
}
