// Package name gives languages their English names. It is separate from package language because its tables take memory that
// the mock should not use. Start with Of.
package name

import (
	"strings"

	"golang.org/x/text/language"
	"golang.org/x/text/language/display"

	tags "uncial/internal/language"
)

// Of returns the English name of a tag for people, such as "German (Fraktur)" for de-Latf, or the tag itself if it has none.
func Of(tag string) string {
	if tag == tags.Undetermined {
		return "Detected on each page"
	}
	t, err := language.Parse(tag)
	if err != nil {
		return tag
	}
	name := strings.NewReplacer("Fraktur Latin", "Fraktur", "Unknown language", "Any language").Replace(display.English.Tags().Name(t))
	if name == "" {
		return tag
	}
	if strings.HasSuffix(tag, oldSubtag) {
		name += " (older stage)"
	}
	return name
}

// oldSubtag is the end of the tags of models for an older stage of a language that has no subtag of its own.
const oldSubtag = "-x-old"
