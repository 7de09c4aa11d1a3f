// Command ngram counts a character model for the beam search from lines of text on standard input.
//
//	ngram MODEL.uhm OUT.ngram < lines.txt
//
// The alphabet is the model's. The lines have to be the transcriptions that the model was trained on, or others that no page of an
// evaluation set is among.
package main

import (
	"fmt"
	"os"

	"uncial/impl/ocr/neural"
)

// order is the number of characters that the model looks at, the one that it predicts included.
const order = 6

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "ngram:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) != 2 {
		return fmt.Errorf("usage: ngram MODEL.uhm OUT.ngram < lines.txt")
	}
	m, err := neural.Open(args[0])
	if err != nil {
		return err
	}
	data, err := neural.CountLanguage(os.Stdin, m.Info().Alphabet, order)
	if err != nil {
		return err
	}
	return os.WriteFile(args[1], data, 0o644) //nolint:gosec // a model is public
}
