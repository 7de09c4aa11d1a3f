package client

import (
	"fmt"
	"io"
	"os"
	"sync"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// console writes results and messages so that they do not mix with each other or with the progress bar. It is safe for
// concurrent use.
type console struct {
	mu             sync.Mutex
	stdout, stderr io.Writer
	bar            *progressbar.ProgressBar // nil if stderr is not a terminal
}

// newConsole returns a console. It shows a progress bar on stderr if there are several pages to read and stderr is a terminal:
// how many are read, how many each minute, and how long the rest will take.
func newConsole(stdout, stderr io.Writer, pages int) *console {
	c := &console{stdout: stdout, stderr: stderr}
	if file, ok := stderr.(*os.File); ok && pages > 1 && term.IsTerminal(int(file.Fd())) {
		c.bar = progressbar.NewOptions(pages,
			progressbar.OptionSetWriter(stderr),
			progressbar.OptionSetDescription("reading"),
			progressbar.OptionSetWidth(30),
			progressbar.OptionShowCount(),
			progressbar.OptionShowIts(),
			progressbar.OptionSetItsString("pages"),
			progressbar.OptionSetRenderBlankState(true),
			progressbar.OptionClearOnFinish(),
		)
	}
	return c
}

// result writes a result to stdout.
func (c *console) result(content []byte) error {
	return c.withoutBar(func() error {
		_, err := c.stdout.Write(content)
		return err
	})
}

// note writes a message to stderr, as one line. An error is dropped: there is nowhere else to report it.
func (c *console) note(format string, args ...any) {
	_ = c.withoutBar(func() error {
		_, err := fmt.Fprintf(c.stderr, format+"\n", args...)
		return err
	})
}

// withoutBar hides the progress bar while write runs, since both may write to the same terminal.
func (c *console) withoutBar(write func() error) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.bar == nil {
		return write()
	}
	_ = c.bar.Clear()
	err := write()
	if !c.bar.IsFinished() {
		_ = c.bar.RenderBlank()
	}
	return err
}

// advance moves the progress bar by one page; failed pages count too.
func (c *console) advance() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.bar != nil {
		_ = c.bar.Add(1)
	}
}

// spent shows the points that the run has used.
func (c *console) spent(used int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.bar != nil {
		c.bar.Describe("reading, " + points(used))
	}
}

// close removes the progress bar, also after an interruption.
func (c *console) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.bar != nil {
		_ = c.bar.Finish()
	}
}
