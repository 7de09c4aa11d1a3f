package pdf

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
)

// advance is the width of every character of the font, as a fraction of its height. The words are stretched anyway.
const advance = 0.5

const unitsPerEm = 1000

// The first codes of the font. Code 0 means a missing character, which PDF/A forbids.
const (
	spaceCode = iota + 1
	replacementCode
	firstCode
)

// maxCode is the last code that a text can have: codes are two bytes.
const maxCode = 1<<16 - 1

// replacement stands for characters that have no code.
const replacement = "\uFFFD"

// font is a font without ink. It assigns codes to characters as they occur; all codes show the same empty glyph.
type font struct {
	codes      map[string]uint16
	characters []string // by code
}

// newFont gives the first codes to the space and to the replacement character; see spaceCode.
func newFont() *font {
	f := &font{codes: map[string]uint16{}, characters: make([]string, 1, firstCode)}
	f.add(" ")
	f.add(replacement)
	return f
}

// code returns the code of a character, which may consist of a letter and its marks. If all codes are assigned, it returns that
// of the replacement character.
func (f *font) code(character string) uint16 {
	if code, ok := f.codes[character]; ok {
		return code
	}
	if len(f.characters) > maxCode {
		return replacementCode
	}
	return f.add(character)
}

// add gives a character the next code. The caller has checked that there is one.
func (f *font) add(character string) uint16 {
	code := uint16(len(f.characters)) // #nosec G115 -- code checks it
	f.codes[character] = code
	f.characters = append(f.characters, character)
	return code
}

// fontName has no prefix of a subset, because all glyphs of the font are embedded.
const fontName = "UncialInvisible"

// writeFont writes the font with the codes that the pages use. Ascent and descent say that a character is as high as the font,
// so that viewers mark the box of a word as it was read.
func (w *Writer) writeFont() {
	o, file := &w.objects, emptyFont()
	program := o.writeStream(fmt.Sprintf("/Length1 %d", len(file)), file)
	descriptor := o.write(fmt.Sprintf("<< /Type /FontDescriptor /FontName /%s /Flags 4 /FontBBox [0 %[5]d %[2]d %[3]d] /ItalicAngle 0 /Ascent %[3]d /Descent %[5]d "+
		"/CapHeight %[3]d /StemV 80 /FontFile2 %[4]d 0 R >>", fontName, advanceUnits, ascent, program, descent))
	glyphs := o.writeStream("", w.font.glyphs())
	characters := o.writeStream("", w.font.unicode())
	cid := o.write(fmt.Sprintf("<< /Type /Font /Subtype /CIDFontType2 /BaseFont /%s /CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> "+
		"/FontDescriptor %d 0 R /DW %d /CIDToGIDMap %d 0 R >>", fontName, descriptor, advanceUnits, glyphs))
	o.writeAt(fontObject, fmt.Sprintf("<< /Type /Font /Subtype /Type0 /BaseFont /%s /Encoding /Identity-H /DescendantFonts [%d 0 R] /ToUnicode %d 0 R >>",
		fontName, cid, characters))
}

// ascent is how far the font reaches above its baseline, in its units. Letters reach so far above and below the baseline in
// common typefaces; viewers compare gaps with the size of the font to find words and columns.
const ascent = 800

// descent is how far the font reaches below its baseline, in its units. Viewers take 0 for a missing value.
const descent = -1

// advanceUnits is advance in units of the font.
const advanceUnits = unitsPerEm / 2

// glyphs maps each code to the empty glyph, which is number 1.
func (f *font) glyphs() []byte {
	table := make([]byte, 2*len(f.characters))
	for code := 1; code < len(f.characters); code++ {
		table[2*code+1] = 1
	}
	return table
}

// unicode maps each code to the characters that it stands for (Adobe technical note 5411).
func (f *font) unicode() []byte {
	var b strings.Builder
	b.WriteString("/CIDInit /ProcSet findresource begin\n12 dict begin\nbegincmap\n" +
		"/CIDSystemInfo << /Registry (Adobe) /Ordering (UCS) /Supplement 0 >> def\n/CMapName /Adobe-Identity-UCS def\n/CMapType 2 def\n" +
		"1 begincodespacerange\n<0000> <FFFF>\nendcodespacerange\n")
	const maxEntries = 100 // in a block
	code := 1
	for block := range slices.Chunk(f.characters[1:], maxEntries) {
		fmt.Fprintf(&b, "%d beginbfchar\n", len(block))
		for _, c := range block {
			fmt.Fprintf(&b, "<%04X> <%s>\n", code, utf16Hex(c))
			code++
		}
		b.WriteString("endbfchar\n")
	}
	b.WriteString("endcmap\nCMapName currentdict /CMap defineresource pop\nend\nend\n")
	return []byte(b.String())
}

