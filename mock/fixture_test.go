package mock_test

import (
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/require"
	"golang.org/x/text/language"
	"golang.org/x/text/unicode/norm"

	"uncial/mock"
)

func TestFixtures_Sources(t *testing.T) {
	t.Parallel()
	ids, kinds := map[string]bool{}, map[string]bool{}
	for _, f := range mock.Fixtures() {
		require.False(t, ids[f.ID], f.ID)
		ids[f.ID] = true
		kinds[f.Language+" "+f.Kind] = true
		_, err := language.Parse(f.Language)
		require.NoError(t, err)
		require.NotEmpty(t, f.Author)
		require.NotEmpty(t, f.Work)
		require.NotZero(t, f.Year)
		require.Less(t, f.Year, 1900, "in the public domain")
	}
	for _, tag := range []string{"de", "de-Latf", "en", "enm", "es", "fr", "frm", "grc", "it", "la", "nl", "pt"} {
		for _, kind := range []string{"printed", "handwritten"} {
			require.True(t, kinds[tag+" "+kind], "%s has a %s text", tag, kind)
		}
	}
	require.Len(t, kinds, 24)
}

func TestFixtures_Texts(t *testing.T) {
	t.Parallel()
	m := mock.New(mock.Options{})
	raiseLimits(t, m, benchKey)
	texts := map[string]bool{}
	for _, f := range mock.Fixtures() {
		for i := range 12 {
			for _, enhance := range []string{"false", "true"} {
				body := `{"imageUrl":"http://mock.invalid/` + f.Kind + "/" + strings.Repeat("i", i) + `","language":"` + f.Language + `","enhance":` + enhance + `}`
				a := do(t, m, 200, extractionAt("", benchKey, body))
				texts[*a.Text] = true
				require.True(t, norm.NFC.IsNormalString(*a.Text))
				require.NotRegexp(t, `[~]| $|  |\n\n\n`, *a.Text)
				require.False(t, strings.ContainsFunc(*a.Text, func(r rune) bool { return unicode.IsControl(r) && r != '\n' }))
				for _, e := range a.Edits {
					require.Contains(t, []any{"long-s", "vote"}, e["rule"])
					if e["rule"] == "long-s" {
						require.Equal(t, e["after"], replaceLongS(e["before"].(string), e["after"].(string)), "only f becomes s")
					}
				}
			}
		}
	}
	require.Greater(t, len(texts), len(mock.Fixtures()), "all texts are found, those with misread words in two versions")
}

// replaceLongS returns before with each f that is an s in after replaced.
func replaceLongS(before, after string) string {
	b, a := []rune(before), []rune(after)
	for i := range b {
		if i < len(a) && b[i] == 'f' && a[i] == 's' {
			b[i] = 's'
		}
	}
	return string(b)
}
