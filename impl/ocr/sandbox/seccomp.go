package sandbox

import (
	"errors"
	"fmt"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// The filter lists the calls that are allowed, because a list of forbidden calls would be out of date with the next kernel. Any
// other call fails with ENOSYS instead of killing the process: C libraries then fall back to an older call that is allowed, or
// the program continues without the feature.

// calls are the system calls that a Go program with C libraries needs in order to compute, on every architecture. To find
// one that is missing after an upgrade, run the worker under strace and look for ENOSYS. See also archCalls.
var calls = []uint32{
	unix.SYS_FUTEX, unix.SYS_READ, unix.SYS_WRITE, unix.SYS_MADVISE, unix.SYS_MUNMAP, unix.SYS_MPROTECT, unix.SYS_MREMAP,
	unix.SYS_BRK, unix.SYS_CLOCK_GETTIME, unix.SYS_NANOSLEEP, unix.SYS_CLOCK_NANOSLEEP, unix.SYS_SCHED_YIELD,
	unix.SYS_READV, unix.SYS_WRITEV, unix.SYS_PREAD64, unix.SYS_PREADV, unix.SYS_LSEEK, unix.SYS_CLOSE, unix.SYS_FADVISE64,
	unix.SYS_FSTAT, unix.SYS_STATX, unix.SYS_STATFS, unix.SYS_FSTATFS, unix.SYS_FACCESSAT, unix.SYS_FACCESSAT2,
	unix.SYS_READLINKAT, unix.SYS_GETDENTS64, unix.SYS_GETCWD, unix.SYS_DUP, unix.SYS_DUP3, unix.SYS_PIPE2,
	unix.SYS_PPOLL, unix.SYS_PSELECT6, unix.SYS_EPOLL_CREATE1, unix.SYS_EPOLL_CTL, unix.SYS_EPOLL_PWAIT, unix.SYS_EVENTFD2,
	unix.SYS_RT_SIGACTION, unix.SYS_RT_SIGPROCMASK, unix.SYS_RT_SIGRETURN, unix.SYS_SIGALTSTACK, unix.SYS_RESTART_SYSCALL,
	unix.SYS_SET_ROBUST_LIST, unix.SYS_SET_TID_ADDRESS, unix.SYS_RSEQ, unix.SYS_MEMBARRIER, unix.SYS_GETRANDOM,
	unix.SYS_SCHED_GETAFFINITY, unix.SYS_GETCPU, unix.SYS_SYSINFO, unix.SYS_UNAME, unix.SYS_GETRUSAGE, unix.SYS_TIMES,
	unix.SYS_GETTIMEOFDAY, unix.SYS_CLOCK_GETRES, unix.SYS_MINCORE,
	unix.SYS_GETPID, unix.SYS_GETPPID, unix.SYS_GETTID, unix.SYS_GETUID, unix.SYS_GETEUID, unix.SYS_GETGID, unix.SYS_GETEGID,
	unix.SYS_EXIT, unix.SYS_EXIT_GROUP,
	unix.SYS_EXECVE, // for the program itself; Landlock denies any other
}

// condition allows a call if argument arg, ANDed with the mask, has one of the values.
type condition struct {
	call, arg, mask uint32
	values          []uint32
}

// conditions returns the rules for calls that are harmless only with some arguments. Only the lower 32 bits of an argument are
// compared, because the kernel uses only these.
func conditions() []condition {
	self := uint32(os.Getpid()) // exec keeps the process id
	const all = ^uint32(0)
	return append([]condition{
		{unix.SYS_CLONE, 0, unix.CLONE_THREAD, []uint32{unix.CLONE_THREAD}}, // threads, but not processes
		{unix.SYS_OPENAT, 2, writing, []uint32{0}},
		{unix.SYS_TGKILL, 0, all, []uint32{self}},
		{unix.SYS_KILL, 0, all, []uint32{self}},
		{unix.SYS_PRLIMIT64, 0, all, []uint32{0, self}},
		{unix.SYS_FCNTL, 1, all, []uint32{ // but not F_SETOWN and F_SETSIG, which send signals
			unix.F_DUPFD, unix.F_DUPFD_CLOEXEC, unix.F_GETFD, unix.F_SETFD, unix.F_GETFL, unix.F_SETFL,
		}},
	}, archConditions...)
}

// writing is the set of flags of open(2) that request more than read access.
const writing = unix.O_WRONLY | unix.O_RDWR | unix.O_CREAT | unix.O_TRUNC | unix.O_APPEND | (unix.O_TMPFILE &^ unix.O_DIRECTORY)

// The filter denies two kinds of mappings that RLIMIT_DATA does not count: shared memory without a file, and mappings
// that grow down.
const (
	sharedAnonymous = unix.MAP_SHARED | unix.MAP_ANONYMOUS
	mmapFlags       = 3 // index of the argument
)

// allowed returns the number of calls that the filter allows, for the log.
func allowed() int { return len(calls) + len(archCalls) + len(conditions()) + 1 }

// filterCalls installs the filter on this thread.
func filterCalls() error {
	if arch == 0 {
		return errors.New("there is no filter for this architecture")
	}
	program := filter()
	fprog := unix.SockFprog{Len: uint16(len(program)), Filter: &program[0]}
	_, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, 0, uintptr(unsafe.Pointer(&fprog))) //nolint:gosec // the system call takes a pointer
	if errno != 0 {
		return fmt.Errorf("install the filter: %w", errno)
	}
	return nil
}

