package reading

import (
	"context"
	"fmt"
	"image"
	"math"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"uncial/impl/ocr/hand"
	"uncial/impl/ocr/layout"
	"uncial/impl/ocr/models/own"
	"uncial/impl/ocr/neural"
	"uncial/impl/ocr/tesseract"
)

// handwriting reads lines with one network for handwriting. The zero value uses the shipped network, which it loads before it
// reads the first line.
type handwriting struct {
	model    *neural.Model
	language *neural.Language
	french   *neural.Language // for searches with word lists in French
	english  *neural.Language // for searches with word lists in English
	recognizers
}

// load loads the files, unless they are loaded already.
func (h *handwriting) load() error {
	err := h.loadLanguage()
	if err != nil || h.model != nil {
		return err
	}
	network, _ := own.HandsFiles()
	if h.model, err = neural.Load(network); err != nil {
		return fmt.Errorf("%s: %w", own.Hands, err)
	}
	return nil
}

// loadLanguage loads the character model.
func (h *handwriting) loadLanguage() (err error) {
	if h.language == nil {
		_, language := own.HandsFiles()
		if h.language, err = neural.LoadLanguage(language); err != nil {
			return fmt.Errorf("%s: %w", own.Hands, err)
		}
	}
	return nil
}

// search returns the settings of further readings. French and English each have their own character model, which is loaded at
// the first search.
func (h *handwriting) search(s hand.Search) (search neural.Search, err error) {
	search = neural.Search{Known: s.Known, Thorough: s.Thorough}
	switch {
	case isFrench(s.Language):
		search.Texts, err = loadTexts(&h.french, own.FrenchTexts())
	case isLanguage(s.Language, "en", "enm"):
		search.Texts, err = loadTexts(&h.english, own.EnglishTexts())
	}
	return search, err
}

// loadTexts returns *model. If it is nil, it loads the character model from file first.
func loadTexts(model **neural.Language, file []byte) (*neural.Language, error) {
	if *model == nil {
		loaded, err := neural.LoadLanguage(file)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", own.Hands, err)
		}
		*model = loaded
	}
	return *model, nil
}

// read reads each strip as one line, on at most the given number of threads, and at least one. If ctx ends, it returns ctx's
// error.
func (h *handwriting) read(ctx context.Context, strips []*image.Gray, threads int) ([][]tesseract.Word, error) {
	out := make([][]tesseract.Word, len(strips))
	err := h.each(ctx, strips, threads, func(r *neural.Recognizer, i int) { out[i] = toTesseract(r.Read(strips[i])) })
	return out, err
}

// readAgain reads each strip as read does, and adds the further readings that s requests. See hand.Reader.
func (h *handwriting) readAgain(ctx context.Context, strips []*image.Gray, threads int, s hand.Search) ([]hand.Readings, error) {
	search, err := h.search(s)
	if err != nil {
		return nil, err
	}
	out := make([]hand.Readings, len(strips))
	err = h.each(ctx, strips, threads, func(r *neural.Recognizer, i int) {
		read := r.ReadAgain(strips[i], search)
		out[i] = hand.Readings{First: toTesseract(read.First), Listed: toTesseract(read.Listed), Thorough: toTesseract(read.Thorough)}
	})
	return out, err
}

// each calls read for each strip, on at most the given number of threads.
func (h *handwriting) each(ctx context.Context, strips []*image.Gray, threads int, read func(r *neural.Recognizer, i int)) error {
	if err := h.load(); err != nil {
		return err
	}
	return h.recognizers.each(ctx, len(strips), threads, func() *neural.Recognizer { return neural.NewRecognizer(h.model, h.language) }, read)
}

// recognizers are those of one network: as many as threads have read at the same time.
type recognizers []*neural.Recognizer

// each calls read for the indexes of n strips, on at most the given number of threads, and at least one, with one recognizer each. If ctx
// ends, it returns ctx's error.
func (all *recognizers) each(ctx context.Context, n, threads int, open func() *neural.Recognizer, read func(r *neural.Recognizer, i int)) error {
	threads = max(min(threads, n/minStripsAnEngine), 1)
	for len(*all) < threads {
		*all = append(*all, open())
	}
	var next atomic.Int64
	var group errgroup.Group
	for _, r := range (*all)[:threads] {
		group.Go(func() error {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				if err := ctx.Err(); err != nil {
					return err
				}
				read(r, i)
			}
			return nil
		})
	}
	return group.Wait()
}

// FindLines finds the lines of handwriting on a page. See hand.Reader.
func (e *Engines) FindLines(g *image.Gray) (*layout.Page, error) {
	if e.finder == nil {
		model, err := neural.LoadFinder(own.LinesFile())
		if err != nil {
			return nil, fmt.Errorf("%s: %w", own.Lines, err)
		}
		e.finder = layout.NewFinder(model)
	}
	return e.finder.Find(g), nil
}

// toTesseract converts words to Tesseract's type and scale of confidence.
func toTesseract(words []neural.Word) []tesseract.Word {
	var out []tesseract.Word
	for _, w := range words {
		out = append(out, tesseract.Word{Text: w.Text, Box: w.Box, Signals: w.Signals, Confidence: 100 * onTesseractScale(w.Confidence)})
	}
	return out
}

// onTesseractScale converts the network's confidence, 0..1, to the scale of Tesseract's.
func onTesseractScale(confidence float64) float64 {
	const edge = 0.001 // keeps the logarithm finite
	c := min(max(confidence, edge), 1-edge)
	return logistic(math.Log(c/(1-c)) - networkShift)
}
