package documents

import (
	_ "embed" // for mets.xsd
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"uncial/contracttests/internal/xsd"
	"uncial/internal/format/schema"
)

//go:embed mets.xsd
var metsSchema []byte

// schemas maps the name of a root element to the schema that such documents are validated against.
var schemas = sync.OnceValues(func() (map[string]*xsd.Schema, error) {
	all := map[string]*xsd.Schema{}
	for root, file := range map[string]string{"alto": "alto-4-4.xsd", "PcGts": "page-2019-07-15.xsd", "mets": ""} {
		text := metsSchema
		if file != "" {
			var err error
			if text, err = schema.Files.ReadFile(file); err != nil {
				return nil, err
			}
		}
		s, err := xsd.Parse(text)
		if err != nil {
			return nil, fmt.Errorf("the schema of <%s>: %w", root, err)
		}
		all[root] = s
	}
	return all, nil
})

// validate checks an element against the schema of its name.
func (n *node) validate() error {
	all, err := schemas()
	if err != nil {
		return err
	}
	return all[n.name].Validate(n.source)
}

// xhtml is the namespace whose ids follow HTML.
const xhtml = "http://www.w3.org/1999/xhtml"

// ncName is what an id in XML must be (xs:ID, XML Schema part 2, section 3.3.8).
var ncName = regexp.MustCompile(`^[\p{L}_][\p{L}\p{M}\p{N}._\x{B7}-]*$`)

// checkID requires a valid id. HTML permits more than XML.
func (n *node) checkID(id string) error {
	if strings.ContainsAny(id, " \t\r\n") || n.space != xhtml && n.space != "" && !ncName.MatchString(id) {
		return fmt.Errorf("the id %q of <%s> is invalid: it must begin with a letter and contain no spaces", id, n.name)
	}
	return nil
}

// onPage requires a baseline of two points or more, all on the page.
func onPage(points string, page Box) error {
	numbers := strings.FieldsFunc(points, func(r rune) bool { return r == ' ' || r == ',' })
	if len(numbers) < 4 || len(numbers)%2 != 0 {
		return fmt.Errorf("the baseline %q must have two points or more", points)
	}
	for i, text := range numbers {
		v, err := strconv.ParseFloat(text, 64)
		if limit := []int{page.Right, page.Bottom}[i%2]; err != nil || v < 0 || v > float64(limit) {
			return fmt.Errorf("the baseline %q extends beyond its page", points)
		}
	}
	return nil
}

// serverPath matches the paths of files on a server.
var serverPath = regexp.MustCompile(`^(?:/|[A-Za-z]:\\|\\\\|file:)`)

// ofImage requires the name of an image not to reveal where the server keeps its files. File names and http URLs are
// allowed.
func ofImage(name string) error {
	if serverPath.MatchString(strings.Trim(strings.TrimSpace(name), `"`)) {
		return fmt.Errorf("the name of the image is %q, a path of the server", name)
	}
	return nil
}
