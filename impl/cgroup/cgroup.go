// Package cgroup reports how much memory this process may use: that of its control group (version 2), such as that of a
// container, and that of the machine. Only the process's own group is examined, not its ancestors. Start with Limit and Free.
package cgroup

import (
	"bufio"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Limit returns the memory, in bytes, that this process and its children may use together. A limit that cannot be determined
// counts as absent; the result is then math.MaxUint64.
func Limit() uint64 { return limitOf("/") }

// limitOf is Limit of the machine whose /proc and /sys lie below root.
func limitOf(root string) uint64 {
	limit := uint64(math.MaxUint64)
	if kib, ok := namedNumber(filepath.Join(root, "proc/meminfo"), "MemTotal:"); ok {
		limit = kib << 10
	}
	if dir, ok := folder(root); ok {
		if group, limited := number(filepath.Join(dir, "memory.max")); limited {
			limit = min(limit, group)
		}
	}
	return limit
}

// Free returns the memory, in bytes, that is left without swapping, math.MaxUint64 if it cannot be determined.
func Free() uint64 { return freeOf("/") }

// freeOf is Free of the machine whose /proc and /sys lie below root.
func freeOf(root string) uint64 { return min(machineFree(root), groupFree(root)) }

// machineFree returns the memory that the kernel estimates to be available without swapping.
func machineFree(root string) uint64 {
	if kib, ok := namedNumber(filepath.Join(root, "proc/meminfo"), "MemAvailable:"); ok {
		return kib << 10
	}
	return math.MaxUint64
}

// groupFree returns the memory that the control group leaves to this process.
func groupFree(root string) uint64 {
	dir, ok := folder(root)
	if !ok {
		return math.MaxUint64
	}
	limit, limited := number(filepath.Join(dir, "memory.max"))
	used, known := number(filepath.Join(dir, "memory.current"))
	if !limited || !known {
		return math.MaxUint64
	}
	// The kernel gives the inactive file cache back before it refuses memory.
	cache, _ := namedNumber(filepath.Join(dir, "memory.stat"), "inactive_file")
	return limit - min(limit, used-min(used, cache))
}

// folder returns the folder of this process's control group.
func folder(root string) (string, bool) {
	text, err := os.ReadFile(filepath.Join(root, "proc/self/cgroup"))
	if err != nil {
		return "", false
	}
	_, path, ok := strings.Cut(strings.TrimSpace(string(text)), "0::")
	return filepath.Join(root, "sys/fs/cgroup", path), ok
}

// number reads a file that holds a single number. It reports false for anything else, such as "max".
func number(path string) (uint64, bool) {
	text, err := os.ReadFile(path)
	if err != nil {
		return 0, false
	}
	n, err := strconv.ParseUint(strings.TrimSpace(string(text)), 10, 64)
	return n, err == nil
}

// namedNumber returns the number that follows name in a file with one name and one number per line.
func namedNumber(path, name string) (uint64, bool) {
	f, err := os.Open(path)
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
