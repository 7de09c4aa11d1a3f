// Package training trains line models (package neural) from a base model, with PyTorch.
//
// The programs are the Python files of this folder, which are embedded in the program that calls Run; Debian's python3-torch runs
// them. A folder of lines has lines.u8, the ink of all lines (48 rows of bytes each, 0 paper to 255 ink, one line after the
// other), and lines.jsonl, one Line for each. `uncial train` makes such folders from PAGE and ALTO; the shipped models are trained
// by the same program on more lines (see README.md).
//
// The subfolder ngram counts character models. Reading with a model needs neither this package nor Python.
package training

import (
	"bufio"
	"bytes"
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"time"
)

//go:embed *.py
var programs embed.FS

// python is the interpreter for which Debian installs python3-torch.
const python = "/usr/bin/python3"

// Line is a row of lines.jsonl.
type Line struct {
	Offset int64  `json:"offset"` // in lines.u8, bytes
	Width  int    `json:"width"`  // pixels
	Text   string `json:"text"`
	Page   string `json:"page"`
	Held   bool   `json:"held"` // not trained on; the error is measured on these
}

// Options say what is trained, and for how long.
type Options struct {
	Lines    string            // folder with lines.u8 and lines.jsonl
	Base     string            // path of the base model
	Out      string            // path of the model to write
	State    string            // folder for the state, so that the same call continues where an earlier one stopped
	Metadata map[string]string // of the model: version and languages
	Minutes  float64           // at most
	Passes   float64           // over the lines
	Threads  int
}

// Event is what the training reports; Kind says which fields are set.
type Event struct {
	Kind    string         `json:"kind"` // start, progress, sample, done or error
	Message string         `json:"message"`
	Lines   int            `json:"lines"`    // trained on
	Held    int            `json:"held"`     // held back
	Samples []Sample       `json:"samples"`  // some lines that were held back
	Skipped map[string]int `json:"left_out"` // lines that are not trained on, by reason
	New     []string       `json:"new"`      // characters that the base model lacks and this one learns
	Rare    []string       `json:"rare"`     // characters that occur too rarely to be learnt
	Share   float64        `json:"share"`    // of the training that is over
	Left    float64        `json:"left"`     // seconds, estimated
	Loss    float64        `json:"loss"`
	Error   float64        `json:"error"`  // share of wrong characters in the lines held back
	Before  float64        `json:"before"` // the same, of the base model
	Curve   [][2]float64   `json:"curve"`  // lines seen, and the error then
	Seconds float64        `json:"seconds"`
}

// Sample is a line as it was transcribed and as the model reads it.
type Sample struct {
	Page string `json:"page"`
	Text string `json:"text"`
	Read string `json:"read"`
}

// Errors of Run and Check.
var (
	errNoTorch     = errors.New("training needs PyTorch; install it with: apt-get install python3-torch")
	ErrInterrupted = errors.New("the training was interrupted; run the same command again to continue")
)

const (
	grace       = 30 * time.Second // for saving the state after an interrupt
	maxEvent    = 4 << 20          // bytes of an event
	maxMessages = 16 << 10         // bytes of Python's own messages that are kept
	interrupted = 3                // exit status of train.py
)

// Check reports whether PyTorch is installed.
func Check(ctx context.Context) error {
	if err := exec.CommandContext(ctx, python, "-c", "import torch, numpy").Run(); err != nil {
		return errNoTorch
	}
	return nil
}

// Run trains until the end and calls report for each event. When ctx ends, the state is saved and the error is ErrInterrupted. The
// model is written whole or not at all.
func Run(ctx context.Context, o Options, report func(Event)) error {
	folder, err := os.MkdirTemp("", "uncial-train-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder) //nolint:errcheck // a temporary folder that stays does no harm
	if err := os.CopyFS(folder, programs); err != nil {
		return err
	}
	metadata, err := json.Marshal(o.Metadata)
	if err != nil {
		return err
	}
	// The end of ctx interrupts the program, so that it can save; only after the grace period is it killed.
	c := exec.CommandContext(ctx, python, filepath.Join(folder, "train.py"), "--lines", o.Lines, "--base", o.Base, "--out", o.Out, //nolint:gosec // no shell; the paths are the operator's
		"--state", o.State, "--metadata", string(metadata), "--minutes", format(o.Minutes), "--passes", format(o.Passes), "--threads", strconv.Itoa(o.Threads))
	c.Cancel = func() error { return c.Process.Signal(os.Interrupt) }
	c.WaitDelay = grace
	c.Env = append(os.Environ(), "OMP_WAIT_POLICY=PASSIVE") // threads that wait leave the cores to other programs
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}     // Ctrl-C reaches this program only, which passes it on
	messages := &tail{}
	c.Stderr = messages
	out, err := c.StdoutPipe()
	if err != nil {
		return err
	}
	if err := c.Start(); err != nil {
		return fmt.Errorf("start %s: %w", python, err)
	}
	failure := events(out, report)
	return ended(c.Wait(), failure, messages.Bytes())
}

func format(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

// events reports what the program says, and returns the message of its error event, if there is one.
func events(out io.Reader, report func(Event)) (failure string) {
	s := bufio.NewScanner(out)
	s.Buffer(nil, maxEvent)
	for s.Scan() {
		var e Event
		if json.Unmarshal(s.Bytes(), &e) != nil {
			continue // a warning of a library
		}
		if e.Kind == "error" {
			failure = e.Message
			continue
		}
		report(e)
	}
	return failure
}

// ended explains how the program ended.
func ended(err error, failure string, messages []byte) error {
	var exit *exec.ExitError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &exit) && exit.ExitCode() == interrupted:
		return ErrInterrupted
	case failure != "":
		return fmt.Errorf("training: %s", failure)
	}
	return fmt.Errorf("training: %w: %s", err, bytes.TrimSpace(messages))
}

// tail keeps the end of what is written to it.
type tail struct{ bytes.Buffer }

func (t *tail) Write(p []byte) (int, error) {
	n, err := t.Buffer.Write(p)
	if over := t.Len() - maxMessages; over > 0 {
		t.Next(over)
	}
	return n, err
}
