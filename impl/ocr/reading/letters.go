package reading

import (
	"context"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"uncial/internal/document"
	tags "uncial/internal/language"
	"uncial/internal/language/guess"
)

// These languages lack some letters that look like their own. œ and æ look alike in blackletter, and the models for early print
// know œ from French and Latin. Romanian has a comma below s and t, which the model for all languages takes for the cedilla of
// Turkish. In English, lbs looks like Ibs, which no word begins with. In German, § looks like $.
var (
	withAE       = strings.NewReplacer("œ", "æ", "Œ", "Æ")
	withCommas   = strings.NewReplacer("ş", "ș", "Ş", "Ș", "ţ", "ț", "Ţ", "Ț")
	withSections = strings.NewReplacer("$$", "§§")
	withPounds   = strings.NewReplacer("Ibs", "lbs")
	languageOwn  = map[string]*strings.Replacer{
		"da": withAE, "de": withSections, "en": withPounds, "fo": withAE, "is": withAE, "nb": withAE, "nn": withAE, "no": withAE, "ro": withCommas,
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
		word := p.ownLetters.Replace(words[i].Text)
		switch {
		case p.ownLetters == withPounds && i > 0 && endsWithNumber(words[i-1].Text) && strings.Trim(word, ".,;") == "Ib":
			word = strings.Replace(word, "Ib", "lb", 1) // elsewhere it is ibidem
		case p.ownLetters == withSections && (word == "$" || word == "$$"):
			word = strings.ReplaceAll(word, "$", "§") // a price has no blank after its sign
		}
		words[i].Text = word
	}
}

// endsWithNumber reports whether the last character of a word is a digit or a fraction.
func endsWithNumber(word string) bool {
	last, _ := utf8.DecodeLastRuneInString(word)
	return unicode.IsNumber(last)
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
