package sandbox

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"time"
)

// probe starts a shim that only tries the layers: with namespaces, and where these are denied, without.
func (l *Launcher) probe(ctx context.Context) error {
	trial := l.spec
	trial.Probe = true
	isolated := Layer{Name: namespaces, Active: true, Detail: "user, pid, net, ipc, uts"}
	layers, err := trial.run(ctx, true)
	if err != nil {
		isolated.Active, isolated.Detail = false, reason(err)
		if layers, err = trial.run(ctx, false); err != nil {
			return fmt.Errorf("sandbox: try the layers: %w", err)
		}
	}
	var missing []string
	for _, y := range layers {
		if y.Active {
			l.spec.Layers = append(l.spec.Layers, y.Name)
		} else {
			missing = append(missing, fmt.Sprintf("%s (%s)", y.Name, y.Detail))
		}
	}
	l.layers = append(slices.Clone(layers), isolated)
	if len(missing) > 0 && l.opts.Mode == Require {
		return fmt.Errorf("sandbox: required, but not to be had here: %s", strings.Join(missing, ", "))
	}
	return nil
}

// reason leaves out what was attempted: only the kernel's word tells something.
func reason(err error) string {
	if errno := syscall.Errno(0); errors.As(err, &errno) {
		return errno.Error()
	}
	return err.Error()
}

func (s spec) run(ctx context.Context, inNamespaces bool) ([]Layer, error) {
	cmd := s.command(inNamespaces)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := start(ctx, cmd); err != nil {
		if line, _, _ := strings.Cut(stderr.String(), "\n"); line != "" {
			err = fmt.Errorf("%w: %s", err, line)
		}
		return nil, err
	}
	var layers []Layer
	if err := json.Unmarshal(stdout.Bytes(), &layers); err != nil {
		return nil, fmt.Errorf("the shim's report: %w", err)
	}
	return layers, nil
}

// start runs cmd to its end, for at most ten seconds.
func start(ctx context.Context, cmd *exec.Cmd) error {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	if err := cmd.Start(); err != nil {
		return err
	}
	stop := context.AfterFunc(ctx, func() { _ = cmd.Process.Signal(syscall.SIGKILL) })
	defer stop()
	return cmd.Wait()
}
