package reading

import (
	"context"
	"strings"

	"uncial/internal/document"
	tags "uncial/internal/language"
	"uncial/internal/language/guess"
)

// nordic are the languages whose print has æ, but no œ.
var nordic = []string{"da", "fo", "is", "nb", "nn", "no"}

// lacksOE reports whether the page is print in a language without œ.
func lacksOE(p *page) bool { return !p.isHandwritten && isLanguage(p.writtenLanguage(), nordic...) }

// replaceOE writes æ for œ. In blackletter they look alike, and the models for early print know œ from French and Latin. No
// edits are recorded, because the page has æ.
func replaceOE(_ context.Context, p *page) error {
	for line := range document.Lines(p.read.Blocks) {
		for i := range line.Words {
			line.Words[i].Text = withAE.Replace(line.Words[i].Text)
		}
	}
	return nil
}

var withAE = strings.NewReplacer("œ", "æ", "Œ", "Æ")

// writtenLanguage returns the language of the page, by its words if the tag names only a script.
func (p *page) writtenLanguage() string {
	if isLanguage(p.language, tags.Undetermined) {
		return guess.Of(textOf(p.read.Blocks), guess.Languages()).Tag
	}
	return p.language
}
