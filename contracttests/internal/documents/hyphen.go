package documents

import (
	"fmt"
	"regexp"
	"strings"
)

// Part is one part of a word that is divided at the end of a line.
type Part struct {
	Number int    // 1 or 2
	Text   string // without the hyphen
	whole  string // "" in hOCR, which does not say it
}

// hyphenation finds what the attribute custom of PAGE-XML says of a divided word.
var hyphenation = regexp.MustCompile(`\bhyphenation \{part:([12]); whole:([^;}]+);\}`)

// ReadParts returns the parts of divided words of a document in one of the formats alto, page and hocr, in the order of the
// file.
func ReadParts(format, text string) ([]Part, error) {
	root, err := parseXML(text)
	if err != nil {
		return nil, err
	}
	var parts []Part
	switch format {
	case "alto":
		for _, n := range root.all(named("String")) {
			if kind, ok := strings.CutPrefix(n.attr["SUBS_TYPE"], "HypPart"); ok {
				parts = append(parts, Part{numberOf(kind), n.attr["CONTENT"], n.attr["SUBS_CONTENT"]})
			}
		}
	case "page":
		for _, n := range root.all(named("Word")) {
			if m := hyphenation.FindStringSubmatch(n.attr["custom"]); m != nil {
				word, _, err := textEquiv(n)
				if err != nil {
					return nil, err
				}
				parts = append(parts, Part{numberOf(m[1]), strings.TrimRight(word, "-\u2010\u00ac\u2e17="), m[2]})
			}
		}
	case "hocr":
		for _, n := range root.all(func(n *node) bool { return n.attr["class"] == "ocrx_word" }) {
			if stem, ok := strings.CutSuffix(n.text, "\u00ad"); ok {
				parts = append(parts, Part{1, stem, ""})
			}
		}
	}
	return parts, nil
}

// numberOf is 1 or 2, 0 for anything else.
func numberOf(digit string) int { return map[string]int{"1": 1, "2": 2}[digit] }

// CheckParts requires each first part to be followed by its second part, with the same whole, which the two make.
func CheckParts(parts []Part) error {
	for i := 0; i < len(parts); i += 2 {
		if i+1 == len(parts) || parts[i].Number != 1 || parts[i+1].Number != 2 {
			return fmt.Errorf("%q is part %d of a divided word; a part 1 must be followed by its part 2", parts[i].Text, parts[i].Number)
		}
		first, second := parts[i], parts[i+1]
		if first.whole != second.whole || first.whole == "" || !strings.HasSuffix(first.Text, commonStart(first.whole, first.Text)) ||
			!strings.HasPrefix(second.Text, strings.TrimPrefix(first.whole, commonStart(first.whole, first.Text))) {
			return fmt.Errorf("the parts %q and %q do not make one whole word; they give %q and %q", first.Text, second.Text, first.whole, second.whole)
		}
	}
	return nil
}

// commonStart returns the longest end of part that the whole begins with: punctuation may stand in front of a part.
func commonStart(whole, part string) string {
	for i := range part {
		if strings.HasPrefix(whole, part[i:]) {
			return part[i:]
		}
	}
	return ""
}
