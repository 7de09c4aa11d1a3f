package decode

import "encoding/binary"

// tiff is the structure of a TIFF 6.0 or BigTIFF file, and of an Exif block.
type tiff struct {
	data  []byte
	order binary.ByteOrder
	// big is true for BigTIFF, whose offsets and counts have 64 bits instead of 32.
	big bool
	// first is the offset of the first directory.
	first uint64
}

// directory is an image file directory: the tags that describe one image.
type directory struct {
	order   binary.ByteOrder
	entries map[uint16]entry
}

// entry is a tag's values as they are stored.
type entry struct {
	// kind is the tag's field type in TIFF: one of the constants below or another type, or 0 if the tag is absent.
	kind uint16
	// value holds whole values only, in the byte order of the file, and at is its offset.
	value []byte
	at    uint64
}

// The kinds of values that are read (field types of TIFF), and the version numbers of the two headers.
const (
	kindByte, kindShort, kindLong, kindRational, kindFloat, kindIFD, kindLong8, kindIFD8 = 1, 3, 4, 5, 11, 13, 16, 18

	versionTIFF, versionBigTIFF = 42, 43
)

// sizes holds the size of a value of each kind in bytes, 0 for kinds that do not exist.
var sizes = [19]uint64{0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8, 4, 0, 0, 8, 8, 8}

// newTIFF reads the header: the byte order, the version, and the offset of the first directory.
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
	case versionTIFF:
		t.first = uint64(t.order.Uint32(data[4:]))
	case versionBigTIFF:
		if len(data) < 16 || t.order.Uint16(data[4:]) != 8 {
			return nil, errTIFF
		}
		t.big, t.first = true, t.order.Uint64(data[8:])
	default:
		return nil, errTIFF
	}
	return t, nil
}

// part returns n bytes from an offset, or nil if the file does not hold them.
func (t *tiff) part(offset, n uint64) []byte {
	if size := uint64(len(t.data)); offset > size || n > size-offset {
		return nil
	}
	return t.data[offset : offset+n]
}

// directory returns the directory at an offset, and the offset of the next one, or 0 if there is none.
func (t *tiff) directory(offset uint64) (directory, uint64, error) {
	// The sizes, in bytes, of the number of entries, of an entry, and of the offset of the next directory.
	countSize, entrySize, offsetSize := uint64(2), uint64(12), uint64(4)
	if t.big {
		countSize, entrySize, offsetSize = 8, 20, 8
	}
	head := t.part(offset, countSize)
	if head == nil || offset == 0 {
		return directory{}, 0, errTIFF
	}
	count := number(t.order, head)
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
			// If a tag is repeated, the first one counts.
			if _, repeated := d.entries[tag]; !repeated {
				d.entries[tag] = e
			}
		}
	}
	next := t.part(offset+countSize+count*entrySize, offsetSize)
	if next == nil {
		// Some files end after the last entry of their last directory.
		return d, 0, nil
	}
	return d, number(t.order, next), nil
}

// entry reads the values of a tag, which are in the entry itself if they fit. offset is that of raw in the file.
func (t *tiff) entry(raw []byte, offset uint64) (entry, bool) {
	kind := t.order.Uint16(raw[2:])
	if int(kind) >= len(sizes) || sizes[kind] == 0 {
		return entry{}, false
	}
	count, head := uint64(t.order.Uint32(raw[4:])), uint64(8)
	if t.big {
		count, head = t.order.Uint64(raw[4:]), 12
	}
	// More values than the file has bytes would also make the product overflow.
	if count > uint64(len(t.data)) {
		return entry{}, false
	}
	at, n := offset+head, count*sizes[kind]
	if n > uint64(len(raw))-head {
		at = number(t.order, raw[head:])
	}
	value := t.part(at, n)
	return entry{kind, value, at}, value != nil
}

// number returns the unsigned integer that fills the bytes: 1, 2, 4 or 8 of them.
func number(order binary.ByteOrder, b []byte) uint64 {
	switch len(b) {
	case 1:
		return uint64(b[0])
	case 2:
		return uint64(order.Uint16(b))
	case 4:
		return uint64(order.Uint32(b))
	default:
		return order.Uint64(b)
	}
}

// numbers returns the values of a tag of an unsigned integer kind, or nil if it is absent or of another kind.
func (d directory) numbers(tag uint16) []uint64 {
	e := d.entries[tag]
	size := e.integer()
	if size == 0 {
		return nil
	}
	values := make([]uint64, 0, len(e.value)/size)
	for b := e.value; len(b) >= size; b = b[size:] {
		values = append(values, number(d.order, b[:size]))
	}
	return values
}

// first returns the first value of a tag, or absent if it has none.
func (d directory) first(tag uint16, absent uint64) uint64 {
	e := d.entries[tag]
	if size := e.integer(); size > 0 && len(e.value) >= size {
		return number(d.order, e.value[:size])
	}
	return absent
}

// integer returns the size of a value in bytes if the tag is of an unsigned integer kind, else 0.
func (e entry) integer() int {
	switch e.kind {
	case kindByte, kindShort, kindLong, kindIFD, kindLong8, kindIFD8:
		return int(sizes[e.kind])
	}
	return 0
}
