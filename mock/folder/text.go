package folder

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"uncial/internal/document"
)

// layOut makes a document of a text. A form feed separates pages, an empty line blocks; spaces between words do not count.
func (l *loader) layOut(text string, marked, enhance bool) (*document.Document, error) {
	text = strings.TrimPrefix(strings.ReplaceAll(text, "\r\n", "\n"), "\ufeff")
	if err := checkText(text); err != nil {
		return nil, err
	}
	var pages []document.Page
	var edits []document.Edit
	for i, part := range strings.Split(text, "\f") {
		if marked {
			if err := checkMarks(part); err != nil {
				return nil, err
			}
		}
		page, changed, err := l.LayOut(part, marked, enhance)
		if err != nil {
			return nil, fmt.Errorf("page %d: %w", i+1, err)
		}
		pages = append(pages, page)
		for _, e := range changed {
			e.Page = i
			edits = append(edits, e)
		}
	}
	return documentOf(pages, edits, enhance), nil
}

// checkText refuses characters that no answer may contain.
func checkText(text string) error {
	for i, line := range strings.Split(text, "\n") {
		if !utf8.ValidString(line) {
			return fmt.Errorf("line %d is not UTF-8", i+1)
		}
		at := strings.IndexFunc(line, func(r rune) bool {
			return r == unicode.ReplacementChar || r != '\t' && r != '\f' && document.WordText("x"+string(r)) == "x" && !unicode.IsSpace(r)
		})
		if at >= 0 {
			r, _ := utf8.DecodeRuneInString(line[at:])
			return fmt.Errorf("line %d contains the character %U, which no answer may contain", i+1, r)
		}
	}
	return nil
}

// ruleForm is the pattern of a rule in openapi.yaml.
var ruleForm = regexp.MustCompile(`^[a-z][a-z0-9-]{0,31}$`)

// checkMarks checks the words of the form read~right~rule.
func checkMarks(text string) error {
	for word := range strings.FieldsSeq(text) {
		parts := strings.Split(word, "~")
		if len(parts) != 3 {
			continue
		}
		if parts[0] == "" || parts[1] == "" || parts[0] == parts[1] || !ruleForm.MatchString(parts[2]) {
			return fmt.Errorf("%q: expected MISREAD~CORRECT~RULE with two different words and a rule, such as foul~soul~long-s", word)
		}
	}
	return nil
}
