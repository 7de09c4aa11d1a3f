// Probe tries one action, named by its first argument, that a sandboxed program should or should not be able to do. It
// prints "done" if it succeeded, and "refused:" with the error if it did not. The tests of package sandbox run it with and
// without the sandbox.
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// main never fails: tests look at the output only.
func main() {
	if err := try(os.Args[1], os.Args[2:]); err != nil {
		fmt.Println("refused:", err)
		return
	}
	fmt.Println("done")
}

// try performs the action. Those that only compute, such as "spin", check what the sandbox must not break.
func try(action string, args []string) error {
	switch action {
	// A control: the sandbox must be able to start a program at all.
	case "nothing":
		return nil
	// Files: the readable ones may be read, and nothing may be changed.
	case "read":
		return read(args[0])
	case "list":
		_, err := os.ReadDir(args[0])
		return err
	case "write":
		return write(args[0], os.O_WRONLY)
	case "append":
		return write(args[0], os.O_WRONLY|os.O_APPEND)
	case "create":
		return write(filepath.Join(args[0], "new"), os.O_WRONLY|os.O_CREATE)
	case "mkdir":
		return os.Mkdir(filepath.Join(args[0], "new"), 0o700)
	case "remove":
		return os.Remove(args[0])
	// Other processes and the network.
	case "socket":
		return socket(args[0])
	case "fork":
		return fork()
	case "exec":
		return syscall.Exec(args[0], []string{args[0]}, nil)
	case "signal":
		return signal(args[0])
	case "ptrace":
		return ptrace(args[0])
	// System calls that the filter must deny.
	case "call":
		return call(args[0])
	// Limits. "share" allocates memory that RLIMIT_DATA does not count.
	case "allocate":
		return allocate(args[0])
	case "share":
		return share()
	case "reserve":
		return reserve(args[0])
	case "threads":
		return threads(args[0])
	case "hold threads":
		return holdThreads(args[0])
	// What the program inherits, which must not include secrets or open files of the service.
	case "environ":
		return report(strings.Join(os.Environ(), " "))
	case "files":
		return files()
	// Computes until the limit of CPU time ends the process.
	case "spin":
		for i := 0; ; i++ {
			_ = i
		}
	}
	return report("unknown: " + action)
}

func ptrace(pid string) error {
	n, err := strconv.Atoi(pid)
	if err != nil {
		return err
	}
	return unix.PtraceAttach(n)
}

func share() error {
	_, err := unix.Mmap(-1, 0, 1<<20, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED|unix.MAP_ANONYMOUS)
	return err
}

// report prints a finding and succeeds.
func report(finding string) error {
	fmt.Println(finding)
	return nil
}

func read(path string) error {
	_, err := os.ReadFile(path)
	return err
}

// write opens a file with the flags and writes to it. Opening alone would not show a limit on the size of files.
func write(path string, flags int) error {
	f, err := os.OpenFile(path, flags, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteString("x")
	return err
}

// socket opens a socket of the family, without connecting it.
func socket(kind string) error {
	family, sort := map[string]int{"inet": unix.AF_INET, "unix": unix.AF_UNIX, "netlink": unix.AF_NETLINK}[kind], unix.SOCK_STREAM
	if kind == "netlink" {
		sort = unix.SOCK_RAW
	}
	_, err := unix.Socket(family, sort, 0)
	return err
}

// fork makes a process with the system call itself, because the Go runtime would not return in the child. The child exits at
// once.
func fork() error {
	pid, _, errno := syscall.RawSyscall6(unix.SYS_CLONE, uintptr(unix.SIGCHLD), 0, 0, 0, 0, 0)
	if errno != 0 {
		return errno
	}
	if pid == 0 {
		unix.Exit(0)
	}
	return nil
}

// signal sends SIGUSR1 to a process. The test counts the signals that arrive.
func signal(to string) error {
	pid, err := strconv.Atoi(to)
	if err != nil {
		return err
	}
	return unix.Kill(pid, unix.SIGUSR1)
}

// call makes a system call that the filter does not allow, with arguments that do no harm. ENOSYS is the filter's answer;
// any other error comes from the call itself, which means that the filter let it through.
func call(name string) error {
	nr, ok := map[string]uintptr{
		"io_uring_setup": unix.SYS_IO_URING_SETUP, "bpf": unix.SYS_BPF, "perf_event_open": unix.SYS_PERF_EVENT_OPEN,
		"userfaultfd": unix.SYS_USERFAULTFD, "keyctl": unix.SYS_KEYCTL, "mount": unix.SYS_MOUNT, "unshare": unix.SYS_UNSHARE,
		"setns": unix.SYS_SETNS, "process_vm_readv": unix.SYS_PROCESS_VM_READV, "memfd_create": unix.SYS_MEMFD_CREATE,
		"clone3": unix.SYS_CLONE3, "pidfd_open": unix.SYS_PIDFD_OPEN, "shmget": unix.SYS_SHMGET, "prctl": unix.SYS_PRCTL,
	}[name]
	if !ok {
		return report("unknown: " + name)
	}
	_, _, errno := unix.RawSyscall(nr, 0, 0, 0)
	if errno == unix.ENOSYS {
		return errno
	}
	return nil
}

// allocate maps private memory and touches every page of it, so that it counts.
func allocate(mib string) error {
	n, err := strconv.Atoi(mib)
	if err != nil {
		return err
	}
	b, err := unix.Mmap(-1, 0, n<<20, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS)
	if err != nil {
		return err
	}
	for i := 0; i < len(b); i += 4096 {
		b[i] = 1
	}
	return nil
}

// reserve maps private memory that cannot be written, and reads every page: it costs page tables, which RLIMIT_DATA does not
// count.
func reserve(mib string) error {
	n, err := strconv.Atoi(mib)
	if err != nil {
		return err
	}
	b, err := unix.Mmap(-1, 0, n<<20, unix.PROT_READ, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS|unix.MAP_NORESERVE)
	if err != nil {
		return err
	}
	sum := 0
	for i := 0; i < len(b); i += 2 << 20 {
		sum += int(b[i])
	}
	if sum != 0 {
		return report("memory that is not empty")
	}
	return nil
}

// holdThreads keeps count threads alive at the same time. The Go runtime ends the program if it cannot start one.
func holdThreads(count string) error {
	n, err := strconv.Atoi(count)
	if err != nil {
		return err
	}
	var started sync.WaitGroup
	started.Add(n)
	for range n {
		go func() {
			runtime.LockOSThread()
			started.Done()
			select {}
		}()
	}
	started.Wait()
	return nil
}

// threads runs many goroutines that compute at once, so that the Go runtime starts threads, which must be allowed. A sandbox
// that denied them would make the program hang or panic.
func threads(count string) error {
	n, err := strconv.Atoi(count)
	if err != nil {
		return err
	}
	var wg sync.WaitGroup
	for range n {
		wg.Go(func() {
			b := make([]byte, 1<<20)
			for i := range b {
				b[i] = byte(i)
			}
		})
	}
	wg.Wait()
	return nil
}

// files prints the open descriptors from 3 to 63; 64 is the limit of the sandbox. Those of the Go runtime, which have no
// file type (epoll and eventfd), do not count.
func files() error {
	var open []string
	for fd := 3; fd < 64; fd++ {
		var st unix.Stat_t
		if unix.Fstat(fd, &st) == nil && st.Mode&unix.S_IFMT != 0 {
			open = append(open, strconv.Itoa(fd))
		}
	}
	return report("open:" + strings.Join(open, ","))
}
