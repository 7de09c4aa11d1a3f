package cases

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"uncial/contracttests/internal/images"
)

func TestFirstDifference(t *testing.T) {
	t.Parallel()
	object := func(name string, value any) any { return map[string]any{"info": map[string]any{name: value}} }
	for want, pair := range map[string][2]any{
		"":                     {object("title", "a"), object("title", "a")},
		"/info/title":          {object("title", "a"), object("title", "b")},
		"/info/a~1b~0c":        {object("a/b~c", "a"), object("a/b~c", "b")},
		"/info/~1other":        {object("/status", nil), object("/other", nil)},
		"/info/list":           {object("list", []any{1, 2}), object("list", []any{1})},
		"/info/list/1":         {object("list", []any{1, 2}), object("list", []any{1, 3})},
		"/info/object":         {object("object", map[string]any{}), object("object", 1)},
		"/info/empty~0~1/name": {object("empty~/", map[string]any{"name": 1}), object("empty~/", map[string]any{"name": 2})},
		root:                   {1, 2},
	} {
		require.Equal(t, want, firstDifference(pair[0], pair[1], ""))
	}
}

func TestSession_readFromShelf_givesEachFormItsOwnAddress(t *testing.T) {
	t.Parallel()
	shelf, err := openShelf("127.0.0.1:0", "", "run")
	require.NoError(t, err)
	t.Cleanup(shelf.close)
	s := &session{Run: &Run{shared: &shared{shelf: shelf}}}
	forms := map[string]string{}
	for _, form := range servings() {
		url := s.readFromShelf("fetched", images.Valid()[0], form).Job.URL
		require.NotContains(t, forms, url, form.name)
		forms[url] = form.name
	}
}

func TestStatuses(t *testing.T) {
	t.Parallel()
	got := statuses(map[int]int64{http.StatusPaymentRequired: 4, http.StatusOK: 1, http.StatusTooManyRequests: 0})
	require.Equal(t, "1 x 200, 4 x 402", got)
}
