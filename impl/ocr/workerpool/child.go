package workerpool

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"time"

	"uncial/impl/ocr/pipe"
)

// child is one process. Its slot alone speaks with it; kill may come from anywhere.
type child struct {
	cmd    *exec.Cmd
	conn   *pipe.Conn
	stdin  *os.File
	stdout *os.File
	stderr *stderr
	hello  pipe.Hello
	dead   chan struct{} // closed when the process is gone and its last words are read
	spare  func() bool   // ends the tie to the pool
	killed sync.Once
	last   uint64 // id of the last request
	pages  int    // read so far
}

var (
	// errNotBegun says that the child did not get the whole image.
	errNotBegun = errors.New("the worker was gone before it had the image")
	errStarting = errors.New("the worker did not say hello in time")
)

// start starts a child and waits for its hello. When the pool's context ends, the child is killed.
func (p *Pool) start(ctx context.Context) (*child, error) {
	c, err := p.fork()
	if err != nil {
		return nil, fmt.Errorf("start the worker: %w", err)
	}
	c.spare = context.AfterFunc(p.ctx, c.kill)
	ctx, cancel := context.WithTimeoutCause(ctx, p.opts.Start, errStarting)
	defer cancel()
	stop := context.AfterFunc(ctx, c.kill)
	c.hello, err = c.conn.ReceiveHello()
	if stop() && err == nil {
		p.hello.Store(&c.hello.Languages)
		p.counts.ready.Add(1)
		c.stderr.log.Debug("a worker is ready")
		return c, nil
	}
	c.end()
	if ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	if errors.Is(err, io.EOF) {
		err = fmt.Errorf("it ended with %s", c.status())
	}
	if words := c.stderr.String(); words != "" {
		return nil, fmt.Errorf("start the worker: %w: %s", err, words)
	}
	return nil, fmt.Errorf("start the worker: %w", err)
}

// fork starts the process and the goroutine that waits for its end.
func (p *Pool) fork() (*child, error) {
	var ours, theirs [3]*os.File // ends of the pipes to standard input, output and error
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
	c := &child{
		cmd:    cmd,
		conn:   pipe.New(ours[1], ours[0]),
		stdin:  ours[0],
		stdout: ours[1],
		stderr: &stderr{log: p.opts.Logger.With("worker", cmd.Process.Pid)},
		dead:   make(chan struct{}),
	}
	go c.reap(ours[2])
	return c, nil
}

func closeAll(files []*os.File) {
	for _, f := range files {
		if f != nil {
			_ = f.Close()
		}
	}
}

// reap drains standard error and waits for the end of the process, so that it leaves no zombie.
func (c *child) reap(words *os.File) {
	defer close(c.dead)
	defer func() { _ = words.Close() }()
	drained := make(chan struct{})
	go func() {
		c.stderr.drain(words)
		close(drained)
	}()
	_ = c.cmd.Wait()
	_ = words.SetReadDeadline(time.Now().Add(200 * time.Millisecond)) // should another process hold the pipe
	<-drained
}

// read has one image read.
func (c *child) read(req pipe.Request, image []byte) (pipe.Answer, error) {
	c.stderr.forget()
	c.last++
	req.ID = c.last
	if err := c.conn.SendRequest(req, image); err != nil {
		return pipe.Answer{}, fmt.Errorf("%w: %w", errNotBegun, err)
	}
	a, err := c.conn.ReceiveAnswer()
	if err != nil {
		return pipe.Answer{}, err
	}
	if a.ID != req.ID {
		return pipe.Answer{}, fmt.Errorf("the worker answered request %d instead of %d", a.ID, req.ID)
	}
	return a, nil
}

// kill ends the process, and whatever waits for it to read or write.
func (c *child) kill() {
	c.killed.Do(func() {
		_ = c.cmd.Process.Kill()
		_ = c.stdin.Close()
		_ = c.stdout.Close()
	})
}

// end kills the process and waits until it is gone. There is nothing that it could lose.
func (c *child) end() {
	c.spare()
	c.kill()
	<-c.dead
}

func (c *child) isDead() bool {
	select {
	case <-c.dead:
		return true
	default:
		return false
	}
}

// status is how the process ended, once it is dead.
func (c *child) status() string {
	if c.cmd.ProcessState == nil {
		return "unknown"
	}
	return c.cmd.ProcessState.String()
}

// stderr passes a child's words on to the log, and keeps the first and the last of those over one image.
type stderr struct {
	log         *slog.Logger
	mu          sync.Mutex
	first, last []string
}

// Bounds of what a child may say.
const (
	maxLogged = 256 << 10 // bytes to the log, in its life
	maxLine   = 1 << 10   // bytes
	maxLines  = 4         // at each end
)

func (s *stderr) drain(r io.Reader) {
	lines := bufio.NewReaderSize(r, maxLine)
	for left := maxLogged; ; {
		line, _, err := lines.ReadLine()
		if err != nil {
			return
		}
		if left -= len(line); left > 0 {
			s.log.Debug("a worker says", "line", string(line))
		}
		s.keep(strings.ToValidUTF8(string(line), "?"))
	}
}

func (s *stderr) keep(line string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.first) < maxLines {
		s.first = append(s.first, line)
		return
	}
	s.last = append(s.last, line)
	s.last = s.last[max(0, len(s.last)-maxLines):]
}

// forget begins anew, for the next image.
func (s *stderr) forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.first, s.last = nil, nil
}

// String is what was kept.
func (s *stderr) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.Join(slices.Concat(s.first, s.last), "; ")
}
