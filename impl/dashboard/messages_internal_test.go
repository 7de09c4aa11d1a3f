package dashboard

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestMessages compares the codes in the sources with the messages.
func TestMessages(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("*.go")
	require.NoError(t, err)
	playground, err := filepath.Glob("playground/*.go")
	require.NoError(t, err)
	used := map[string]bool{}
	code := regexp.MustCompile(`(?:Redirect\([^\n]*, |change\(|changeKey\(|changeMember\(|manage\("[a-z ]+", |done :?= |Set\("done", )"([a-z-]+)"`)
	for _, file := range append(files, playground...) {
		source, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, found := range code.FindAllStringSubmatch(string(source), -1) {
			used[found[1]] = true
		}
	}
	for name := range used {
		require.NotEmpty(t, messages[name], "there is no message %s", name)
	}
	for name := range messages {
		require.True(t, used[name], "nothing leads to the message %s", name)
	}
}
