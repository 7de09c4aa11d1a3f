package app_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"uncial/impl/app"
	"uncial/impl/app/apptest"
)

// readmeBlocks are the shell blocks of a section of the README.
func readmeBlocks(tb testing.TB, section string) []string {
	tb.Helper()
	data, err := os.ReadFile(filepath.Join(apptest.Root(tb), "README.md"))
	require.NoError(tb, err)
	_, rest, found := strings.Cut(string(data), "\n## "+section+"\n")
	require.True(tb, found, "the README has no section %q", section)
	rest, _, _ = strings.Cut(rest, "\n## ")
	var blocks []string
	for _, m := range regexp.MustCompile("(?s)```sh\n(.*?)```").FindAllStringSubmatch(rest, -1) {
		blocks = append(blocks, m[1])
	}
	require.NotEmpty(tb, blocks)
	return blocks
}

// TestREADME_CommandsWork runs what the README tells a newcomer to type.
func TestREADME_CommandsWork(t *testing.T) {
	t.Parallel()
	a := apptest.Start(t, app.Options{})
	_, key := apptest.Key(t, a, "pro")
	uncial := apptest.Binary(t, "./impl/cmd/uncial")
	out := filepath.Join(t.TempDir(), "out")
	for _, section := range []string{"The two operations", "Reading from the command line"} {
		for _, block := range readmeBlocks(t, section) {
			script := regexp.MustCompile(`(?m)^export UNCIAL_URL=.*$`).ReplaceAllString(block, "")
			script = strings.NewReplacer("bin/uncial", uncial, "--out out", "--out "+out).Replace(script)
			cmd := exec.Command("bash", "-euo", "pipefail", "-c", script)
			cmd.Dir = apptest.Root(t)
			cmd.Env = append(os.Environ(), "UNCIAL_URL=http://"+a.Addr(), "UNCIAL_KEY="+key)
			printed, err := cmd.CombinedOutput()
			require.NoError(t, err, "%s\n%s", script, printed)
			if strings.Contains(script, "curl -sS") && !strings.Contains(script, "cmp -") {
				require.Regexp(t, `^\{"success":|"success":`, string(printed), script)
			}
		}
	}
	_, err := os.Stat(filepath.Join(out, "page.alto.xml"))
	require.NoError(t, err)
}
