package format

import (
	"encoding/xml"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// xmlWriter writes indented XML 1.0. Leaves keep their text as it is; everything else holds only elements.
type xmlWriter struct {
	b    strings.Builder
	path []string
}

const xmlDeclaration = `<?xml version="1.0" encoding="UTF-8"?>` + "\n"

// open starts an element; attributes are pairs of name and value.
func (x *xmlWriter) open(name string, attributes ...string) {
	x.start(name, attributes)
	x.b.WriteString(">\n")
	x.path = append(x.path, name)
}

// close ends the element opened last.
func (x *xmlWriter) close() {
	name := x.path[len(x.path)-1]
	x.path = x.path[:len(x.path)-1]
	x.indent()
	x.b.WriteString("</" + name + ">\n")
}

func (x *xmlWriter) empty(name string, attributes ...string) {
	x.start(name, attributes)
	x.b.WriteString("/>\n")
}

func (x *xmlWriter) leaf(name, text string, attributes ...string) {
	x.start(name, attributes)
	x.b.WriteByte('>')
	escape(&x.b, text)
	x.b.WriteString("</" + name + ">\n")
}

func (x *xmlWriter) start(name string, attributes []string) {
	x.indent()
	x.b.WriteString("<" + name)
	for i := 0; i+1 < len(attributes); i += 2 {
		x.b.WriteString(" " + attributes[i] + `="`)
		escape(&x.b, attributes[i+1])
		x.b.WriteByte('"')
	}
}

func (x *xmlWriter) indent() {
	for range x.path {
		x.b.WriteByte(' ')
	}
}

// escape writes text as XML character data that is safe between tags and in quotes. Characters that XML 1.0 does not
// know (section 2.2) become U+FFFD. A mark at the start is written as a reference: taken literally, NFC
// would join it with the tag or quote before it (U+0338 after ">" is U+226F) and break the document.
func escape(b *strings.Builder, text string) {
	if r, size := utf8.DecodeRuneInString(text); unicode.Is(unicode.M, r) {
		fmt.Fprintf(b, "&#x%X;", r)
		text = text[size:]
	}
	_ = xml.EscapeText(b, []byte(text)) // a strings.Builder never fails
}
