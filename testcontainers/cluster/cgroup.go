package cluster

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

const (
	cgroupRoot = "/sys/fs/cgroup"
	// cgroupName is the parent of all cgroups of pods, in each hierarchy.
	cgroupName = "uncial-cluster"
	// cgroupEnd is the time that the kernel has to empty the cgroups of killed processes.
	cgroupEnd = 30 * time.Second
)

// unified reports whether the machine has cgroup v2 alone, with its single hierarchy.
func unified() bool {
	var s unix.Statfs_t
	return unix.Statfs(cgroupRoot, &s) == nil && s.Type == unix.CGROUP2_SUPER_MAGIC
}

// hierarchies returns where cgroups are mounted: one folder with cgroup v2, one per controller with v1.
func hierarchies() ([]string, error) {
	if unified() {
		return []string{cgroupRoot}, nil
	}
	mounts, err := os.Open("/proc/self/mounts")
	if err != nil {
		return nil, err
	}
	defer func() { _ = mounts.Close() }()
	var found []string
	for lines := bufio.NewScanner(mounts); lines.Scan(); {
		if f := strings.Fields(lines.Text()); len(f) > 2 && strings.HasPrefix(f[2], "cgroup") && !slices.Contains(found, f[1]) {
			found = append(found, f[1])
		}
	}
	return found, nil
}

// createCgroups creates the parent of all cgroups of pods, which a kubelet expects to exist.
func createCgroups() error {
	folders, err := hierarchies()
	if err != nil {
		return err
	}
	for _, folder := range folders {
		group := filepath.Join(folder, cgroupName)
		if err := os.Mkdir(group, 0o750); err != nil && !errors.Is(err, fs.ErrExist) {
			return fmt.Errorf("create a cgroup for the pods: %w", err)
		}
		if unified() {
			continue
		}
		for _, file := range []string{"cpuset.cpus", "cpuset.mems"} { // v1: a new set is empty and takes no process
			all, err := os.ReadFile(filepath.Join(folder, file))
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			if err == nil {
				err = os.WriteFile(filepath.Join(group, file), all, 0o600) //nolint:gosec // a mount of the kernel
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// removeCgroups removes the cgroups of all pods, deepest first. Their processes must have been killed.
func removeCgroups() error {
	folders, err := hierarchies()
	if err != nil {
		return err
	}
	deadline := time.Now().Add(cgroupEnd)
	for _, folder := range folders {
		for {
			err := removeTree(filepath.Join(folder, cgroupName))
			if err == nil {
				break
			}
			if time.Now().After(deadline) {
				return fmt.Errorf("remove the cgroups of the pods: %w", err)
			}
			time.Sleep(100 * time.Millisecond)
		}
	}
	return nil
}

// removeTree removes a group and those below it. It returns nil if the group does not exist.
func removeTree(group string) error {
	entries, err := os.ReadDir(group)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, e := range entries {
		if e.IsDir() {
			if err := removeTree(filepath.Join(group, e.Name())); err != nil {
				return err
			}
		}
	}
	// Not os.RemoveAll: the files of a group cannot be removed, and disappear with it.
	return unix.Rmdir(group)
}
