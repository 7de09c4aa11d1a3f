package reading

import (
	"context"
	"strings"

	"uncial/internal/document"
	tags "uncial/internal/language"
	"uncial/internal/language/guess"
)

// In these languages, some letters look like others that they do not have. œ and æ look alike in blackletter, and the models
// for early print know œ from French and Latin. Romanian has a comma below s and t, which the model for all languages takes for
// the cedilla of Turkish.
var (
	withAE      = strings.NewReplacer("œ", "æ", "Œ", "Æ")
	withCommas  = strings.NewReplacer("ş", "ș", "Ş", "Ș", "ţ", "ț", "Ţ", "Ț")
	languageOwn = map[string]*strings.Replacer{
		"da": withAE, "fo": withAE, "is": withAE, "nb": withAE, "nn": withAE, "no": withAE, "ro": withCommas,
	}
)

// hasOwnLetters reports whether the page is print in one of these languages.
func hasOwnLetters(p *page) bool { return !p.isHandwritten && languageOwn[p.writtenLanguage()] != nil }

// writeOwnLetters replaces letters that the language of the page does not have. No edits are recorded, because the page has the
// new letters.
func writeOwnLetters(_ context.Context, p *page) error {
	own := languageOwn[p.writtenLanguage()]
	for line := range document.Lines(p.read.Blocks) {
		for i := range line.Words {
			line.Words[i].Text = own.Replace(line.Words[i].Text)
		}
	}
	return nil
}

// writtenLanguage returns the language of the page without its region, by the words of the page if the tag names only a script.
func (p *page) writtenLanguage() string {
	base, _, _ := strings.Cut(p.language, "-")
	if base == tags.Undetermined {
		return guess.Of(textOf(p.read.Blocks), guess.Languages()).Tag
	}
	return base
}
