package testcontainers_test

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"uncial/testcontainers"
)

// victimEnv tells the test binary that it is the process to be killed.
const victimEnv = "UNCIAL_TEST_VICTIM"

// TestWatchdog runs itself again, with a whole service in containers, and kills that process.
func TestWatchdog(t *testing.T) {
	t.Parallel()
	if os.Getenv(victimEnv) != "" {
		s := testcontainers.Service(t, testcontainers.ServiceOptions{})
		fmt.Println("container", s.Postgres.GetContainerID())
		time.Sleep(time.Minute) // until it is killed
		t.Fatal("the process was not killed")
	}
	testcontainers.Require(t)
	cmd := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v")
	cmd.Env = append(os.Environ(), victimEnv+"=1")
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	id := ""
	for lines := bufio.NewScanner(out); id == "" && lines.Scan(); {
		id, _ = strings.CutPrefix(lines.Text(), "container ")
		if id == lines.Text() {
			id = ""
		}
	}
	require.NotEmpty(t, id, "the process ended before it had started its containers")
	mark := docker(t, "inspect", "--format", `{{index .Config.Labels "uncial.test"}}`, id)
	require.NotEmpty(t, mark)
	left := func() string {
		filter := "label=uncial.test=" + mark
		return docker(t, "ps", "-aq", "--filter", filter) + docker(t, "network", "ls", "-q", "--filter", filter)
	}
	require.NotEmpty(t, left())
	require.NoError(t, cmd.Process.Kill())
	require.Eventually(t, func() bool { return left() == "" }, 30*time.Second, 200*time.Millisecond, "the watchdog left containers behind")
}

func docker(tb testing.TB, args ...string) string {
	tb.Helper()
	out, err := exec.Command("docker", args...).CombinedOutput()
	require.NoError(tb, err, "docker %s: %s", strings.Join(args, " "), out)
	return strings.TrimSpace(string(out))
}
