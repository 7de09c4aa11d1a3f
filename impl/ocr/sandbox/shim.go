package sandbox

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync/atomic"
	"syscall"

	"golang.org/x/sys/unix"
)

// A process whose name is shimName is the shim. Its instructions, a spec in JSON, are in the environment variable specEnv.
const (
	shimName = "uncial-sandbox"
	specEnv  = "UNCIAL_SANDBOX"
)

// shimmed is true once MaybeShim has been called. Without that call, the shim would run the service a second time.
var shimmed atomic.Bool

// spec holds the instructions for the shim.
type spec struct {
	Program string   `json:"program"`
	Args    []string `json:"args,omitempty"`
	Env     []string `json:"env,omitempty"`
	Execute []string `json:"execute"` // files that may be executed, and read
	Read    []string `json:"read"`    // files and directories that may be read
	Memory  uint64   `json:"memory,omitempty"`
	CPU     uint64   `json:"cpu,omitempty"`    // seconds
	Alone   bool     `json:"alone,omitempty"`  // is in its own namespaces
	Nobody  bool     `json:"nobody,omitempty"` // has the user nobody outside the namespaces too
	Layers  []string `json:"layers"`           // names of the layers to apply; if one fails, the program is not started
	Probe   bool     `json:"probe,omitempty"`  // try all layers, report them on standard output, exit
}

// newSpec returns the instructions for options, without the names of the layers, which probe adds.
func newSpec(o Options, libs linked) spec {
	s := spec{
		Program: o.Program,
		Args:    o.Args,
		Env:     o.Env,
		Execute: []string{o.Program},
		Read:    append(append([]string{}, libs.files...), o.Read...),
		Memory:  uint64(max(o.Memory, 0)),
		CPU:     uint64(max(o.CPU.Seconds(), 0)),
	}
	if libs.linker != "" {
		s.Execute = append(s.Execute, libs.linker)
	}
	return s
}

// command returns the command that starts the shim, which is this executable. It is found through /proc, so that an upgrade of
// the file on disk does not mix two builds. The spec is passed in the environment, which the program does not inherit. If
// inNamespaces is set, the shim starts in its own namespaces.
func (s spec) command(inNamespaces bool) *exec.Cmd {
	s.Alone = inNamespaces
	text, err := json.Marshal(s)
	if err != nil {
		return &exec.Cmd{Err: fmt.Errorf("sandbox: %w", err)}
	}
	attr := attributes()
	if inNamespaces {
		isolate(attr, s.Nobody)
	}
	return &exec.Cmd{
		Path:        "/proc/self/exe",
		Args:        []string{shimName},
		Env:         []string{specEnv + "=" + string(text)},
		Dir:         "/", // the current directory of a worker must not keep a file system busy
		SysProcAttr: attr,
	}
}

// MaybeShim must be called first in main, and first in TestMain if tests use a Launcher. In a process that a Launcher started,
// it does not return; in any other process it does nothing.
func MaybeShim() {
	shimmed.Store(true)
	if os.Args[0] != shimName || os.Getenv(specEnv) == "" {
		return
	}
	// Layers apply to the calling thread, which is the only thread that survives execve.
	runtime.LockOSThread()
	if err := becomeProgram(os.Getenv(specEnv)); err != nil {
		fmt.Fprintln(os.Stderr, "sandbox:", err)
		syscall.Exit(126)
	}
	syscall.Exit(0) // os.Exit runs hooks for which this process may no longer have the rights
}

// becomeProgram applies the layers, and replaces this process with the program. It returns only after a probe or an error.
func becomeProgram(text string) error {
	var s spec
	if err := json.Unmarshal([]byte(text), &s); err != nil {
		return fmt.Errorf("decode the instructions: %w", err)
	}
	if s.Probe && s.Nobody {
		if err := s.checkAccess(); err != nil {
			return err
		}
	}
	if s.Probe {
		return json.NewEncoder(os.Stdout).Encode(s.tryAll())
	}
	argv := append([]string{s.Program}, s.Args...)
	// If a layer that worked in the probe fails now, the program is not started, because it must not run with less protection.
	for _, name := range s.Layers {
		if _, err := apply(name, &s); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	if err := syscall.Exec(s.Program, argv, s.Env); err != nil { //nolint:gosec // what a Launcher is for
		return fmt.Errorf("start %s: %w", s.Program, err)
	}
	return nil
}

// checkAccess checks that this user may use the files of the spec. A missing file is not an error.
func (s *spec) checkAccess() error {
	for _, path := range s.Execute {
		if err := unix.Access(path, unix.X_OK|unix.R_OK); err != nil {
			return fmt.Errorf("execute %s: %w", path, err)
		}
	}
	for _, root := range s.Read {
		err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
			if errors.Is(err, fs.ErrNotExist) {
				return nil
			}
			if err == nil && !entry.IsDir() {
				err = unix.Access(path, unix.R_OK)
			}
			if err != nil {
				return fmt.Errorf("read %s: %s", path, kernelError(err))
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}
