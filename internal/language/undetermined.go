package language

import "golang.org/x/text/language"

// Undetermined is the tag with which a request asks the server to detect the language of each page.
const Undetermined = "und"

// InScript returns the tags whose language is written in a script (ISO 15924); see Script. Tags without a language, such as
// und-Latn, are left out.
func InScript(tags []string, script string) []string {
	var in []string
	for _, tag := range tags {
		if parsed, err := language.Parse(tag); err == nil && Script(tag) == script {
			if base, _, _ := parsed.Raw(); base.String() != Undetermined {
				in = append(in, tag)
			}
		}
	}
	return in
}

// Script returns the script of a tag: "Latn" for Fraktur and for historical languages, whose tags name none, and "" for an
// invalid tag and for und.
func Script(tag string) string {
	parsed, err := language.Parse(tag)
	if err != nil || parsed == language.Und {
		return ""
	}
	switch script, _ := parsed.Script(); script.String() {
	case "Latf", "Zzzz":
		return "Latn"
	case "Cprt": // what Unicode's tables have for grc, after its oldest inscriptions
		return "Grek"
	default:
		return script.String()
	}
}
