package sandbox

import "golang.org/x/sys/unix"

const arch = unix.AUDIT_ARCH_AARCH64

// archCalls are calls that only this architecture and amd64 have.
var archCalls = []uint32{unix.SYS_NEWFSTATAT, unix.SYS_GETRLIMIT}

var archConditions []condition
