package imagefile_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"uncial/internal/contract/imagefile"
)

func TestIdentify(t *testing.T) {
	t.Parallel()
	for start, want := range map[string]imagefile.Format{
		"\xff\xd8\xff\xe0": imagefile.JPEG, "\x89PNG\r\n\x1a\n": imagefile.PNG, "RIFF\x10\x00\x00\x00WEBPVP8 ": imagefile.WebP,
		"II*\x00": imagefile.TIFF, "MM\x00*": imagefile.TIFF, "II+\x00": imagefile.TIFF, "MM\x00+": imagefile.TIFF,
		"BM\x00\x01\x00\x00\x00\x00\x00\x00\x36\x00\x00\x00\x28\x00\x00\x00": imagefile.BMP,
	} {
		got, err := imagefile.Identify([]byte(start))
		require.NoError(t, err, "%q", start)
		require.Equal(t, want, got)
	}
	for start, want := range map[string]string{
		"": "empty", "%PDF-1.7": "a PDF;", "GIF89a": "a GIF;", "\x00\x00\x00\x18ftypheic": "a HEIC;", "\x00\x00\x00\x18ftypavif": "an AVIF;",
		"\x00\x00\x00\x0cjP  \r\n": "a JPEG 2000;", "\xff\x4f\xff\x51": "a JPEG 2000;", "<svg xmlns": "an SVG;",
		"<!doctype HTML>": "an HTML page;", "PK\x03\x04": "a ZIP archive;", "II": "not an image", "BM is how this text begins": "not an image",
	} {
		_, err := imagefile.Identify([]byte(start))
		require.ErrorContains(t, err, want, "%q", start)
		require.ErrorContains(t, err, "send JPEG, PNG, TIFF, BMP or WebP")
	}
	_, err := imagefile.Identify(append([]byte("\xff\xd8\xff"), make([]byte, imagefile.MaxBytes)...))
	require.EqualError(t, err, "the image is larger than the limit of 20 MiB")
	require.EqualError(t, imagefile.TooLarge(4097), "the image is larger than the limit of 4097 bytes")
}

func TestCheckPages(t *testing.T) {
	t.Parallel()
	page := imagefile.Size{Width: 10_000, Height: 1_000}
	for _, c := range []struct {
		name  string
		pages []imagefile.Size
		want  string // in the error; "" for none
	}{
		{"accepts 100 megapixels over ten pages", slices.Repeat([]imagefile.Size{page}, 10), ""},
		{"accepts the longest side", []imagefile.Size{{Width: imagefile.MaxSide, Height: 1}}, ""},
		{"refuses eleven pages", slices.Repeat([]imagefile.Size{{Width: 1, Height: 1}}, 11), "11 pages"},
		{"refuses a longer side", []imagefile.Size{{Width: 1, Height: imagefile.MaxSide + 1}}, "1 x 32768 pixels"},
		{"refuses a page without pixels", []imagefile.Size{page, {Width: 0, Height: 5}}, "a size of zero"},
		{"refuses a pixel too many", append(slices.Repeat([]imagefile.Size{page}, 9), imagefile.Size{Width: 10_001, Height: 1_000}), "101 megapixels"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			err := imagefile.CheckPages(imagefile.TIFF, c.pages)
			if c.want == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, c.want)
		})
	}
}
