// Package sandbox starts a program with nothing but what it needs: the files it was given to read, its own memory, and
// three pipes. It is for Linux, and written without cgo.
//
// Between fork and exec a Go program cannot run code of its own, so a Launcher starts its own executable once more. That
// second process, the shim, takes the rights away from itself, one layer after the other, and then becomes the program.
// MaybeShim, at the very start of main, is where the shim turns aside.
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

// Mode says what happens where the kernel, or the container around it, denies a layer.
type Mode string

// The modes.
const (
	Require    Mode = "require"     // every layer but the namespaces must hold, or NewLauncher fails
	BestEffort Mode = "best-effort" // whatever can be had
	Off        Mode = "off"         // no layer at all; only by explicit choice
)

// Options describe a program and what it may do.
type Options struct {
	Program string        // absolute path of an executable; it must not change while the Launcher is in use
	Args    []string      // without the program's name
	Env     []string      // the whole environment, KEY=VALUE
	Read    []string      // files, and directories with all below them, that may be read besides the program and its libraries
	Memory  int64         // bytes of private memory (RLIMIT_DATA); 0 for no limit
	CPU     time.Duration // of the process's whole life (RLIMIT_CPU); 0 for no limit
	Mode    Mode          // default BestEffort
}

// Layer is one line of defence.
type Layer struct {
	Name   string `json:"name"`
	Active bool   `json:"active"`
	Detail string `json:"detail"` // how far it reaches, or why it is not active
}

// Launcher starts one program, as often as wanted, each time behind the same layers. It is safe for concurrent use.
type Launcher struct {
	opts   Options
	spec   spec
	layers []Layer
	starts chan func()
	closed chan struct{}
	once   sync.Once
}

// NewLauncher finds the program's libraries, and tries once which layers can be had here. Its errors are for the
// operator: they name what is missing.
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
			return nil, errors.New("sandbox: main must begin with sandbox.MaybeShim()")
		}
		l.spec = newSpec(opts, libs)
		if err := l.probe(ctx); err != nil {
			return nil, err
		}
	default:
		return nil, fmt.Errorf("sandbox: mode %q; want require, best-effort or off", opts.Mode)
	}
	go l.run()
	return l, nil
}

// Layers are those tried, in order; none where the mode is Off.
func (l *Launcher) Layers() []Layer { return l.layers }

// LogValue tells which layers hold and which do not.
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

// Command is the program, not yet started. The caller may set Stdin, Stdout and Stderr, and nothing else; where they
// are not of type *os.File, the standard library's rules for Wait apply. It is to be started by Start.
func (l *Launcher) Command() *exec.Cmd {
	if l.opts.Mode != Off {
		return l.spec.command(l.active(namespaces))
	}
	return &exec.Cmd{
		Path:        l.opts.Program,
		Args:        append([]string{l.opts.Program}, l.opts.Args...),
		Env:         append([]string{}, l.opts.Env...),
		Dir:         "/",
		SysProcAttr: attributes(),
	}
}

// attributes are those of every process: it dies with its parent, and a session of its own keeps the terminal's Ctrl-C
// away, for stopping is for the parent to do.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL}
}

// Start starts a Command. It fails once the Launcher is closed.
func (l *Launcher) Start(cmd *exec.Cmd) error {
	done := make(chan error, 1)
	select {
	case l.starts <- func() { done <- cmd.Start() }:
		return <-done
	case <-l.closed:
		return errors.New("sandbox: the launcher is closed")
	}
}

// Close ends the Launcher. The kernel may kill programs that still run: end them before.
func (l *Launcher) Close() { l.once.Do(func() { close(l.closed) }) }

// run starts all programs from one thread that lives as long as the Launcher: the kernel sends the parent-death signal
// when the thread that forked ends, not when the process does.
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

func (l *Launcher) active(name string) bool {
	for _, y := range l.layers {
		if y.Name == name {
			return y.Active
		}
	}
	return false
}
