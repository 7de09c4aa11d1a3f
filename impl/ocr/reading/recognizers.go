package reading

import (
	"context"
	"fmt"
	"image"
	"math"

	"uncial/impl/ocr/hand"
	"uncial/impl/ocr/layout"
	"uncial/impl/ocr/lexicon"
	"uncial/impl/ocr/models/own"
	"uncial/impl/ocr/neural"
	"uncial/impl/ocr/tesseract"
	"uncial/internal/document"
)

// handwritingNetwork reads lines with one network for handwriting. The zero value uses the shipped network, which it loads
// before it reads the first line.
type handwritingNetwork struct {
	model    *neural.Model
	language *neural.Language // for first readings
	french   *neural.Language // for searches with word lists in French
	english  *neural.Language // for searches with word lists in English
	latin    *neural.Language // for first readings of Latin
	recognizers
}

// load loads the files, unless they are loaded already.
func (h *handwritingNetwork) load() error {
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
func (h *handwritingNetwork) loadLanguage() (err error) {
	if h.language == nil {
		_, language := own.HandsFiles()
		if h.language, err = neural.LoadLanguage(language); err != nil {
			return fmt.Errorf("%s: %w", own.Hands, err)
		}
	}
	return nil
}

// search returns the settings of the readings. French and English have a character model of their own for searches with
// word lists, and Latin, which has no lists, one for the first reading. They are loaded when they are first used.
func (h *handwritingNetwork) search(s hand.Search) (search neural.Search, err error) {
	search = neural.Search{Known: s.Known, Thorough: s.Thorough}
	switch {
	case isFrench(s.Language):
		search.CharacterModel, err = loadCharacterModel(&h.french, own.FrenchCharacterModel())
	case isLanguage(s.Language, "en", "enm"):
		search.CharacterModel, err = loadCharacterModel(&h.english, own.EnglishCharacterModel())
	case isLanguage(s.Language, "la"):
		search.First, err = loadCharacterModel(&h.latin, own.LatinCharacterModel())
	}
	return search, err
}

// loadCharacterModel returns *model, which it first loads from file if it is nil.
func loadCharacterModel(model **neural.Language, file []byte) (*neural.Language, error) {
	if *model == nil {
		loaded, err := neural.LoadLanguage(file)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", own.Hands, err)
		}
		*model = loaded
	}
	return *model, nil
}

// read reads each strip as one line, on at most threads threads but at least one. Confidences are on Tesseract's scale. If ctx
// ends, it returns ctx's error.
func (h *handwritingNetwork) read(ctx context.Context, strips []*image.Gray, threads int) ([][]tesseract.Word, error) {
	out := make([][]tesseract.Word, len(strips))
	err := h.each(ctx, strips, threads, func(r *neural.Recognizer, i int) { out[i] = handwritingWords(r.Read(strips[i])) })
	return out, err
}

// readAgain reads each strip as s requests. See hand.Reader.
func (h *handwritingNetwork) readAgain(ctx context.Context, strips []*image.Gray, threads int, s hand.Search) ([]hand.Readings, error) {
	search, err := h.search(s)
	if err != nil {
		return nil, err
	}
	out := make([]hand.Readings, len(strips))
	err = h.each(ctx, strips, threads, func(r *neural.Recognizer, i int) {
		read := r.ReadAgain(strips[i], search)
		out[i] = hand.Readings{First: handwritingWords(read.First), Listed: handwritingWords(read.Listed), Thorough: handwritingWords(read.Thorough)}
	})
	return out, err
}

// each loads the network if necessary, and calls read for each strip, on at most threads threads.
func (h *handwritingNetwork) each(ctx context.Context, strips []*image.Gray, threads int, read func(r *neural.Recognizer, i int)) error {
	if err := h.load(); err != nil {
		return err
	}
	return h.recognizers.each(ctx, len(strips), threads, func() *neural.Recognizer { return neural.NewRecognizer(h.model, h.language) }, read)
}

// printNetwork reads lines with a network for print, which it loads when it is first used.
type printNetwork struct {
	file  []byte
	model *neural.Model
	recognizers
}

// load loads the network, unless it is loaded already.
func (n *printNetwork) load() (err error) {
	if n.model == nil {
		n.model, err = neural.Load(n.file)
	}
	return err
}

// alphabet returns the characters that the network can output, or nil if it cannot be loaded.
func (n *printNetwork) alphabet() lexicon.Alphabet {
	if n.load() != nil {
		return nil
	}
	a := lexicon.Alphabet{}
	for _, c := range n.model.Info().Alphabet {
		for _, r := range c {
			a[r] = true
		}
	}
	return a
}

// read reads each strip as one line, on at most threads threads but at least one.
func (n *printNetwork) read(ctx context.Context, strips []*image.Gray, threads int) ([][]tesseract.Word, error) {
	if err := n.load(); err != nil {
		return nil, fmt.Errorf("the network for print: %w", err)
	}
	out := make([][]tesseract.Word, len(strips))
	open := func() *neural.Recognizer { return neural.NewRecognizer(n.model, nil) }
	err := n.each(ctx, len(strips), threads, open, func(r *neural.Recognizer, i int) { out[i] = printWords(r.Read(strips[i])) })
	return out, err
}

// printWords converts words that the network for print read. Their confidence is the probability of their least certain
// character.
func printWords(words []neural.Word) []tesseract.Word {
	var out []tesseract.Word
	for _, w := range words {
		least, sum := 1.0, 0.0
		for _, c := range w.Characters {
			least, sum = min(least, c.Prob), sum+c.Prob
		}
		out = append(out, tesseract.Word{
			Text: w.Text, Box: w.Box, Confidence: 100 * least, Signals: &document.Signals{Letters: sum / float64(len(w.Characters))},
		})
	}
	return out
}

// recognizers are the recognizers of one network. There are as many as the largest number of threads that have read at the same
// time.
type recognizers []*neural.Recognizer

// each calls read once for each index below n, on at most threads threads, of which the calling one is the first. Each thread
// has its own recognizer; open makes the recognizers that are missing. If ctx ends, it returns its error.
func (all *recognizers) each(ctx context.Context, n, threads int, open func() *neural.Recognizer, read func(r *neural.Recognizer, i int)) error {
	threads = max(min(threads, n/minStripsPerEngine), 1)
	for len(*all) < threads {
		*all = append(*all, open())
	}
	inTurn(threads, n, func(worker, i int) bool {
		if ctx.Err() != nil {
			return false
		}
		read((*all)[worker], i)
		return true
	})
	return ctx.Err()
}

// FindLines finds the lines of handwriting on a page. See hand.Reader.
func (e *Engines) FindLines(ctx context.Context, g *image.Gray) (*layout.Page, error) {
	if e.finder == nil {
		model, err := neural.LoadFinder(own.LinesFile())
		if err != nil {
			return nil, fmt.Errorf("%s: %w", own.Lines, err)
		}
		e.finder = layout.NewFinder(model)
	}
	return e.finder.Find(ctx, g)
}

// handwritingWords converts words to Tesseract's type and scale of confidence.
func handwritingWords(words []neural.Word) []tesseract.Word {
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
