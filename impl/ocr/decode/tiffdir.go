package decode

import (
	"encoding/binary"
	"errors"
)

// errTIFF says that a TIFF structure is broken. The reason is given where the caller can do something about it.
var errTIFF = errors.New("broken TIFF structure")

// tiff is the structure of a TIFF 6.0 or BigTIFF file. It is also that of an Exif block.
type tiff struct {
	data  []byte
	order binary.ByteOrder
	big   bool   // BigTIFF: offsets and counts of 64 bits
	first uint64 // offset of the first directory
}

// directory is an image file directory: the tags that describe one image.
type directory struct {
	order   binary.ByteOrder
	entries map[uint16]entry
}

// entry is a tag's values as they are stored.
type entry struct {
	kind  uint16 // 1 BYTE, 3 SHORT, 4 LONG, 5 RATIONAL, 16 LONG8, ...; 0 where the tag is absent
	value []byte // whole values only
	at    uint64 // where the value stands in the file
}

// sizes are those of a value of each kind, in bytes; 0 for a kind that does not exist.
var sizes = [19]uint64{0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8, 4, 0, 0, 8, 8, 8}

// maxEntries bounds a directory. No writer comes near it.
const maxEntries = 4096

// newTIFF reads the header.
func newTIFF(data []byte) (*tiff, error) {
	if len(data) < 8 {
		return nil, errTIFF
	}
	t := &tiff{data: data}
	switch string(data[:2]) {
	case "II":
		t.order = binary.LittleEndian
	case "MM":
		t.order = binary.BigEndian
	default:
		return nil, errTIFF
	}
	switch t.order.Uint16(data[2:]) {
	case 42:
		t.first = uint64(t.order.Uint32(data[4:]))
	case 43:
		if len(data) < 16 || t.order.Uint16(data[4:]) != 8 {
			return nil, errTIFF
		}
		t.big, t.first = true, t.order.Uint64(data[8:])
	default:
		return nil, errTIFF
	}
	return t, nil
}

// part is n bytes from an offset, or nil where the file does not hold them.
func (t *tiff) part(offset, n uint64) []byte {
	if size := uint64(len(t.data)); offset > size || n > size-offset {
		return nil
	}
	return t.data[offset : offset+n]
}

// directory reads the one at an offset and the offset of the next, 0 after the last.
func (t *tiff) directory(offset uint64) (directory, uint64, error) {
	countSize, entrySize, offsetSize := uint64(2), uint64(12), uint64(4)
	if t.big {
		countSize, entrySize, offsetSize = 8, 20, 8
	}
	head := t.part(offset, countSize)
	if head == nil || offset == 0 {
		return directory{}, 0, errTIFF
	}
	count := t.number(head)
	if count == 0 || count > maxEntries {
		return directory{}, 0, errTIFF
	}
	table := t.part(offset+countSize, count*entrySize)
	if table == nil {
		return directory{}, 0, errTIFF
	}
	d := directory{order: t.order, entries: make(map[uint16]entry, count)}
	for i := range count {
		raw := table[i*entrySize:][:entrySize]
		tag := t.order.Uint16(raw)
		if e, ok := t.entry(raw, offset+countSize+i*entrySize); ok {
			if _, repeated := d.entries[tag]; !repeated {
				d.entries[tag] = e
			}
		}
	}
	next := t.part(offset+countSize+count*entrySize, offsetSize)
	if next == nil {
		return d, 0, nil // as the last block of some files is cut after its last entry
	}
	return d, t.number(next), nil
}

// entry reads the values of a tag, which stand in the entry itself where they fit. raw stands at an offset of the file.
func (t *tiff) entry(raw []byte, offset uint64) (entry, bool) {
	kind := t.order.Uint16(raw[2:])
	if int(kind) >= len(sizes) || sizes[kind] == 0 {
		return entry{}, false
	}
	count, head := uint64(t.order.Uint32(raw[4:])), uint64(8)
	if t.big {
		count, head = t.order.Uint64(raw[4:]), 12
	}
	if count > uint64(len(t.data)) { // also keeps the product from overflowing
		return entry{}, false
	}
	at, n := offset+head, count*sizes[kind]
	if n > uint64(len(raw))-head {
		at = t.number(raw[head:])
	}
	value := t.part(at, n)
	return entry{kind, value, at}, value != nil
}

// number is a count or an offset of the width that the bytes have.
func (t *tiff) number(b []byte) uint64 {
	switch len(b) {
	case 2:
		return uint64(t.order.Uint16(b))
	case 4:
		return uint64(t.order.Uint32(b))
	default:
		return t.order.Uint64(b)
	}
}

// numbers are the values of a tag of an unsigned integer kind; nil where it is absent or of another kind.
func (d directory) numbers(tag uint16) []uint64 {
	e := d.entries[tag]
	size := e.integer()
	if size == 0 {
		return nil
	}
	values := make([]uint64, 0, len(e.value)/size)
	for b := e.value; len(b) >= size; b = b[size:] {
		values = append(values, d.number(b[:size]))
	}
	return values
}

// first is the first value of a tag, or what it is taken for where the tag is absent.
func (d directory) first(tag uint16, absent uint64) uint64 {
	e := d.entries[tag]
	if size := e.integer(); size > 0 && len(e.value) >= size {
		return d.number(e.value[:size])
	}
	return absent
}

// integer is the size of a value in bytes where the tag is of an unsigned integer kind, else 0.
func (e entry) integer() int {
	switch e.kind {
	case 1, 3, 4, 13, 16, 18:
		return int(sizes[e.kind])
	}
	return 0
}

func (d directory) number(b []byte) uint64 {
	switch len(b) {
	case 1:
		return uint64(b[0])
	case 2:
		return uint64(d.order.Uint16(b))
	case 4:
		return uint64(d.order.Uint32(b))
	default:
		return d.order.Uint64(b)
	}
}
