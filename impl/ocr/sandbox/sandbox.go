// Package sandbox starts a program that can use only what it needs: the files that it may read, its own memory, and three
// pipes. It works only on Linux, and does not use cgo. The caller (package workerpool) chooses the program and decides how long
// it may run.
//
// A Go program cannot run its own code between fork and exec, so a Launcher starts its own executable a second time. This
// second process, the shim, gives up its rights layer by layer (layers.go, landlock.go, seccomp.go) and then replaces itself
// with the program. MaybeShim (shim.go), which main must call first, detects that a process is the shim. Start with
// NewLauncher.
package sandbox

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"time"
)

// Mode determines what happens if the kernel or the container denies a layer.
type Mode string

// The modes.
const (
	Require    Mode = "require"     // NewLauncher fails unless every layer except namespaces works, and threads are limited
	BestEffort Mode = "best-effort" // use every layer that works on this machine
	Off        Mode = "off"         // use no layer; must be chosen explicitly
)

// Options describe a program and what it may use.
type Options struct {
	Program string        // absolute path of an executable; it must not change while the Launcher is in use
	Args    []string      // without the program's name
	Env     []string      // the whole environment, KEY=VALUE
	Read    []string      // readable files and directory trees, in addition to the program and its libraries
	Memory  int64         // bytes of private memory (RLIMIT_DATA); 0 for no limit
	CPU     time.Duration // processor time over the life of the process (RLIMIT_CPU); 0 for no limit
	Mode    Mode          // default BestEffort
}

// layer is one mechanism of the sandbox and its state on this machine.
type layer struct {
	Name   string `json:"name"`
	Active bool   `json:"active"`
	Detail string `json:"detail"` // what it restricts, or why it is not active
	// denied says why the user nobody cannot start the program, so that nothing limits the threads of root.
	denied error
}

// Launcher starts one program any number of times, always with the same layers. It is safe for concurrent use.
type Launcher struct {
	opts   Options
	spec   spec        // without layers if the mode is Off
	layers []layer     // as probe found them
	starts chan func() // executed by run, on its thread
	closed chan struct{}
	once   sync.Once
}

// NewLauncher finds the program's libraries, and determines which layers work on this machine. Its errors are for the operator,
// and name what is missing. ErrNotProgram is among them.
func NewLauncher(ctx context.Context, opts Options) (*Launcher, error) {
	l := &Launcher{opts: opts, starts: make(chan func()), closed: make(chan struct{})}
	if l.opts.Mode == "" {
		l.opts.Mode = BestEffort
	}
	libs, err := libraries(ctx, opts.Program, opts.Env)
	if err != nil {
		return nil, err
	}
	switch l.opts.Mode {
	case Off:
	case Require, BestEffort:
		if !shimmed.Load() {
			return nil, errors.New("sandbox: sandbox.MaybeShim was not called at the start of main")
		}
		l.spec = newSpec(opts, libs)
		if err := l.probe(ctx); err != nil {
			return nil, err
		}
	default:
		return nil, fmt.Errorf("sandbox: unknown mode %q; choose require, best-effort or off", opts.Mode)
	}
	go l.run()
	return l, nil
}

// LogValue lists the active and the missing layers.
func (l *Launcher) LogValue() slog.Value {
	var active, missing []string
	for _, y := range l.layers {
		entry := fmt.Sprintf("%s (%s)", y.Name, y.Detail)
		if y.Active {
			active = append(active, entry)
		} else {
			missing = append(missing, entry)
		}
	}
	return slog.GroupValue(
		slog.String("mode", string(l.opts.Mode)),
		slog.String("active", strings.Join(active, ", ")),
		slog.String("missing", strings.Join(missing, ", ")))
}

// Command returns a command that Start can start. The caller may set only Stdin, Stdout and Stderr. If they are not of type
// *os.File, the rules of exec.Cmd.Wait apply.
func (l *Launcher) Command() *exec.Cmd {
	if l.opts.Mode != Off {
		return l.spec.command(l.isActive(namespaces))
	}
	return &exec.Cmd{
		Path:        l.opts.Program,
		Args:        append([]string{l.opts.Program}, l.opts.Args...),
		Env:         append([]string{}, l.opts.Env...),
		Dir:         "/",
		SysProcAttr: attributes(),
	}
}

// attributes returns the attributes of all processes: they die with their parent, and have their own session, so that Ctrl-C in
// a terminal reaches only the parent, which lets running requests finish first.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL}
}

// Start starts a Command. It returns an error after Close.
func (l *Launcher) Start(cmd *exec.Cmd) error {
	done := make(chan error, 1)
	select {
	case l.starts <- func() { done <- cmd.Start() }:
		return <-done
	case <-l.closed:
		return errors.New("sandbox: the launcher is closed")
	}
}

// Close ends the Launcher. Stop all programs first, because the kernel may kill those that are still running.
func (l *Launcher) Close() { l.once.Do(func() { close(l.closed) }) }

// run starts all programs from one thread that lives as long as the Launcher, because the kernel sends the parent-death
// signal when the thread that forked ends, not when its process does: prctl(2), PR_SET_PDEATHSIG.
func (l *Launcher) run() {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	for {
		select {
		case start := <-l.starts:
			start()
		case <-l.closed:
			return
		}
	}
}

// isActive reports whether the layer worked in the probe.
func (l *Launcher) isActive(name string) bool {
	for _, y := range l.layers {
		if y.Name == name {
			return y.Active
		}
	}
	return false
}
