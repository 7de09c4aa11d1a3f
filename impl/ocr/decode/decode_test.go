package decode_test

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"uncial/impl/ocr"
	"uncial/impl/ocr/decode"
	"uncial/impl/ocr/ocrtest"
	"uncial/impl/ocr/tesseract"
	"uncial/internal/contract/imagefile"
)

// quarters holds the colours of the samples in their upper left, upper right, lower left and lower right quarter.
var quarters = map[string][4]color.RGBA{
	"colours": {{200, 30, 30, 255}, {30, 160, 40, 255}, {40, 50, 190, 255}, {250, 250, 250, 255}},
	"grey":    {{0, 0, 0, 255}, {85, 85, 85, 255}, {170, 170, 170, 255}, {255, 255, 255, 255}},
	"ink":     {{0, 0, 0, 255}, {255, 255, 255, 255}, {255, 255, 255, 255}, {255, 255, 255, 255}},
	"clear":   {{228, 143, 143, 255}, {143, 208, 148, 255}, {40, 50, 190, 255}, {250, 250, 250, 255}},
	"side":    {{30, 160, 40, 255}, {250, 250, 250, 255}, {200, 30, 30, 255}, {40, 50, 190, 255}}, // colours, turned to the left
}

func MustSample(tb testing.TB, name string) []byte {
	tb.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	require.NoError(tb, err)
	return data
}

// MustSamples returns all samples of testdata by file name.
func MustSamples(tb testing.TB) map[string][]byte {
	tb.Helper()
	paths, err := filepath.Glob(filepath.Join("testdata", "*.*"))
	require.NoError(tb, err)
	samples := map[string][]byte{}
	for _, path := range paths {
		if name := filepath.Base(path); !strings.HasSuffix(name, ".sh") {
			samples[name] = MustSample(tb, name)
		}
	}
	return samples
}

// pages decodes all pages of a file, or returns the first error.
func pages(data []byte, lib decode.Library) ([]decode.Page, error) {
	var all []decode.Page
	for page, err := range decode.Pages(data, lib) {
		if err != nil {
			return nil, err
		}
		all = append(all, page)
	}
	return all, nil
}

func MustPages(tb testing.TB, data []byte) []decode.Page {
	tb.Helper()
	all, err := pages(data, tesseract.Leptonica{})
	require.NoError(tb, err)
	return all
}

// requireQuarters checks the colour in the middle of each quarter, and that an image without colours is grey.
func requireQuarters(tb testing.TB, shows string, img image.Image, msg string) {
	tb.Helper()
	w, h := img.Bounds().Dx(), img.Bounds().Dy()
	require.Equal(tb, image.Point{}, img.Bounds().Min, msg)
	for i, want := range quarters[shows] {
		got := color.RGBAModel.Convert(img.At((1+2*(i%2))*w/4, (1+2*(i/2))*h/4)).(color.RGBA)
		for c, pair := range [][2]uint8{{want.R, got.R}, {want.G, got.G}, {want.B, got.B}, {want.A, got.A}} {
			require.InDelta(tb, pair[0], pair[1], 9, "%s: quarter %d, channel %d", msg, i, c)
		}
	}
	switch img.(type) {
	case *image.Gray:
		require.Contains(tb, []string{"grey", "ink"}, shows, msg)
	case *image.RGBA:
		require.NotContains(tb, []string{"grey", "ink"}, shows, "%s: an image without colours is grey", msg)
	default:
		require.Fail(tb, "the page is neither grey nor RGBA", msg)
	}
}

func TestPages_samples(t *testing.T) {
	t.Parallel()
	for name, data := range MustSamples(t) {
		if name == "pages.tif" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			shows, _, _ := strings.Cut(strings.TrimSuffix(name, filepath.Ext(name)), "-")
			all := MustPages(t, data)
			require.Len(t, all, 1)
			requireQuarters(t, shows, all[0].Image, name)
			ext := filepath.Ext(name)
			if ext != ".webp" && ext != ".png" && name != "colours-os2.bmp" { // without a resolution
				require.Equal(t, 300, all[0].DPI)
			}
			format, frames, err := decode.Inspect(data)
			require.NoError(t, err)
			require.Len(t, frames, 1)
			require.Equal(t, imagefile.Size{Width: 48, Height: 32}, frames[0].Size)
			require.Equal(t, map[string]imagefile.Format{".tif": "TIFF", ".jpg": "JPEG", ".png": "PNG", ".bmp": "BMP", ".webp": "WebP"}[ext], format)
		})
	}
}

