// Package language matches the language tag of a request (BCP 47) to the tags that a server can read.
package language

import (
	"fmt"
	"slices"
	"strings"

	"golang.org/x/text/language"
)

// Default is the tag of a request that names none.
const Default = "en"

// Match finds the supported tag that serves want: the same language, and the same script unless want leaves the
// script open; a region or a variant that is not supported on its own falls back to its language ("en-GB" to "en").
// It never falls back to another language. The error says what is supported and is fit for a caller's eyes.
func Match(want string, supported []string) (string, error) {
	if slices.Contains(supported, want) { // the usual case, without parsing anything
		return want, nil
	}
	tag, err := language.Parse(want)
	if err != nil {
		return "", fmt.Errorf("%q is not a BCP 47 language tag; supported: %s", want, List(supported))
	}
	for ; tag != language.Und; tag = parent(tag) {
		for _, s := range supported {
			if t, err := language.Parse(s); err == nil && t.String() == tag.String() {
				return s, nil
			}
		}
	}
	return "", fmt.Errorf("%q is not supported; supported: %s", want, List(supported))
}

// List is the tags in alphabetical order, comma-separated.
func List(tags []string) string {
	return strings.Join(slices.Sorted(slices.Values(tags)), ", ")
}

// parent drops what is least telling: extensions and variants, then the region, then a script that the language is
// commonly written in. A script that is not the common one stays: de-Latf must not be read as de unasked.
func parent(t language.Tag) language.Tag {
	base, script, region := t.Raw()
	parts := []any{base}
	if (script != language.Script{}) {
		parts = append(parts, script)
	}
	if short, _ := language.Compose(parts...); len(t.Extensions()) > 0 || len(t.Variants()) > 0 {
		if (region != language.Region{}) {
			short, _ = language.Compose(append(parts, region)...)
		}
		return short
	}
	if (region != language.Region{}) {
		short, _ := language.Compose(parts...)
		return short
	}
	if (script != language.Script{}) {
		plain, _ := language.Compose(base)
		if common, _ := plain.Script(); common == script {
			return plain
		}
	}
	return language.Und
}
