package train

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"uncial/impl/client/durable"
	"uncial/impl/ocr/models/own"
	"uncial/internal/language"
)

// maxModelBytes is the size of the largest model file that a worker loads: maxFile of package neural, which needs cgo.
const maxModelBytes = 64 << 20

// checkBase returns an error if the base model is not a file, or is the file that will be written.
func (o *Options) checkBase() error {
	if o.Base == own.Hands {
		return nil
	}
	info, err := os.Stat(o.Base)
	if err != nil || !info.Mode().IsRegular() {
		return fmt.Errorf("--base: there is no file %s; give a model file, or %q for the shipped one", o.Base, own.Hands)
	}
	if info.Size() > maxModelBytes {
		return fmt.Errorf("--base: %s has %d bytes; a model has at most %d", o.Base, info.Size(), maxModelBytes)
	}
	if out, err := os.Stat(o.Out); err == nil && os.SameFile(info, out) {
		return fmt.Errorf("--out: %s is the model of --base, which would be overwritten; choose another name", o.Out)
	}
	return nil
}

// checkOut returns an error if there is a model already, which may have taken hours, unless the run that writes it was
// interrupted or failed.
func (o *Options) checkOut() error {
	if _, err := os.Lstat(o.Out); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if _, err := os.Stat(madeFolder(o.Out + stateSuffix)); err == nil {
		return nil
	}
	return fmt.Errorf("--out: %s exists and would be replaced; remove it first, or choose another name", o.Out)
}

// base copies the base model to the state folder and returns the path of the copy, which has the name of the new model. A
// worker must be able to load it: then no training is lost because the worker is missing, or because of the base model or the
// name.
func (o *Options) base(ctx context.Context, state string) (string, error) {
	folder, err := emptyFolder(state, "base")
	if err != nil {
		return "", err
	}
	path := filepath.Join(folder, filepath.Base(o.Out))
	network, _ := own.HandsFiles()
	if o.Base != own.Hands {
		if network, err = os.ReadFile(o.Base); err != nil {
			return "", fmt.Errorf("--base: %w", err)
		}
	}
	if err := os.WriteFile(path, network, 0o600); err != nil { // #nosec G703 -- the folder of the run, beside --out
		return "", err
	}
	languages, err := o.Load(ctx, folder)
	if err != nil {
		return "", errors.Join(ctx.Err(), fmt.Errorf("--base, --out: a worker cannot load %s under the name of %s: %w", o.Base, o.Out, err))
	}
	for _, tag := range o.Languages {
		if _, err := language.Match(tag, languages); err != nil {
			fmt.Fprintf(o.Progress, "--language: this machine has no Tesseract model for %s; without one, the service refuses pages in %[1]s, even with a handwriting model\n", tag)
		}
	}
	return path, nil
}

// made returns where the training program writes the model, in a new folder: only a model that a worker can load takes its
// place at o.Out, because one that it cannot load would stop every worker.
func made(state string) (string, error) {
	folder, err := emptyFolder(state, madeName)
	return filepath.Join(folder, madeName+modelExtension), err
}

// madeFolder returns the folder of the model that is being made. It exists from the beginning of a training until the model and
// the report are written.
func madeFolder(state string) string { return filepath.Join(state, madeName) }

const madeName = "made"

// emptyFolder returns the path of a folder of the state, which it creates or empties: it may have the model of an earlier run.
func emptyFolder(state, name string) (string, error) {
	folder := filepath.Join(state, name)
	if err := os.RemoveAll(folder); err != nil {
		return "", fmt.Errorf("--out: %w", err)
	}
	if err := os.Mkdir(folder, 0o750); err != nil {
		return "", fmt.Errorf("--out: %w", err)
	}
	return folder, nil
}

// publish checks the model that was made, and copies it to o.Out.
func (o *Options) publish(ctx context.Context, path string) error {
	if _, err := o.Load(ctx, filepath.Dir(path)); err != nil {
		return errors.Join(ctx.Err(), fmt.Errorf("the model that was trained cannot be loaded, so %s was not written: %w", o.Out, err))
	}
	model, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	return writeFile(o.Out, func(w io.Writer) error { _, err := w.Write(model); return err })
}

// writeFile writes a file, which is then complete or, after an error, unchanged. The error names the file.
func writeFile(path string, write func(io.Writer) error) error {
	if err := durable.Write(filepath.Dir(path), path, write); err != nil {
		return fmt.Errorf("%s could not be written: %w", path, err)
	}
	return nil
}
