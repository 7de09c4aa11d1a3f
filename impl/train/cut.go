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
// page that cannot be cut is reported to o.Progress and skipped; it is an error if too few lines are left.
func (o *Options) cut(ctx context.Context, state string, pages []page) (err error) {
	done := filepath.Join(state, "cut")
	mark := digest(pages)
	if old, err := os.ReadFile(done); err == nil && string(old) == mark {
		return nil
	}
	// Both belong to other lines. Without the mark, the next run cuts the lines again if this one is interrupted.
	for _, old := range []string{done, filepath.Join(state, "state.pt")} {
		if err := os.RemoveAll(old); err != nil {
			return err
		}
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
	err = o.cutPages(ctx, cutter, w, pages)
	if err = errors.Join(err, w.close()); err != nil {
		return err
	}
	return os.WriteFile(done, []byte(mark), 0o600)
}

// cutPages is cut with files that are open.
func (o *Options) cutPages(ctx context.Context, cutter Cutter, w *writer, pages []page) error {
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
	if err := enough(w.pages, len(o.HeldBack) > 0); err != nil {
		return err
	}
	if len(o.HeldBack) == 0 {
		holdBack(w.pages)
	}
	return w.finish()
}

// errPage is wrapped by errors that concern only one page, which is then skipped.
var errPage = errors.New("skipped")

// writer writes a folder of lines, as package training describes it.
type writer struct {
	ink, rows *os.File
	to        *bufio.Writer     // ink
	offset    int64             // of the next line
	pages     [][]training.Line // the lines of each page that has any
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
	return &writer{ink: ink, rows: rows, to: bufio.NewWriter(ink)}, nil
}

// finish writes what is not in the files yet: the rows are written last, because only then is it known which lines are held
// back.
func (w *writer) finish() error {
	to := bufio.NewWriter(w.rows)
	rows := json.NewEncoder(to)
	rows.SetEscapeHTML(false)
	for _, lines := range w.pages {
		for _, l := range lines {
			if err := rows.Encode(l); err != nil {
				return err
			}
		}
	}
	return errors.Join(to.Flush(), w.to.Flush())
}

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
	requests := cuttableLines(p.Page)
	if len(requests) == 0 {
		return fmt.Errorf("%s: %w: no line has a polygon that fits its baseline", p.XML, errPage)
	}
	var lines []training.Line
	for _, r := range requests {
		strips, err := c.Cut(ctx, image, r.cut)
		if invalid := (*ocr.ImageError)(nil); errors.As(err, &invalid) || errors.Is(err, ocr.ErrTimeout) {
			return fmt.Errorf("%s: %w: %w", p.Image, errPage, err)
		}
		if err != nil {
			return err
		}
		if _, err := w.to.Write(strips.Ink); err != nil {
			return err
		}
		for i, width := range strips.Widths {
			if width > 0 {
				lines = append(lines, training.Line{Offset: w.offset, Width: width, Text: r.lines[i].Text, Page: filepath.Base(p.XML), Held: p.held})
				w.offset += int64(width) * pipe.StripHeight
			}
		}
	}
	if len(lines) > 0 {
		w.pages = append(w.pages, lines)
	}
	return nil
}
