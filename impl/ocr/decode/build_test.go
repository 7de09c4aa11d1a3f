package decode_test

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"image"
	"math/big"
	"slices"
)

// layout is the byte order and the width of offsets of a TIFF.
type layout struct {
	order binary.AppendByteOrder
	mark  string
	big   bool
}

var (
	littleTIFF = layout{binary.LittleEndian, "II", false}
	bigTIFF    = layout{binary.BigEndian, "MM", true}
)

// field is a tag of a directory. Its values are written in the byte order of the file.
type field struct {
	tag, kind uint16 // kind 3 SHORT, 4 LONG, 5 RATIONAL
	values    []uint32
	data      []byte // of the strip that the tag points to
}

func short(tag uint16, v ...uint32) field { return field{tag: tag, kind: 3, values: v} }
func long(tag uint16, v ...uint32) field  { return field{tag: tag, kind: 4, values: v} }

// tiffOf returns the fields of an uncompressed image, in one strip of four channels.
func tiffOf(img *image.NRGBA, more ...field) []field {
	w, h := uint32(img.Rect.Dx()), uint32(img.Rect.Dy())
	return append([]field{
		long(256, w), long(257, h), short(258, 8, 8, 8, 8), short(259, 1), short(262, 2),
		{tag: 273, kind: 4, values: []uint32{0}, data: img.Pix},
		short(277, 4), long(278, h), long(279, 4*w*h),
	}, more...)
}

// presentation returns fields with an orientation and 400 x 600 dots per inch.
func presentation(orientation int) []field {
	return []field{
		short(274, uint32(orientation)),
		{tag: 282, kind: 5, values: []uint32{400, 1}},
		{tag: 283, kind: 5, values: []uint32{1200, 2}},
		short(296, 2),
	}
}

// exif returns an Exif block with the fields of presentation.
func exif(orientation int) []byte {
	l := layout{binary.BigEndian, "MM", false}
	return tiffFile(l, presentation(orientation))
}

// replace returns the fields with some replaced or added, by their tags.
func replace(fields []field, by ...field) []field {
	fields = slices.Clone(fields)
	for _, f := range by {
		if at := slices.IndexFunc(fields, func(o field) bool { return o.tag == f.tag }); at >= 0 {
			fields[at] = f
		} else {
			fields = append(fields, f)
		}
	}
	return fields
}

// tiffFile writes the directories one after the other, each after the data it points to.
func tiffFile(l layout, directories ...[]field) []byte {
	file := l.order.AppendUint16([]byte(l.mark), map[bool]uint16{false: 42, true: 43}[l.big])
	if l.big {
		file = l.order.AppendUint16(l.order.AppendUint16(file, 8), 0)
	}
	link := len(file) // where the offset of the next directory belongs
	file = l.offset(file, 0)
	for _, fields := range directories {
		slices.SortStableFunc(fields, func(a, b field) int { return int(a.tag) - int(b.tag) })
		var table []byte
		for _, f := range fields {
			if f.data != nil {
				f.values = []uint32{uint32(len(file))}
				file = append(file, f.data...)
			}
			value := l.bytes(f)
			table = l.order.AppendUint16(l.order.AppendUint16(table, f.tag), f.kind)
			table = l.offset(table, len(value)/map[uint16]int{3: 2, 4: 4, 5: 8}[f.kind])
			if room := len(l.offset(nil, 0)); len(value) <= room {
				table = append(append(table, value...), make([]byte, room-len(value))...)
			} else {
				table = l.offset(table, len(file))
				file = append(file, value...)
			}
		}
		copy(file[link:], l.offset(nil, len(file)))
		if l.big {
			file = l.order.AppendUint64(file, uint64(len(fields)))
		} else {
			file = l.order.AppendUint16(file, uint16(len(fields)))
		}
		file = append(file, table...)
		link = len(file)
		file = l.offset(file, 0)
	}
	return file
}

