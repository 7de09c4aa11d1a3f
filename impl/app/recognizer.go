package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"

	"uncial/impl/ocr"
	"uncial/impl/ocr/remote"
	"uncial/impl/ocr/sandbox"
	"uncial/impl/ocr/workerpool"
)

const (
	workerName = "uncial-worker"
	leastQueue = 16 // so that a handful of callers at once are no overload for one worker
)

// recognizer is what reads: workers of this machine, or engines.
type recognizer interface {
	ocr.Recognizer
	// Ready says what keeps it from reading.
	Ready(ctx context.Context) error
}

// openRecognizer is the remote engine where one is named, else workers of our own.
func openRecognizer(ctx context.Context, o Options) (recognizer, func() error, error) {
	if o.EngineURL != "" {
		client, err := remote.Dial(ctx, o.EngineURL, remote.Options{Logger: o.Logger})
		if err != nil {
			return nil, nil, fmt.Errorf("--engine: %w", err)
		}
		return client, client.Close, nil
	}
	pool, err := openPool(ctx, o.Engine, o.Logger)
	if err != nil {
		return nil, nil, err
	}
	return pool, pool.Close, nil
}

func openPool(ctx context.Context, o EngineOptions, log *slog.Logger) (*workerpool.Pool, error) {
	worker, err := findWorker(o.Worker)
	if err != nil {
		return nil, err
	}
	dirs, err := absolute(o.Models)
	if err != nil {
		return nil, err
	}
	workers := cmp.Or(o.Workers, runtime.GOMAXPROCS(0))
	return workerpool.New(ctx, workerpool.Options{
		Worker: worker, Workers: workers, Queue: cmp.Or(o.Queue, max(leastQueue, 8*workers)), Deadline: o.Deadline, Models: dirs,
		Sandbox: sandbox.Mode(o.Sandbox), Logger: log,
	})
}

// absolute are the directories named; the pool adds those of the installed language packs.
func absolute(named []string) ([]string, error) {
	dirs := make([]string, len(named))
	for i, d := range named {
		var err error
		if dirs[i], err = filepath.Abs(d); err != nil {
			return nil, fmt.Errorf("--models: %w", err)
		}
	}
	return dirs, nil
}

// findWorker is the worker named, or the one beside this program.
func findWorker(named string) (string, error) {
	if named == "" {
		self, err := os.Executable()
		if err != nil {
			return "", err
		}
		named = filepath.Join(filepath.Dir(self), workerName)
	}
	path, err := filepath.Abs(named)
	if err != nil {
		return "", err
	}
	if info, err := os.Stat(path); err != nil || info.IsDir() {
		return "", fmt.Errorf("--worker: %s is not there; build it with `make build`, or name it", path)
	}
	return path, nil
}

// Languages are the tags that the engine, or the workers of this machine, can read.
func Languages(ctx context.Context, engineURL string, o EngineOptions, log *slog.Logger) (tags []string, err error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	o.Workers = 1
	r, closer, err := openRecognizer(ctx, Options{EngineURL: engineURL, Engine: o, Logger: log})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, closer()) }()
	return r.Languages(ctx)
}
