package mock_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"uncial/mock"
)

// A misread word has the correct word as its alternative in each format that can express alternatives.
func TestMock_Alternatives(t *testing.T) {
	t.Parallel()
	m := mock.New(mock.Options{})
	raiseLimits(t, m, benchKey)
	for format, want := range map[string]string{"page": `<TextEquiv index="1"`, "alto": "<ALTERNATIVE>", "hocr": `<del class="alt"`} {
		body := `{"imageUrl":"http://mock.invalid/difficult","format":"` + format + `"`
		require.Contains(t, do(t, m, 200, extractionAt("", benchKey, body+`}`)).Document, want)
		require.NotContains(t, do(t, m, 200, extractionAt("", benchKey, body+`,"enhance":true}`)).Document, want, "corrected")
	}
}

func TestMock_Enhance(t *testing.T) {
	t.Parallel()
	m := mock.New(mock.Options{})
	raiseLimits(t, m, benchKey)
	for _, tag := range []string{"de", "de-Latf", "en", "enm", "es", "fr", "frm", "grc", "it", "la", "nl", "pt"} {
		verbatim := do(t, m, 200, extractionAt("", benchKey, `{"imageUrl":"http://mock.invalid/difficult","language":"`+tag+`"}`))
		enhanced := do(t, m, 200, extractionAt("", benchKey, `{"imageUrl":"http://mock.invalid/difficult","language":"`+tag+`","enhance":true}`))
		require.False(t, *verbatim.Enhanced)
		require.Nil(t, verbatim.Edits)
		require.True(t, *enhanced.Enhanced)
		require.NotEqual(t, *verbatim.Text, *enhanced.Text, tag)
		require.Equal(t, strings.Count(*verbatim.Text, "\n"), strings.Count(*enhanced.Text, "\n"), "the same page")
		require.Greater(t, enhanced.Confidence, verbatim.Confidence)
		require.NotEmpty(t, enhanced.Edits)
		before, after := strings.Fields(*verbatim.Text), strings.Fields(*enhanced.Text)
		require.Len(t, after, len(before))
		edit := 0
		for i := range before {
			if before[i] != after[i] {
				require.Equal(t, before[i], enhanced.Edits[edit]["before"])
				require.Equal(t, after[i], enhanced.Edits[edit]["after"])
				edit++
			}
		}
		require.Len(t, enhanced.Edits, edit, "every change is listed, in reading order")
	}
}

func TestMock_NamesImageAndTimeInDocuments(t *testing.T) {
	t.Parallel()
	m := mock.New(mock.Options{})
	a := do(t, m, 200, extractionAt("", "ocr_test_ok", `{"imageUrl":"http://mock.invalid/printed/folio.tif","format":"alto"}`))
	require.Contains(t, a.Document, "<fileName>folio.tif</fileName>")
	require.Contains(t, a.Document, "2026-01-15T12:00:00Z", "the clock of the mock")
}
