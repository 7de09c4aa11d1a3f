// Command ngram builds a character model for the beam search from files of text lines.
//
//	ngram MODEL.uhm OUT.ngram [WEIGHT:]FILE...
//
// The alphabet is that of MODEL.uhm. Each line of a file counts WEIGHT times (default: 1). The transcriptions that the model
// was trained on should have the largest weight; other texts of the time add words. No line may be from a page that accuracy is
// measured on.
package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"uncial/impl/ocr/neural"
)

// counting has the settings with which the shipped character models for searches with word lists were built. MinGain keeps
// their files well below 10 MB.
var counting = neural.Counting{Order: 6, MinGain: 12}

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "ngram:", err)
		os.Exit(1)
	}
}

// run builds a character model from the texts args[2:] with the alphabet of the model args[0], and writes it to args[1].
func run(args []string) error {
	if len(args) < 3 {
		return errors.New("missing arguments; usage: ngram MODEL.uhm OUT.ngram [WEIGHT:]FILE [...]")
	}
	m, err := neural.Open(args[0])
	if err != nil {
		return err
	}
	var texts []neural.Text
	for _, arg := range args[2:] {
		text, err := open(arg)
		if err != nil {
			return err
		}
		texts = append(texts, text)
	}
	data, err := neural.CountLanguage(texts, m.Info().Alphabet, counting)
	if err != nil {
		return err
	}
	return os.WriteFile(args[1], data, 0o644) //nolint:gosec // a model is public
}

// open reads a file named as WEIGHT:FILE or FILE.
func open(arg string) (neural.Text, error) {
	before, name, weighted := strings.Cut(arg, ":")
	weight := 1
	if !weighted {
		name = arg
	} else if n, err := strconv.Atoi(before); err != nil || n < 1 {
		return neural.Text{}, fmt.Errorf("%s: the weight before the colon must be a whole number of at least 1", arg)
	} else {
		weight = n
	}
	data, err := os.ReadFile(name) //nolint:gosec // the caller's own file
	return neural.Text{Lines: bytes.NewReader(data), Weight: weight}, err
}
