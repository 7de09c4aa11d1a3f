// Package training trains line models (package neural) from a base model, with PyTorch.
//
// The training programs are the Python files of this folder. They are embedded in the program that calls Run, and need Debian's
// python3-torch. A folder of lines has two files: lines.u8 with the ink of all lines, one after the other (48 rows of bytes
// each, from 0 for paper to 255 for ink), and lines.jsonl with one Line for each. `uncial train` makes such folders from PAGE
// and ALTO files; the shipped models are trained by the same programs on more lines (see README.md).
//
// The subfolder ngram builds character models. Reading with a model requires neither this package nor Python. Start with Run.
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
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"time"
)

//go:embed augment.py lines.py modelfile.py network.py train.py
var programs embed.FS

// python is the interpreter for which Debian installs python3-torch; tests replace it.
var python = "/usr/bin/python3"

// Line is a row of lines.jsonl.
type Line struct {
	Offset int64  `json:"offset"` // of the first byte in lines.u8
	Width  int    `json:"width"`  // pixels
	Text   string `json:"text"`   // the transcription
	Page   string `json:"page"`   // name of the page's file
	Held   bool   `json:"held"`   // held back: not trained on, but used to measure the error
}

// Options configure a training run.
type Options struct {
	Lines    string            // folder with lines.u8 and lines.jsonl
	Base     string            // path of the base model
	Out      string            // path of the model to write
	State    string            // folder for the state, with which a later call continues an interrupted training run
	Metadata map[string]string // of the model: version and languages
	Minutes  float64           // maximum duration
	Passes   float64           // maximum number of passes over the lines
	Threads  int               // of PyTorch
}

// Event is a report of the training program. Kind determines which fields are set.
type Event struct {
	Kind    string         `json:"kind"`     // start, note, progress, sample, done or error
	Message string         `json:"message"`  // the note or the error
	Lines   int            `json:"lines"`    // number of lines that are trained on
	Held    int            `json:"held"`     // number of lines that are held back
	Samples []Sample       `json:"samples"`  // some of the lines that are held back
	Skipped map[string]int `json:"left_out"` // numbers of lines that are left out, by reason
	New     []string       `json:"new"`      // characters that the base model lacks and this one learns
	Rare    []string       `json:"rare"`     // characters that are too rare to be learnt
	Share   float64        `json:"share"`    // completed share of the run, 0 to 1
	Left    float64        `json:"left"`     // estimated seconds until the end
	Error   float64        `json:"error"`    // CER in the lines that are held back
	Before  float64        `json:"before"`   // CER of the base model in the same lines
	Curve   [][2]float64   `json:"curve"`    // pairs of the number of lines seen and the CER at that time
	Seconds float64        `json:"seconds"`  // duration of the training
}

// Sample is a line with its transcription (Text) and the model's reading of it (Read).
type Sample struct {
	Page string `json:"page"` // as in Line
	Text string `json:"text"`
	Read string `json:"read"`
}

// Errors of Run and Check.
var (
	errNoTorch     = errors.New("training needs PyTorch; install it with: apt-get install python3-torch libopenblas0-pthread")
	ErrInterrupted = errors.New("the training was interrupted; run the same command again to continue")
)

const (
	grace       = 30 * time.Second // time to save the state after an interrupt
	checkTime   = 5 * time.Minute  // time to load PyTorch; on a busy machine with a slow disk it takes most of a minute
	maxEvent    = 4 << 20          // maximum bytes of an event
	maxMessages = 16 << 10         // bytes of Python's own messages that are kept
	interrupted = 3                // exit status of train.py after an interrupt
)

// overrun is the time that a training may take in addition to twice its maximum duration: loading, and measuring the error,
// which is not part of its duration, take much less. Tests change it.
var overrun = 30 * time.Minute

// errOverrun is the cause that ends a training that hangs.
var errOverrun = errors.New("the training should have ended long ago, and was stopped; run the same command again to continue from the last saved state")

// Check returns an error if PyTorch cannot be used. If ctx ends first, the error is that of ctx.
func Check(ctx context.Context) error {
	limited, cancel := context.WithTimeout(ctx, checkTime)
	defer cancel()
	c := exec.CommandContext(limited, python, "-c", "import torch, numpy")
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // as in Run
	messages := &tail{}
	c.Stderr = messages
	err := c.Run()
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	case limited.Err() != nil:
		return fmt.Errorf("training: PyTorch could not be loaded within %v; try again when the machine is less busy", checkTime)
	case errors.Is(err, fs.ErrNotExist), bytes.Contains(messages.Bytes(), []byte("ModuleNotFoundError")):
		return errNoTorch
	}
	return fmt.Errorf("training: PyTorch cannot be loaded: %w: %s", err, bytes.TrimSpace(messages.Bytes()))
}

// Run trains a model and calls report for each event except errors. When ctx ends, the program saves its state and Run returns
// ErrInterrupted or, if it could not save its state in time, the error of ctx. The model file is written completely or not at
// all.
func Run(ctx context.Context, o Options, report func(Event)) error {
	folder, err := os.MkdirTemp("", "uncial-train-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder) //nolint:errcheck // a temporary folder that remains does no harm
	if err := os.CopyFS(folder, programs); err != nil {
		return err
	}
	metadata, err := json.Marshal(o.Metadata)
	if err != nil {
		return err
	}
	limited, cancel := context.WithTimeout(ctx, time.Duration(2*o.Minutes*float64(time.Minute))+overrun)
	defer cancel()
	// When ctx ends, the program is interrupted, so that it can save its state, and killed only after the grace period.
	c := exec.CommandContext(limited, python, filepath.Join(folder, "train.py"), "--lines", o.Lines, "--base", o.Base, "--out", o.Out, //nolint:gosec // no shell; the paths are the operator's
		"--state", o.State, "--metadata", string(metadata), "--minutes", format(o.Minutes), "--passes", format(o.Passes), "--threads", strconv.Itoa(o.Threads))
	c.Cancel = func() error { return c.Process.Signal(os.Interrupt) }
	c.WaitDelay = grace
	// Waiting threads leave the cores to other programs. OpenBLAS would use all cores.
	c.Env = append(os.Environ(), "OMP_WAIT_POLICY=PASSIVE", "OPENBLAS_NUM_THREADS="+strconv.Itoa(o.Threads))
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // Ctrl-C reaches only this program, which interrupts the child itself
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
	err = c.Wait()
	if err != nil && ctx.Err() == nil && limited.Err() != nil {
		return errOverrun
	}
	return ended(ctx, err, failure, messages.Bytes())
}

func format(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

// events reports the program's events, and returns the message of its error event if there is one.
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

// ended returns the error for the way in which the program ended.
func ended(ctx context.Context, err error, failure string, messages []byte) error {
	var exit *exec.ExitError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &exit) && exit.ExitCode() == interrupted:
		return ErrInterrupted
	case ctx.Err() != nil: // the program was still loading, or was killed after the grace period
		return ctx.Err()
	case failure != "":
		return fmt.Errorf("training: %s", failure)
	}
	return fmt.Errorf("training: %w: %s", err, bytes.TrimSpace(messages))
}

// tail keeps the last maxMessages bytes that are written to it.
type tail struct{ bytes.Buffer }

func (t *tail) Write(p []byte) (int, error) {
	n, err := t.Buffer.Write(p)
	if over := t.Len() - maxMessages; over > 0 {
		t.Next(over)
	}
	return n, err
}
