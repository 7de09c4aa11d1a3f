package playground

import (
	"bytes"
	"encoding/json"
	"errors"
	"mime/multipart"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"uncial/internal/contract/imagefile"
)

// field is a field of a form; a file if it has a file name.
type field struct{ name, file, value string }

// copied is the request that the form becomes.
func copied(t *testing.T, fields ...field) (form *sent, body map[string]any, err error) {
	t.Helper()
	var encoded, out bytes.Buffer
	w := multipart.NewWriter(&encoded)
	for _, f := range fields {
		part, err := w.CreateFormField(f.name)
		if f.file != "" {
			part, err = w.CreateFormFile(f.name, f.file)
		}
		require.NoError(t, err)
		_, err = part.Write([]byte(f.value))
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	form = &sent{}
	if err := form.copy(&out, multipart.NewReader(&encoded, w.Boundary())); err != nil {
		return form, nil, err
	}
	require.NoError(t, json.Unmarshal(out.Bytes(), &body), out.String())
	return form, body, nil
}

func TestSent_Copy(t *testing.T) {
	t.Parallel()
	const png = "\x89PNG\r\n\x1a\n"
	for name, c := range map[string]struct {
		fields []field
		want   map[string]any
	}{
		"copies an image with all fields": {
			[]field{{"image", "a.png", png}, {"imageUrl", "", ""}, {"language", "", "enm"}, {"enhance", "", "true"}},
			map[string]any{"imageUrl": "data:image/png;base64,iVBORw0KGgo=", "language": "enm", "enhance": true},
		},
		"copies an image alone": {
			[]field{{"image", "a.png", png}},
			map[string]any{"imageUrl": "data:image/png;base64,iVBORw0KGgo="},
		},
		"copies a file that is not an image, for the API to refuse": {
			[]field{{"image", "a.txt", "text"}},
			map[string]any{"imageUrl": "data:application/octet-stream;base64,dGV4dA=="},
		},
		"copies an address": {
			[]field{{"image", "", ""}, {"imageUrl", "", ` https://example.org/"a" `}, {"language", "", "de"}},
			map[string]any{"imageUrl": `https://example.org/"a"`, "language": "de"},
		},
		"takes a file before an address": {
			[]field{{"image", "a.png", png}, {"imageUrl", "", "https://example.org/b"}},
			map[string]any{"imageUrl": "data:image/png;base64,iVBORw0KGgo="},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, body, err := copied(t, c.fields...)
			require.NoError(t, err)
			require.Equal(t, c.want, body)
		})
	}
	t.Run("refuses a form with neither file nor address", func(t *testing.T) {
		t.Parallel()
		form, _, err := copied(t, field{"image", "", ""}, field{"imageUrl", "", " "}, field{"language", "", "de"})
		require.ErrorIs(t, err, errNoImage)
		require.ErrorIs(t, form.err, errNoImage)
		require.Equal(t, "de", form.language, "the form keeps its values")
	})
	t.Run("refuses a file that is larger than an image may be", func(t *testing.T) {
		t.Parallel()
		largest := strings.Repeat("x", imagefile.MaxBytes)
		_, _, err := copied(t, field{"image", "a.png", largest})
		require.NoError(t, err)
		form, _, err := copied(t, field{"image", "a.png", largest + "x"})
		require.ErrorIs(t, err, errTooLarge)
		require.ErrorIs(t, form.err, errTooLarge)
	})
	t.Run("refuses a form that is cut off", func(t *testing.T) {
		t.Parallel()
		form := &sent{}
		require.Error(t, form.copy(&bytes.Buffer{}, multipart.NewReader(strings.NewReader("--x\r\nContent-Disposition: form-data; name=\"image\"; filename=\"a\"\r\n\r\nabc"), "x")))
	})
}

func TestLastingWriter_Write(t *testing.T) {
	t.Parallel()
	broken := &brokenWriter{}
	w := &lastingWriter{w: broken}
	for range 3 {
		n, err := w.Write([]byte("abc"))
		require.NoError(t, err)
		require.Equal(t, 3, n)
	}
	require.Equal(t, 1, broken.writes)
}

// brokenWriter fails.
type brokenWriter struct{ writes int }

func (b *brokenWriter) Write([]byte) (int, error) {
	b.writes++
	return 0, errors.New("closed")
}
