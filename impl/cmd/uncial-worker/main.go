// Command uncial-worker is the sandboxed child of uncial: it reads images from standard input and writes documents to
// standard output, in frames. The service starts it; it is of no use by hand.
package main

import (
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
	"golang.org/x/term"

	"uncial/impl/ocr/models"
	"uncial/impl/ocr/pipe"
	"uncial/impl/ocr/worker"
)

// Exit statuses.
const (
	failed = 1 // the worker met an error, which stands on standard error
	misuse = 2 // it was started by hand or by another version of the service
)

// goMemory is the size of Go's heap, in bytes, from which on its garbage goes back to the system at once. Decoding an
// image of 100 megapixels takes up to 1.5 GB, of which 400 MB stay while Tesseract, which has a heap of its own, reads it.
const goMemory = 1 << 30

func main() { os.Exit(run()) }

func run() int {
	if protocol := os.Getenv(pipe.ProtocolEnv); protocol == "" || term.IsTerminal(int(os.Stdin.Fd())) {
		fmt.Fprintln(os.Stderr, "uncial-worker is started by uncial and does nothing by hand.\n"+
			"To read an image, start the service with \"uncial serve\" and use \"uncial extract FILE\".")
		return misuse
	} else if protocol != strconv.Itoa(pipe.Protocol) {
		fmt.Fprintf(os.Stderr, "uncial-worker speaks protocol %d and uncial %s: install both from the same build.\n", pipe.Protocol, protocol)
		return misuse
	}
	debug.SetMemoryLimit(goMemory)
	// The service ends its workers by closing the pipe or by SIGKILL. Signals to the whole group, such as Ctrl-C, are
	// for the service, which lets running requests end.
	signal.Ignore(syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	out, err := privateOutput()
	if err != nil {
		return fail(err)
	}
	set, err := models.Find(filepath.SplitList(os.Getenv(pipe.ModelsEnv))...)
	if err != nil {
		return fail(err)
	}
	if err := worker.Run(os.Stdin, out, set); err != nil {
		return fail(err)
	}
	return 0
}

// privateOutput moves standard output out of the reach of the C libraries, some of which print to it: what they write
// goes to standard error.
func privateOutput() (io.Writer, error) {
	fd, err := unix.FcntlInt(os.Stdout.Fd(), unix.F_DUPFD_CLOEXEC, 3)
	if err != nil {
		return nil, fmt.Errorf("standard output is not open: %w", err)
	}
	if err := unix.Dup3(int(os.Stderr.Fd()), int(os.Stdout.Fd()), 0); err != nil {
		return nil, fmt.Errorf("standard error is not open: %w", err)
	}
	return os.NewFile(uintptr(fd), "answers"), nil
}

func fail(err error) int {
	fmt.Fprintln(os.Stderr, "uncial-worker:", err)
	return failed
}
