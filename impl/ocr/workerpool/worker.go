package workerpool

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"uncial/impl/ocr/pipe"
	"uncial/internal/fair"
)

// worker is one child process. Only its slot talks to it; kill may be called from any goroutine.
//
// The pipes are created here instead of by os/exec, because closing an *os.File ends its reads and writes, and because exec's
// own copying goroutines would delay Wait.
type worker struct {
	cmd    *exec.Cmd
	conn   *pipe.Conn
	stdin  *os.File
	stdout *os.File
	stderr *stderrLog
	hello  pipe.Hello
	exited chan struct{} // closed when the process has ended and its standard error is drained
	detach func() bool   // stops watching the pool's context
	killed sync.Once
	pages  int // read so far
	// hasRead is set once the worker was sent an image; account is the label of the account that sent the last image. isSuspect
	// stays set once an image was refused or ran out of time, because attacks on decoders often have that effect.
	hasRead   bool
	account   string
	isSuspect bool
}

var (
	// errNotDelivered means that the worker did not receive the whole image, so the image cannot be the cause.
	errNotDelivered = errors.New("the worker exited before it received the image")
	errStartTimeout = errors.New("no hello in time")
)

// stderrGrace is the maximum time that reap waits for the end of standard error after the process has ended. It matters only if
// a grandchild inherited the pipe, which the sandbox prevents.
const stderrGrace = 200 * time.Millisecond

// startWorker starts a process and waits for its hello. The process is killed when the pool's context ends.
func (p *Pool) startWorker(ctx context.Context) (*worker, error) {
	w, err := p.fork()
	if err != nil {
		return nil, fmt.Errorf("start the worker: %w", err)
	}
	w.detach = context.AfterFunc(p.ctx, w.kill)
	ctx, cancel := context.WithTimeoutCause(ctx, p.opts.Start, errStartTimeout)
	defer cancel()
	stop := context.AfterFunc(ctx, w.kill)
	w.hello, err = w.conn.ReceiveHello()
	if stop() && err == nil {
		p.hello.Store(&w.hello)
		p.counts.ready.Add(1)
		w.stderr.log.Debug("worker ready")
		return w, nil
	}
	w.stop()
	if ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	return nil, p.explain(w, err)
}

// fork starts the process and the goroutine that waits for its end. The worker's ends of the pipes are closed here, so that
// ours report the end of the file when the process exits.
func (p *Pool) fork() (*worker, error) {
	var ours, theirs [3]*os.File // our and the worker's ends of the pipes to its standard input, output and error
	defer closeAll(theirs[:])
	for i := range ours {
		r, w, err := os.Pipe()
		if err != nil {
			closeAll(ours[:])
			return nil, err
		}
		if ours[i], theirs[i] = r, w; i == 0 {
			ours[i], theirs[i] = w, r
		}
	}
	cmd := p.launcher.Command()
	cmd.Stdin, cmd.Stdout, cmd.Stderr = theirs[0], theirs[1], theirs[2]
	if err := p.launcher.Start(cmd); err != nil {
		closeAll(ours[:])
		return nil, err
	}
	w := &worker{
		cmd:    cmd,
		conn:   pipe.New(ours[1], ours[0]),
		stdin:  ours[0],
		stdout: ours[1],
		stderr: &stderrLog{log: p.opts.Logger.With("worker", cmd.Process.Pid)},
		exited: make(chan struct{}),
	}
	w.stderr.flooded = w.kill
	go w.reap(ours[2])
	return w, nil
}

// closeAll closes the files that are open; nil entries are skipped.
func closeAll(files []*os.File) {
	for _, f := range files {
		if f != nil {
			_ = f.Close()
		}
	}
}

// reap drains standard error and waits for the process, so that no zombie remains. Then it closes exited; after that,
// exitStatus and the kept lines are complete.
func (w *worker) reap(stderr *os.File) {
	defer close(w.exited)
	defer func() { _ = stderr.Close() }()
	drained := make(chan struct{})
	go func() {
		w.stderr.drain(stderr)
		close(drained)
	}()
	_ = w.cmd.Wait()
	_ = stderr.SetReadDeadline(time.Now().Add(stderrGrace))
	<-drained
}

// read sends one image and waits for the answer, whose images count in the reservation. The error is errNotDelivered if the
// worker did not receive the image. After any error except fair.ErrFull the worker must be stopped, because the pipe may be out
// of step.
func (w *worker) read(req pipe.Request, image []byte, reservation *fair.Reservation) (pipe.Answer, error) {
	w.stderr.reset()
	req.ID = rand.Uint64() // so that a worker cannot answer a request in advance
	if err := w.conn.SendRequest(req, image); err != nil {
		return pipe.Answer{}, fmt.Errorf("%w: %w", errNotDelivered, err)
	}
	answer, err := w.conn.ReceiveAnswer(req, reservation)
	if errors.Is(err, io.EOF) && w.hasUnread() {
		err = fmt.Errorf("%w: %w", errNotDelivered, err)
	}
	return answer, err
}

// hasUnread reports whether a part of the last image is still in the pipe. A pipe takes a small image even if the worker has
// died, as long as any process holds its other end: a process that another goroutine has just forked holds it until it calls
// exec.
func (w *worker) hasUnread() bool {
	conn, err := w.stdin.SyscallConn()
	if err != nil {
		return false
	}
	var unread int
	_ = conn.Control(func(fd uintptr) {
		unread, _ = unix.IoctlGetInt(int(fd), unix.TIOCINQ) // also called FIONREAD
	})
	return unread > 0
}

// kill ends the process and unblocks reads from it and writes to it. It does not wait.
func (w *worker) kill() {
	w.killed.Do(func() {
		_ = w.cmd.Process.Kill()
		_ = w.stdin.Close()
		_ = w.stdout.Close()
	})
}

// stop kills the process and waits until it has ended. SIGKILL is enough: a worker has no state worth saving.
func (w *worker) stop() {
	w.detach()
	w.kill()
	<-w.exited
}

// hasExited reports whether the process has ended. After kill, that takes some milliseconds.
func (w *worker) hasExited() bool {
	select {
	case <-w.exited:
		return true
	default:
		return false
	}
}

// exitStatus describes how the process ended, such as "exit status 3". Call it only after the process has ended.
func (w *worker) exitStatus() string {
	if w.cmd.ProcessState == nil {
		return "unknown"
	}
	return w.cmd.ProcessState.String()
}
