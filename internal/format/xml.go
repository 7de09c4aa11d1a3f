package format

import (
	"encoding/xml"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// xmlWriter writes indented XML 1.0. Text appears in leaves only, where white space is significant; all other elements
// contain elements. Names of elements and attributes are constants and are written as they are; texts and values are
// escaped.
type xmlWriter struct {
	b    strings.Builder
	path []string // names of the open elements
}

const xmlDeclaration = `<?xml version="1.0" encoding="UTF-8"?>` + "\n"

// open starts an element. Attributes are pairs of name and value, here and below.
func (x *xmlWriter) open(name string, attributes ...string) {
	x.start(name, attributes)
	x.b.WriteString(">\n")
	x.path = append(x.path, name)
}

// close ends the innermost open element.
func (x *xmlWriter) close() {
	name := x.path[len(x.path)-1]
	x.path = x.path[:len(x.path)-1]
	x.indent()
	x.b.WriteString("</" + name + ">\n")
}

// empty writes an element without content.
func (x *xmlWriter) empty(name string, attributes ...string) {
	x.start(name, attributes)
	x.b.WriteString("/>\n")
}

// leaf writes an element that contains text only.
func (x *xmlWriter) leaf(name, text string, attributes ...string) {
	x.start(name, attributes)
	x.b.WriteByte('>')
	escape(&x.b, text)
	x.b.WriteString("</" + name + ">\n")
}

// start writes a tag without its end. A name without a value at the end of attributes is ignored, so that it cannot make the
// XML invalid.
func (x *xmlWriter) start(name string, attributes []string) {
	x.indent()
	x.b.WriteString("<" + name)
	for i := 0; i+1 < len(attributes); i += 2 {
		x.b.WriteString(" " + attributes[i] + `="`)
		escape(&x.b, attributes[i+1])
		x.b.WriteByte('"')
	}
}

// indent writes one space per level.
func (x *xmlWriter) indent() {
	for range x.path {
		x.b.WriteByte(' ')
	}
}

// escape writes text so that it is valid between tags and in quotes. Characters that XML 1.0 excludes (section 2.2)
// become U+FFFD. A combining mark at the start is written as a character reference: NFC would otherwise compose it
// with the tag or quote before it (">" and U+0338 become U+226F) and break the document.
func escape(b *strings.Builder, text string) {
	if r, size := utf8.DecodeRuneInString(text); unicode.Is(unicode.M, r) {
		fmt.Fprintf(b, "&#x%X;", r)
		text = text[size:]
	}
	_ = xml.EscapeText(b, []byte(text)) // a strings.Builder never fails
}
