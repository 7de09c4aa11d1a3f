package impl_test

import (
	"encoding/base64"
	"testing"

	"github.com/stretchr/testify/require"
)

// The fingerprint of a request with an inline image covers the image, however it is written.
func TestService_Extract_ReplaysInlineImages(t *testing.T) {
	t.Parallel()
	s := mustServe(t, "sqlite::memory:")
	id, key := s.mustKey(t, "pro")
	page := []byte("\xfb\xff\xfe the bytes of a page")
	extract := func(data []byte, encoding *base64.Encoding) answer {
		return s.mustExtract(t, key, "k1", map[string]any{"imageUrl": "data:image/png;base64," + encoding.EncodeToString(data)})
	}
	first := extract(page, base64.StdEncoding)
	require.Equal(t, 200, first.status, "%s", first.body)
	again := extract(page, base64.RawURLEncoding)
	require.Equal(t, string(first.body), string(again.body))
	require.Equal(t, int64(10), s.used(t, id))
	other := extract(page[1:], base64.StdEncoding)
	require.Equal(t, 400, other.status)
	require.Contains(t, other.field(t, "details"), "Idempotency-Key")
}
