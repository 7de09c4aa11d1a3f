package workerpool

import (
	"bufio"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// resident is the memory that the process occupies, in bytes; 0 where that is unknown.
func (c *child) resident() uint64 {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(c.cmd.Process.Pid) + "/statm")
	if err != nil {
		return 0
	}
	fields := strings.Fields(string(text))
	if len(fields) < 2 {
		return 0
	}
	pages, err := strconv.ParseUint(fields[1], 10, 64)
	if err != nil {
		return 0
	}
	return pages * uint64(os.Getpagesize())
}

// roomFor says whether one more process of that size fits beside those that run, with a quarter to spare. What cannot
// be found out does not stand in the way.
func roomFor(bytes uint64) bool {
	return min(machineFree(), groupFree()) > bytes+bytes/4
}

func machineFree() uint64 {
	if kib, ok := field("/proc/meminfo", "MemAvailable:"); ok {
		return kib << 10
	}
	return math.MaxUint64
}

// groupFree is what the control group (version 2), such as that of a container, leaves.
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
	cache, _ := field(filepath.Join(dir, "memory.stat"), "inactive_file")
	return limit - min(limit, used-min(used, cache))
}

func number(path string) (uint64, bool) {
	text, err := os.ReadFile(path) //nolint:gosec // the kernel's own names
	if err != nil {
		return 0, false
	}
	n, err := strconv.ParseUint(strings.TrimSpace(string(text)), 10, 64)
	return n, err == nil
}

// field is the number that follows name in a file with one name and number a line.
func field(path, name string) (uint64, bool) {
	f, err := os.Open(path) //nolint:gosec // the kernel's own names
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
