package report_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"uncial/gen"
	"uncial/impl/client/report"
	"uncial/impl/volume"
)

// TestReport_WriteHTML_NoPicture asks a server that is down for the picture of a page with many weak places.
func TestReport_WriteHTML_NoPicture(t *testing.T) {
	t.Parallel()
	asked := 0
	places := make([]gen.WeakPlace, 50)
	for i := range places {
		places[i] = gen.WeakPlace{Page: 1, Reason: "low-confidence", Box: gen.Box{Width: 1, Height: 1}}
	}
	page := &volume.Page{
		Position: 1, Source: "https://a.test/\xff.jpg", State: volume.Read,
		Answer: func() (*gen.Extraction, error) { return &gen.Extraction{Weak: &places}, nil },
		Image: func(context.Context, int, int) (*volume.Image, error) {
			asked++
			return nil, errors.New("the server is down")
		},
	}
	made, err := report.New(&volume.Volume{Title: "Codex", Pages: []*volume.Page{page}}, "", time.Now())
	require.NoError(t, err)
	var html strings.Builder
	require.NoError(t, made.WriteHTML(t.Context(), &html))
	assert.True(t, utf8.ValidString(html.String()))
	assert.Equal(t, 1, asked, "a failure is not repeated for each place")
}
