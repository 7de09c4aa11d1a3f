package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestLoadPassages(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "checked.tsv")
	write := func(content string) { require.NoError(t, os.WriteFile(path, []byte(content), 0o600)) }

	write("# looked at in the picture\n\na/1\twith his\na/1\tshoures soote\n")
	all, err := loadPassages(path)
	require.NoError(t, err)
	require.Equal(t, passages{"a/1": {"with his", "shoures soote"}}, all)

	none, err := loadPassages("")
	require.NoError(t, err)
	require.Zero(t, none.apply([]pageWords{{}}))

	write("a/1\twith his\na/1 soote\n")
	_, err = loadPassages(path)
	require.ErrorContains(t, err, "line 2: expected the id of a page, a tab and a passage")
	_, err = loadPassages(filepath.Join(t.TempDir(), "none.tsv"))
	require.ErrorContains(t, err, "--checked")
}

func TestPassages_apply(t *testing.T) {
	t.Parallel()
	scored := func() []pageWords {
		pages, err := scoreAll([]outcome{readPage("Whan that Aprille", "soote Whan thot Aprille with hys shoures", 1, 1, 1, 1, 1, 1, 1)})
		require.NoError(t, err)
		return pages
	}
	pages := scored()
	require.Equal(t, 5+4+7, passages{"a/1": {"with his shoures", "soote"}}.apply(pages), "what was read as it stands on the page")
	var wrong []string
	for _, w := range pages[0].Words {
		if w.Errors > 0 && !w.IsUnread {
			wrong = append(wrong, w.Text)
		}
	}
	require.Equal(t, []string{"thot", "hys"}, wrong)
	require.Zero(t, passages{"a/1": {"thot that"}, "a/2": {"soote"}}.apply(scored()), "a misread word stays wrong, and so does another page")
}
