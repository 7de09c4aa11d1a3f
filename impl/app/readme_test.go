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

// manuals are searched for examples. Those that do not exist are left out.
var manuals = []string{
	"README.md", "mock/README.md", "contracttests/README.md", "impl/deploy/README.md", "impl/ocr/reading/README.md",
	"internal/README.md",
}

// testedExample matches a block of shell commands behind the marker that asks for it to be run against the service.
var testedExample = regexp.MustCompile("(?s)<!-- tested: service -->\n+```sh\n(.*?)```")

// examples returns the marked blocks of all manuals, in their order.
func examples(tb testing.TB) (blocks []string) {
	tb.Helper()
	for _, manual := range manuals {
		text, err := os.ReadFile(filepath.Join(apptest.Root(tb), manual))
		if os.IsNotExist(err) {
			continue
		}
		require.NoError(tb, err)
		for _, match := range testedExample.FindAllStringSubmatch(string(text), -1) {
			blocks = append(blocks, match[1])
		}
	}
	return blocks
}

// TestManuals_Examples runs what the manuals tell a newcomer to type. At least one example must send a request with curl
// and one must read files from the command line.
func TestManuals_Examples(t *testing.T) {
	t.Parallel()
	a := apptest.Start(t, app.Options{})
	_, key := apptest.Key(t, a, "pro")
	uncial := apptest.Binary(t, "./impl/cmd/uncial")
	out := filepath.Join(t.TempDir(), "out")
	responses := 0
	for _, block := range examples(t) {
		script := regexp.MustCompile(`(?m)^export UNCIAL_URL=.*$`).ReplaceAllString(block, "")
		script = strings.NewReplacer("bin/uncial", uncial, "--out out", "--out "+out).Replace(script)
		cmd := exec.Command("bash", "-euo", "pipefail", "-c", script)
		cmd.Dir = apptest.Root(t)
		cmd.Env = append(os.Environ(), "UNCIAL_URL=http://"+a.Addr(), "UNCIAL_KEY="+key)
		printed, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s\n%s", script, printed)
		if strings.Contains(script, "curl -sS") && !strings.Contains(script, "cmp -") {
			require.Regexp(t, `^\{"success":|"success":`, string(printed), script)
			responses++
		}
	}
	require.Positive(t, responses, "no example sends a request; mark one with <!-- tested: service -->")
	require.FileExists(t, filepath.Join(out, "page.alto.xml"))
}
