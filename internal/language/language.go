// Package language matches the language tag of a request (BCP 47) to the tags that a server supports: those of the mock's
// fixtures, or those of the recognizer's models. The packages below it guess the language of a text (guess) and name languages
// in English (name). Start with Match.
package language

import (
	"fmt"
	"slices"
	"strings"

	"golang.org/x/text/language"
)

// Default is the tag of a request without one.
const Default = "en"

// Match returns the supported tag for want: of the same language and, unless want names none, the same script. An
// unsupported region or variant falls back to its language ("en-GB" to "en"); a language never falls back to another. The
// error, for the client, lists the supported tags.
func Match(want string, supported []string) (string, error) {
	if slices.Contains(supported, want) { // the usual case, without parsing
		return want, nil
	}
	if strings.EqualFold(want, Undetermined) && slices.Contains(supported, Undetermined) {
		return Undetermined, nil
	}
	tag, err := language.Parse(want)
	if err != nil || repeatsSubtag(want) {
		return "", fmt.Errorf("%q is not a BCP 47 language tag; supported: %s", want, List(supported))
	}
	for ; tag != language.Und; tag = parent(tag) {
		for _, s := range supported {
			if t, err := language.Parse(s); err == nil && t.String() == tag.String() {
				return s, nil
			}
		}
	}
	return "", fmt.Errorf("%q is not supported; choose one of %s", want, List(supported))
}

// List returns the tags in alphabetical order with commas between them, for messages.
func List(tags []string) string {
	return strings.Join(slices.Sorted(slices.Values(tags)), ", ")
}

// parent removes the least significant subtag: extensions and variants, then the region, then the usual script of the
// language. An unusual script stays, because de-Latf (Fraktur) must not be read as de. It returns Und after the last one.
func parent(t language.Tag) language.Tag {
	base, script, region := t.Raw() // the zero value of an absent subtag
	switch {
	case len(t.Extensions())+len(t.Variants()) > 0:
		return compose(base, script, region)
	case region != language.Region{}:
		return compose(base, script)
	case script != language.Script{}:
		bare := compose(base)
		if usual, _ := bare.Script(); usual == script {
			return bare
		}
	}
	return language.Und
}

// compose builds a tag from subtags of a valid tag.
func compose(subtags ...any) language.Tag {
	tag, _ := language.Compose(subtags...) // subtags of a valid tag always compose
	return tag
}

// repeatsSubtag reports whether a well-formed tag has the same variant or the same singleton twice, which RFC 5646 forbids
// (sections 2.2.5 and 2.2.6) and the parser accepts. What follows "x" is private and may repeat anything.
func repeatsSubtag(tag string) bool {
	seen, inExtension := map[string]bool{}, false
	for i, subtag := range strings.Split(strings.ToLower(tag), "-") {
		isSingleton := len(subtag) == 1
		isVariant := !inExtension && i > 0 && (len(subtag) > 4 || len(subtag) == 4 && subtag[0] >= '0' && subtag[0] <= '9')
		inExtension = inExtension || isSingleton
		if subtag == "x" {
			return false
		}
		if (isSingleton || isVariant) && seen[subtag] {
			return true
		}
		seen[subtag] = seen[subtag] || isSingleton || isVariant
	}
	return false
}