// none is a library that decodes nothing.
type none struct{}

func (none) Decode([]byte) (image.Image, error)             { return nil, tesseract.ErrDecode }
func (none) DecodeTIFF([]byte, uint64) (image.Image, error) { return nil, tesseract.ErrDecode }

func TestPages_withoutLibrary(t *testing.T) {
	t.Parallel()
	var rescued []string
	for name, data := range MustSamples(t) {
		if _, err := pages(data, none{}); err != nil {
			rescued = append(rescued, name)
		}
	}
	require.ElementsMatch(t, []string{
		"colours-odd.jpg", "colours-cmyk-JPEG.tif", "side-cmyk-JPEG.tif", "colours-ZSTD.tif", "ink-Fax.tif", "grey-alpha-JPEG.tif",
	}, rescued, "the kinds that only the library decodes")
}

func TestPages_severalPages(t *testing.T) {
	t.Parallel()
	data := MustSample(t, "pages.tif")
	all := MustPages(t, data)
	require.Len(t, all, 3)
	for i, shows := range []string{"colours", "grey", "ink"} {
		requireQuarters(t, shows, all[i].Image, shows)
	}
	for _, err := range decode.Pages(data, tesseract.Leptonica{}) {
		require.NoError(t, err)
		break // a caller may stop early
	}
}

// A TIFF may hold luma for each pixel and chroma for four of them (TIFF 6.0, section 21).
func TestPages_subsampledTIFF(t *testing.T) {
	t.Parallel()
	var units []byte
	for y := 0; y < 32; y += 2 {
		for x := 0; x < 48; x += 2 {
			c := quarters["colours"][x/24+2*(y/16)]
			luma, cb, cr := color.RGBToYCbCr(c.R, c.G, c.B)
			units = append(units, luma, luma, luma, luma, cb, cr)
		}
	}
	fields := replace(tiffOf(stored(1)), short(258, 8, 8, 8), short(262, 6), short(277, 3), short(530, 2, 2),
		long(279, uint32(len(units))), field{tag: 273, kind: 4, values: []uint32{0}, data: units})
	requireQuarters(t, "colours", MustPages(t, tiffFile(littleTIFF, fields))[0].Image, "subsampled")
}

func TestPages_cmykJPEG(t *testing.T) {
	t.Parallel()
	plain := MustPages(t, cmykJPEG())[0].Image.(*image.RGBA)
	require.Equal(t, color.RGBA{24, 202, 202, 255}, plain.RGBAAt(4, 4), "much cyan, and a little of the other inks")
	inverted := MustPages(t, jpegWith(cmykJPEG(), 0xee, []byte("Adobe\x00\x64\x00\x00\x00\x00\x00")))[0].Image.(*image.RGBA)
	require.Equal(t, color.RGBA{25, 3, 3, 255}, inverted.RGBAAt(4, 4), "little cyan, and much of the other inks")
}

func TestPages_animatedPNG(t *testing.T) {
	t.Parallel()
	data := pngWith(MustSample(t, "clear.png"), "acTL", []byte{0, 0, 0, 2, 0, 0, 0, 0})
	all := MustPages(t, data)
	require.Len(t, all, 1)
	requireQuarters(t, "clear", all[0].Image, "the default image")
}

// Headers that declare huge images must not make inspect allocate much.
func TestInspect_memory(t *testing.T) { //nolint:paralleltest // counts what the process allocates
	huge := tiffFile(littleTIFF, replace(tiffOf(stored(1)), long(256, 1<<31), long(257, 1<<31)))
	many := tiffFile(littleTIFF, replace(tiffOf(stored(1)), long(256, slices.Repeat([]uint32{48}, 1<<20)...)))
	for name, data := range map[string][]byte{
		"a huge PNG": pngHeader(1<<31, 1<<31), "a huge JPEG": jpegOfScans(65_500, 3), "a huge TIFF": huge, "a loop": loop(),
		"a tag of many values": many,
	} {
		var err error
		require.Less(t, ocrtest.Allocated(func() { _, _, err = decode.Inspect(data) }), uint64(1<<20), name)
		require.Equal(t, name != "a tag of many values", err != nil, name)
	}
}

