package dataurl_test

import (
	"bytes"
	"encoding/base64"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"uncial/internal/dataurl"
)

func TestDecode_Accepts(t *testing.T) {
	t.Parallel()
	image := []byte("\xfb\xff\xfe\x00 the bytes of an image")
	plain := base64.StdEncoding.EncodeToString(image)
	for _, c := range []struct{ name, url string }{
		{"the usual form", "data:image/png;base64," + plain},
		{"no media type", "data:;base64," + plain},
		{"parameters", "data:image/png;name=page;base64," + plain},
		{"another case", "DATA:image/png;BASE64," + plain},
		{"a wrong media type", "data:text/html;base64," + plain},
		{"the alphabet for URLs", "data:image/png;base64," + base64.URLEncoding.EncodeToString(image)},
		{"no padding", "data:image/png;base64," + base64.RawStdEncoding.EncodeToString(image)},
		{"percent-encoding", "data:image/png;base64," + url.QueryEscape(plain)},
		{"line breaks", "data:image/png;base64," + plain[:8] + "\r\n" + plain[8:] + "\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got, err := dataurl.Decode(c.url, 1000)
			require.NoError(t, err)
			assert.Equal(t, image, got)
		})
	}
}

func TestDecode_Refuses(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, url, reason string }{
		{"no comma", "data:image/png;base64", "form"},
		{"no base64", "data:image/png,abcd", "form"},
		{"base64 as the media type", "data:base64,abcd", "form"},
		{"another word", "data:image/png;notbase64,abcd", "form"},
		{"nothing", "data:image/png;base64,", "empty"},
		{"a strange character", "data:;base64,ab*d", "not valid base64"},
		{"blanks", "data:;base64,ab cd", "not valid base64"},
		{"one character too few", "data:;base64,abcde", "not valid base64"},
		{"both alphabets", "data:;base64,+_+_", "not valid base64"},
		{"too much padding", "data:;base64,abcd====", "not valid base64"},
		{"bits beyond the last byte", "data:;base64,abd=", "not valid base64"},
		{"data behind the padding", "data:;base64,YQ==YQ==", "not valid base64"},
		{"a lone percent sign", "data:;base64,ab%", "percent"},
		{"one byte over the limit", "data:;base64," + base64.StdEncoding.EncodeToString(make([]byte, 1001)), "too much"},
		{"far over the limit", "data:;base64," + strings.Repeat("A", 1<<20), "too much"},
		{"far over the limit in percent signs", "data:;base64," + strings.Repeat("%41", 1<<20), "too much"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, err := dataurl.Decode(c.url, 1000)
			require.ErrorContains(t, err, c.reason)
			assert.NotContains(t, err.Error(), "illegal", "nothing internal")
		})
	}
}

func TestDecode_ExactlyTheLimit(t *testing.T) {
	t.Parallel()
	for size := 998; size <= 1000; size++ {
		image := bytes.Repeat([]byte{7}, size)
		got, err := dataurl.Decode("data:;base64,"+base64.StdEncoding.EncodeToString(image), 1000)
		require.NoError(t, err)
		assert.Equal(t, image, got)
	}
}

func FuzzDecode(f *testing.F) {
	f.Add("data:image/png;base64,iVBORw0KGgo=")
	f.Add("data:;base64,%2B%2F%3D")
	f.Add("data:,plain")
	f.Fuzz(func(t *testing.T, raw string) {
		got, err := dataurl.Decode(raw, 64)
		if err != nil {
			assert.NotContains(t, err.Error(), "illegal")
			return
		}
		assert.NotEmpty(t, got)
		assert.LessOrEqual(t, len(got), 64)
		again, err := dataurl.Decode("data:;base64,"+base64.StdEncoding.EncodeToString(got), 64)
		require.NoError(t, err)
		assert.Equal(t, got, again)
	})
}

func BenchmarkDecode(b *testing.B) {
	raw := "data:image/png;base64," + base64.StdEncoding.EncodeToString(make([]byte, 20<<20))
	b.SetBytes(int64(len(raw)))
	b.ReportAllocs()
	for b.Loop() {
		_, err := dataurl.Decode(raw, 20<<20)
		require.NoError(b, err)
	}
}
