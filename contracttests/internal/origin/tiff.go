package origin

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/png"
	"testing"

	"github.com/stretchr/testify/require"

	"uncial/contracttests"
)

// mustTIFF is a file of several pages with a line of print each: grey, one byte a pixel, not compressed (TIFF 6.0,
// section 4).
func mustTIFF(tb testing.TB, texts ...string) []byte {
	tb.Helper()
	const (
		header, entrySize = 8, 12
		short, long       = 3, 4
	)
	var file bytes.Buffer
	le := binary.LittleEndian
	file.Write([]byte{'I', 'I', 42, 0, 0, 0, 0, 0})
	link := 4 // where the offset of the next directory goes
	for _, text := range texts {
		decoded, err := png.Decode(bytes.NewReader(contracttests.PagePNG(text)))
		require.NoError(tb, err)
		page, ok := decoded.(*image.Gray)
		require.True(tb, ok)
		width, height := page.Rect.Dx(), page.Rect.Dy()
		strip := file.Len()
		file.Write(page.Pix)
		directory := file.Len()
		entries := [][3]uint32{ // tag, type, value
			{256, long, uint32(width)},
			{257, long, uint32(height)},
			{258, short, 8},
			{259, short, 1},
			{262, short, 1},
			{273, long, uint32(strip)},
			{277, short, 1},
			{278, long, uint32(height)},
			{279, long, uint32(width * height)},
		}
		file.Write(le.AppendUint16(nil, uint16(len(entries))))
		for _, e := range entries {
			file.Write(le.AppendUint16(le.AppendUint16(nil, uint16(e[0])), uint16(e[1])))
			file.Write(le.AppendUint32(le.AppendUint32(nil, 1), e[2]))
		}
		le.PutUint32(file.Bytes()[link:], uint32(directory))
		link = file.Len()
		file.Write([]byte{0, 0, 0, 0})
		require.Equal(tb, directory+2+entrySize*len(entries), link)
	}
	require.Greater(tb, file.Len(), header)
	return file.Bytes()
}
