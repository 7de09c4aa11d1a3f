package picture

import (
	"encoding/binary"
	"io"

	"uncial/impl/volume"
)

// Tags and their values (TIFF 6.0, sections 7 and 8; NewSubfileType is on page 36).
const (
	tagNewSubfileType  = 254
	tagImageWidth      = 256
	tagImageLength     = 257
	reducedOrMask      = 1 | 4
	maxDirectories     = 20_000 // a volume has fewer pages; a loop has more
	maxDirectoryLength = 4096   // entries; files have 10 to 40
)

// walker reads the directories of a TIFF or BigTIFF, in any size of file: it reads a few hundred bytes for each page.
type walker struct {
	file  io.ReaderAt
	order binary.ByteOrder
	isBig bool
}

// tiffFrames returns the pages of a TIFF: all images except reduced ones and masks. It is nil if the file is damaged.
func tiffFrames(file io.ReaderAt) []Frame {
	w := walker{file: file, order: binary.LittleEndian}
	head := w.bytes(0, 16)
	if head == nil {
		return nil
	}
	if head[0] == 'M' {
		w.order = binary.BigEndian
	}
	offset := uint64(w.order.Uint32(head[4:]))
	if w.isBig = w.order.Uint16(head[2:]) == 43; w.isBig { // 42 in TIFF 6.0
		offset = w.order.Uint64(head[8:])
	}
	var pages []Frame
	for index := 0; offset != 0; index++ {
		if index == maxDirectories {
			return nil
		}
		frame, isPage, next, ok := w.directory(offset)
		if !ok {
			return nil
		}
		if frame.Index = index; isPage {
			pages = append(pages, frame)
		}
		offset = next
	}
	return pages
}

// directory reads one directory and returns the offset of the next, 0 after the last.
func (w *walker) directory(offset uint64) (frame Frame, isPage bool, next uint64, ok bool) {
	countBytes, entryBytes, offsetBytes := uint64(2), uint64(12), uint64(4)
	if w.isBig {
		countBytes, entryBytes, offsetBytes = 8, 20, 8
	}
	count := w.number(w.bytes(offset, countBytes))
	if count == 0 || count > maxDirectoryLength {
		return frame, false, 0, false
	}
	entries := w.bytes(offset+countBytes, count*entryBytes+offsetBytes)
	if entries == nil {
		return frame, false, 0, false
	}
	isPage = true
	for i := range count {
		entry := entries[i*entryBytes : (i+1)*entryBytes]
		value := w.value(entry)
		switch w.order.Uint16(entry) {
		case tagNewSubfileType:
			isPage = value&reducedOrMask == 0
		case tagImageWidth:
			frame.Width = value
		case tagImageLength:
			frame.Height = value
		}
	}
	return frame, isPage && frame.Size != (volume.Size{}), w.number(entries[count*entryBytes:]), true
}

// value returns the first value of an entry that is a SHORT or a LONG, which is stored in the entry itself; 0 for other types.
func (w *walker) value(entry []byte) int {
	at := entry[8:]
	if w.isBig {
		at = entry[12:]
	}
	switch w.order.Uint16(entry[2:]) {
	case 3:
		return int(w.order.Uint16(at))
	case 4:
		return int(w.order.Uint32(at))
	}
	return 0
}

// number reads an unsigned number of 2, 4 or 8 bytes; 0 if there are none.
func (w *walker) number(b []byte) uint64 {
	switch len(b) {
	case 2:
		return uint64(w.order.Uint16(b))
	case 4:
		return uint64(w.order.Uint32(b))
	case 8:
		return w.order.Uint64(b)
	}
	return 0
}

// bytes reads n bytes at an offset; nil if the file ends before.
func (w *walker) bytes(offset, n uint64) []byte {
	const maxOffset = 1 << 62 // leaves room to add a length
	if offset > maxOffset {
		return nil
	}
	b := make([]byte, n)
	if _, err := w.file.ReadAt(b, int64(offset)); err != nil {
		return nil
	}
	return b
}
