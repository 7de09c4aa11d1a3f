package cluster

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

// process is a program that runs until the cluster ends.
type process struct {
	name  string
	log   string // path
	cmd   *exec.Cmd
	ended chan struct{} // closed when it has ended
	err   error         // why; valid after ended
}

// stopLimit is the time that a program has to end by itself.
const stopLimit = 10 * time.Second

// start runs a program and writes its output to a file in the folder of logs.
func (c *Cluster) start(name, program string, args ...string) error {
	p := &process{name: name, log: filepath.Join("/var/log", name+".log"), ended: make(chan struct{})}
	log, err := os.Create(p.log)
	if err != nil {
		return err
	}
	defer func() { _ = log.Close() }()
	p.cmd = exec.Command(program, args...) //nolint:gosec // our names
	p.cmd.Stdout, p.cmd.Stderr, p.cmd.Dir = log, log, c.paths.run
	if err := p.cmd.Start(); err != nil {
		return fmt.Errorf("start %s: %w", name, err)
	}
	go func() {
		p.err = p.cmd.Wait()
		close(p.ended)
	}()
	c.processes = append(c.processes, p)
	return nil
}

func (c *Cluster) part(name string, args ...string) error {
	return c.start(name, c.program("kube"), append([]string{name}, args...)...)
}

func (c *Cluster) program(name string) string { return filepath.Join(c.paths.bin, name) }

// Stop ends the processes in the reverse order of their start. Processes that they started themselves end with the namespaces.
func (c *Cluster) Stop() {
	if c.policies != nil {
		c.policies.stop()
	}
	for _, p := range slices.Backward(c.processes) {
		_ = p.cmd.Process.Signal(syscall.SIGTERM)
		select {
		case <-p.ended:
		case <-time.After(stopLimit):
			_ = p.cmd.Process.Kill()
			<-p.ended
		}
	}
}

// check returns an error if a process has ended.
func (c *Cluster) check() error {
	for _, p := range c.processes {
		select {
		case <-p.ended:
			return fmt.Errorf("%s ended: %w\n%s", p.name, p.err, tail(p.log))
		default:
		}
	}
	return nil
}

// Await repeats a check until it succeeds, and fails when the limit has passed or a process of the cluster has ended.
func (c *Cluster) Await(ctx context.Context, what string, limit time.Duration, done func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	for {
		err := done(ctx)
		if err == nil {
			return nil
		}
		if dead := c.check(); dead != nil {
			return fmt.Errorf("%s: %w", what, dead)
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%s: not within %s: %w", what, limit, err)
		case <-time.After(500 * time.Millisecond):
		}
	}
}

// tail returns the last lines of a log.
func tail(file string) string {
	const lines = 30
	data, err := os.ReadFile(file)
	if err != nil {
		return err.Error()
	}
	all := strings.Split(strings.TrimSpace(string(data)), "\n")
	return strings.Join(all[max(0, len(all)-lines):], "\n")
}

// output runs a program to its end and returns its standard output. The error holds its standard error.
func output(ctx context.Context, name string, args ...string) (string, error) {
	return outputWith(ctx, nil, name, args...)
}

// outputWith is output with additional environment variables.
func outputWith(ctx context.Context, env []string, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, name, args...) //nolint:gosec // our names
	cmd.Env = append(os.Environ(), env...)
	out, err := cmd.Output()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		err = fmt.Errorf("%s %s: %w: %s%s", filepath.Base(name), strings.Join(args, " "), err, exit.Stderr, out)
	}
	return strings.TrimSpace(string(out)), err
}
