package mock_test

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"uncial/mock"
)

func TestScenarios_standInTheContract(t *testing.T) {
	t.Parallel()
	doc := mustContract(t)
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
	require.Equal(t, others, listed, "keys and headers, in x-mock-scenarios")
	examples := doc.Paths.Value("/extract").Post.RequestBody.Value.Content.Get("application/json").Examples
	for _, s := range images {
		example := examples["mock-"+filepath.Base(s.Name)]
		require.NotNil(t, example, s.Name)
		require.Equal(t, "Mock: "+s.About, example.Value.Summary)
		require.Equal(t, map[string]any{"imageUrl": s.Name}, example.Value.Value)
		delete(examples, "mock-"+filepath.Base(s.Name))
	}
	for name := range examples {
		require.NotContains(t, name, "mock-", "an example of a scenario that is gone")
	}
}

const readme = "../README.md"

// mustReadme is the README's section on the mock.
func mustReadme(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(readme)
	require.NoError(t, err)
	if !strings.Contains(string(text), "uncial-mock") {
		t.Skip("the README does not speak of uncial-mock yet")
	}
	_, section, found := strings.Cut(string(text), "\n## The mock\n")
	require.True(t, found, `the README has a section "The mock"`)
	section, _, _ = strings.Cut(section, "\n## ")
	return section
}

func TestScenarios_standInTheReadme(t *testing.T) {
	t.Parallel()
	section := mustReadme(t)
	for _, s := range mock.Scenarios() {
		row := "| `" + strings.TrimPrefix(s.Name, "Prefer: ") + "` | " + s.About + " |"
		require.Contains(t, section, row)
	}
}

var curlSession = regexp.MustCompile("(?s)<!-- curl session -->\n+```sh\n(.*?)```")

// The README's session with curl goes through every status of both operations, as its comments say.
func TestReadme_curlSession(t *testing.T) {
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
