package xsd_test

import (
	"encoding/xml"
	"testing"

	"github.com/stretchr/testify/require"

	"uncial/contracttests/internal/xsd"
	"uncial/internal/format/schema"
)

const space = "http://www.loc.gov/standards/alto/ns-v4#"

// element builds an element of ALTO. Attributes are pairs of name and value.
func element(name string, attributes []string, children ...*xsd.Node) *xsd.Node {
	n := &xsd.Node{Name: xml.Name{Space: space, Local: name}, Children: children}
	for i := 0; i < len(attributes); i += 2 {
		n.Attr = append(n.Attr, xml.Attr{Name: xml.Name{Local: attributes[i]}, Value: attributes[i+1]})
	}
	return n
}

func text(name, content string) *xsd.Node {
	n := element(name, nil)
	n.Text = content
	return n
}

// line builds a document around a line of text.
func line(attributes []string, words ...*xsd.Node) *xsd.Node {
	box := func(id string) []string {
		return []string{"ID", id, "HPOS", "1", "VPOS", "1", "WIDTH", "9", "HEIGHT", "9"}
	}
	return element("alto", nil,
		element("Description", nil, text("MeasurementUnit", "pixel")),
		element("Layout", nil, element("Page", []string{"ID", "p1", "PHYSICAL_IMG_NR", "1"},
			element("PrintSpace", box("p1_s")[2:], element("TextBlock", box("p1_b1"), element("TextLine", append(box("p1_l1")[2:], attributes...), words...))))))
}

func TestSchema_Validate(t *testing.T) {
	t.Parallel()
	file, err := schema.Files.ReadFile("alto-4-4.xsd")
	require.NoError(t, err)
	s, err := xsd.Parse(file)
	require.NoError(t, err)
	word := func(attributes ...string) *xsd.Node {
		return element("String", append([]string{"HPOS", "1", "VPOS", "1", "WIDTH", "9", "HEIGHT", "9"}, attributes...))
	}
	for name, c := range map[string]struct {
		root *xsd.Node
		want string // in the error; "" for none
	}{
		"accepts a word":                         {line(nil, word("CONTENT", "a", "WC", "0.5")), ""},
		"accepts words with a space in between":  {line(nil, word("CONTENT", "a"), element("SP", nil), word("CONTENT", "b")), ""},
		"refuses an unknown attribute":           {line(nil, word("CONTENT", "a", "RATING", "1")), "must not have the attribute RATING"},
		"refuses a missing attribute":            {line(nil, word()), "lacks the attribute CONTENT"},
		"refuses an unknown element":             {line(nil, element("Rating", nil)), "lacks <"},
		"refuses an empty line":                  {line(nil), "lacks <"},
		"refuses a number above its limit":       {line(nil, word("CONTENT", "a", "WC", "1.5")), "the limit is 1"},
		"refuses a word for a number":            {line(nil, word("CONTENT", "a", "WC", "high")), "type float"},
		"refuses a value outside of a list":      {line(nil, word("CONTENT", "a", "SUBS_TYPE", "Part1")), "not in the list"},
		"refuses a reference to nothing":         {line([]string{"STYLEREFS", "font1"}, word("CONTENT", "a")), "no element has this id"},
		"refuses an id twice":                    {line(nil, word("CONTENT", "a", "ID", "p1_b1")), "the same id"},
		"refuses an id that begins with a digit": {line(nil, word("CONTENT", "a", "ID", "1w")), "type ID"},
		"refuses another root":                   {text("MeasurementUnit", "pixel"), "no root"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := s.Validate(c.root)
			if c.want == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, c.want)
		})
	}
}
