package sandbox_test

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"uncial/impl/ocr/sandbox"

	"github.com/stretchr/testify/require"
)

var probe string // path of the program built from testdata/probe

// Environment variables with which a test runs this test binary again under other conditions.
const (
	probeEnv        = "SANDBOX_TEST_PROBE"
	noNamespacesEnv = "SANDBOX_TEST_NO_NAMESPACES"
	parentEnv       = "SANDBOX_TEST_PARENT"
)

func TestMain(m *testing.M) {
	sandbox.MaybeShim()
	os.Exit(run(m))
}

func run(m *testing.M) int {
	if os.Getenv(noNamespacesEnv) != "" {
		if err := denyNamespaces(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
	}
	if probe = os.Getenv(probeEnv); probe != "" {
		if mode := os.Getenv(parentEnv); mode != "" {
			return beParent(sandbox.Mode(mode))
		}
		return m.Run()
	}
	dir, err := os.MkdirTemp("", "sandbox-test-")
	if err == nil {
		err = os.Chmod(dir, 0o755) // the user nobody starts the probe too
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = os.RemoveAll(dir) }()
	probe = filepath.Join(dir, "probe")
	build := exec.Command("go", "build", "-o", probe, "./testdata/probe")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "build the probe: %v\n%s", err, out)
		return 1
	}
	return m.Run()
}

// MustLaunch returns a Launcher for the probe.
func MustLaunch(tb testing.TB, opts sandbox.Options) *sandbox.Launcher {
	tb.Helper()
	opts.Program = probe
	l, err := sandbox.NewLauncher(tb.Context(), opts)
	require.NoError(tb, err)
	tb.Cleanup(l.Close)
	return l
}

// output runs the program to its end and returns what it wrote.
func output(tb testing.TB, l *sandbox.Launcher) (string, *os.ProcessState) {
	tb.Helper()
	var out bytes.Buffer
	cmd := l.Command()
	cmd.Stdout, cmd.Stderr = &out, &out
	require.NoError(tb, l.Start(cmd))
	timer := time.AfterFunc(20*time.Second, func() { _ = cmd.Process.Kill() })
	defer timer.Stop()
	_ = cmd.Wait()
	return out.String(), cmd.ProcessState
}

// attempt is an action of the probe that the sandbox must refuse.
type attempt struct {
	name, action, arg string
	outside           bool // succeeds without the sandbox, which proves that the sandbox refuses it
}

func attempts(dir, file, parent string) []attempt {
	return []attempt{
		{"a file it was not given", "read", file, false},
		{"the users of the machine", "read", "/etc/passwd", true},
		{"the environment of its parent", "read", "/proc/" + parent + "/environ", true},
		{"its own environment, through proc", "read", "/proc/self/environ", false},
		{"a directory", "list", "/", true},
		{"writing a file", "write", file, true},
		{"appending to a file", "append", file, true},
		{"making a file", "create", dir, true},
		{"making a directory", "mkdir", dir, false},
		{"removing a file", "remove", file, false},
		{"writing to a device", "write", "/dev/null", false},
		{"a TCP socket", "socket", "inet", true},
		{"a Unix socket", "socket", "unix", true},
		{"a netlink socket", "socket", "netlink", false},
		{"a process", "fork", "", true},
		{"another program", "exec", "/bin/sh", false},
		{"a signal to its parent", "signal", parent, false},
		{"a signal to every process", "signal", "-1", false},
		{"tracing its parent", "ptrace", parent, false},
		{"shared memory, which no limit counts", "share", "", true},
		{"more memory than it may have", "allocate", "600", true},
		{"more address space than it may have", "reserve", "4608", true},
		{"io_uring", "call", "io_uring_setup", false},
		{"BPF", "call", "bpf", false},
		{"performance counters", "call", "perf_event_open", false},
		{"user fault handling", "call", "userfaultfd", false},
		{"kernel keys", "call", "keyctl", false},
		{"mounting", "call", "mount", false},
		{"new namespaces", "call", "unshare", false},
		{"other namespaces", "call", "setns", false},
		{"the memory of others", "call", "process_vm_readv", false},
		{"files in memory", "call", "memfd_create", true},
		{"the newer way to a process", "call", "clone3", false},
		{"handles of processes", "call", "pidfd_open", false},
		{"System V memory", "call", "shmget", false},
		{"the process's own settings", "call", "prctl", false},
	}
}

