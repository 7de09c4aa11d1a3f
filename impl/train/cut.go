package train

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"uncial/impl/ocr"
	"uncial/impl/ocr/neural/training"
	"uncial/impl/ocr/pipe"
)

// maxImageBytes is the size of the largest image that lines are cut from: the service reads no larger ones.
const maxImageBytes = ocr.MaxBytes

// cut cuts the lines of the pages and writes them to the state folder, unless an earlier run has already cut the same files. A
// page that cannot be cut is reported to o.Progress and skipped; it is an error if no line is left.
func (o *Options) cut(ctx context.Context, state string, pages []page) (err error) {
	done := filepath.Join(state, "cut")
	mark := digest(pages)
	if old, err := os.ReadFile(done); err == nil && string(old) == mark {
		return nil
	}
	if err := os.RemoveAll(filepath.Join(state, "state.pt")); err != nil { // trained on other lines
		return err
	}
	cutter, stop, err := o.Cutter(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stop()) }()
	w, err := newWriter(state)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.close()) }()
	for i, p := range pages {
		fmt.Fprintf(o.Progress, "\rCutting lines: page %d of %d  ", i+1, len(pages))
		switch err := w.page(ctx, cutter, p); {
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.Is(err, errPage):
			fmt.Fprintf(o.Progress, "\n%v\n", err)
		case err != nil:
			return err
		}
	}
	fmt.Fprintln(o.Progress)
	if w.lines == 0 {
		return errors.New("--ground-truth: no line could be cut out of the images")
	}
	if w.lines < minLines {
		return fmt.Errorf("--ground-truth: only %d lines could be cut out of the images; training needs at least %d", w.lines, minLines)
	}
	if err := w.flush(); err != nil {
		return err
	}
	return os.WriteFile(done, []byte(mark), 0o600)
}

// minLines is the minimum number of lines, so that at least one of ten is held back to measure the error.
const minLines = 10

// errPage is wrapped by errors that concern only one page, which is then skipped.
var errPage = errors.New("skipped")

// writer writes a folder of lines, as package training describes it.
type writer struct {
	ink, rows *os.File
	to        *bufio.Writer
	json      *json.Encoder
	offset    int64
	lines     int
}

// newWriter creates the two files that the training program reads: one with the pixels of all lines, and one with a row of JSON
// for each line.
func newWriter(state string) (*writer, error) {
	ink, err := os.Create(filepath.Join(state, "lines.u8"))
	if err != nil {
		return nil, err
	}
	rows, err := os.Create(filepath.Join(state, "lines.jsonl"))
	if err != nil {
		return nil, errors.Join(err, ink.Close())
	}
	w := &writer{ink: ink, rows: rows, to: bufio.NewWriter(ink), json: json.NewEncoder(rows)}
	w.json.SetEscapeHTML(false)
	return w, nil
}

func (w *writer) flush() error { return w.to.Flush() }

func (w *writer) close() error { return errors.Join(w.ink.Close(), w.rows.Close()) }

// page cuts the lines of a page and appends them to the files. Errors that concern this page alone wrap errPage.
func (w *writer) page(ctx context.Context, c Cutter, p page) error {
	if info, err := os.Stat(p.Image); err != nil || info.Size() > maxImageBytes {
		return fmt.Errorf("%s: %w: the image is larger than %d MiB, or cannot be opened", p.Image, errPage, maxImageBytes>>20)
	}
	image, err := os.ReadFile(p.Image)
	if err != nil {
		return fmt.Errorf("%w: %w", errPage, err)
	}
	lines, request := cuttableLines(p.Page)
	if len(lines) == 0 {
		return fmt.Errorf("%s: %w: no line has a polygon that fits its baseline", p.XML, errPage)
	}
	strips, err := c.Cut(ctx, image, request)
	if invalid := (*ocr.ImageError)(nil); errors.As(err, &invalid) || errors.Is(err, ocr.ErrTimeout) {
		return fmt.Errorf("%s: %w: %w", p.Image, errPage, err)
	}
	if err != nil {
		return err
	}
	at := 0
	for i, width := range strips.Widths {
		n := width * pipe.StripHeight
		if n == 0 {
			continue
		}
		row := training.Line{Offset: w.offset, Width: width, Text: lines[i].Text, Page: filepath.Base(p.XML), Held: p.isHeld(i)}
		if err := w.json.Encode(row); err != nil {
			return err
		}
		if _, err := w.to.Write(strips.Ink[at : at+n]); err != nil {
			return err
		}
		at += n
		w.offset += int64(n)
		w.lines++
	}
	return nil
}