func (l layout) bytes(f field) (value []byte) {
	for _, v := range f.values {
		if f.kind == 3 {
			value = l.order.AppendUint16(value, uint16(v))
		} else {
			value = l.order.AppendUint32(value, v)
		}
	}
	return value
}

// offset appends a number of the width of an offset.
func (l layout) offset(to []byte, v int) []byte {
	if l.big {
		return l.order.AppendUint64(to, uint64(v))
	}
	return l.order.AppendUint32(to, uint32(v))
}

// loop returns a TIFF of two directories, each of which points to the other as the next.
func loop() []byte {
	img := stored(1)
	file := tiffFile(littleTIFF, tiffOf(img), tiffOf(img))
	copy(file[len(file)-4:], file[4:8])
	return file
}

// pngHeader returns a PNG that ends after the header of an RGB image.
func pngHeader(w, h uint32) []byte {
	header := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, w), h)
	return append([]byte("\x89PNG\r\n\x1a\n"), pngChunk("IHDR", append(header, 8, 2, 0, 0, 0))...)
}

func pngChunk(kind string, data []byte) []byte {
	body := append([]byte(kind), data...)
	chunk := append(binary.BigEndian.AppendUint32(nil, uint32(len(data))), body...)
	return binary.BigEndian.AppendUint32(chunk, crc32.ChecksumIEEE(body))
}

// pngWith inserts a chunk after the header.
func pngWith(data []byte, kind string, chunk []byte) []byte {
	return slices.Concat(data[:33], pngChunk(kind, chunk), data[33:])
}

// jpegWith inserts a segment at the beginning.
func jpegWith(data []byte, marker byte, segment []byte) []byte {
	head := binary.BigEndian.AppendUint16([]byte{0xff, marker}, uint16(len(segment)+2))
	return slices.Concat(data[:2], head, segment, data[2:])
}

// jpegOfScans returns the header of a square grey JPEG, followed by scans.
func jpegOfScans(side uint16, n int) []byte {
	header := binary.BigEndian.AppendUint16(binary.BigEndian.AppendUint16([]byte{8}, side), side)
	scan := []byte{0xff, 0xda, 0, 8, 1, 1, 0, 0, 63, 0, 0x55, 0xff, 0x00, 0xff, 0xd0, 0x55}
	return slices.Concat([]byte{0xff, 0xd8}, jpegWith([]byte{0, 0}, 0xc2, append(header, 1, 1, 17, 0))[2:], bytes.Repeat(scan, n), []byte{0xff, 0xd9})
}

func webpWith(data []byte, kind string, chunk []byte) []byte {
	file := binary.LittleEndian.AppendUint32(append(slices.Clone(data), kind...), uint32(len(chunk)))
	file = append(file, chunk...)
	binary.LittleEndian.PutUint32(file[4:], uint32(len(file)-8))
	return file
}

// cmykJPEG returns a JPEG of 8 x 8 pixels of four channels, 228, 28, 28 and 28, that does not declare what they are. Each block
// has only its mean: the code 10, which announces 10 bits, those bits, and the code 0, which ends the block.
func cmykJPEG() []byte {
	file := []byte{0xff, 0xd8}
	for _, s := range []struct {
		marker byte
		data   []byte
	}{
		{0xdb, append([]byte{0}, bytes.Repeat([]byte{1}, 64)...)},
		{0xc0, []byte{8, 0, 8, 0, 8, 4, 1, 17, 0, 2, 17, 0, 3, 17, 0, 4, 17, 0}},
		{0xc4, []byte{0x00, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 10}},
		{0xc4, []byte{0x10, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}},
		{0xda, []byte{4, 1, 0, 2, 0, 3, 0, 4, 0, 0, 63, 0}},
	} {
		file = append(file, jpegWith([]byte{0, 0}, s.marker, s.data)[2:]...)
	}
	const high, low = "10" + "1100100000" + "0", "10" + "0011011111" + "0" // 800 and -800: eight times above and below 128
	bits, _ := new(big.Int).SetString(high+low+low+low+"1111", 2)
	return append(append(file, bits.Bytes()...), 0xff, 0xd9)
}
