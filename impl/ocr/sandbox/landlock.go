package sandbox

import (
	"errors"
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Rights that Landlock can deny; the bits are those of linux/landlock.h.
const (
	fileRights   = unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_READ_FILE
	firstRights  = 1<<13 - 1 // all rights of version 1, from EXECUTE to MAKE_SYM
	netRights    = unix.LANDLOCK_ACCESS_NET_BIND_TCP | unix.LANDLOCK_ACCESS_NET_CONNECT_TCP
	scopedRights = unix.LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET | unix.LANDLOCK_SCOPE_SIGNAL
)

// ruleset returns a rule set that denies every right of Landlock version abi. Rights of versions newer than this list remain
// granted; seccomp denies the calls that need them.
func ruleset(abi int) unix.LandlockRulesetAttr {
	r := unix.LandlockRulesetAttr{Handled_access_fs: firstRights}
	for _, later := range []struct {
		abi   int
		right uint64
	}{
		{2, unix.LANDLOCK_ACCESS_FS_REFER},
		{3, unix.LANDLOCK_ACCESS_FS_TRUNCATE},
		{5, unix.LANDLOCK_ACCESS_FS_IOCTL_DEV},
		{9, unix.LANDLOCK_ACCESS_FS_RESOLVE_UNIX},
	} {
		if abi >= later.abi {
			r.Handled_access_fs |= later.right
		}
	}
	if abi >= 4 {
		r.Handled_access_net = netRights
	}
	if abi >= 10 {
		r.Handled_access_net |= unix.LANDLOCK_ACCESS_NET_BIND_UDP | unix.LANDLOCK_ACCESS_NET_CONNECT_SEND_UDP
	}
	if abi >= 6 {
		r.Scoped = scopedRights
	}
	return r
}

// restrictFiles limits this thread to the files of the spec, none of them writable. It makes the system calls itself, because
// the usual library (go-landlock) restricts every thread of the process, which hangs if cgo is linked and the process is in a
// new PID namespace. Here the other threads end at exec anyway.
func restrictFiles(s *spec) (string, error) {
	// Asking for a rule set of size 0 returns the version of the interface.
	abi, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno != 0 {
		return "", fmt.Errorf("not supported by this kernel: %w", errno)
	}
	attr := ruleset(int(abi))
	fd, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&attr)), unsafe.Sizeof(attr), 0) //nolint:gosec // the system call takes a pointer
	if errno != 0 {
		return "", fmt.Errorf("create the rules: %w", errno)
	}
	defer func() { _ = unix.Close(int(fd)) }()
	// Landlock grants rights to files, not to paths: a file that is replaced later has them only if it is inside a granted
	// directory.
	for _, path := range s.Execute {
		if err := allowPath(int(fd), path, fileRights); err != nil {
			return "", err
		}
	}
	for _, path := range s.Read {
		if err := allowPath(int(fd), path, unix.LANDLOCK_ACCESS_FS_READ_FILE|unix.LANDLOCK_ACCESS_FS_READ_DIR); err != nil {
			return "", err
		}
	}
	// This needs no_new_privs, or CAP_SYS_ADMIN, which an earlier layer has dropped.
	if _, _, errno := unix.Syscall(unix.SYS_LANDLOCK_RESTRICT_SELF, fd, 0, 0); errno != 0 {
		return "", fmt.Errorf("apply the rules: %w", errno)
	}
	return fmt.Sprintf("ABI %d", abi), nil
}

// allowPath grants rights to a file, or to a directory and everything below it. A missing path is not an error.
func allowPath(ruleset int, path string, rights uint64) error {
	fd, err := unix.Open(path, unix.O_PATH|unix.O_CLOEXEC, 0)
	if errors.Is(err, unix.ENOENT) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("open %s: %w", path, err)
	}
	defer func() { _ = unix.Close(fd) }()
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return fmt.Errorf("stat %s: %w", path, err)
	}
	if st.Mode&unix.S_IFMT != unix.S_IFDIR {
		rights &^= unix.LANDLOCK_ACCESS_FS_READ_DIR // the kernel refuses rules that grant it for a file
	}
	rule := unix.LandlockPathBeneathAttr{Allowed_access: rights, Parent_fd: int32(fd)}
	_, _, errno := unix.Syscall6(unix.SYS_LANDLOCK_ADD_RULE, uintptr(ruleset), unix.LANDLOCK_RULE_PATH_BENEATH, uintptr(unsafe.Pointer(&rule)), 0, 0, 0) //nolint:gosec // the system call takes a pointer
	if errno != 0 {
		return fmt.Errorf("allow %s: %w", path, errno)
	}
	return nil
}