// emptyFont returns a TrueType font of two glyphs without ink: the one for missing characters, and one for all others. It has
// the tables that an embedded font needs (ISO 32000-1, section 9.9) and those that viewers look for.
func emptyFont() []byte {
	const glyphs = 2
	u := binary.BigEndian
	head := make([]byte, 54)
	u.PutUint32(head, 0x00010000)      // version
	u.PutUint32(head[4:], 0x00010000)  // revision
	u.PutUint32(head[12:], 0x5F0F3CF5) // magic number
	u.PutUint16(head[18:], unitsPerEm)
	u.PutUint16(head[40:], advanceUnits) // xMax
	u.PutUint16(head[42:], ascent)       // yMax
	u.PutUint16(head[46:], 8)            // lowestRecPPEM
	u.PutUint16(head[48:], 2)            // fontDirectionHint
	hhea := make([]byte, 36)
	u.PutUint32(hhea, 0x00010000)
	u.PutUint16(hhea[4:], ascent) // ascender
	u.PutUint16(hhea[10:], advanceUnits)
	u.PutUint16(hhea[18:], 1) // caretSlopeRise
	u.PutUint16(hhea[34:], glyphs)
	maxp := make([]byte, 32)
	u.PutUint32(maxp, 0x00010000)
	u.PutUint16(maxp[4:], glyphs)
	u.PutUint16(maxp[14:], 1) // maxZones
	u.PutUint16(maxp[6:], 2)  // maxPoints
	u.PutUint16(maxp[8:], 1)  // maxContours
	hmtx := make([]byte, 4*glyphs)
	for i := range glyphs {
		u.PutUint16(hmtx[4*i:], advanceUnits)
	}
	loca := u.AppendUint16(nil, 0)
	loca = u.AppendUint16(loca, 0)                        // the first glyph has no outline
	loca = u.AppendUint16(loca, uint16(len(outline())/2)) // #nosec G115 -- in units of two bytes
	post := make([]byte, 32)
	u.PutUint32(post, 0x00030000) // no names of glyphs
	return sfnt(map[string][]byte{
		"cmap": emptyCharacterMap(), "glyf": outline(), "head": head, "hhea": hhea, "hmtx": hmtx,
		"loca": loca, "maxp": maxp, "post": post,
	})
}

// outline returns the outline of a glyph: a line there and back, which has an extent and no ink. Viewers mark the extent when
// they find a text.
func outline() []byte {
	var b bytes.Buffer
	for _, v := range []uint16{1, 0, 0, advanceUnits, ascent, 1, 0} { // contours, box, last point of the contour, instructions
		_ = binary.Write(&b, binary.BigEndian, v)
	}
	b.Write([]byte{1, 1})                                    // two points on the curve
	for _, v := range []uint16{0, advanceUnits, 0, ascent} { // x and y, each as a step from the point before
		_ = binary.Write(&b, binary.BigEndian, v)
	}
	return padded(b.Bytes())
}

// emptyCharacterMap is a cmap in format 4 with the one segment that it must have.
func emptyCharacterMap() []byte {
	var b bytes.Buffer
	for _, v := range []uint16{0, 1, 3, 1, 0, 12, 4, 24, 0, 2, 2, 0, 0, 0xffff, 0, 0xffff, 1, 0} {
		_ = binary.Write(&b, binary.BigEndian, v)
	}
	return b.Bytes()
}

// sfnt assembles the tables of a TrueType font.
func sfnt(tables map[string][]byte) []byte {
	names := make([]string, 0, len(tables))
	for name := range tables {
		names = append(names, name)
	}
	slices.Sort(names)
	u := binary.BigEndian
	power, selector := 1, 0
	for power*2 <= len(names) {
		power, selector = power*2, selector+1
	}
	out := u.AppendUint32(nil, 0x00010000)
	for _, v := range []int{len(names), power * 16, selector, (len(names) - power) * 16} {
		out = u.AppendUint16(out, uint16(v)) // #nosec G115 -- a few tables
	}
	at := len(out) + 16*len(names)
	var body []byte
	for _, name := range names {
		data := tables[name]
		out = append(out, name...)
		out = u.AppendUint32(out, checksum(data))
		out = u.AppendUint32(out, uint32(at+len(body))) // #nosec G115 -- less than a kilobyte
		out = u.AppendUint32(out, uint32(len(data)))    // #nosec G115
		body = append(body, padded(data)...)
	}
	out = append(out, body...)
	// checkSumAdjustment in head makes the sum of the whole file this number.
	head := bytes.Index(out, []byte{0x5F, 0x0F, 0x3C, 0xF5}) - 4
	u.PutUint32(out[head:], 0xB1B0AFBA-checksum(out))
	return out
}

// padded returns data with zeros up to a multiple of 4 bytes.
func padded(data []byte) []byte {
	out := slices.Clone(data)
	for len(out)%4 != 0 {
		out = append(out, 0)
	}
	return out
}

// checksum is the sum of a table's words.
func checksum(data []byte) (sum uint32) {
	data = padded(data)
	for i := 0; i < len(data); i += 4 {
		sum += binary.BigEndian.Uint32(data[i:])
	}
	return sum
}
