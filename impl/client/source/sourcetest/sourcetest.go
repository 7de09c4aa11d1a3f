// Package sourcetest makes files for tests: images, PDFs of images and of text, and servers of IIIF images. Only tests import
// it.
package sourcetest

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Gray returns an image with dark bars on light paper, different for each seed.
func Gray(width, height, seed int) *image.Gray {
	img := image.NewGray(image.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			shade := uint8(230)
			if y/8%3 == 1 && (x+seed*7)/5%4 != 0 {
				shade = 30
			}
			img.SetGray(x, y, color.Gray{Y: shade})
		}
	}
	return img
}

// JPEG returns the image as a JPEG file of the default quality.
func JPEG(tb testing.TB, img image.Image) []byte {
	tb.Helper()
	var b bytes.Buffer
	require.NoError(tb, jpeg.Encode(&b, img, nil))
	return b.Bytes()
}

// PNG returns the image as a PNG file.
func PNG(tb testing.TB, img image.Image) []byte {
	tb.Helper()
	var b bytes.Buffer
	require.NoError(tb, png.Encode(&b, img))
	return b.Bytes()
}

// Write writes a file below a folder, makes the folders that name leads through, and returns the file's path.
func Write(tb testing.TB, dir, name string, content []byte) string {
	tb.Helper()
	path := filepath.Join(dir, name)
	require.NoError(tb, os.MkdirAll(filepath.Dir(path), 0o700))
	require.NoError(tb, os.WriteFile(path, content, 0o600))
	return path
}

// Sheet is a page of a PDF: a grey JPEG that fills it, or a line of text. It has the size of the JPEG at DPI, or is 200 x 100
// points.
type Sheet struct {
	JPEG     []byte
	DPI      float64
	Text     string
	Rotation int
	// IsUpsideDown and IsMirrored draw the JPEG that way by the page's own matrix (ISO 32000-1, section 8.3.4).
	IsUpsideDown, IsMirrored bool
	// IsHalf makes viewers show the left half only.
	IsHalf bool
}

// PDF returns a file with these pages (PDF 1.4, ISO 32000-1).
func PDF(tb testing.TB, sheets ...Sheet) []byte {
	tb.Helper()
	var b bytes.Buffer
	var offsets []int
	object := func(format string, args ...any) {
		offsets = append(offsets, b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n", len(offsets))
		fmt.Fprintf(&b, format, args...)
		b.WriteString("\nendobj\n")
	}
	b.WriteString("%PDF-1.4\n")
	object("<< /Type /Catalog /Pages 2 0 R >>")
	kids := make([]string, len(sheets))
	for i := range sheets {
		kids[i] = fmt.Sprintf("%d 0 R", 4+3*i)
	}
	object("<< /Type /Pages /Count %d /Kids [ %s ] >>", len(sheets), strings.Join(kids, " "))
	object("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>")
	for i, s := range sheets {
		width, height := 200.0, 100.0
		content := fmt.Sprintf("BT /F 12 Tf 10 50 Td (%s) Tj ET", s.Text)
		picture := "<< /Length 0 >> stream\n\nendstream"
		resources := "/Font << /F 3 0 R >>"
		if s.JPEG != nil {
			config, err := jpeg.DecodeConfig(bytes.NewReader(s.JPEG))
			require.NoError(tb, err)
			width, height = float64(config.Width)/s.DPI*72, float64(config.Height)/s.DPI*72
			content = fmt.Sprintf("%f 0 0 %f 0 0 cm /I Do", width, height)
			if s.IsUpsideDown {
				content = fmt.Sprintf("%f 0 0 %f %f %f cm /I Do", -width, -height, width, height)
			}
			if s.IsMirrored {
				content = fmt.Sprintf("%f 0 0 %f %f 0 cm /I Do", -width, height, width)
			}
			if s.Text != "" {
				content = fmt.Sprintf("q %f 0 0 %f 0 0 cm /I Do Q BT /F 12 Tf 10 50 Td (%s) Tj ET", width/2, height/2, s.Text)
			}
			picture = fmt.Sprintf("<< /Type /XObject /Subtype /Image /Width %d /Height %d /ColorSpace /DeviceGray /BitsPerComponent 8 /Filter /DCTDecode /Length %d >> stream\n%s\nendstream",
				config.Width, config.Height, len(s.JPEG), s.JPEG)
			resources += fmt.Sprintf(" /XObject << /I %d 0 R >>", 6+3*i)
		}
		shown := width
		if s.IsHalf {
			shown /= 2
		}
		object("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 %f %f] /CropBox [0 0 %f %f] /Rotate %d /Contents %d 0 R /Resources << %s >> >>", width, height, shown, height, s.Rotation, 5+3*i, resources)
		object("<< /Length %d >> stream\n%s\nendstream", len(content), content)
		object("%s", picture)
	}
	start := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(offsets)+1)
	for _, offset := range offsets {
		fmt.Fprintf(&b, "%010d 00000 n \n", offset)
	}
	fmt.Fprintf(&b, "trailer << /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n", len(offsets)+1, start)
	return b.Bytes()
}
