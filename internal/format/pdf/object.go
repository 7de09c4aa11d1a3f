package pdf

import (
	"bytes"
	"compress/zlib"
	"encoding/hex"
	"fmt"
	"io"
	"unicode/utf16"
)

// objects writes the numbered objects of a file one after the other, and remembers where they begin.
type objects struct {
	to      io.Writer
	err     error // the first one; nothing is written after it
	at      int64 // bytes written
	offsets []int64
}

// newObjects leaves the numbers below first to writeAt.
func newObjects(to io.Writer, first int) objects {
	return objects{to: to, offsets: make([]int64, first)}
}

func (o *objects) printf(format string, args ...any) { o.put(fmt.Appendf(nil, format, args...)) }

// put writes data and counts its bytes for the table of objects. After an error it does nothing.
func (o *objects) put(data []byte) {
	if o.err != nil {
		return
	}
	var n int
	n, o.err = o.to.Write(data)
	o.at += int64(n)
}

// next reserves a number.
func (o *objects) next() int {
	o.offsets = append(o.offsets, 0)
	return len(o.offsets) - 1
}

// write writes an object and returns its number.
func (o *objects) write(body string) int {
	n := o.next()
	o.writeAt(n, body)
	return n
}

// writeAt writes an object under a reserved number.
func (o *objects) writeAt(n int, body string) {
	o.offsets[n] = o.at
	o.printf("%d 0 obj\n%s\nendobj\n", n, body)
}

// writeStream writes a compressed stream. entries are those of its dictionary apart from length and filter.
func (o *objects) writeStream(entries string, data []byte) int {
	var packed bytes.Buffer
	z := zlib.NewWriter(&packed)
	_, _ = z.Write(data) // a buffer cannot fail
	_ = z.Close()
	return o.writePlainStream(entries+" /Filter /FlateDecode", packed.Bytes())
}

// writePlainStream writes a stream whose bytes are as its dictionary says.
func (o *objects) writePlainStream(entries string, data ...[]byte) int {
	n, length := o.next(), 0
	for _, d := range data {
		length += len(d)
	}
	o.offsets[n] = o.at
	o.printf("%d 0 obj\n<< /Length %d %s >>\nstream\n", n, length, entries)
	for _, d := range data {
		o.put(d)
	}
	o.printf("\nendstream\nendobj\n")
	return n
}

// finish writes the table of the objects and the trailer. id must differ between files that differ.
func (o *objects) finish(root, info int, id []byte) {
	start := o.at
	o.printf("xref\n0 %d\n0000000000 65535 f \n", len(o.offsets))
	for _, offset := range o.offsets[1:] {
		o.printf("%010d 00000 n \n", offset)
	}
	o.printf("trailer\n<< /Size %d /Root %d 0 R /Info %d 0 R /ID [<%x> <%x>] >>\nstartxref\n%d\n%%%%EOF\n", len(o.offsets), root, info, id, id, start)
}

// textString formats text for people as a PDF string, in UTF-16 with its mark.
func textString(s string) string { return "<FEFF" + utf16Hex(s) + ">" }

// utf16Hex returns the text in big-endian UTF-16 as hexadecimal digits.
func utf16Hex(s string) string {
	var raw []byte
	for _, u := range utf16.Encode([]rune(s)) {
		raw = append(raw, byte(u>>8), byte(u)) // #nosec G115 -- the two bytes of a unit
	}
	return hex.EncodeToString(raw)
}
