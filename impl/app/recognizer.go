package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"uncial/impl/ocr"
	"uncial/impl/ocr/models"
	"uncial/impl/ocr/pipe"
	"uncial/impl/ocr/remote"
	"uncial/impl/ocr/sandbox"
	"uncial/impl/ocr/workerpool"
	"uncial/internal/fair"
)

const (
	workerName = "uncial-worker"
	// reserveWorkers is the number of additional workers for accounts none of whose images is being read, so that they never
	// wait for the images of another account. All workers compete for the cores.
	reserveWorkers = 1
)

// recognizer reads images: a *workerpool.Pool on this machine, or a *remote.Client on engines.
type recognizer interface {
	ocr.Recognizer
	// Ready returns nil if the recognizer can read, and otherwise an error that says why not.
	Ready(ctx context.Context) error
	// Semaphore returns the semaphore that limits the images that wait or are being read.
	Semaphore() *fair.Semaphore
}

// openRecognizer connects to the engine if o names one, and otherwise starts workers on this machine. The second result closes
// the recognizer. Errors name the flag.
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

// openPool starts the workers and returns once they are initialized. It fills in the default path of the worker; package
// workerpool has the other defaults.
func openPool(ctx context.Context, o EngineOptions, log *slog.Logger) (*workerpool.Pool, error) {
	worker, err := findWorker(o.Worker)
	if err != nil {
		return nil, err
	}
	dirs, err := modelFolders(o.Models)
	if err != nil {
		return nil, err
	}
	pool, err := workerpool.New(ctx, workerpool.Options{
		Worker: worker, Workers: o.Workers, Reserve: reserveWorkers, Queue: o.Queue, Deadline: o.Deadline, Models: dirs,
		Sandbox: sandbox.Mode(o.Sandbox), WorkerPerAccount: o.WorkerPerAccount, Logger: log,
	})
	if err != nil {
		return nil, blame(err, o.Worker, dirs)
	}
	return pool, nil
}

// blame puts the flag that caused an error of workerpool.New before it: --worker if worker is not empty, or --models for a
// model in one of the folders.
func blame(err error, worker string, dirs []string) error {
	program, isProgram := errors.AsType[*workerpool.ProgramError](err)
	model, isModel := errors.AsType[*workerpool.ModelError](err)
	switch {
	case isProgram && worker != "":
		return fmt.Errorf("--worker: %w", program)
	case isModel && slices.ContainsFunc(dirs, func(dir string) bool { return strings.Contains(model.Text, dir+"/") }):
		return &FlagError{modelsFlag, model}
	case isProgram, isModel:
		return fmt.Errorf("start the worker: %w", err)
	}
	return err
}

// modelFolders returns the absolute paths of the folders, because a worker runs in a folder of its own. The pool adds the
// folders of the installed language packs. The error is a *FlagError if a folder has no models, or one that is damaged; a
// worker checks the rest.
func modelFolders(named []string) ([]string, error) {
	dirs := make([]string, len(named))
	for i, d := range named {
		var err error
		if dirs[i], err = filepath.Abs(d); err == nil {
			err = models.CheckFolder(dirs[i])
		}
		if err != nil {
			return nil, &FlagError{modelsFlag, err}
		}
	}
	return dirs, nil
}

// workerFolders are the folders in which to look for uncial-worker, relative to the folder of this program: its own, and the
// one where packages put programs that people do not run themselves.
var workerFolders = []string{".", "../libexec/uncial"}

// findWorker returns the absolute path of the named program, or of the uncial-worker that was installed with this program. PATH
// is not searched, because what is found there might be of another version.
func findWorker(named string) (string, error) {
	candidates := []string{named}
	if named == "" {
		self, err := os.Executable()
		if err != nil {
			return "", err
		}
		candidates = nil
		for _, folder := range workerFolders {
			candidates = append(candidates, filepath.Join(filepath.Dir(self), folder, workerName))
		}
	}
	for _, c := range candidates {
		path, err := filepath.Abs(c)
		if err != nil {
			return "", err
		}
		if info, err := os.Stat(path); err == nil && !info.IsDir() {
			return path, nil
		}
	}
	return "", fmt.Errorf("--worker: no program at %s; run `make build`, or give the path of uncial-worker", candidates[0])
}

// Models starts one worker on this machine, asks it for its engine and models, and stops it. An error about an option names the
// flag.
func Models(ctx context.Context, o EngineOptions, log *slog.Logger) (h pipe.Hello, err error) {
	if err := o.check(); err != nil {
		return h, err
	}
	o.Workers = 1
	pool, err := openPool(ctx, o, log)
	if err != nil {
		return h, err
	}
	defer func() { err = errors.Join(err, pool.Close()) }()
	return pool.Hello(), nil
}

// Languages returns the BCP 47 tags that the engine at engineURL can read. If engineURL is empty, it starts one worker on this
// machine and asks that one. Errors name the flag.
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
