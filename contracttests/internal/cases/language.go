package cases

import (
	"context"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/text/language"

	"uncial/contracttests/internal/model"
)

// unsupported is a well-formed tag for a language that no server supports: qaa is for private use. A server that supports it
// would fail the cases about languages.
const unsupported = "qaa"

// maxList is the longest list of languages that is read, in bytes: room for every language there is.
const maxList = 64 << 10

// unreadable asks for a language that the server must refuse.
func unreadable(tag string) ask { return read(printed).language(tag).wrong("language") }

// askLanguages returns the languages that the server lists in details.language. It costs one request and no points.
func (s *session) askLanguages(ctx context.Context, a *model.Account) ([]string, error) {
	if known := s.readings.Languages(); known != nil {
		return known, nil
	}
	x, err := s.sendAs(ctx, a, unreadable(unsupported))
	if err != nil {
		return nil, err
	}
	err = s.learnLanguages(x)
	return s.readings.Languages(), err
}

// learnLanguages takes the languages from a refusal. From now on no answer may name another one. details may use the name of
// the field or its JSON pointer.
func (s *session) learnLanguages(x *model.Exchange) error {
	details := x.Object("details")
	text, _ := details["language"].(string)
	if text == "" {
		text, _ = details["/language"].(string)
	}
	listed := tagsIn(text[:min(len(text), maxList)])
	if !slices.Contains(listed, "en") && !s.Minimal {
		return fail(x, "details.language must list the supported languages, including en: %q", text)
	}
	s.readings.SetLanguages(listed)
	return nil
}

// conjunction separates the last language in a sentence.
var conjunction = regexp.MustCompile(`,? +(?:and|or) +`)

// tagsIn finds the language tags in the list that ends a sentence, as in "choose one of de, en" or "those are de, en and la".
// Other words can look like tags, so only the last word before the first comma counts.
func tagsIn(sentence string) (tags []string) {
	list := conjunction.ReplaceAllString(sentence, ",")
	list = list[strings.LastIndexAny(list, ":")+1:]
	for item := range strings.SplitSeq(list, ",") {
		words := strings.Fields(strings.Trim(strings.TrimSpace(item), `.;"'()[]`))
		if len(words) == 0 {
			continue
		}
		word := strings.Trim(words[len(words)-1], `.;"'()[]`)
		if _, err := language.Parse(word); err == nil && len(strings.SplitN(word, "-", 2)[0]) <= 3 {
			tags = append(tags, word)
		}
	}
	return tags
}

// checkLanguages requests four spellings of English and up to four listed languages, which the seed selects.
func checkLanguages(ctx context.Context, s *session) error {
	a, err := s.account(ctx, model.KeyOK, 10, 9)
	if err != nil {
		return err
	}
	listed, err := s.askLanguages(ctx, a)
	if err != nil {
		return err
	}
	requested := []string{"en", "EN", "en-GB", "en-Latn-US"}
	for i := range min(4, len(listed)) { // spread over the list
		requested = append(requested, listed[(int(s.Seed%1000)+i*max(1, len(listed)/4))%len(listed)])
	}
	s.choseFrom("languages", listed, requested)
	for _, tag := range requested {
		if _, err := s.sendAs(ctx, a, read(printed).language(tag).format("alto")); err != nil {
			return err
		}
	}
	return nil
}

// checkEveryLanguage requests every listed language.
func checkEveryLanguage(ctx context.Context, s *session) error {
	a, err := s.account(ctx, model.KeyOK, maxCombined+1, maxCombined)
	if err != nil {
		return err
	}
	listed, err := s.askLanguages(ctx, a)
	if err != nil {
		return err
	}
	requested := listed[:min(len(listed), maxCombined)]
	s.choseFrom("languages", listed, requested)
	for _, tag := range requested {
		if _, err := s.sendAs(ctx, a, read(printed).language(tag).format("alto")); err != nil {
			return err
		}
	}
	return nil
}

// checkUndetermined leaves the language of a page open, and then asks for the language that was found.
func checkUndetermined(ctx context.Context, s *session) error {
	a, err := s.account(ctx, model.KeyOK, 10, 5)
	if err != nil {
		return err
	}
	if _, err := s.askLanguages(ctx, a); err != nil {
		return err
	}
	for _, page := range []string{printed, other} {
		x, err := s.sendAs(ctx, a, read(page).language("und").format("alto"))
		if err != nil {
			return err
		}
		if _, err = s.sendAs(ctx, a, read(page).language(x.Text("language")).format("tsv")); err != nil {
			return err
		}
	}
	return nil
}

// languagesAgree requires all answers to name the same language.
func languagesAgree(_ context.Context, _ *session, x []*model.Exchange) error {
	for _, other := range x[1:] {
		if other.Text("language") != x[0].Text("language") {
			return fail(other, "the language is %q; the other request for the same page was answered with %q", other.Text("language"), x[0].Text("language"))
		}
	}
	return nil
}
