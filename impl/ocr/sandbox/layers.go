package sandbox

import (
	"errors"
	"fmt"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// The layers, in the order in which the shim applies them: applying a layer requires rights that later layers take away. They
// overlap on purpose, so that if one of them has a gap or is not supported by the kernel, the others still protect.
//
//   - capabilities: even a process that starts as root has none of root's privileges;
//   - no_new_privs: set-user-id programs cannot restore rights, and seccomp requires it;
//   - landlock: the process can read only the files of the spec, and cannot write or connect;
//   - limits: memory, address space, CPU time, threads and descriptors are limited, and there are no core files, which would
//     contain a page's image;
//   - seccomp: the process can only make the calls that computing needs, so it cannot open sockets or start processes;
//   - namespaces: the process cannot see other processes or network interfaces.
const (
	capabilities = "capabilities"
	noNewPrivs   = "no_new_privs"
	landlock     = "landlock"
	limits       = "limits"
	seccomp      = "seccomp"
	namespaces   = "namespaces" // applied by the kernel when the shim is forked
)

// tryAll applies all layers in order, and reports which ones worked. Afterwards the process can only exit.
func (s *spec) tryAll() []layer {
	var layers []layer
	for _, name := range []string{capabilities, noNewPrivs, landlock, limits, seccomp} {
		detail, err := apply(name, s)
		if err != nil {
			detail = err.Error()
		}
		layers = append(layers, layer{Name: name, Active: err == nil, Detail: detail})
	}
	return layers
}

// apply applies one layer to this thread. detail says what it restricts, for the log.
func apply(name string, s *spec) (detail string, err error) {
	switch name {
	case capabilities:
		return "all dropped", dropCapabilities()
	case noNewPrivs: // prctl(2); inherited by every child and never undone
		return "set", unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
	case landlock:
		return restrictFiles(s)
	case limits:
		return setLimits(s)
	case seccomp:
		return fmt.Sprintf("%d calls allowed", allowed()), filterCalls()
	}
	return "", fmt.Errorf("unknown layer %q", name)
}

// nobody is the user and group of that name in Debian, without rights anywhere.
const nobody = 65534

// isolate starts the process in new namespaces, in which it is alone, is process 1, and has the user nobody. There is no mount
// namespace, because Landlock restricts files and works even if mounting is denied.
//
// Outside the namespaces, the process has the user and the group of this process, or nobody's if asNobody is set, because the
// kernel does not limit the threads of root: setrlimit(2), RLIMIT_NPROC.
func isolate(attr *syscall.SysProcAttr, asNobody bool) {
	uid, gid := os.Geteuid(), os.Getegid()
	if asNobody {
		uid, gid = nobody, nobody
		attr.Credential = &syscall.Credential{Uid: nobody, Gid: nobody}
		attr.GidMappingsEnableSetgroups = true // otherwise it would keep root's supplementary groups
	}
	attr.Cloneflags = unix.CLONE_NEWUSER | unix.CLONE_NEWPID | unix.CLONE_NEWNET | unix.CLONE_NEWIPC | unix.CLONE_NEWUTS
	attr.UidMappings = []syscall.SysProcIDMap{{ContainerID: nobody, HostID: uid, Size: 1}}
	attr.GidMappings = []syscall.SysProcIDMap{{ContainerID: nobody, HostID: gid, Size: 1}}
}

// dropCapabilities drops all capabilities. exec does not restore them, because the bounding set is empty too: capabilities(7).
func dropCapabilities() error {
	for c := range uintptr(unix.CAP_LAST_CAP + 1) {
		err := unix.Prctl(unix.PR_CAPBSET_DROP, c, 0, 0, 0)
		if err != nil && !errors.Is(err, unix.EPERM) && !errors.Is(err, unix.EINVAL) { // EPERM: not ours to drop; EINVAL: unknown to this kernel
			return fmt.Errorf("drop capability %d: %w", c, err)
		}
	}
	head := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var none [2]unix.CapUserData
	return unix.Capset(&head, &none[0])
}

// Limits that every program gets. They are generous for a worker, which opens its models one at a time.
const (
	maxFiles   = 64
	maxThreads = 128     // including those of the Go runtime
	stackBytes = 8 << 20 // the usual limit of a login shell
	// addressSpace is the number of bytes that a program may map beyond its private memory: its files, and the memory that the
	// Go runtime reserves without using it. Pages that are only read do not count as private memory, but cost 2 KB of page
	// tables per MiB.
	addressSpace = 2 << 30
)

// setLimits limits the resources that the program can use, by setrlimit(2). It also marks descriptors that were inherited by
// accident as close-on-exec.
func setLimits(s *spec) (string, error) {
	if err := unix.CloseRange(3, ^uint(0)>>32, unix.CLOSE_RANGE_CLOEXEC); err != nil {
		return "", fmt.Errorf("close inherited files: %w", err)
	}
	// The parent set this at the fork, but the kernel resets it when credentials change.
	if err := unix.Prctl(unix.PR_SET_PDEATHSIG, uintptr(unix.SIGKILL), 0, 0, 0); err != nil {
		return "", fmt.Errorf("request the parent-death signal: %w", err)
	}
	bounds := map[int]uint64{
		unix.RLIMIT_CORE:     0,
		unix.RLIMIT_FSIZE:    0,
		unix.RLIMIT_MEMLOCK:  0,
		unix.RLIMIT_MSGQUEUE: 0,
		unix.RLIMIT_NOFILE:   maxFiles,
		unix.RLIMIT_STACK:    stackBytes,
	}
	if s.Alone { // without namespaces the kernel would count all processes of the user; seccomp denies new ones anyway
		bounds[unix.RLIMIT_NPROC] = maxThreads
	}
	if s.CPU > 0 {
		bounds[unix.RLIMIT_CPU] = s.CPU
	}
	if s.Memory > 0 {
		bounds[unix.RLIMIT_DATA] = s.Memory
		if !isRaceBuild { // the race detector maps terabytes
			bounds[unix.RLIMIT_AS] = s.Memory + addressSpace
		}
	}
	for resource, bound := range bounds {
		var now unix.Rlimit
		if err := unix.Getrlimit(resource, &now); err != nil {
			return "", fmt.Errorf("read limit %d: %w", resource, err)
		}
		bound = min(bound, now.Max)
		if err := unix.Setrlimit(resource, &unix.Rlimit{Cur: bound, Max: bound}); err != nil {
			return "", fmt.Errorf("set limit %d: %w", resource, err)
		}
	}
	if s.Memory == 0 {
		return "memory unlimited", nil
	}
	return fmt.Sprintf("%d MiB of memory", s.Memory>>20), nil
}
