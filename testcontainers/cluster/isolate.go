package cluster

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// stageVariable tells a process which of the three it is: the one that a person starts (unset), process 1 of the
// namespaces ("init"), or the one that starts the cluster in them ("run").
const stageVariable = "UNCIAL_CLUSTER_STAGE"

// Isolate calls run in namespaces of its own and returns its exit status. It starts this program again, first as process 1 of
// the namespaces and then, below it, to call run. When process 1 ends, however it ends, the kernel ends all others and
// removes their mounts, interfaces and firewall rules; cgroups and files are removed here.
func Isolate(run func() int) (status int) {
	switch os.Getenv(stageVariable) {
	case "run":
		return run()
	case "init":
		status, err := initialize()
		return report(status, err)
	default:
		status, err := outside()
		return report(status, err)
	}
}

// report returns the exit status. It prints an error, after which the status is never 0.
func report(status int, err error) int {
	if err != nil {
		fmt.Fprintln(os.Stderr, "cluster:", err)
		return max(1, status)
	}
	return status
}

// outside prepares what needs this machine's network and container engine, runs the namespaces, and cleans up.
func outside() (status int, err error) {
	if err := requireRoot(); err != nil {
		return 1, err
	}
	p, err := locate()
	if err != nil {
		return 1, err
	}
	unlock, err := p.lock()
	if err != nil {
		return 1, err
	}
	defer unlock()
	// A run that was killed leaves its files and cgroups behind.
	if err := errors.Join(removeCgroups(), os.RemoveAll(p.run)); err != nil {
		return 1, fmt.Errorf("remove what an earlier run left: %w", err)
	}
	if err := requireMachine(); err != nil {
		return 1, err
	}
	defer func() {
		kept := p.keepLogs(status) // first, because a user who stops this program may not wait for the rest
		err = errors.Join(err, kept, removeCgroups(), os.RemoveAll(p.run))
	}()
	if err := errors.Join(p.prepare(), createCgroups()); err != nil {
		return 1, err
	}
	return enter()
}

// enter runs process 1 of the namespaces and returns its exit status. Ctrl-C kills it, and with it all others; so does the
// SIGQUIT that `go test` sends at its time limit, five seconds before it kills this program.
func enter() (status int, err error) {
	runtime.LockOSThread() // Pdeathsig is sent when the thread ends that started the process
	defer runtime.UnlockOSThread()
	self, err := os.Executable()
	if err != nil {
		return 1, err
	}
	cmd := exec.Command(self, os.Args[1:]...) //nolint:gosec // this program
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	cmd.Env = append(os.Environ(), stageVariable+"=init")
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags: unix.CLONE_NEWNS | unix.CLONE_NEWPID | unix.CLONE_NEWNET | unix.CLONE_NEWUTS | unix.CLONE_NEWIPC,
		Pdeathsig:  syscall.SIGKILL,
		Setpgid:    true, // a terminal sends Ctrl-C to this process only
	}
	interrupted := make(chan os.Signal, 1)
	signal.Notify(interrupted, os.Interrupt, syscall.SIGTERM, syscall.SIGQUIT, syscall.SIGHUP)
	defer signal.Stop(interrupted)
	if err := cmd.Start(); err != nil {
		return 1, fmt.Errorf("create namespaces: %w", err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	select {
	case <-interrupted:
		_ = cmd.Process.Kill()
		if err := <-ended; err == nil { // it ended by itself at this very moment
			return 0, nil
		}
		return 1, errors.New("interrupted; everything was stopped")
	case err = <-ended:
	}
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return max(1, exit.ExitCode()), nil
	}
	return 0, err
}

// initialize is process 1 of the namespaces: it hides the parts of this machine that must not change, starts the process that
// runs the cluster, and collects orphans until that one ends.
func initialize() (status int, err error) {
	if os.Getpid() != 1 {
		return 1, errors.New(stageVariable + "=init is for process 1 of the namespaces only")
	}
	p, err := locate()
	if err != nil {
		return 1, err
	}
	if err := p.hide(); err != nil {
		return 1, err
	}
	if err := unix.Sethostname([]byte(nodeName)); err != nil {
		return 1, err
	}
	if err := os.Setenv(stageVariable, "run"); err != nil {
		return 1, err
	}
	attributes := &os.ProcAttr{Env: os.Environ(), Files: []*os.File{nil, os.Stdout, os.Stderr}}
	child, err := os.StartProcess("/proc/self/exe", os.Args, attributes) //nolint:gosec // this program, as it was called
	if err != nil {
		return 1, err
	}
	for {
		var s unix.WaitStatus
		pid, err := unix.Wait4(-1, &s, 0, nil)
		switch {
		case errors.Is(err, unix.EINTR):
		case err != nil:
			return 1, fmt.Errorf("wait for the cluster: %w", err)
		case pid == child.Pid && s.Signaled():
			return 1, fmt.Errorf("the process that runs the cluster ended: %s", s.Signal())
		case pid == child.Pid:
			return s.ExitStatus(), nil
		}
	}
}

// hidden are the folders that containerd, kubelet and the network plugins write to, wherever they are told to work.
var hidden = []string{"/run", "/var/lib", "/var/log"}

// hide mounts folders of this run over those of the machine, and a view of the new processes over /proc.
func (p paths) hide() error {
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("make mounts private: %w", err)
	}
	if err := unix.Mount("proc", "/proc", "proc", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, ""); err != nil {
		return fmt.Errorf("mount /proc: %w", err)
	}
	for _, folder := range hidden {
		own := filepath.Join(p.run, strings.ReplaceAll(folder[1:], "/", "-"))
		if err := os.MkdirAll(own, 0o755); err != nil { //nolint:gosec // containers look into it as other users
			return err
		}
		if err := unix.Mount(own, folder, "", unix.MS_BIND, ""); err != nil {
			return fmt.Errorf("mount a folder over %s: %w", folder, err)
		}
	}
	return p.pretendKernelSettings()
}

// kernelSettings are the settings that a kubelet requires. It would change them for the whole machine.
var kernelSettings = map[string]string{
	"vm/overcommit_memory": "1", "vm/panic_on_oom": "0", "kernel/panic": "10", "kernel/panic_on_oops": "1",
	"kernel/keys/root_maxkeys": "1000000", "kernel/keys/root_maxbytes": "25000000",
}

// pretendKernelSettings mounts files with the wanted values over the settings that differ.
func (p paths) pretendKernelSettings() error {
	for name, want := range kernelSettings {
		setting := filepath.Join("/proc/sys", name)
		have, err := os.ReadFile(setting)
		if err != nil {
			return err
		}
		if strings.TrimSpace(string(have)) == want {
			continue
		}
		file := filepath.Join(p.run, strings.ReplaceAll(name, "/", "."))
		if err := os.WriteFile(file, []byte(want+"\n"), 0o600); err != nil {
			return err
		}
		if err := unix.Mount(file, setting, "", unix.MS_BIND, ""); err != nil {
			return fmt.Errorf("mount a file over %s: %w", setting, err)
		}
	}
	return nil
}
