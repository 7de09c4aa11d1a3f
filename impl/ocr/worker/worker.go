// Package worker is the child side of the engine: it receives requests (package pipe), decodes each image and reads its pages,
// one request at a time, until the service closes the pipe. The parent side is package workerpool, and package reading reads
// the pages. Start with Run, which the command uncial-worker calls.
package worker

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"runtime/debug"
	"slices"
	"time"

	"uncial/impl/ocr"
	"uncial/impl/ocr/models"
	"uncial/impl/ocr/pipe"
	"uncial/impl/ocr/reading"
	"uncial/impl/ocr/tesseract"
	"uncial/impl/ocr/timing"
	"uncial/internal/language"
)

// warmModels is the maximum number of models that stay loaded if memory allows; see package reading. Loading a model takes
// about 55 ms.
const warmModels = 12

// ModelError means that a model cannot be used. It names the file.
type ModelError struct{ Cause error }

func (e *ModelError) Error() string { return e.Cause.Error() }
func (e *ModelError) Unwrap() error { return e.Cause }

// Run reads a small image as a self-test, sends the hello, and answers requests until in ends; then it returns nil. After an
// error the process must exit: a model cannot be used (*ModelError), the self-test failed, the pipe broke, or a request caused
// a panic, which Run answered with an internal error.
func Run(in io.Reader, out io.Writer, set *models.Set) error {
	engines := reading.NewEngines(set, warmModels)
	defer engines.Close()
	if err := set.Check(); err != nil {
		return &ModelError{err}
	}
	if err := engines.LoadHandwritingModels(); err != nil {
		return &ModelError{err}
	}
	if err := selfTest(engines, set.Languages()); err != nil {
		return fmt.Errorf("worker: the first reading failed: %w", err)
	}
	conn := pipe.New(in, out)
	err := conn.SendHello(pipe.Hello{
		Version:     "tesseract " + tesseract.Version() + ", " + tesseract.LeptonicaVersion(),
		Protocol:    pipe.Protocol,
		Languages:   languages(set),
		Models:      set.Names(),
		Handwriting: handwritingModels(engines),
	})
	if err != nil {
		return fmt.Errorf("worker: %w", err)
	}
	return serve(conn, func(ctx context.Context, req pipe.Request, image []byte) (pipe.Answer, error) {
		if req.Cut != nil {
			strips, err := cut(ctx, image, req.Cut)
			return pipe.Answer{Strips: strips}, err
		}
		engines.SetThreads(req.Threads)
		ctx, times := timing.With(ctx)
		doc, err := reading.File(ctx, image, reading.Options{Language: req.Language, Enhance: req.Enhance, Preview: req.Preview, Picture: req.Picture}, engines)
		if err == nil {
			doc.Models = engines.ModelsOf(doc)
			doc.MarkBroken(func(whole string) bool { return engines.HasWord(doc, whole) })
		}
		return pipe.Answer{Document: doc, Steps: times.Steps()}, err
	})
}

// languages returns the tags that requests can name: those of the models, and und if there are any.
func languages(set *models.Set) []string {
	tags := set.Languages()
	if len(tags) > 0 {
		tags = append(tags, language.Undetermined)
		slices.Sort(tags)
	}
	return tags
}

// handwritingModels describes the handwriting models for the hello.
func handwritingModels(engines *reading.Engines) []pipe.HandwritingModel {
	var all []pipe.HandwritingModel
	loaded := engines.HandwritingModels()
	for _, name := range slices.Sorted(maps.Keys(loaded)) {
		info := loaded[name]
		all = append(all, pipe.HandwritingModel{Name: name, Version: info.Version, Languages: info.Languages, Digest: info.Digest})
	}
	return all
}

// reader answers a request. It does not set the ID of the answer.
type reader func(ctx context.Context, req pipe.Request, image []byte) (pipe.Answer, error)

// serve answers requests until the pipe ends. It is a separate function so that tests can replace the reader.
func serve(conn *pipe.Conn, read reader) error {
	var heap memory
	for {
		req, image, err := conn.ReceiveRequest()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("worker: %w", err)
		}
		answer, failed := readSafely(read, req, image)
		answer.ID = req.ID
		if err := send(conn, answer, failed); err != nil {
			return fmt.Errorf("worker: %w", err)
		}
		if fatal := (*panicError)(nil); errors.As(failed, &fatal) {
			return failed
		}
		heap.release()
	}
}

// panicError is a panic during a request. Afterwards the state of the libraries is unknown, so the worker exits.
type panicError struct {
	value any
	stack []byte
}

// Error includes the stack, which the service logs.
func (e *panicError) Error() string { return fmt.Sprintf("worker: panic: %v\n%s", e.value, e.stack) }

// readSafely reads within the request's deadline and turns a panic into a panicError.
func readSafely(read reader, req pipe.Request, image []byte) (answer pipe.Answer, err error) {
	defer func() {
		if value := recover(); value != nil {
			answer, err = pipe.Answer{}, &panicError{value, debug.Stack()}
		}
	}()
	ctx, cancel := context.WithTimeout(context.Background(), time.Duration(req.Deadline)*time.Millisecond)
	defer cancel()
	return read(ctx, req, image)
}

// send sends the answer, or the error if there is one. If the pipe refuses the answer, send sends an internal error.
func send(conn *pipe.Conn, answer pipe.Answer, failed error) error {
	if failed == nil {
		if failed = conn.SendAnswer(answer); failed == nil {
			return nil
		}
	}
	return conn.SendAnswer(pipe.Answer{ID: answer.ID, Error: describe(failed)})
}

// describe classifies an error for the service. The messages of InvalidImage are shown to the caller.
func describe(err error) *pipe.Error {
	var invalid *ocr.ImageError
	switch {
	case errors.As(err, &invalid):
		return &pipe.Error{Kind: pipe.InvalidImage, Message: invalid.Reason}
	case errors.Is(err, tesseract.ErrRecognition): // seen with noise on very large pages, which exhausts the memory limit
		return &pipe.Error{Kind: pipe.InvalidImage, Message: "the page is too large or has too many specks to be read; send a smaller image"}
	case errors.Is(err, context.DeadlineExceeded):
		return &pipe.Error{Kind: pipe.TimedOut, Message: err.Error()}
	}
	return &pipe.Error{Kind: pipe.Internal, Message: err.Error()}
}
