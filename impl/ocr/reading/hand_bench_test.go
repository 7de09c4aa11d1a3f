package reading_test

import (
	"bytes"
	"fmt"
	"image/jpeg"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"uncial/impl/ocr/ocrtest"
	"uncial/impl/ocr/reading"
)

// deed is the text of a 19th-century register of births.
var deed = []string{
	"par devant nous maire de la commune est comparu", "le sieur martin laboureur lequel nous a déclaré que",
	"ce jour est né un enfant du sexe masculin auquel", "il a donné le prénom de jean fait et passé devant",
	"deux témoins et le père a signé avec nous ce jour",
}

// MustHandwritten returns a JPEG of lines in a joined hand, on a page of 2400 x 3200 pixels.
func MustHandwritten(tb testing.TB, lines int) []byte {
	tb.Helper()
	g := ocrtest.BlankPage(2400, 3200)
	pitch := 3000 / lines
	for i := range lines {
		ocrtest.Write(g, 150, pitch*2/5, func(float64) float64 { return float64(120 + pitch*i) }, deed[i%len(deed)], uint64(i)) // #nosec G115 -- counts lines
	}
	var file bytes.Buffer
	require.NoError(tb, jpeg.Encode(&file, g, nil))
	return file.Bytes()
}

// BenchmarkFile_handwritten reads a page of 40 handwritten lines from its file, with as many engines as a worker may use if
// other cores are idle.
func BenchmarkFile_handwritten(b *testing.B) {
	data := MustHandwritten(b, 40)
	for _, threads := range []int{1, 2} {
		b.Run(fmt.Sprintf("cores=%d", threads), func(b *testing.B) {
			engines := MustEngines(b, 4)
			engines.SetThreads(threads)
			read := func() {
				doc, err := reading.File(b.Context(), data, reading.Options{Language: "fr"}, engines)
				require.NoError(b, err)
				require.Len(b, strings.Split(doc.Text(), "\n"), 40)
			}
			read() // workers keep their models loaded
			for b.Loop() {
				read()
			}
		})
	}
}
