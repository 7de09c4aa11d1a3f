package sandbox

import (
	"errors"
	"fmt"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// The layers, in the order in which the shim applies them: each needs rights that a later one takes.
const (
	capabilities = "capabilities"
	noNewPrivs   = "no_new_privs"
	landlock     = "landlock"
	limits       = "limits"
	seccomp      = "seccomp"
	namespaces   = "namespaces" // applied at the fork
)

func (s *spec) tryAll() []Layer {
	var layers []Layer
	for _, name := range []string{capabilities, noNewPrivs, landlock, limits, seccomp} {
		detail, err := apply(name, s)
		if err != nil {
			detail = err.Error()
		}
		layers = append(layers, Layer{Name: name, Active: err == nil, Detail: detail})
	}
	return layers
}

// apply takes one layer's rights away from this thread and says how far that reaches.
func apply(name string, s *spec) (detail string, err error) {
	switch name {
	case capabilities:
		return "all dropped", dropCapabilities()
	case noNewPrivs:
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

// isolate puts the process into namespaces of its own, as the first of its processes, as nobody, and alone.
func isolate(attr *syscall.SysProcAttr) {
	const nobody = 65534
	attr.Cloneflags = unix.CLONE_NEWUSER | unix.CLONE_NEWPID | unix.CLONE_NEWNET | unix.CLONE_NEWIPC | unix.CLONE_NEWUTS
	attr.UidMappings = []syscall.SysProcIDMap{{ContainerID: nobody, HostID: os.Geteuid(), Size: 1}}
	attr.GidMappings = []syscall.SysProcIDMap{{ContainerID: nobody, HostID: os.Getegid(), Size: 1}}
}

// dropCapabilities leaves root without its powers: exec gives none back, for the bounding set is empty too.
func dropCapabilities() error {
	for c := range uintptr(unix.CAP_LAST_CAP + 1) {
		err := unix.Prctl(unix.PR_CAPBSET_DROP, c, 0, 0, 0)
		if err != nil && !errors.Is(err, unix.EPERM) && !errors.Is(err, unix.EINVAL) { // not ours to drop; not known to this kernel
			return fmt.Errorf("drop capability %d: %w", c, err)
		}
	}
	head := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var none [2]unix.CapUserData
	return unix.Capset(&head, &none[0])
}

// setLimits bounds what the program can use up. Descriptors that were inherited by accident end with exec.
func setLimits(s *spec) (string, error) {
	if err := unix.CloseRange(3, ^uint(0)>>32, unix.CLOSE_RANGE_CLOEXEC); err != nil {
		return "", fmt.Errorf("close inherited files: %w", err)
	}
	// The parent asked for this at the fork; the kernel forgets it where rights change.
	if err := unix.Prctl(unix.PR_SET_PDEATHSIG, uintptr(unix.SIGKILL), 0, 0, 0); err != nil {
		return "", fmt.Errorf("die with the parent: %w", err)
	}
	bounds := map[int]uint64{
		unix.RLIMIT_CORE:     0,
		unix.RLIMIT_FSIZE:    0,
		unix.RLIMIT_MEMLOCK:  0,
		unix.RLIMIT_MSGQUEUE: 0,
		unix.RLIMIT_NOFILE:   64,
		unix.RLIMIT_STACK:    8 << 20,
	}
	if s.Alone { // elsewhere the kernel would count the user's other processes too; the filter denies new ones anyway
		bounds[unix.RLIMIT_NPROC] = 128
	}
	if s.CPU > 0 {
		bounds[unix.RLIMIT_CPU] = s.CPU
	}
	if s.Memory > 0 {
		bounds[unix.RLIMIT_DATA] = s.Memory
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
