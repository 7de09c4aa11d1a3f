package reading

import (
	"context"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"uncial/internal/document"
	tags "uncial/internal/language"
	"uncial/internal/language/guess"
)

// ownLetters replaces what a language lacks by letters or signs of its own that look like it, in the words of a line.
type ownLetters struct{ replace func(words []document.Word) }

// œ and æ look alike in blackletter, and the models for early print know œ from French and Latin. Romanian has a comma below s
// and t, which the model for all languages takes for the cedilla of Turkish. In English, lb. looks like Ib. In German, § looks
// like $, and umlauts look like letters with a tilde; ão, ãe and õe are in Portuguese names.
var (
	withAE       = replacing("œ", "æ", "Œ", "Æ")
	withCommas   = replacing("ş", "ș", "Ş", "Ș", "ţ", "ț", "Ţ", "Ț")
	withUmlauts  = replacing("ão", "ão", "ãe", "ãe", "õe", "õe", "ã", "ä", "õ", "ö", "ũ", "ü", "Ã", "Ä", "Õ", "Ö", "Ũ", "Ü")
	withPounds   = &ownLetters{replacePounds}
	withSections = &ownLetters{replaceSections}
	german       = both(withSections, withUmlauts)
	languageOwn  = map[string]*ownLetters{
		"da": withAE, "de": german, "en": withPounds, "fo": withAE, "is": withAE, "nb": withAE, "nn": withAE, "no": withAE, "ro": withCommas,
	}
)

// both returns what replaces the letters of a and of b.
func both(a, b *ownLetters) *ownLetters {
	return &ownLetters{func(words []document.Word) {
		a.replace(words)
		b.replace(words)
	}}
}

// replacing returns letters of a language. oldnew are pairs, as those of strings.NewReplacer.
func replacing(oldnew ...string) *ownLetters {
	replacer := strings.NewReplacer(oldnew...)
	return &ownLetters{func(words []document.Word) {
		for i := range words {
			words[i].Text = replacer.Replace(words[i].Text)
		}
	}}
}

// replacePounds writes lb. after a number and before a thing that is weighed, and lbs. for Ibs. Elsewhere, Ib. is ibidem.
func replacePounds(words []document.Word) {
	for i := range words {
		w := &words[i]
		unit := strings.TrimLeftFunc(w.Text, unicode.IsNumber)
		switch strings.TrimRight(unit, ".,;:") {
		case "Ibs":
			w.Text = strings.Replace(w.Text, "Ibs", "lbs", 1)
		case "Ib":
			if i+1 < len(words) && isThing(words[i+1].Text) && (unit != w.Text || i > 0 && isQuantity(words[i-1].Text)) {
				w.Text = strings.Replace(w.Text, "Ib", "lb", 1)
			}
		}
	}
}

// isQuantity reports whether a word is a number: digits and fractions, but not the raised mark of a note.
func isQuantity(word string) bool {
	return word != "" && strings.Trim(word, "0123456789½¼¾⅓⅔⅛⅜⅝⅞") == ""
}

// isThing reports whether a word is in lower case, and neither an abbreviation, such as p. or vol., nor a Roman number.
func isThing(word string) bool {
	return len(word) > 1 && strings.Trim(word, "abcdefghijklmnopqrstuvwxyz-,;") == "" && strings.Trim(word, "ivxlc,;") != ""
}

// replaceSections writes § for a $ that stands alone between a word and a number. An amount may stand before its $.
func replaceSections(words []document.Word) {
	for i := range words {
		w := &words[i]
		if strings.Trim(w.Text, "$") == "" && i+1 < len(words) && beginsWithDigit(words[i+1]) && (i == 0 || !isQuantity(words[i-1].Text)) {
			w.Text = strings.ReplaceAll(w.Text, "$", "§")
		}
	}
}

// dollars is found in German pages with amounts in dollars.
var dollars = regexp.MustCompile(`\d *\$|\$\d|\b[Dd]oll(ar|\.)`)

// germanOf returns the letters to replace in a German text. In print of the 16th century, which has no umlauts, a tilde stands
// for an n or m that was left out.
func germanOf(text string) *ownLetters {
	tildes, umlauts := 0, 0
	for _, r := range text {
		switch {
		case strings.ContainsRune("ãõũÃÕŨ", r):
			tildes++
		case strings.ContainsRune("äöüÄÖÜ", r):
			umlauts++
		}
	}
	hasDollars, hasUmlauts := dollars.MatchString(text), umlauts >= minUmlauts && umlauts >= umlautLead*tildes
	switch {
	case hasDollars && hasUmlauts:
		return withUmlauts
	case hasDollars:
		return nil
	case hasUmlauts:
		return german
	}
	return withSections
}

// writeOwnLetters replaces letters that the language of the page lacks in all its readings, so that they agree.
func writeOwnLetters(_ context.Context, p *page) error {
	p.ownLetters = languageOwn[p.writtenLanguage()]
	if p.ownLetters == german {
		p.ownLetters = germanOf(textOf(p.attempts[0].blocks))
	}
	for _, a := range p.attempts {
		for line := range document.Lines(a.blocks) {
			p.inOwnLetters(line.Words)
		}
	}
	return nil
}

// inOwnLetters replaces letters that the language of the page lacks in the words of a line.
func (p *page) inOwnLetters(words []document.Word) {
	if p.ownLetters != nil {
		p.ownLetters.replace(words)
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
