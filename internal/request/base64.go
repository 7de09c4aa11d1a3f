package request

import (
	"fmt"
	"strconv"

	"uncial/internal/fair"
)

// base64Decoder decodes the data of a data: URL as it arrives. It takes both alphabets of RFC 4648, though not mixed, with
// or without padding, line breaks, and percent-encoded characters, because careful writers of URLs encode "+", "/" and "=".
// The package encoding/base64 does not take these together, and its errors do not say which character is wrong.
type base64Decoder struct {
	image       []byte // decoded so far; meaningless if full
	reservation *fair.Reservation
	full        bool  // there is no memory for the image: the data is only checked
	bodyBytes   int64 // of the whole body, -1 if not known: bounds the image
	seen        int   // characters, as sent
	digits      int   // characters that carry 6 bits each
	pads        int
	table       *[256]byte // nil until a character belongs to one alphabet only
	bits        uint32     // of the last digits%4 digits
	percent     []byte     // a percent-encoded character, as far as it arrived
	problem     string     // why the data is not base64; nothing is decoded after that
}

// notDigit marks the bytes that are not digits of an alphabet. Digits are 0 to 63.
const notDigit = 0xff

const alphanumeric = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"

var (
	// commonTable has the characters of both alphabets of RFC 4648: until a character of only one of them comes, either may be
	// meant.
	commonTable   = newTable(alphanumeric)
	standardTable = newTable(alphanumeric + "+/")
	urlTable      = newTable(alphanumeric + "-_")
)

// newTable returns the value of each byte in an alphabet.
func newTable(alphabet string) *[256]byte {
	var table [256]byte
	for i := range table {
		table[i] = notDigit
	}
	for i, c := range []byte(alphabet) {
		table[c] = byte(i)
	}
	return &table
}

// reset forgets everything but the buffer, for the next value of a repeated name.
func (d *base64Decoder) reset() {
	*d = base64Decoder{image: d.image[:0], bodyBytes: d.bodyBytes, reservation: d.reservation, full: d.full}
}

// write takes the next characters. It alternates between the fast loop for groups of four and the slow one, which gets the
// decoder past whatever stopped the fast one.
func (d *base64Decoder) write(b []byte) {
	for len(b) > 0 && d.problem == "" {
		n := d.decodeGroups(b)
		d.seen, d.digits = d.seen+n, d.digits+n
		if b = b[n:]; len(b) > 0 {
			d.takeCharacter(b[0])
			b = b[1:]
		}
	}
}

// decodeGroups decodes groups of four digits, of which most data consists, and returns the number of characters taken. It
// takes none in the middle of a group or after padding. While the alphabet is not known it takes the shared digits only.
func (d *base64Decoder) decodeGroups(b []byte) (n int) {
	if d.digits%4 != 0 || d.pads > 0 || len(d.percent) > 0 {
		return 0
	}
	table := d.table
	if table == nil {
		table = commonTable
	}
	d.grow(len(b)/4*3 + 3)
	image := d.image
	if d.full {
		image = make([]byte, 0, len(b)/4*3+3)
	}
	for ; n+4 <= len(b); n += 4 {
		v0, v1, v2, v3 := table[b[n]], table[b[n+1]], table[b[n+2]], table[b[n+3]]
		if v0|v1|v2|v3 == notDigit {
			break
		}
		image = append(image, v0<<2|v1>>4, v1<<4|v2>>2, v2<<6|v3)
	}
	if !d.full {
		d.image = image
	}
	return n
}

// grow makes room for n more bytes, and sets full if there is none or the account must give back some.
func (d *base64Decoder) grow(n int) {
	if d.full {
		return
	}
	maxImage := MaxBody/4*3 + 3
	if d.bodyBytes >= 0 {
		maxImage = int(d.bodyBytes)/4*3 + 3
	}
	image, ok := d.reservation.Extend(d.image, n, maxImage)
	if d.image = image; ok && !d.reservation.MustYield() {
		return
	}
	d.reservation.Shrink(cap(d.image))
	d.full, d.image = true, nil
}

// store appends decoded bytes.
func (d *base64Decoder) store(b ...byte) {
	if d.grow(len(b)); !d.full {
		d.image = append(d.image, b...)
	}
}

// takeCharacter takes one character as sent, which may be a part of a percent-encoded one.
func (d *base64Decoder) takeCharacter(c byte) {
	width := 1
	if len(d.percent) > 0 || c == '%' {
		if d.percent = append(d.percent, c); len(d.percent) < len("%2B") {
			return
		}
		width = len(d.percent)
		n, err := strconv.ParseUint(string(d.percent[1:]), 16, 8)
		if err != nil {
			d.rejectNext()
			return
		}
		c, d.percent = byte(n), d.percent[:0]
	}
	if !d.take(c) {
		d.rejectNext()
		return
	}
	d.seen += width
}

// rejectNext records that the character after those seen is invalid. Characters are counted from 1, as sent, so that a
// client can find them.
func (d *base64Decoder) rejectNext() {
	d.problem = fmt.Sprintf("must have base64 data (RFC 4648); character %d of the data is invalid", d.seen+1)
}

// take reports whether c can be next, and decodes it. Two "=" at most end the data; only line breaks may follow them.
func (d *base64Decoder) take(c byte) bool {
	switch c {
	case '\r', '\n':
		return true
	case '=':
		d.pads++
		return d.pads <= 2
	case '+', '/':
		return d.takeDigit(c, standardTable)
	case '-', '_':
		return d.takeDigit(c, urlTable)
	default:
		return d.takeDigit(c, d.table)
	}
}

// takeDigit takes a digit of the table, nil for the digits that both alphabets share. The first digit that only one alphabet
// has decides which alphabet the data uses.
func (d *base64Decoder) takeDigit(c byte, table *[256]byte) bool {
	if d.table == nil {
		d.table = table
	}
	if table == nil {
		table = commonTable
	} else if table != d.table {
		return false // the other alphabet
	}
	if table[c] == notDigit || d.pads > 0 {
		return false
	}
	d.bits = d.bits<<6 | uint32(table[c])
	if d.digits++; d.digits%4 == 0 {
		d.store(byte(d.bits>>16), byte(d.bits>>8), byte(d.bits))
	}
	return true
}

// finish decodes what is left after the last character and returns what is wrong with the data, "" if nothing is.
func (d *base64Decoder) finish() string {
	if d.problem == "" && len(d.percent) > 0 {
		d.rejectNext()
	}
	if d.problem != "" {
		return d.problem
	}
	left := d.digits % 4
	spare := d.bits & [4]uint32{0, 0, 0x0f, 0x03}[left] // bits beyond the last byte, which must be 0 (RFC 4648, section 3.5)
	switch {
	case d.digits == 0:
		return "must have data after ;base64,"
	case d.pads > 0 && (d.digits+d.pads)%4 != 0 || left == 1 || spare != 0:
		return "must have complete base64 data (RFC 4648); its end is invalid, perhaps because it was cut off"
	case left == 2:
		d.store(byte(d.bits >> 4))
	case left == 3:
		d.store(byte(d.bits>>10), byte(d.bits>>2))
	}
	return ""
}
