package client

import (
	"fmt"
	"io"
	"os"
	"sync"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// console writes results and messages so that neither cuts through the other or through the progress bar.
type console struct {
	mu             sync.Mutex
	stdout, stderr io.Writer
	bar            *progressbar.ProgressBar // nil unless there is a terminal to show it on
}

// newConsole shows a bar for several images where stderr is a terminal.
func newConsole(stdout, stderr io.Writer, images int) *console {
	c := &console{stdout: stdout, stderr: stderr}
	if file, ok := stderr.(*os.File); ok && images > 1 && term.IsTerminal(int(file.Fd())) {
		c.bar = progressbar.NewOptions(images,
			progressbar.OptionSetWriter(stderr),
			progressbar.OptionSetDescription("reading"),
			progressbar.OptionSetWidth(30),
			progressbar.OptionShowCount(),
			progressbar.OptionSetRenderBlankState(true),
			progressbar.OptionClearOnFinish(),
		)
	}
	return c
}

// result writes to stdout.
func (c *console) result(content []byte) error {
	return c.around(func() error {
		_, err := c.stdout.Write(content)
		return err
	})
}

// note writes a line to stderr.
func (c *console) note(format string, args ...any) {
	_ = c.around(func() error {
		_, err := fmt.Fprintf(c.stderr, format+"\n", args...)
		return err
	})
}

// around takes the bar away while something is written.
func (c *console) around(write func() error) error {
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

// advance moves the bar on by one image.
func (c *console) advance() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.bar != nil {
		_ = c.bar.Add(1)
	}
}

// close takes the bar away.
func (c *console) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.bar != nil {
		_ = c.bar.Finish()
	}
}