// Offsets into struct seccomp_data of linux/seccomp.h, for little-endian machines: the lower half of each 64-bit argument
// comes first.
const (
	offsetCall = 0
	offsetArch = 4
	offsetArgs = 16
)

// filter assembles the program. It kills the process if the call is of another architecture, whose call numbers have other
// meanings, and then compares the call with one rule after the other; mmap comes last because two of its flags matter. Jumps
// are relative: "equal(k, yes, no)" skips yes or no instructions.
func filter() []unix.SockFilter {
	load := func(at uint32) unix.SockFilter {
		return unix.SockFilter{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: at}
	}
	equal := func(k uint32, yes, no uint8) unix.SockFilter {
		return unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, Jt: yes, Jf: no, K: k}
	}
	anySet := func(k uint32, yes, no uint8) unix.SockFilter {
		return unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JSET | unix.BPF_K, Jt: yes, Jf: no, K: k}
	}
	and := func(k uint32) unix.SockFilter {
		return unix.SockFilter{Code: unix.BPF_ALU | unix.BPF_AND | unix.BPF_K, K: k}
	}
	give := func(k uint32) unix.SockFilter { return unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: k} }
	const ( // the possible results
		allow = unix.SECCOMP_RET_ALLOW
		kill  = unix.SECCOMP_RET_KILL_PROCESS
		deny  = unix.SECCOMP_RET_ERRNO | uint32(unix.ENOSYS)
		no    = unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM)
	)
	p := []unix.SockFilter{load(offsetArch), equal(arch, 1, 0), give(kill), load(offsetCall)}
	for _, call := range append(append([]uint32{}, calls...), archCalls...) {
		p = append(p, equal(call, 0, 1), give(allow))
	}
	for _, c := range conditions() {
		p = append(p, equal(c.call, 0, uint8(3+2*len(c.values))), load(offsetArgs+8*c.arg), and(c.mask))
		for _, v := range c.values {
			p = append(p, equal(v, 0, 1), give(allow))
		}
		p = append(p, give(no))
	}
	p = append(p, equal(unix.SYS_MMAP, 0, 6), load(offsetArgs+8*mmapFlags), anySet(unix.MAP_GROWSDOWN, 3, 0),
		and(sharedAnonymous), equal(sharedAnonymous, 1, 0), give(allow), give(no))
	return append(p, give(deny))
}
