package reading

import (
	"context"
	"image"
	"slices"
	"strings"

	"uncial/internal/document"
	tags "uncial/internal/language"
	"uncial/internal/language/guess"
	"uncial/internal/text"
)

// latin is the script of most models.
const latin = "Latn"

// generalModel returns the model that reads a sample in Latin letters of any language, or "" if no models are installed. It
// prefers the model for early print, which has learnt the accents of many languages, and reads a few lines faster than any
// other.
func generalModel(src Source) string {
	if src.Has(earlyPrint) {
		return earlyPrint
	}
	all := src.Languages()
	if all = append(tags.InScript(all, latin), all...); len(all) == 0 {
		return ""
	}
	return src.For(all[0])[0]
}

// isUndetermined reports whether the language of the page must be detected. A blank page keeps the tag und.
func isUndetermined(p *page) bool {
	return p.options.Language == tags.Undetermined && len(p.sheet.components) > 0
}

// findLanguage detects the language of the page from some of its lines. From here on, the page is read as if the caller had
// named that language, so a caller who names it gets the same reading.
func findLanguage(ctx context.Context, p *page) error {
	within, cancel := withShare(ctx, stepShare)
	defer cancel()
	found, err := p.languageOfHandwriting(within)
	if err == nil && found.Tag == "" {
		found, err = p.languageOfPrint(within)
	}
	if err != nil && within.Err() != nil && ctx.Err() == nil {
		found, err, p.curtailed = guess.Guess{Tag: unknownLanguage(p.src, latin)}, nil, true
	}
	if err != nil {
		return err
	}
	p.setLanguage(found)
	return nil
}

// setLanguage makes the following steps read the page in the guessed language, with the models for it.
func (p *page) setLanguage(g guess.Guess) {
	p.language, p.languageEvidence, p.model = g.Tag, g.Evidence, p.src.For(g.Tag)[0]
	switch {
	case !isLatinScript(p.language):
		p.handwriting = handwriting{}
	case p.handwriting.page != nil:
		p.handwriting.page.Use(handwritingModels(p, p.handwriting.reader))
	}
}

// languageOfHandwriting returns the language of a handwritten page. For any other page, the tag is empty.
func (p *page) languageOfHandwriting(ctx context.Context) (guess.Guess, error) {
	_, isHandwritten, err := p.handwriting.confidence(ctx)
	if err != nil || !isHandwritten {
		return guess.Guess{}, err
	}
	return p.languageOfLines(ctx)
}

// languageOfLines returns the language of the text that the handwriting model reads on the page, even if the page is not
// handwritten.
func (p *page) languageOfLines(ctx context.Context) (guess.Guess, error) {
	return p.guessFromMoreLines(func(lines int) (string, error) { return p.handwriting.page.Text(ctx, p.handwriting.reader, lines) })
}

// guessFromMoreLines guesses the language from a few lines, and then from twice as many, until it is sure. It needs all lines
// for an older stage of a language, which is recognized by the absence of modern words.
func (p *page) guessFromMoreLines(read func(lines int) (string, error)) (found guess.Guess, err error) {
	for lines := fewLines; lines <= manyLines; lines *= 2 {
		text, err := read(lines)
		if err != nil {
			return found, err
		}
		found = p.guessOf(text)
		if found.Evidence >= sureLanguage && !guess.IsOlder(found.Tag) {
			break
		}
	}
	if found.Tag == "" {
		found.Tag = unknownLanguage(p.src, latin)
	}
	return found, nil
}

// guessOf guesses the language of a text in Latin letters. For a language without a model, it returns the tag for any language
// in the script, if that can be read.
func (p *page) guessOf(text string) guess.Guess {
	all := p.src.Languages()
	found := guess.Of(text, tags.InScript(all, latin))
	if anyLanguage := tags.Undetermined + "-" + latin; found.Foreign >= foreignLead && slices.Contains(all, anyLanguage) {
		return guess.Guess{Tag: anyLanguage, Evidence: found.Foreign}
	}
	return found
}

// unknownLanguage returns the tag for pages in a script whose words do not show the language: the tag for any language in this
// script, or else the first tag that can be read.
func unknownLanguage(src Source, script string) string {
	all := src.Languages()
	for _, tag := range append([]string{"und-" + script, tags.Default}, tags.InScript(all, script)...) {
		if len(src.For(tag)) > 0 && tags.Script(tag) == script {
			return tag
		}
	}
	return all[0]
}

