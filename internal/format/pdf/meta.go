package pdf

import (
	"encoding/binary"
	"encoding/xml"
	"math"
	"strings"
	"unicode"
)

// maxText is the maximum number of characters in a title. A string of PDF/A holds 32,767 bytes (section 6.1.13).
const maxText = 1000

// cleanText removes characters that neither XML nor a title may contain.
func cleanText(s string) string {
	s = strings.TrimSpace(strings.Map(func(r rune) rune {
		if r == unicode.ReplacementChar || unicode.IsControl(r) || r == '\uFFFE' || r == '\uFFFF' {
			return -1
		}
		return r
	}, s))
	return string([]rune(s)[:min(maxText, len([]rune(s)))])
}

// infoDictionary returns the document information. It says the same as packet, as PDF/A requires (section 6.6.3).
func infoDictionary(m Meta) string {
	d := "<< /Title " + textString(m.Title)
	if m.Software != "" {
		d += " /Producer " + textString(m.Software)
	}
	return d + " /CreationDate (D:" + m.Created.UTC().Format("20060102150405") + "+00'00') >>"
}

// packet returns the metadata in XMP (ISO 16684-1), which claims conformance to PDF/A-2b.
func packet(m Meta) []byte {
	var b strings.Builder
	b.WriteString("<?xpacket begin=\"\uFEFF\" id=\"W5M0MpCehiHzreSzNTczkc9d\"?>\n" +
		`<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">` +
		`<rdf:Description rdf:about="" xmlns:pdfaid="http://www.aiim.org/pdfa/ns/id/" xmlns:dc="http://purl.org/dc/elements/1.1/"` +
		` xmlns:xmp="http://ns.adobe.com/xap/1.0/" xmlns:pdf="http://ns.adobe.com/pdf/1.3/">` +
		`<pdfaid:part>2</pdfaid:part><pdfaid:conformance>B</pdfaid:conformance>` +
		`<dc:format>application/pdf</dc:format><dc:title><rdf:Alt><rdf:li xml:lang="x-default">`)
	_ = xml.EscapeText(&b, []byte(m.Title)) // a builder cannot fail
	b.WriteString(`</rdf:li></rdf:Alt></dc:title>`)
	if m.Software != "" {
		b.WriteString(`<pdf:Producer>`)
		_ = xml.EscapeText(&b, []byte(m.Software))
		b.WriteString(`</pdf:Producer>`)
	}
	b.WriteString(`<xmp:CreateDate>` + m.Created.UTC().Format("2006-01-02T15:04:05+00:00") + `</xmp:CreateDate>` +
		"</rdf:Description></rdf:RDF></x:xmpmeta>\n<?xpacket end=\"r\"?>")
	return []byte(b.String())
}

// colorProfile returns an ICC profile (ISO 15076-1) of sRGB (IEC 61966-2-1), which says what the colours of the pictures mean.
func colorProfile() []byte {
	xyz := func(x, y, z float64) []byte { return fixed("XYZ ", x, y, z) }
	curve := fixed("para", 2.4, 1/1.055, 0.055/1.055, 1/12.92, 0.04045)
	// The type of the curve comes before its numbers: 3 is a power with a straight beginning.
	curve = append(append(curve[:8:8], 0, 3, 0, 0), curve[8:]...)
	tags := []struct {
		name string
		data []byte
	}{
		{"desc", profileText("sRGB")},
		{"cprt", profileText("No copyright, use freely")},
		{"wtpt", xyz(0.9642, 1, 0.8249)},
		{"chad", fixed("sf32", 1.04788, 0.02292, -0.05022, 0.02959, 0.99048, -0.01707, -0.00925, 0.01508, 0.75168)},
		{"rXYZ", xyz(0.43607, 0.22249, 0.01392)},
		{"gXYZ", xyz(0.38515, 0.71687, 0.09708)},
		{"bXYZ", xyz(0.14307, 0.06061, 0.71410)},
		{"rTRC", curve},
		{"gTRC", curve},
		{"bTRC", curve},
	}
	u := binary.BigEndian
	header := make([]byte, 128)
	u.PutUint32(header[8:], 0x04200000) // version 4.2
	copy(header[12:], "mntrRGB XYZ ")
	for i, v := range []uint16{2026, 1, 1, 0, 0, 0} { // of the profile, not of the document
		u.PutUint16(header[24+2*i:], v)
	}
	copy(header[36:], "acsp")
	copy(header[68:], xyz(0.9642, 1, 0.8249)[8:])
	table := u.AppendUint32(nil, uint32(len(tags))) // #nosec G115
	var body []byte
	for _, t := range tags {
		table = append(table, t.name...)
		table = u.AppendUint32(table, uint32(len(header)+4+12*len(tags)+len(body))) // #nosec G115
		table = u.AppendUint32(table, uint32(len(t.data)))                          // #nosec G115
		body = append(body, padded(t.data)...)
	}
	out := append(append(header, table...), body...)
	u.PutUint32(out, uint32(len(out))) // #nosec G115
	return out
}

// fixed returns a tag of a profile with numbers of 16 bits before and 16 after the point.
func fixed(kind string, values ...float64) []byte {
	out := append([]byte(kind), 0, 0, 0, 0)
	for _, v := range values {
		out = binary.BigEndian.AppendUint32(out, uint32(int32(math.Round(v*65536)))) // #nosec G115 -- two's complement
	}
	return out
}

// profileText returns a text in English for a profile.
func profileText(s string) []byte {
	u := binary.BigEndian
	out := append([]byte("mluc"), 0, 0, 0, 0)
	for _, v := range []int{1, 12} { // records, and their size
		out = u.AppendUint32(out, uint32(v)) // #nosec G115
	}
	out = append(out, "enUS"...)
	out = u.AppendUint32(out, uint32(2*len(s))) // #nosec G115
	out = u.AppendUint32(out, 28)
	for _, c := range []byte(s) {
		out = append(out, 0, c)
	}
	return out
}
