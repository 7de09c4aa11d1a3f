package sandbox

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"sync/atomic"
	"syscall"
)

// How a Launcher tells the shim that it is one, and what to do.
const (
	shimName = "uncial-sandbox"
	specEnv  = "UNCIAL_SANDBOX"
)

// shimmed is true once MaybeShim was called: without that call the shim would run main over again.
var shimmed atomic.Bool

// spec is what the shim is told.
type spec struct {
	Program string   `json:"program"`
	Args    []string `json:"args,omitempty"`
	Env     []string `json:"env,omitempty"`
	Execute []string `json:"execute"` // files that may be executed and read
	Read    []string `json:"read"`    // files and directories that may be read
	Memory  uint64   `json:"memory,omitempty"`
	CPU     uint64   `json:"cpu,omitempty"`   // seconds
	Alone   bool     `json:"alone,omitempty"` // in namespaces of its own
	Layers  []string `json:"layers"`          // those that must hold
	Probe   bool     `json:"probe,omitempty"` // try the layers, report on standard output, end
}

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

// command starts the shim. With namespaces, the process is alone in them, and is nobody.
func (s spec) command(inNamespaces bool) *exec.Cmd {
	s.Alone = inNamespaces
	text, err := json.Marshal(s)
	if err != nil {
		return &exec.Cmd{Err: fmt.Errorf("sandbox: %w", err)}
	}
	attr := attributes()
	if inNamespaces {
		isolate(attr)
	}
	return &exec.Cmd{
		Path:        "/proc/self/exe",
		Args:        []string{shimName},
		Env:         []string{specEnv + "=" + string(text)},
		Dir:         "/",
		SysProcAttr: attr,
	}
}

// MaybeShim must be the first thing that main does, and TestMain where tests use a Launcher. In a process that a
// Launcher started it does not return; anywhere else it does nothing.
func MaybeShim() {
	shimmed.Store(true)
	if os.Args[0] != shimName || os.Getenv(specEnv) == "" {
		return
	}
	// Layers bind to the calling thread; execve keeps that one alone.
	runtime.LockOSThread()
	if err := becomeProgram(os.Getenv(specEnv)); err != nil {
		fmt.Fprintln(os.Stderr, "sandbox:", err)
		syscall.Exit(126)
	}
	syscall.Exit(0) // without the ceremonies of os.Exit, for which this process may have lost the rights
}

func becomeProgram(text string) error {
	var s spec
	if err := json.Unmarshal([]byte(text), &s); err != nil {
		return fmt.Errorf("read the instructions: %w", err)
	}
	if s.Probe {
		return json.NewEncoder(os.Stdout).Encode(s.tryAll())
	}
	argv := append([]string{s.Program}, s.Args...)
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
