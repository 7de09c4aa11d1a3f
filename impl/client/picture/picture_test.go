package picture_test

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/color"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/image/tiff"

	"uncial/impl/client/picture"
	"uncial/impl/client/source/sourcetest"
	"uncial/impl/ocr/decode"
	"uncial/impl/volume"
	"uncial/internal/document"
)

// mustTIFF writes an uncompressed grey TIFF of that size whose pixels are not stored, so that it takes no space on the disk.
func mustTIFF(tb testing.TB, width, height, pages int) string {
	tb.Helper()
	path := filepath.Join(tb.TempDir(), "large [1].tif")
	file, err := os.Create(path)
	require.NoError(tb, err)
	defer func() { require.NoError(tb, file.Close()) }()
	le := binary.LittleEndian
	head := le.AppendUint32([]byte("II*\x00"), 8)
	const rows = 256
	strips := (height + rows - 1) / rows
	const entries = 9
	size := 2 + 12*entries + 4
	for p := range pages {
		start := 8 + p*(size+8*strips)
		lists, next := start+size, start+size+8*strips
		pixels := 1 << 20
		head = le.AppendUint16(head, entries)
		for _, e := range [][3]int{
			{256, 4, width}, {257, 4, height}, {258, 3, 8}, {259, 3, 1}, {262, 3, 1}, {273, 4, lists}, {277, 3, 1}, {278, 4, rows}, {279, 4, lists + 4*strips},
		} {
			count := 1
			if e[0] == 273 || e[0] == 279 {
				count = strips
			}
			head = le.AppendUint16(le.AppendUint16(head, uint16(e[0])), uint16(e[1]))
			head = le.AppendUint32(le.AppendUint32(head, uint32(count)), uint32(e[2]))
		}
		if p == pages-1 {
			next = 0
		}
		head = le.AppendUint32(head, uint32(next))
		for s := range strips {
			head = le.AppendUint32(head, uint32(pixels+s*rows*width))
		}
		for range strips {
			head = le.AppendUint32(head, uint32(rows*width))
		}
	}
	_, err = file.Write(head)
	require.NoError(tb, err)
	require.NoError(tb, file.Truncate(int64(1<<20+strips*rows*width)))
	return path
}

func mustInspect(tb testing.TB, path string) *picture.Info {
	tb.Helper()
	info, err := picture.Inspect(path)
	require.NoError(tb, err)
	return info
}

func TestInspect(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	gray := sourcetest.Gray(30, 20, 1)
	for name, c := range map[string]struct {
		content []byte
		kind    picture.Kind
		frames  int
	}{
		"a.jpg":       {sourcetest.JPEG(t, gray), picture.Supported, 1},
		"a.png":       {sourcetest.PNG(t, gray), picture.Supported, 1},
		"broken.jpg":  {[]byte("\xff\xd8\xffbroken"), picture.Supported, 0},
		"a.jp2":       {[]byte("\x00\x00\x00\x0cjP  \r\n\x87\n"), picture.JPEG2000, 0},
		"a.j2k":       {[]byte("\xff\x4f\xff\x51\x00"), picture.JPEG2000, 0},
		"a.pdf":       {[]byte("%PDF-1.7\n"), picture.PDF, 0},
		"a.json":      {[]byte("\xef\xbb\xbf \n{}"), picture.JSON, 0},
		"a.html":      {[]byte("<html>"), picture.Other, 0},
		"cut.tif":     {[]byte("II*\x00\x08\x00"), picture.Supported, 0},
		"looping.tif": {[]byte("II*\x00\x08\x00\x00\x00\x01\x00\x00\x01\x04\x00\x01\x00\x00\x00\x05\x00\x00\x00\x08\x00\x00\x00"), picture.Supported, 0},
	} {
		info := mustInspect(t, sourcetest.Write(t, dir, name, c.content))
		assert.Equal(t, c.kind, info.Kind, name)
		assert.Len(t, info.Frames, c.frames, name)
		assert.Equal(t, c.kind == picture.JPEG2000, info.NeedsCopy(), name)
	}
	pipe := filepath.Join(dir, "pipe")
	require.NoError(t, syscall.Mkfifo(pipe, 0o600))
	for name, want := range map[string]string{dir: "is a folder", "/dev/null": "not a regular file", pipe: "not a regular file", filepath.Join(dir, "none"): "no such file", sourcetest.Write(t, dir, "empty", nil): "the file is empty"} {
		_, err := picture.Inspect(name)
		require.ErrorContains(t, err, want)
	}
	info := mustInspect(t, mustTIFF(t, 3000, 2000, 12))
	require.Len(t, info.Frames, 12)
	assert.Equal(t, picture.Frame{Size: volume.Size{Width: 3000, Height: 2000}, Index: 11}, info.Frames[11])
	assert.True(t, info.NeedsCopy(), "more pages than the service reads in one request")
	assert.False(t, mustInspect(t, mustTIFF(t, 3000, 2000, 2)).NeedsCopy())
}

