package sandbox

import "golang.org/x/sys/unix"

const arch = unix.AUDIT_ARCH_AARCH64

var archCalls = []uint32{unix.SYS_NEWFSTATAT, unix.SYS_GETRLIMIT}

var archConditions []condition