// languageOfPrint returns the language of the longest lines. If they are not read with confidence, it also tries handwriting,
// whose letters may be separate, and other scripts for which there are models.
func (p *page) languageOfPrint(ctx context.Context) (guess.Guess, error) {
	rows := p.sheet.longestRows(manyLines)
	sample := []document.Block{{}}
	found, err := p.guessFromMoreLines(func(lines int) (string, error) {
		more, err := p.sheet.readLines(ctx, p.src, generalModel(p.src), rows[len(sample[0].Lines):min(lines, len(rows))], nil)
		if err == nil {
			sample[0].Lines = append(sample[0].Lines, more.blocks[0].Lines...)
		}
		return textOf(sample), err
	})
	confidence := meanConfidence(sample)
	if err == nil {
		found.Tag, err = p.tagOfType(ctx, found.Tag, confidence, rows[:min(fewLines, len(rows))])
	}
	if err != nil || confidence >= sureScript {
		return found, err
	}
	if p.handwriting.page != nil {
		written, err := p.languageOfLines(ctx)
		if err != nil || written.Evidence >= max(sureLanguage, found.Evidence) {
			return written, err
		}
		if written.Evidence > found.Evidence {
			found = written
		}
	}
	return p.languageInOtherScript(ctx, found, confidence)
}

// fraktur is the end of the tags of languages in Fraktur.
const fraktur = "-Latf"

// tagOfType returns the tag of a language in the type of some lines, if it can be read in Fraktur too: in Fraktur if the model
// for early print, which has read the lines with some confidence, leads over the model for roman type. A long s does not show
// the type, because the model for early print sees it in modern type as well.
func (p *page) tagOfType(ctx context.Context, tag string, confidence float64, lines []image.Rectangle) (string, error) {
	roman := strings.TrimSuffix(tag, fraktur)
	if all := p.src.Languages(); generalModel(p.src) != earlyPrint || !slices.Contains(all, roman) || !slices.Contains(all, roman+fraktur) {
		return tag, nil
	}
	read, err := p.sheet.readLines(ctx, p.src, p.src.For(roman)[0], lines, nil)
	if err != nil || read.confidence >= confidence-frakturLead {
		return roman, err
	}
	return roman + fraktur, nil
}

// languageInOtherScript reads a few lines in each other script. If enough letters are read in one script, and with far more
// confidence, it returns the language in that script, otherwise found.
func (p *page) languageInOtherScript(ctx context.Context, found guess.Guess, confidence float64) (guess.Guess, error) {
	rows := p.sheet.longestRows(fewLines)
	best := confidence + scriptLead
	tried := map[string]bool{latin: true, "": true}
	for _, tag := range p.src.Languages() {
		script := tags.Script(tag)
		if tried[script] {
			continue
		}
		tried[script] = true
		likely := unknownLanguage(p.src, script)
		sample, err := p.sheet.readLines(ctx, p.src, p.src.For(likely)[0], rows, nil)
		if err != nil {
			return found, err
		}
		if sample.confidence < best || text.CountLetters(textOf(sample.blocks)) < minScriptLetters {
			continue
		}
		best = sample.confidence
		if found = guess.Of(textOf(sample.blocks), tags.InScript(p.src.Languages(), script)); found.Tag == "" {
			found.Tag = likely
		}
	}
	return found, nil
}

// textOf returns the text of blocks, with a line break after each line.
func textOf(blocks []document.Block) string {
	var lines []string
	for l := range document.Lines(blocks) {
		lines = append(lines, l.Text())
	}
	return strings.Join(lines, "\n")
}

// isLanguageDoubtful reports whether the language of the page was found with too little evidence.
func isLanguageDoubtful(p *page) bool {
	return isUndetermined(p) && !p.curtailed && p.languageEvidence < sureLanguage && isLatinScript(p.language)
}

// readInOtherLanguage guesses the language from the whole text, and reads the page again if it is another language. If there is
// too little time for the whole second reading, the page keeps the first.
func readInOtherLanguage(ctx context.Context, p *page) error {
	found := p.guessOf(textOf(p.read.Blocks))
	if found.Tag == "" || found.Tag == p.language || found.Evidence <= max(p.languageEvidence, sureLanguage) {
		return nil
	}
	o := p.options
	o.Language = found.Tag
	again := newPage(p.gray, o, p.src, p.src.For(found.Tag)[0])
	again.rotation, again.slant = p.rotation, p.slant
	if err := again.run(ctx, uprightSteps); err != nil {
		return err
	}
	if again.curtailed {
		p.curtailed = true
		return nil
	}
	*p = *again
	return nil
}
