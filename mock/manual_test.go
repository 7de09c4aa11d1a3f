package mock_test

import (
	"context"
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"uncial/internal/clienttest"
	"uncial/mock"
)

func TestScenarios_InTheContract(t *testing.T) {
	t.Parallel()
	doc := clienttest.Contract(t)
	extension, err := json.Marshal(doc.Extensions["x-mock-scenarios"])
	require.NoError(t, err)
	var listed []mock.Scenario
	require.NoError(t, json.Unmarshal(extension, &listed))
	var images, others []mock.Scenario
	for _, s := range mock.Scenarios() {
		if s.By == "image" {
			images = append(images, s)
		} else {
			others = append(others, s)
		}
	}
	require.Equal(t, others, listed, "x-mock-scenarios has the keys and headers")
	examples := maps.Clone(doc.Paths.Value("/extract").Post.RequestBody.Value.Content.Get("application/json").Examples)
	for _, s := range images {
		example := examples["mock-"+filepath.Base(s.Name)]
		require.NotNil(t, example, s.Name)
		require.Equal(t, "Mock: "+s.About, example.Value.Summary)
		require.Equal(t, map[string]any{"imageUrl": s.Name}, example.Value.Value)
		delete(examples, "mock-"+filepath.Base(s.Name))
	}
	for name := range examples {
		require.NotContains(t, name, "mock-", "an example without a scenario")
	}
}

func mustReadme(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("README.md")
	require.NoError(t, err)
	return string(text)
}

// The tables of the README have exactly the rows of "uncial-mock scenarios".
func TestScenarios_InTheReadme(t *testing.T) {
	t.Parallel()
	_, section, found := strings.Cut(mustReadme(t), "\n## Scenarios\n")
	require.True(t, found)
	section, _, _ = strings.Cut(section, "\n## ")
	var rows []string
	for line := range strings.Lines(section) {
		if strings.HasPrefix(line, "| `") && !strings.HasSuffix(line, "| What happens |\n") {
			rows = append(rows, strings.TrimSpace(line))
		}
	}
	var want []string
	for _, s := range mock.Scenarios() {
		want = append(want, "| `"+strings.TrimPrefix(s.Name, "Prefer: ")+"` | "+s.About+" |")
	}
	require.Equal(t, want, rows)
}

var goSession = regexp.MustCompile("(?s)<!-- Go session -->\n+```go\n(.*?)```")

// The session with the generated client in the README is the one that Example_everyStatus runs.
func TestReadme_GoSession(t *testing.T) {
	t.Parallel()
	match := goSession.FindStringSubmatch(mustReadme(t))
	require.NotNil(t, match, "the section has a session in Go")
	example, err := os.ReadFile("example_test.go")
	require.NoError(t, err)
	require.Contains(t, string(example), match[1])
}

var curlSession = regexp.MustCompile("(?s)<!-- curl session -->\n+```sh\n(.*?)```")

// The session with curl in the README gets every status of both operations, as its comments say.
func TestReadme_CurlSession(t *testing.T) {
	t.Parallel()
	match := curlSession.FindStringSubmatch(mustReadme(t))
	require.NotNil(t, match, "the section has a session with curl")
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("bash is missing")
	}
	if _, err := exec.LookPath("curl"); err != nil {
		t.Skip("curl is missing")
	}
	p := MustStart(t)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	script := strings.ReplaceAll(match[1], "http://127.0.0.1:4010", p.base)
	cmd := exec.CommandContext(ctx, bash, "-eu", "-o", "pipefail", "-c", script)
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	got := strings.Fields(string(out))
	var want []string
	for _, comment := range regexp.MustCompile(`# -> (\d{3})`).FindAllStringSubmatch(match[1], -1) {
		want = append(want, comment[1])
	}
	require.Equal(t, want, got)
	require.ElementsMatch(t, []string{"200", "400", "401", "402", "429", "500", "200", "400", "401", "500"}, got)
}