func TestLauncher_Refuses(t *testing.T) {
	t.Parallel()
	usr1 := make(chan os.Signal, 8)
	signal.Notify(usr1, syscall.SIGUSR1)
	t.Cleanup(func() {
		signal.Stop(usr1)
		require.Empty(t, usr1, "no signal arrived")
	})
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	require.NoError(t, os.WriteFile(file, []byte("secret"), 0o666))
	parent := strconv.Itoa(os.Getpid())

	for _, c := range attempts(dir, file, parent) {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if c.action == "reserve" && sandbox.IsRaceBuild {
				t.Skip("the race detector maps terabytes, so its builds have no limit")
			}
			o := sandbox.Options{Args: []string{c.action, c.arg}, Memory: 512 << 20, Mode: sandbox.Require}
			got, _ := output(t, MustLaunch(t, o))
			require.Truef(t, strings.HasPrefix(got, "refused:"), "it printed %q", got)
			if o.Mode = sandbox.Off; c.outside {
				l := MustLaunch(t, o)
				got, _ = output(t, l)
				require.Equal(t, "done\n", got, "without the sandbox")
				require.Empty(t, l.Layers())
			}
		})
	}
}

func TestLauncher_Allows(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	inside := filepath.Join(dir, "inside")
	require.NoError(t, os.WriteFile(inside, []byte("model"), 0o600))
	opts := sandbox.Options{
		Env:    []string{"LC_ALL=C", "OMP_THREAD_LIMIT=1"},
		Read:   []string{dir, filepath.Join(dir, "missing")},
		Memory: 512 << 20,
		Mode:   sandbox.BestEffort, // the user nobody cannot read the files of the test, so root's threads are not limited
	}
	for _, c := range []struct {
		name string
		args []string
		want string
	}{
		{"starting", []string{"nothing"}, "done\n"},
		{"reading a file below a directory that it was given", []string{"read", inside}, "done\n"},
		{"listing that directory", []string{"list", dir}, "done\n"},
		{"memory within the limit", []string{"allocate", "300"}, "done\n"},
		{"starting threads", []string{"threads", "200"}, "done\n"},
		{"seeing the environment that it was given, and no other", []string{"environ"}, "LC_ALL=C OMP_THREAD_LIMIT=1\ndone\n"},
	} {
		o := opts
		o.Args = c.args
		got, _ := output(t, MustLaunch(t, o))
		require.Equal(t, c.want, got, c.name)
	}
}

func TestLauncher_Start_ClosesInheritedFiles(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer func() { _ = listener.Close() }()
	raw, err := listener.(*net.TCPListener).File()
	require.NoError(t, err)
	defer func() { _ = raw.Close() }()
	leaked, err := syscall.Dup(int(raw.Fd())) // without close-on-exec, as in a careless parent
	require.NoError(t, err)
	defer func() { _ = syscall.Close(leaked) }()
	got, _ := output(t, MustLaunch(t, sandbox.Options{Args: []string{"files"}, Mode: sandbox.BestEffort}))
	require.NotContains(t, got, strconv.Itoa(leaked))
}

func TestLauncher_Start_LimitsCPU(t *testing.T) {
	t.Parallel()
	_, state := output(t, MustLaunch(t, sandbox.Options{Args: []string{"spin"}, CPU: time.Second}))
	require.False(t, state.Success())
	require.Less(t, state.UserTime(), 5*time.Second)
}

// The kernel does not limit root's threads, so the program must not be root outside its namespaces either.
func TestLauncher_Start_LimitsThreads(t *testing.T) {
	t.Parallel()
	o := sandbox.Options{Args: []string{"hold threads", "3001"}, Mode: sandbox.Require}
	l := MustLaunch(t, o)
	isolated := l.Layers()[5]
	if !isolated.Active {
		t.Skip("this machine permits no namespaces; here the limit of the container's processes applies")
	}
	if os.Getuid() == 0 {
		require.Equal(t, "user, pid, net, ipc, uts; as nobody", isolated.Detail)
	}
	got, _ := output(t, l)
	require.Contains(t, got, "failed to create new OS thread")
	o.Mode = sandbox.Off
	got, _ = output(t, MustLaunch(t, o))
	require.Equal(t, "done\n", got, "without the sandbox")
}

