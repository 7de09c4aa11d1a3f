// Package tool runs Debian programs for files that Go cannot read: PDF (poppler-utils) and JPEG 2000 or very large TIFF
// (libvips-tools). It uses no shell, and bounds time, memory, the size of files and what a program may print. Packages
// source and picture decide what the programs do. Start with Run.
package tool

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Limits of a single run of a program.
const (
	// maxTime is ten times what an image of 100 megapixels takes on one slow core.
	maxTime = 5 * time.Minute
	// maxMemory is in bytes of private memory (RLIMIT_DATA): a JPEG 2000 without tiles needs 12 bytes for each pixel.
	maxMemory = 4 << 30
	// maxFile is in bytes: the pixels of an image of 1,400 megapixels in colour.
	maxFile = 4 << 30
	// maxOutput bounds the output of a program, in bytes: the list of images of a PDF of 10,000 pages takes a tenth of it.
	maxOutput = 16 << 20
)

// packages are the Debian packages of the programs.
var packages = map[string]string{
	"pdfinfo": "poppler-utils", "pdfimages": "poppler-utils", "pdftoppm": "poppler-utils",
	"vips": "libvips-tools", "vipsheader": "libvips-tools",
}

// MissingError is a program that is not installed.
type MissingError struct{ program string }

// Error names the package in one line.
func (e *MissingError) Error() string {
	return fmt.Sprintf("%s is not installed; install it with: apt-get install %s", e.program, packages[e.program])
}

// Run runs a program in a folder, which also has its temporary files, and returns what it printed. No argument may begin with a
// dash because of a file name: callers pass absolute paths. Errors: *MissingError, ctx's error, or one that says how the
// program failed, with the last line of its messages.
func Run(ctx context.Context, folder, program string, args ...string) ([]byte, error) {
	path, err := exec.LookPath(program)
	if err != nil {
		return nil, &MissingError{program}
	}
	if folder, err = filepath.Abs(folder); err != nil { // the program gets its name too
		return nil, err
	}
	bounded, cancel := context.WithTimeout(ctx, maxTime)
	defer cancel()
	cmd := exec.CommandContext(bounded, path, args...) //nolint:gosec // one of packages, without a shell
	cmd.Dir = folder
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "LC_ALL=C.UTF-8", "TMPDIR=" + folder, "HOME=" + folder,
		"VIPS_CONCURRENCY=1", "MALLOC_ARENA_MAX=2",
	}
	cmd.WaitDelay = time.Second
	stdout, stderr := &limited{limit: maxOutput}, &limited{limit: 64 << 10}
	cmd.Stdout, cmd.Stderr = stdout, stderr
	err = runLimited(cmd)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case bounded.Err() != nil:
		return nil, fmt.Errorf("%s did not finish within %v", program, maxTime)
	case stdout.full:
		return nil, fmt.Errorf("%s printed more than %d MiB", program, maxOutput>>20)
	case err != nil:
		return nil, failure(program, err, stderr.kept.String(), folder)
	}
	return stdout.kept.Bytes(), nil
}

// runLimited starts the program, bounds it and waits for it. The program dies with this process: the kernel ties that to the
// thread that started it, which therefore stays locked.
func runLimited(cmd *exec.Cmd) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := cmd.Start(); err != nil {
		return err
	}
	// The limits come in time: the program is still being linked and has read hardly any input.
	for resource, bound := range map[int]uint64{
		unix.RLIMIT_DATA: maxMemory, unix.RLIMIT_FSIZE: maxFile, unix.RLIMIT_CORE: 0, unix.RLIMIT_CPU: uint64(maxTime / time.Second),
	} {
		limit := unix.Rlimit{Cur: bound, Max: bound}
		if err := unix.Prlimit(cmd.Process.Pid, resource, &limit, nil); err != nil && !errors.Is(err, unix.ESRCH) && !errors.Is(err, unix.EPERM) {
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
			return fmt.Errorf("cannot set its resource limits: %w", err)
		}
	}
	return cmd.Wait()
}

// failure returns the error of a program that failed. Its words are those of the program's last message, without the
// folder, which means nothing to the user.
func failure(program string, err error, messages, folder string) error {
	lines := strings.Split(strings.TrimSpace(messages), "\n")
	last := strings.TrimSpace(lines[len(lines)-1])
	for _, line := range lines {
		if strings.Contains(line, "No space left on device") {
			return fmt.Errorf("%s: %w", program, syscall.ENOSPC)
		}
	}
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		if status, ok := exit.Sys().(syscall.WaitStatus); ok && status.Signaled() {
			last = status.Signal().String()
		}
	}
	if last == "" {
		last = err.Error()
	}
	last = strings.ReplaceAll(last, folder+string(filepath.Separator), "")
	const maxShown = 200 // characters of a message
	if r := []rune(last); len(r) > maxShown {
		last = string(r[:maxShown]) + "..."
	}
	return fmt.Errorf("%s: %s", program, last)
}

// limited keeps the first limit bytes written to it, and drops the rest.
type limited struct {
	kept  bytes.Buffer // not embedded: io.Copy would use its ReadFrom and pass the bound
	limit int
	full  bool
}

// Write never fails, so that the program is not ended by a closed pipe before its error is known.
func (l *limited) Write(p []byte) (int, error) {
	if l.kept.Len()+len(p) > l.limit {
		l.full = true
		return len(p), nil
	}
	return l.kept.Write(p)
}
