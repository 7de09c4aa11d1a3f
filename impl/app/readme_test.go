package app_test

import (
	"bufio"
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

// manuals are the files that are searched for examples. Those that do not exist are left out.
var manuals = []string{
	"README.md", "mock/README.md", "contracttests/README.md", "impl/deploy/README.md", "impl/ocr/reading/README.md",
	"internal/README.md",
}

// examples returns, in order, the blocks of shell commands in all manuals that are marked to be run against the given target.
func examples(tb testing.TB, against string) (blocks []string) {
	tb.Helper()
	marked := regexp.MustCompile("(?s)<!-- tested: " + against + " -->\n+```sh\n(.*?)```")
	for _, manual := range manuals {
		text, err := os.ReadFile(filepath.Join(apptest.Root(tb), manual))
		if os.IsNotExist(err) {
			continue
		}
		require.NoError(tb, err)
		for _, match := range marked.FindAllStringSubmatch(string(text), -1) {
			blocks = append(blocks, match[1])
		}
	}
	return blocks
}

// mustScript runs shell commands in the root folder of the repository and returns what they print.
func mustScript(tb testing.TB, script string, env ...string) string {
	tb.Helper()
	cmd := exec.CommandContext(tb.Context(), "bash", "-euo", "pipefail", "-c", script)
	cmd.Dir = apptest.Root(tb)
	cmd.Env = append(os.Environ(), env...)
	printed, err := cmd.CombinedOutput()
	require.NoError(tb, err, "%s\n%s", script, printed)
	return string(printed)
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
	for _, block := range examples(t, "service") {
		script := regexp.MustCompile(`(?m)^export UNCIAL_URL=.*$`).ReplaceAllString(block, "")
		script = strings.NewReplacer("bin/uncial", uncial, "--out out", "--out "+out).Replace(script)
		printed := mustScript(t, script, "UNCIAL_URL=http://"+a.Addr(), "UNCIAL_KEY="+key)
		if strings.Contains(script, "curl -sS") && !strings.Contains(script, "cmp -") {
			require.Regexp(t, `^\{"success":|"success":`, printed, script)
			responses++
		}
	}
	require.Positive(t, responses, "no example sends a request; mark one with <!-- tested: service -->")
	require.FileExists(t, filepath.Join(out, "page.alto.xml"))
}

func TestManuals_ExamplesWithTheMock(t *testing.T) {
	t.Parallel()
	base := "http://" + mustServer(t, "./mock/cmd/uncial-mock")
	uncial := apptest.Binary(t, "./impl/cmd/uncial")
	blocks := examples(t, "mock")
	require.NotEmpty(t, blocks)
	for _, block := range blocks {
		script := strings.NewReplacer("bin/uncial", uncial, "http://127.0.0.1:4010", base).Replace(block)
		require.NotEmpty(t, mustScript(t, script), script)
	}
}

func TestManuals_ExamplesOfAccounts(t *testing.T) {
	t.Parallel()
	uncial := apptest.Binary(t, "./impl/cmd/uncial")
	database := "UNCIAL_DATABASE=sqlite:" + filepath.Join(t.TempDir(), "uncial.db")
	mustScript(t, uncial+" migrate", database)
	account := regexp.MustCompile(`acc_\w+`).FindString(mustScript(t, uncial+" account create --name first --plan pro", database))
	key := regexp.MustCompile(`key_\w+`).FindString(mustScript(t, uncial+" key create --account "+account, database))
	blocks := examples(t, "accounts")
	require.NotEmpty(t, blocks)
	for _, block := range blocks {
		script := strings.NewReplacer("bin/uncial", uncial, "acc_…", account, "key_…", key).Replace(block)
		require.Contains(t, mustScript(t, script, database), `"discrepancies": []`, script)
	}
}

func TestManuals_ExamplesOfTheEngine(t *testing.T) {
	t.Parallel()
	apptest.Binary(t, "./impl/cmd/uncial-worker") // next to uncial, which looks for it there
	blocks := examples(t, "engine")
	require.NotEmpty(t, blocks)
	for _, block := range blocks {
		start, rest, _ := strings.Cut(block, "\n")
		args := strings.Fields(strings.Replace(start, "127.0.0.1:18090", "127.0.0.1:0", 1))
		require.Equal(t, "bin/uncial", args[0])
		script := strings.ReplaceAll(rest, "127.0.0.1:18090", mustServer(t, "./impl/cmd/uncial", args[1:]...))
		require.Contains(t, mustScript(t, script), `"text":"Trajan,"`, script)
	}
}

// mustServer runs a program of this module on a free port until the test ends, and returns the address that its log names.
func mustServer(tb testing.TB, command string, args ...string) string {
	tb.Helper()
	if len(args) == 0 {
		args = []string{"--listen", "127.0.0.1:0"}
	}
	cmd := exec.CommandContext(tb.Context(), apptest.Binary(tb, command), args...)
	log, err := cmd.StderrPipe()
	require.NoError(tb, err)
	require.NoError(tb, cmd.Start())
	tb.Cleanup(func() { _ = cmd.Wait() }) // the context of the test has ended the program
	address := make(chan string, 1)
	go func() {
		defer close(address)
		pattern := regexp.MustCompile(`127\.0\.0\.1:[1-9]\d*`)
		for lines := bufio.NewScanner(log); lines.Scan(); {
			if found := pattern.FindString(lines.Text()); found != "" {
				select {
				case address <- found:
				default: // only the first one counts, but the pipe must not fill up
				}
			}
		}
	}()
	found, ok := <-address
	require.True(tb, ok, "%s did not start", command)
	return found
}

// TestManuals_EveryCommand requires that a test runs each block of README and guide, or that the line before the block says why
// none does.
func TestManuals_EveryCommand(t *testing.T) {
	t.Parallel()
	marker := regexp.MustCompile(`^<!-- (tested: (service|mock|accounts|engine|package \S+|container \S+)|not run by a test: .{20,}) -->$`)
	for _, manual := range []string{"README.md", "impl/deploy/README.md"} {
		text, err := os.ReadFile(filepath.Join(apptest.Root(t), manual))
		require.NoError(t, err)
		lines := strings.Split(string(text), "\n")
		for i, line := range lines {
			if line == "```sh" {
				require.Regexp(t, marker, lines[i-1], "%s:%d", manual, i+1)
			}
		}
	}
}