func TestPages_resolution(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		data []byte
		want int
	}{
		"PNG, in pixels per meter": {pngWith(MustSample(t, "clear.png"), "pHYs", []byte{0, 0, 0x2e, 0x23, 0, 0, 0x2e, 0x23, 1}), 300},
		"PNG, unknown to libvips":  {pngWith(MustSample(t, "clear.png"), "pHYs", []byte{0, 0, 0x03, 0xe8, 0, 0, 0x03, 0xe8, 1}), 0},
		"PNG, only the aspect":     {pngWith(MustSample(t, "clear.png"), "pHYs", []byte{0, 0, 0, 1, 0, 0, 0, 2, 0}), 0},
		"TIFF, in centimetres":     {tiffFile(littleTIFF, replace(tiffOf(stored(1)), replace(presentation(1), short(296, 3))...)), 1524},
		"TIFF, without a unit":     {tiffFile(littleTIFF, replace(tiffOf(stored(1)), replace(presentation(1), short(296, 1))...)), 0},
		"TIFF, absurd":             {tiffFile(littleTIFF, tiffOf(stored(1), field{tag: 282, kind: 5, values: []uint32{1 << 30, 1}}, field{tag: 283, kind: 5, values: []uint32{1 << 30, 1}})), 0},
		"TIFF, divided by zero":    {tiffFile(littleTIFF, tiffOf(stored(1), field{tag: 282, kind: 5, values: []uint32{300, 0}}, field{tag: 283, kind: 5, values: []uint32{300, 0}})), 0},
		"WebP, not declared":       {MustSample(t, "colours-lossy.webp"), 0},
	} {
		require.Equal(t, c.want, MustPages(t, c.data)[0].DPI, name)
	}
}

// stored returns the colours so that they are upright after an orientation was applied.
func stored(orientation int) *image.NRGBA {
	w, h := 48, 32
	if orientation >= 5 {
		w, h = h, w
	}
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			// The position of the pixel when upright, by the sides that tag 274 names for row 0 and column 0.
			shown := map[int]image.Point{
				1: {X: x, Y: y}, 2: {X: w - 1 - x, Y: y}, 3: {X: w - 1 - x, Y: h - 1 - y}, 4: {X: x, Y: h - 1 - y},
				5: {X: y, Y: x}, 6: {X: h - 1 - y, Y: x}, 7: {X: h - 1 - y, Y: w - 1 - x}, 8: {X: y, Y: w - 1 - x},
			}[orientation]
			img.Set(x, y, quarters["colours"][shown.X/24+2*(shown.Y/16)])
		}
	}
	return img
}

func TestPages_orientation(t *testing.T) {
	t.Parallel()
	for orientation := 1; orientation <= 8; orientation++ {
		img := stored(orientation)
		var asPNG, asJPEG bytes.Buffer
		require.NoError(t, png.Encode(&asPNG, img))
		require.NoError(t, jpeg.Encode(&asJPEG, img, &jpeg.Options{Quality: 95}))
		for format, data := range map[string][]byte{
			"PNG":  pngWith(asPNG.Bytes(), "eXIf", exif(orientation)),
			"JPEG": jpegWith(asJPEG.Bytes(), 0xe1, append([]byte("Exif\x00\x00"), exif(orientation)...)),
			"TIFF": tiffFile(littleTIFF, tiffOf(img, append(presentation(orientation), short(338, 2))...)),
			"Big":  tiffFile(bigTIFF, tiffOf(img, append(presentation(orientation), short(338, 2))...)),
		} {
			name := fmt.Sprintf("%s, orientation %d", format, orientation)
			all := MustPages(t, data)
			require.Equal(t, image.Pt(48, 32), all[0].Image.Bounds().Size(), name)
			requireQuarters(t, "colours", all[0].Image, name)
			require.Equal(t, map[bool]int{false: 600, true: 400}[orientation >= 5], all[0].DPI, name)
		}
	}
	webp := MustPages(t, webpWith(MustSample(t, "colours-lossless.webp"), "EXIF", exif(6)))[0]
	require.Equal(t, image.Pt(32, 48), webp.Image.Bounds().Size())
	require.Equal(t, color.RGBA{40, 50, 190, 255}, webp.Image.At(0, 0), "the lower left corner turned up")
	require.Equal(t, 400, webp.DPI)
}