func TestNewLauncher_FilesOfRoot(t *testing.T) {
	t.Parallel()
	if os.Getuid() != 0 {
		t.Skip("needs root, whose files nobody cannot read")
	}
	private := filepath.Join(t.TempDir(), "model")
	require.NoError(t, os.WriteFile(private, []byte("model"), 0o600))
	o := sandbox.Options{Args: []string{"read", private}, Read: []string{private}, Mode: sandbox.BestEffort}
	l := MustLaunch(t, o)
	require.Contains(t, l.Layers()[5].Detail, "; as root")
	require.Equal(t, "a thread limit", l.Layers()[6].Name)
	require.Contains(t, l.Layers()[6].Detail, "the user nobody cannot start the program: ")
	require.Contains(t, l.Layers()[6].Detail, "read "+private+": permission denied")
	require.False(t, l.Layers()[6].Active)
	got, _ := output(t, l)
	require.Equal(t, "done\n", got)

	o.Mode, o.Program = sandbox.Require, probe
	_, err := sandbox.NewLauncher(t.Context(), o)
	require.ErrorContains(t, err, "a thread limit")
	require.ErrorContains(t, err, "read "+private+": permission denied; run the service as another user, or let every user read its files")
}

// beParent starts a program that never ends by itself, prints the program's process id, and waits to be killed.
func beParent(mode sandbox.Mode) int {
	l, err := sandbox.NewLauncher(context.Background(), sandbox.Options{Program: probe, Args: []string{"spin"}, CPU: time.Minute, Mode: mode})
	if err != nil {
		fmt.Println(err)
		return 1
	}
	cmd := l.Command()
	if err := l.Start(cmd); err != nil {
		fmt.Println(err)
		return 1
	}
	fmt.Println(cmd.Process.Pid)
	select {}
}

func TestLauncher_Start_DiesWithParent(t *testing.T) {
	t.Parallel()
	for _, mode := range []sandbox.Mode{sandbox.BestEffort, sandbox.Off} {
		self, err := os.Executable()
		require.NoError(t, err)
		parent := exec.CommandContext(t.Context(), self)
		parent.Env = append(os.Environ(), probeEnv+"="+probe, parentEnv+"="+string(mode))
		out, err := parent.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, parent.Start())
		var pid int
		_, err = fmt.Fscan(out, &pid)
		require.NoError(t, err)
		require.NoError(t, syscall.Kill(pid, 0), "it runs")
		require.NoError(t, parent.Process.Kill())
		require.Error(t, parent.Wait())
		require.Eventually(t, func() bool { return syscall.Kill(pid, 0) != nil || isZombie(pid) }, 10*time.Second, time.Millisecond)
	}
}

// isZombie reports whether a process has ended but has not been waited for, which happens if there is no init process.
func isZombie(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err == nil && strings.Contains(string(stat), ") Z ")
}

func TestLauncher_Layers(t *testing.T) {
	t.Parallel()
	l := MustLaunch(t, sandbox.Options{Args: []string{"nothing"}, Memory: 1 << 30})
	var names []string
	for _, y := range l.Layers() {
		names = append(names, y.Name)
		require.NotEmpty(t, y.Detail, y.Name)
	}
	require.Equal(t, []string{"capabilities", "no_new_privs", "landlock", "limits", "seccomp", "namespaces"}, names)
	require.Contains(t, l.LogValue().String(), "seccomp (")
	if os.Getenv(noNamespacesEnv) != "" {
		require.False(t, l.Layers()[5].Active, "this process cannot create namespaces")
	}
}

func TestLauncher_Close(t *testing.T) {
	t.Parallel()
	l := MustLaunch(t, sandbox.Options{Args: []string{"nothing"}})
	l.Close()
	l.Close()
	require.Error(t, l.Start(l.Command()))
}

// The program is a copy of /bin/sh in which the name of a library was changed.
func TestNewLauncher_MissingLibrary(t *testing.T) {
	t.Parallel()
	program, err := os.ReadFile("/bin/sh")
	require.NoError(t, err)
	require.Positive(t, bytes.Count(program, []byte("libc.so.6\x00")))
	broken := filepath.Join(t.TempDir(), "program")
	require.NoError(t, os.WriteFile(broken, bytes.ReplaceAll(program, []byte("libc.so.6\x00"), []byte("libz.so.9\x00")), 0o700))
	_, err = sandbox.NewLauncher(t.Context(), sandbox.Options{Program: broken})
	require.ErrorContains(t, err, "needs libraries that are not installed: libz.so.9")
}

func TestNewLauncher_InvalidOptions(t *testing.T) {
	t.Parallel()
	script := filepath.Join(t.TempDir(), "script")
	require.NoError(t, os.WriteFile(script, []byte("#!/bin/sh\n"), 0o700))
	for _, c := range []struct {
		opts sandbox.Options
		want string
	}{
		{sandbox.Options{Program: "/nowhere/program"}, "no such file"},
		{sandbox.Options{Program: script}, "not an executable program"},
		{sandbox.Options{Program: probe, Mode: "maybe"}, "require, best-effort or off"},
	} {
		_, err := sandbox.NewLauncher(context.Background(), c.opts)
		require.ErrorContains(t, err, c.want)
	}
}