// TestCopy_LargeTIFF makes a copy of 400 MB of pixels, and measures the memory of vips.
func TestCopy_LargeTIFF(t *testing.T) {
	path := mustTIFF(t, 20_000, 20_000, 1)
	about, err := os.Stat(path)
	require.NoError(t, err)
	require.Greater(t, about.Size(), int64(400_000_000))
	info := mustInspect(t, path)
	require.True(t, info.NeedsCopy())
	prepared, err := picture.Copy(t.Context(), t.TempDir(), path, info.Kind, 0)
	require.NoError(t, err)
	assert.Equal(t, volume.Size{Width: 20_000, Height: 20_000}, prepared.Master)
	assert.InDelta(t, 9_990, prepared.Sent.Width, 1, "100 megapixels, the limit of the service")
	sent := mustInspect(t, prepared.Path)
	assert.False(t, sent.NeedsCopy())
	assert.Equal(t, prepared.Sent, sent.Frames[0].Size)
	var used syscall.Rusage
	require.NoError(t, syscall.Getrusage(syscall.RUSAGE_CHILDREN, &used))
	t.Logf("vips used at most %d MiB", used.Maxrss>>10)
	assert.Less(t, used.Maxrss>>10, int64(400), "MiB")
}

func mustVips(tb testing.TB, args ...string) {
	tb.Helper()
	out, err := exec.CommandContext(tb.Context(), "vips", args...).CombinedOutput()
	require.NoError(tb, err, string(out))
}