// refusal is a file and a part of the reason for which it is refused.
type refusal struct {
	want string
	data []byte
}

func refusals(tb testing.TB) []refusal {
	tb.Helper()
	whole := MustSamples(tb)
	cut := func(name string, n int) []byte { return whole[name][:n] }
	return []refusal{
		{"the file is empty; send JPEG, PNG, TIFF, BMP or WebP", nil},
		{"the file is a PDF; send JPEG, PNG, TIFF, BMP or WebP", []byte("%PDF-1.7\n...")},
		{"the file is a GIF;", []byte("GIF89a\x01\x00\x01\x00")},
		{"the file is a JPEG 2000;", []byte("\x00\x00\x00\x0cjP  \r\n\x87\n")},
		{"the file is a HEIC;", []byte("\x00\x00\x00\x18ftypheic\x00\x00")},
		{"the file is an AVIF;", []byte("\x00\x00\x00\x18ftypavif\x00\x00")},
		{"the file is an HTML page;", []byte("<!doctype HTML><html>")},
		{"the file is an SVG;", []byte("<svg xmlns")},
		{"the file is not an image in a known format;", []byte("/etc/passwd\n/etc/hosts\n")},
		{"the file is not an image in a known format;", []byte("BM is how this text begins")},
		{"the image is larger than the limit of 20 MiB", append([]byte("\xff\xd8\xff"), make([]byte, ocr.MaxBytes-2)...)},

		{"the JPEG is cut short; send the whole file", cut("colours.jpg", len(whole["colours.jpg"])*3/4)},
		{"the JPEG is cut short; send the whole file", cut("colours.jpg", 30)},
		{"the PNG is cut short; send the whole file", cut("clear.png", len(whole["clear.png"])-20)},
		{"the PNG is cut short; send the whole file", cut("clear.png", 20)},
		{"the WebP is cut short; send the whole file", cut("colours-lossy.webp", len(whole["colours-lossy.webp"])-10)},
		{"the BMP is cut short; send the whole file", cut("colours-24.bmp", 3000)},
		{"the BMP is cut short; send the whole file", cut("colours-24.bmp", 20)},
		{"the TIFF is cut short or damaged: a directory is missing; send the whole file", cut("pages.tif", len(whole["pages.tif"])-300)},
		{"the TIFF is cut short; send the whole file", tiffFile(littleTIFF, replace(tiffOf(stored(1)), long(279, 1<<20)))},

		{"the PNG is 40000 x 1 pixels; at most 32767 per side are allowed", pngHeader(40_000, 1)},
		{"the PNG has 400 megapixels over all pages; at most 100 are allowed", pngHeader(20_000, 20_000)},
		{"at most 32767 per side are allowed", pngHeader(1<<32-1, 1<<32-1)},
		{"the PNG is damaged: its header declares a size of zero", pngHeader(0, 10)},
		{"the PNG is damaged: it does not begin with its header", append(whole["clear.png"][:8:8], whole["clear.png"][33:]...)},
		{"the PNG is damaged or of an unsupported kind; save it again as PNG", slices.Concat(pngHeader(10, 10), pngChunk("IDAT", make([]byte, 60)), pngChunk("IEND", nil))},
		{"the JPEG has 101 scans; at most 100 are allowed at its size: save it as a baseline JPEG", jpegOfScans(8, 101)},
		{"the JPEG has 30 scans; at most 22 are allowed at its size", jpegOfScans(9500, 30)},
		{"the JPEG is damaged: it has several frame headers", jpegWith(whole["colours.jpg"], 0xc0, []byte{8, 0, 1, 0, 1, 1, 1, 17, 0})},

		{"the TIFF is damaged: its directories form a loop", loop()},
		{"the TIFF has 11 pages; at most 10 are allowed", tiffFile(littleTIFF, slices.Repeat([][]field{tiffOf(stored(1))}, 11)...)},
		{"the TIFF has more than 100 directories", tiffFile(littleTIFF, slices.Repeat([][]field{replace(tiffOf(stored(1)), long(254, 1))}, 101)...)},
		{"the TIFF has 9 channels; at most 8 are allowed", tiffFile(littleTIFF, replace(tiffOf(stored(1)), short(277, 9)))},
		{"the TIFF holds signed or floating-point numbers", tiffFile(littleTIFF, tiffOf(stored(1), short(339, 3)))},
		{"the TIFF has tiles of 65520 x 65520 pixels", tiffFile(littleTIFF, tiffOf(stored(1), long(322, 65_520), long(323, 65_520)))},
		{"the TIFF has tiles of 1 x 1 pixels", tiffFile(littleTIFF, tiffOf(stored(1), long(322, 1), long(323, 1)))},
		{"the TIFF has 120 megapixels over all pages", tiffFile(littleTIFF,
			slices.Repeat([][]field{replace(tiffOf(stored(1)), long(256, 6000), long(257, 10_000))}, 2)...)},
		{
			"the TIFF is damaged or of an unsupported kind; save it again as PNG",
			tiffFile(littleTIFF, replace(tiffOf(stored(1)), short(259, 9999))),
		},
		{"the BMP is damaged or of an unsupported kind; save it again as PNG", []byte("BM" + strings.Repeat("\x00", 12) + "\x0c\x00\x00\x00\x01\x00\x01\x00\x01\x00\x07\x00" + strings.Repeat("\x00", 60))},
	}
}

