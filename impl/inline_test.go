package impl_test

import (
	"context"
	"encoding/base64"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"uncial/impl/ocr"
	"uncial/internal/document"
	"uncial/internal/fair"
)

// The fingerprint of a request with an inline image depends on the bytes of the image, not on their base64 encoding.
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

// Several copies of a PDF are in memory until it is sent.
func TestService_Extract_CountsTheMemoryOfPDFs(t *testing.T) {
	t.Parallel()
	s := mustServe(t, "sqlite::memory:")
	id, key := s.mustKey(t, "pro")
	s.recognizer.read = func(ctx context.Context, req ocr.Request) (*document.Document, error) {
		require.True(t, req.Picture)
		for fair.ReservationFrom(ctx).Grow(16 << 20) { // until hardly any memory is left
		}
		doc := page(req.Language)
		doc.Pages[0].Picture = make([]byte, document.MaxPictureBytes)
		return doc, nil
	}
	busy := s.mustExtract(t, key, "", image("format", "pdf"))
	require.Equal(t, http.StatusInternalServerError, busy.status, "%s", busy.body)
	require.NotEmpty(t, busy.header.Get("Retry-After"))
	require.Zero(t, s.used(t, id))
}

// A stored reply that is sent again, perhaps to a client that reads it slowly, occupies memory too.
func TestService_Extract_CountsTheMemoryOfStoredReplies(t *testing.T) {
	t.Parallel()
	s := mustServe(t, "sqlite::memory:")
	id, key := s.mustKey(t, "pro")
	s.recognizer.read = func(_ context.Context, req ocr.Request) (*document.Document, error) {
		doc := page(req.Language)
		doc.Pages[0].Blocks[0].Lines[0].Words[0].Text = strings.Repeat("Aprille", 1<<20)
		return doc, nil
	}
	first := s.mustExtract(t, key, "k1", image())
	require.Equal(t, http.StatusOK, first.status, "%.200s", first.body)
	s.recognizer.read = func(ctx context.Context, req ocr.Request) (*document.Document, error) {
		for fair.ReservationFrom(ctx).Grow(4 << 20) { // until hardly any memory is left
		}
		busy := s.mustExtract(t, key, "k1", image())
		require.Equal(t, http.StatusInternalServerError, busy.status, "%.200s", busy.body)
		require.NotEmpty(t, busy.header.Get("Retry-After"))
		return page(req.Language), nil
	}
	require.Equal(t, http.StatusOK, s.mustExtract(t, key, "", image()).status)
	again := s.mustExtract(t, key, "k1", image())
	require.Equal(t, string(first.body), string(again.body))
	require.Equal(t, int64(20), s.used(t, id))
}