// TestCopy shows that a copy has the pixels of its master, upright.
func TestCopy(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	master := image.NewGray(image.Rect(0, 0, 120, 80))
	for i := range master.Pix {
		master.Pix[i] = 255
	}
	master.SetGray(7, 3, color.Gray{}) // one dark pixel shows how the copy is turned
	plain := sourcetest.Write(t, dir, "plain.png", sourcetest.PNG(t, master))
	jp2 := filepath.Join(dir, "a.jp2")
	mustVips(t, "jp2ksave", plain, jp2, "--lossless")
	turned := filepath.Join(dir, "turned.tif")
	mustVips(t, "tiffsave", plain, turned, "--xres", "10", "--yres", "10")
	out, err := exec.CommandContext(t.Context(), "tiffset", "-s", "274", "6", turned).CombinedOutput()
	require.NoError(t, err, string(out))
	deep := filepath.Join(dir, "deep.tif")
	mustVips(t, "linear", plain, filepath.Join(dir, "deep.v"), "257", "0")
	mustVips(t, "cast", filepath.Join(dir, "deep.v"), filepath.Join(dir, "deep2.v"), "ushort")
	mustVips(t, "tiffsave", filepath.Join(dir, "deep2.v"), deep)
	for name, c := range map[string]struct {
		path string
		size volume.Size
		dark image.Point
		dpi  int
	}{
		"JPEG 2000":            {jp2, volume.Size{Width: 120, Height: 80}, image.Pt(7, 3), 0},
		"a TIFF on its side":   {turned, volume.Size{Width: 80, Height: 120}, image.Pt(80-1-3, 7), 254},
		"16 bits for each dot": {deep, volume.Size{Width: 120, Height: 80}, image.Pt(7, 3), 72},
	} {
		info := mustInspect(t, c.path)
		prepared, err := picture.Copy(t.Context(), t.TempDir(), c.path, info.Kind, 0)
		require.NoError(t, err, name)
		assert.Equal(t, c.size, prepared.Master, name)
		assert.Equal(t, c.size, prepared.Sent, name)
		data, err := os.ReadFile(prepared.Path)
		require.NoError(t, err)
		for page, err := range decode.Pages(data, nil) {
			require.NoError(t, err)
			assert.Equal(t, c.dpi, page.DPI, name)
		}
		img, err := picture.Decode(data, 0, 0)
		require.NoError(t, err)
		for y := range img.Bounds().Dy() {
			for x := range img.Bounds().Dx() {
				shade := color.GrayModel.Convert(img.At(x, y)).(color.Gray).Y
				require.Equal(t, image.Pt(x, y) == c.dark, shade < 128, "%s at %d,%d: %d", name, x, y, shade)
			}
		}
	}
	_, err = picture.Copy(t.Context(), t.TempDir(), sourcetest.Write(t, dir, "broken.jp2", []byte("\xff\x4f\xff\x51")), picture.JPEG2000, 0)
	require.ErrorContains(t, err, "vipsheader: ")
}

func TestUpright(t *testing.T) {
	t.Parallel()
	page := sourcetest.Gray(60, 40, 1)
	jpg := sourcetest.JPEG(t, page)
	same, err := picture.Upright(jpg, 0, 0, 0)
	require.NoError(t, err)
	assert.Equal(t, &volume.Image{Media: "image/jpeg", Data: jpg, Size: volume.Size{Width: 60, Height: 40}, IsOriginal: true}, same)
	for _, c := range []struct{ rotation, maxSide, width, height int }{{0, 30, 30, 20}, {90, 0, 40, 60}, {180, 60, 60, 40}, {270, 30, 20, 30}} {
		got, err := picture.Upright(jpg, 0, c.rotation, c.maxSide)
		require.NoError(t, err)
		assert.Equal(t, volume.Size{Width: c.width, Height: c.height}, got.Size)
		assert.False(t, got.IsOriginal)
	}
	var b bytes.Buffer
	require.NoError(t, tiff.Encode(&b, page, nil))
	got, err := picture.Upright(b.Bytes(), 0, 0, 0)
	require.NoError(t, err)
	assert.Equal(t, "image/jpeg", got.Media, "viewers show no TIFF")
	_, err = picture.Upright(jpg, 1, 0, 0)
	require.EqualError(t, err, "the image has no page 2; it has 1")
	_, err = picture.Upright([]byte("no image"), 0, 0, 0)
	require.ErrorContains(t, err, "not an image")
}

func TestCut(t *testing.T) {
	t.Parallel()
	page := sourcetest.Gray(60, 40, 1)
	for _, c := range []struct {
		box           document.Box
		width, height int
	}{
		{document.Box{X: 10, Y: 10, W: 20, H: 5}, 26, 11},
		{document.Box{X: 50, Y: 30, W: 20, H: 50}, 13, 13},
	} {
		got, err := picture.Cut(page, c.box, 3, 0, 80)
		require.NoError(t, err)
		assert.Equal(t, volume.Size{Width: c.width, Height: c.height}, got.Size)
	}
	_, err := picture.Cut(page, document.Box{X: 100, Y: 100, W: 1, H: 1}, 3, 0, 80)
	require.Error(t, err)
}
