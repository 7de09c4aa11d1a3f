// Command uncial-worker is the sandboxed child process of uncial: it receives images on standard input and writes
// documents to standard output, in the frames of package pipe. The service starts it (package workerpool); it cannot be
// used by hand. Everything except the process itself is in package worker.
package main

import (
	"errors"
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

// Exit statuses, besides pipe.ExitModels.
const (
	failed = 1 // after an error, which is printed on standard error
	misuse = 2 // started by hand, or by a different version of the service
)

// goMemoryLimit is the size of Go's heap, in bytes, above which garbage is returned to the system at once. Decoding an
// image of 100 megapixels takes up to 1.5 GB, of which 400 MB remain in use while Tesseract, which has its own heap, reads
// it.
const goMemoryLimit = 1 << 30

func main() { os.Exit(run()) }

// run serves requests until the pipe closes, and returns the exit status. It refuses to run outside of the service, or with one
// of another build.
func run() int {
	if protocol := os.Getenv(pipe.ProtocolEnv); protocol == "" || term.IsTerminal(int(os.Stdin.Fd())) {
		fmt.Fprintln(os.Stderr, "uncial-worker is started by uncial and cannot be used by hand.\n"+
			"To read an image, start the service with \"uncial serve\" and run \"uncial extract FILE\".")
		return misuse
	} else if protocol != strconv.Itoa(pipe.Protocol) {
		fmt.Fprintf(os.Stderr, "uncial-worker has protocol %d, uncial has protocol %s; install both from the same build.\n", pipe.Protocol, protocol)
		return misuse
	}
	debug.SetMemoryLimit(goMemoryLimit)
	// The service stops its workers by closing the pipe, or with SIGKILL. Signals to the whole process group, such as
	// Ctrl-C, are meant for the service, which finishes running requests first.
	signal.Ignore(syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	out, err := privateOutput()
	if err != nil {
		return fail(err)
	}
	set, err := models.Find(filepath.SplitList(os.Getenv(pipe.ModelsEnv))...)
	if err != nil {
		return fail(&worker.ModelError{Cause: err})
	}
	if err := worker.Run(os.Stdin, out, set); err != nil {
		return fail(err)
	}
	return 0
}

// privateOutput returns standard output on another descriptor, and redirects the usual one to standard error. Some C
// libraries print to standard output, which would corrupt the frames.
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
	if _, ok := errors.AsType[*worker.ModelError](err); ok {
		return pipe.ExitModels
	}
	return failed
}
