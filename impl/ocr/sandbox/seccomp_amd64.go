package sandbox

import "golang.org/x/sys/unix"

const arch = unix.AUDIT_ARCH_X86_64

// archCalls are older forms of calls that only this architecture still has.
var archCalls = []uint32{
	unix.SYS_ARCH_PRCTL, unix.SYS_NEWFSTATAT, unix.SYS_STAT, unix.SYS_LSTAT, unix.SYS_ACCESS, unix.SYS_READLINK, unix.SYS_POLL,
	unix.SYS_SELECT, unix.SYS_EPOLL_WAIT, unix.SYS_PIPE, unix.SYS_DUP2, unix.SYS_TIME, unix.SYS_GETRLIMIT, unix.SYS_GETDENTS,
}

// archConditions permit open(2), which arm64 lacks, for reading only.
var archConditions = []condition{{unix.SYS_OPEN, 1, writing, []uint32{0}}}
