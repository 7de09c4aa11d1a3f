package workerpool

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"uncial/impl/ocr/pipe"
)

// ProgramError means that the worker program is not uncial-worker, is of another build, or failed when it was started.
type ProgramError struct{ Text string }

func (e *ProgramError) Error() string { return e.Text }

// ModelError means that the worker cannot use a model. Its text begins with the file.
type ModelError struct{ Text string }

func (e *ModelError) Error() string { return e.Text }

// explain turns the error of a worker that did not start into one for the operator. The worker must have been stopped.
func (p *Pool) explain(w *worker, err error) error {
	program, said := p.opts.Worker, w.stderr.String()
	withOutput := func(format string, args ...any) error {
		text := fmt.Sprintf(format, args...)
		if said != "" {
			text += ": " + said
		}
		return &ProgramError{text}
	}
	switch hasEnded := errors.Is(err, io.EOF); {
	case p.ctx.Err() != nil || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded): // the worker was killed
		return fmt.Errorf("start the worker: %w", err)
	case errors.Is(err, errStartTimeout):
		return withOutput("%s did not send its hello within %v; either it is not uncial-worker, or this machine is overloaded", program, p.opts.Start)
	case hasEnded && w.cmd.ProcessState.ExitCode() == pipe.ExitModels:
		return &ModelError{strings.TrimPrefix(said, "uncial-worker: ")}
	case hasEnded && w.cmd.ProcessState.ExitCode() == 0: // uncial-worker ends like this only once its input has ended
		return withOutput("%s is not uncial-worker: it ended with %s before it sent its hello", program, w.exitStatus())
	case hasEnded && strings.HasPrefix(said, "sandbox: "):
		return fmt.Errorf("start the worker: it ended with %s: %s", w.exitStatus(), said)
	case hasEnded:
		return withOutput("%s ended with %s before it sent its hello", program, w.exitStatus())
	case w.hello.Protocol == pipe.Protocol: // its models are missing
		return fmt.Errorf("start the worker: %w", err)
	case w.hello.Protocol != 0:
		return withOutput("%s is of another build: %v", program, err)
	default:
		return withOutput("%s is not uncial-worker: it sent something other than a hello", program)
	}
}
