package client

import (
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

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

// newConsole returns a console without a progress bar.
func newConsole(stdout, stderr io.Writer) *console { return &console{stdout: stdout, stderr: stderr} }

// expect shows a progress bar on stderr if there are several pages to read and stderr is a terminal: the pages read, the pages
// per minute, and the time left. Call it before the console is shared.
func (c *console) expect(pages int) {
	if file, ok := c.stderr.(*os.File); ok && pages > 1 && term.IsTerminal(int(file.Fd())) {
		c.bar = progressbar.NewOptions(pages,
			progressbar.OptionSetWriter(c.stderr),
			progressbar.OptionSetDescription("reading"),
			progressbar.OptionSetWidth(30),
			progressbar.OptionShowCount(),
			progressbar.OptionShowIts(),
			progressbar.OptionSetItsString("pages"),
			progressbar.OptionSetRenderBlankState(true),
			progressbar.OptionClearOnFinish(),
		)
	}
}

func (c *console) result(content []byte) error {
	return c.withoutBar(func() error {
		_, err := c.stdout.Write(content)
		return err
	})
}

// note writes a message to stderr, as one line. An error is dropped: there is nowhere else to report it.
func (c *console) note(format string, args ...any) {
	_ = c.withoutBar(func() error {
		_, err := fmt.Fprintln(c.stderr, oneLine(fmt.Sprintf(format, args...)))
		return err
	})
}

// oneLine escapes what would begin another line or move the cursor of a terminal: names of files, URLs in manifests and answers
// of servers may hold anything.
func oneLine(s string) string {
	isHarmless := func(r rune) bool {
		return r != utf8.RuneError && unicode.IsGraphic(r) || r == '\u200c' || r == '\u200d'
	}
	var line strings.Builder
	for i, r := range s {
		_, length := utf8.DecodeRuneInString(s[i:])
		if isHarmless(r) {
			line.WriteRune(r)
			continue
		}
		quoted := strconv.Quote(s[i : i+length])
		line.WriteString(quoted[1 : len(quoted)-1])
	}
	return line.String()
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

// close removes the progress bar, even after an interruption.
func (c *console) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.bar != nil {
		_ = c.bar.Finish()
	}
}