func TestPages_refuses(t *testing.T) {
	t.Parallel()
	for _, r := range refusals(t) {
		_, err := pages(r.data, tesseract.Leptonica{})
		var invalid *ocr.ImageError
		require.ErrorAs(t, err, &invalid, r.want)
		require.Contains(t, invalid.Reason, r.want)
	}
}

// surplus returns a grey PNG of 8 x 8 pixels with n bytes more in the same stream.
func surplus(tb testing.TB, n int) []byte {
	tb.Helper()
	var stream bytes.Buffer
	z := zlib.NewWriter(&stream)
	_, err := z.Write(make([]byte, 8*9+n))
	require.NoError(tb, err)
	require.NoError(tb, z.Close())
	header := []byte{0, 0, 0, 8, 0, 0, 0, 8, 8, 0, 0, 0, 0}
	return slices.Concat([]byte("\x89PNG\r\n\x1a\n"), pngChunk("IHDR", header), pngChunk("IDAT", stream.Bytes()), pngChunk("IEND", nil))
}

func TestPages_surplusPNG(t *testing.T) {
	t.Parallel()
	_, err := pages(surplus(t, 0), none{})
	require.NoError(t, err)
	_, err = pages(surplus(t, 1000), tesseract.Leptonica{})
	requireInvalidImage(t, err)
	require.ErrorContains(t, err, "more pixel data than its header declares")
}

func TestPages_sharedStrips(t *testing.T) {
	t.Parallel()
	img := image.NewNRGBA(image.Rect(0, 0, 16, 64))
	for i := range img.Pix {
		img.Pix[i] = 0xff
	}
	strips := func(count uint32) []byte {
		at := slices.Repeat([]uint32{8}, 64) // the file's first bytes will do
		return tiffFile(littleTIFF, replace(tiffOf(img), long(273, at...), long(278, 1), long(279, slices.Repeat([]uint32{count}, 64)...)))
	}
	_, err := pages(strips(64), none{})
	require.NoError(t, err, "strips may share a few bytes")
	_, err = pages(strips(6<<20), tesseract.Leptonica{})
	requireInvalidImage(t, err)
	require.ErrorContains(t, err, "damaged")
}

func TestPages_cutJPEG(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"colours.jpg", "colours-progressive.jpg"} {
		whole, refused := MustSample(t, name), 0
		for n := 3; n < len(whole)-2; n++ {
			if _, err := pages(whole[:n], none{}); err != nil {
				requireInvalidImage(t, err)
				require.ErrorContains(t, err, "is cut short", "%s, %d bytes", name, n)
				refused++
			}
		}
		require.Greater(t, refused, len(whole)*3/4, name)
	}
}

func TestTIFF_countsScansOfAllBlocks(t *testing.T) {
	t.Parallel()
	const scans = 3
	block := jpegOfScans(8, scans)
	err := decode.ReadJPEGBlock(block, 8, decode.MaxScanPixels-scans*8*8+1)
	require.ErrorContains(t, err, "the TIFF has blocks that are progressive JPEGs with too many scans")
	err = decode.ReadJPEGBlock(block, 8, decode.MaxScanPixels-scans*8*8)
	require.Error(t, err, "the scans of the block are empty")
	require.NotContains(t, err.Error(), "too many scans")
}
