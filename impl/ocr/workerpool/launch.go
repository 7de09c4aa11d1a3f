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

// newLauncher looks whether the worker and its models are there, and prepares its sandbox.
func (p *Pool) newLauncher(ctx context.Context) (*sandbox.Launcher, error) {
	o := p.opts
	if !filepath.IsAbs(o.Worker) {
		return nil, fmt.Errorf("the worker's path %q must be absolute", o.Worker)
	}
	if _, err := os.Stat(o.Worker); errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("the worker %s is missing; build it, and keep it beside the service or name its path", o.Worker)
	}
	for _, dir := range o.Models {
		if info, err := os.Stat(dir); err != nil || !info.IsDir() || !filepath.IsAbs(dir) {
			return nil, fmt.Errorf("the models' directory %q must be the absolute path of a directory that exists", dir)
		}
	}
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
		Memory:  o.Memory,
		CPU:     time.Duration(o.MaxPages+1) * 2 * o.Deadline, // of one life; the deadline bounds each image
		Mode:    o.Sandbox,
	})
	if err != nil {
		return nil, fmt.Errorf("the worker cannot start: %w", err)
	}
	return l, nil
}

// environment is all that a child knows of the outside.
func environment(dirs []string) []string {
	return []string{
		pipe.ProtocolEnv + "=" + strconv.Itoa(pipe.Protocol),
		pipe.ModelsEnv + "=" + strings.Join(dirs, string(os.PathListSeparator)),
		"LC_ALL=C",
		// One thread an image: with two, two children on two CPUs take seven times as long.
		"OMP_THREAD_LIMIT=1",
		"OMP_NUM_THREADS=1",
	}
}
