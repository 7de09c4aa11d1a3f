package main

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"

	"uncial/impl/app"
	"uncial/impl/ocr/neural/training"
	"uncial/impl/train"
)

type trainCmd struct {
	GroundTruth []string      `required:"" type:"existingdir" placeholder:"DIR" help:"Folder with PAGE or ALTO files and their images, such as an export of eScriptorium or Transkribus; may be repeated."`
	HeldBack    []string      `type:"existingdir" placeholder:"DIR" help:"Folder with more such pages, which are used only to measure the error; may be repeated (default: a tenth of the ground truth)."`
	Base        string        `default:"hands" placeholder:"MODEL" help:"Model to fine-tune: ${default}, which ships with the program, or the path of a .uhm file."`
	Out         string        `required:"" type:"path" placeholder:"FILE.uhm" help:"Model to write; must not exist yet. A report (.html) and a folder with the state (.training) are written next to it."`
	Language    []string      `required:"" placeholder:"TAG" help:"Language of the pages as a BCP 47 tag, such as fr; may be repeated. The model competes on pages of these languages."`
	Time        time.Duration `default:"1h" help:"Maximum training time (default: ${default})."`
	Passes      float64       `default:"20" help:"Number of passes over the lines (default: ${default})."`
	Threads     int           `placeholder:"N" help:"Number of threads (default: one per core)."`
	Worker      string        `type:"path" placeholder:"PATH" help:"Path of the uncial-worker program (default: next to this program, or in ../libexec/uncial)."`
	Sandbox     string        `enum:"require,best-effort,off" default:"best-effort" help:"Confine the worker with landlock and seccomp: require, best-effort or off (default: ${default})."`
}

func (trainCmd) Help() string {
	return `The command cuts the transcribed lines out of the images and trains the base model on them, on this machine's processor.
To measure the error, it holds back a tenth of the pages, or uses the pages of --held-back. Ctrl-C stops the training; run
the same command again to continue.

It needs PyTorch, and is three times as fast with OpenBLAS:
  apt-get install python3-torch libopenblas0-pthread

Example:
  uncial train --ground-truth export/ --language fr --out ours.uhm
  uncial serve --models .`
}

// cutDeadline limits the time for cutting out the lines of one page.
const cutDeadline = 2 * time.Minute

// interrupted wraps the error of a training run that a signal stopped, so that the program ends with the usual status.
type interrupted struct{ error }

// ExitCode returns the status of a program that a signal stopped.
func (interrupted) ExitCode() int { return 130 }

// Run trains and prints where the model is.
func (c *trainCmd) Run(ctx context.Context, con *console) error {
	threads := c.Threads
	if threads <= 0 {
		threads = runtime.GOMAXPROCS(0)
	}
	engine := app.EngineOptions{Worker: c.Worker, Sandbox: c.Sandbox, Deadline: cutDeadline}
	result, err := train.Run(ctx, train.Options{
		GroundTruth: c.GroundTruth, HeldBack: c.HeldBack, Base: c.Base, Out: c.Out, Languages: c.Language, Minutes: c.Time.Minutes(), Passes: c.Passes, Threads: threads,
		Progress: con.err,
		Cutter: func(ctx context.Context) (train.Cutter, func() error, error) {
			return app.OpenCutter(ctx, engine, con.warnings())
		},
		Load: func(ctx context.Context, folder string) ([]string, error) {
			loading := engine
			loading.Models = []string{folder}
			hello, err := app.Models(ctx, loading, con.warnings())
			if flagged, ok := errors.AsType[*app.FlagError](err); ok { // this command has no --models
				err = flagged.Cause
			}
			return hello.Languages, err
		},
	})
	if errors.Is(err, training.ErrInterrupted) || errors.Is(err, context.Canceled) {
		return interrupted{training.ErrInterrupted}
	}
	if err != nil {
		return err
	}
	fmt.Fprintf(con.out, "%s: error on lines held back: %.3f; before: %.3f. Report: %s\n", result.Model, result.After, result.Before, result.Report)
	return nil
}
