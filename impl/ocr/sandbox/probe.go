package sandbox

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"time"
)

// probeTimeout is the maximum time for one run of the probing shim, which takes milliseconds.
const probeTimeout = 10 * time.Second

// probe starts a shim that only tries the layers, with namespaces and, if these are denied, without them. It stores the layers
// that work in the spec. In mode Require it returns an error that names the missing ones.
func (l *Launcher) probe(ctx context.Context) error {
	trial := l.spec
	trial.Probe = true
	layers, isolated, err := trial.runIsolated(ctx)
	if err != nil {
		isolated = layer{Name: namespaces, Detail: kernelError(err)}
		trial.Nobody = false
		if layers, err = trial.run(ctx, false); err != nil {
			return fmt.Errorf("sandbox: try the layers: %w", err)
		}
	}
	l.spec.Nobody = trial.Nobody
	var missing []string
	for _, y := range layers {
		if y.Active {
			l.spec.Layers = append(l.spec.Layers, y.Name)
		} else {
			missing = append(missing, fmt.Sprintf("%s (%s)", y.Name, y.Detail))
		}
	}
	l.layers = append(slices.Clone(layers), isolated)
	// Namespaces are not required: containers usually forbid them, and restrict the worker and its threads themselves. If
	// namespaces are permitted, possibly nothing else limits the threads of root.
	if isolated.Active && isolated.denied != nil {
		threads := layer{Name: "a thread limit", Detail: fmt.Sprintf(
			"the service runs as root, and the user nobody cannot start the program: %v; run the service as another user, or let every user read its files", isolated.denied)}
		l.layers = append(l.layers, threads)
		missing = append(missing, fmt.Sprintf("%s (%s)", threads.Name, threads.Detail))
	}
	if len(missing) > 0 && l.opts.Mode == Require {
		return fmt.Errorf("sandbox: required layers are not available: %s", strings.Join(missing, ", "))
	}
	return nil
}

// runIsolated starts a probing shim in its own namespaces. If this process is root, the shim has the user nobody outside them,
// provided that nobody can use the files of the spec. Only namespaces are tried separately, because containers and kernel
// settings deny them most often.
func (s *spec) runIsolated(ctx context.Context) (layers []layer, isolated layer, err error) {
	isolated = layer{Name: namespaces, Active: true, Detail: "user, pid, net, ipc, uts"}
	if os.Geteuid() != 0 {
		layers, err = s.run(ctx, true)
		return layers, isolated, err
	}
	s.Nobody = true
	layers, denied := s.run(ctx, true)
	if denied == nil {
		isolated.Detail += "; as nobody"
		return layers, isolated, nil
	}
	s.Nobody = false
	isolated.Detail += "; as root"
	isolated.denied = denied
	layers, err = s.run(ctx, true)
	return layers, isolated, err
}

// kernelError returns only the kernel's error, such as "operation not permitted", without the name of the call that failed.
func kernelError(err error) string {
	if errno := syscall.Errno(0); errors.As(err, &errno) {
		return errno.Error()
	}
	return err.Error()
}

// run starts a probing shim and returns its report.
func (s spec) run(ctx context.Context, inNamespaces bool) ([]layer, error) {
	cmd := s.command(inNamespaces)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := runToEnd(ctx, cmd); err != nil {
		if line, _, _ := strings.Cut(stderr.String(), "\n"); line != "" {
			err = fmt.Errorf("%w: %s", err, line)
		}
		return nil, err
	}
	var layers []layer
	if err := json.Unmarshal(stdout.Bytes(), &layers); err != nil {
		return nil, fmt.Errorf("decode the report of the shim: %w", err)
	}
	return layers, nil
}

// runToEnd runs cmd, for at most probeTimeout.
func runToEnd(ctx context.Context, cmd *exec.Cmd) error {
	ctx, cancel := context.WithTimeout(ctx, probeTimeout)
	defer cancel()
	if err := cmd.Start(); err != nil {
		return err
	}
	stop := context.AfterFunc(ctx, func() { _ = cmd.Process.Signal(syscall.SIGKILL) })
	defer stop()
	return cmd.Wait()
}
