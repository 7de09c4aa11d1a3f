package workerpool

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"uncial/impl/ocr/models"
	"uncial/impl/ocr/pipe"
	"uncial/impl/ocr/sandbox"
)

// newLauncher checks that the worker program and the model folders exist, and prepares the sandbox. The operator sees its
// errors when the service starts.
func (p *Pool) newLauncher(ctx context.Context) (*sandbox.Launcher, error) {
	o := p.opts
	// The shim changes to "/" before it starts the program, so relative paths would not be found.
	if !filepath.IsAbs(o.Worker) {
		return nil, fmt.Errorf("worker path %q is relative; expected an absolute path", o.Worker)
	}
	if _, err := os.Stat(o.Worker); errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("worker program %s not found; build it and install it next to uncial, or configure its path", o.Worker)
	}
	for _, dir := range o.Models {
		if info, err := os.Stat(dir); err != nil || !info.IsDir() || !filepath.IsAbs(dir) {
			return nil, fmt.Errorf("model folder %q: expected the absolute path of an existing folder", dir)
		}
	}
	// The worker may read only the folders in which it looks for models.
	dirs := slices.Clone(o.Models)
	for _, dir := range models.Dirs() {
		if !slices.Contains(dirs, dir) {
			dirs = append(dirs, dir)
		}
	}
	l, err := sandbox.NewLauncher(ctx, sandbox.Options{
		Program: o.Worker,
		Env:     environment(dirs),
		Read:    dirs,
		Memory:  MaxMemory,
		// A backstop for the whole life of a worker, twice what it should need; the deadline limits each image.
		CPU:  time.Duration(o.MaxPages+1) * 2 * o.Deadline,
		Mode: o.Sandbox,
	})
	if errors.Is(err, sandbox.ErrNotProgram) {
		return nil, &ProgramError{err.Error()}
	}
	if err != nil {
		return nil, fmt.Errorf("the worker cannot start: %w", err)
	}
	return l, nil
}

// environment returns the complete environment of a worker. It does not include the service's secrets.
func environment(dirs []string) []string {
	return []string{
		pipe.ProtocolEnv + "=" + strconv.Itoa(pipe.Protocol),
		pipe.ModelsEnv + "=" + strings.Join(dirs, string(os.PathListSeparator)),
		"LC_ALL=C",
		// One OpenMP thread per engine: with two, two workers on two cores took seven times as long (12.3 s instead of 1.8 s).
		"OMP_THREAD_LIMIT=1",
		"OMP_NUM_THREADS=1",
		// One arena: otherwise glibc gives each thread its own arena, whose free memory other threads cannot use.
		"MALLOC_ARENA_MAX=1",
	}
}
