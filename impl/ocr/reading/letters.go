package reading

import (
	"context"
	"slices"
	"strings"

	"uncial/internal/document"
	tags "uncial/internal/language"
	"uncial/internal/language/guess"
)

// These languages lack some letters that look like their own. œ and æ look alike in blackletter, and the models for early print
// know œ from French and Latin. Romanian has a comma below s and t, which the model for all languages takes for the cedilla of
// Turkish.
var (
	withAE      = strings.NewReplacer("œ", "æ", "Œ", "Æ")
	withCommas  = strings.NewReplacer("ş", "ș", "Ş", "Ș", "ţ", "ț", "Ţ", "Ț")
	languageOwn = map[string]*strings.Replacer{
		"da": withAE, "fo": withAE, "is": withAE, "nb": withAE, "nn": withAE, "no": withAE, "ro": withCommas,
	}
)

// writeOwnLetters replaces letters that the language of the page lacks in all its readings, so that they agree.
func writeOwnLetters(_ context.Context, p *page) error {
	if p.ownLetters = languageOwn[p.writtenLanguage()]; p.ownLetters == nil {
		return nil
	}
	for _, a := range p.attempts {
		for line := range document.Lines(a.blocks) {
			p.inOwnLetters(line.Words)
		}
	}
	return nil
}

// inOwnLetters replaces letters that the language of the page lacks in some words.
func (p *page) inOwnLetters(words []document.Word) {
	if p.ownLetters == nil {
		return
	}
	for i := range words {
		words[i].Text = p.ownLetters.Replace(words[i].Text)
	}
}

// writtenLanguage returns the language of the page without its region. If the tag names only a script, it is a language with
// letters of its own whose words lead over those of all languages without these, or "".
func (p *page) writtenLanguage() string {
	base, _, _ := strings.Cut(p.language, "-")
	if base != tags.Undetermined {
		return base
	}
	text := textOf(p.attempts[0].blocks)
	found := guess.Of(text, guess.Languages()).Tag
	others := slices.DeleteFunc(guess.Languages(), func(tag string) bool { return languageOwn[tag] == languageOwn[found] })
	if languageOwn[found] == nil || guess.Of(text, others).Foreign < foreignLead {
		return ""
	}
	return found
}
