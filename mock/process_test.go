package mock_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// built is the folder of the binary; TestMain creates and removes it.
var built string

// binary builds uncial-mock once for all tests, as the Makefile does.
var binary = sync.OnceValues(func() (string, error) {
	path := filepath.Join(built, "uncial-mock")
	cmd := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", path, "./cmd/uncial-mock")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w: %s", err, out)
	}
	return path, nil
})

func TestMain(m *testing.M) {
	var err error
	if built, err = os.MkdirTemp("", "uncial-mock-"); err != nil {
		panic(err)
	}
	code := m.Run()
	_ = os.RemoveAll(built)
	os.Exit(code)
}

type process struct {
	base   string // http://127.0.0.1:port
	cmd    *exec.Cmd
	log    *bytes.Buffer // complete after stop
	logged chan struct{}
}

var listening = regexp.MustCompile(`msg=listening address=(127\.0\.0\.1:\d+)`)

// MustStart starts the binary on a free port and stops it at the end of the test.
func MustStart(tb testing.TB, arguments ...string) *process {
	tb.Helper()
	path, err := binary()
	require.NoError(tb, err)
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	p := &process{log: &bytes.Buffer{}, logged: make(chan struct{})}
	p.cmd = exec.CommandContext(ctx, path, append([]string{"--listen", "127.0.0.1:0"}, arguments...)...)
	stderr, err := p.cmd.StderrPipe()
	require.NoError(tb, err)
	require.NoError(tb, p.cmd.Start())
	tb.Cleanup(func() {
		_ = p.cmd.Process.Kill()
		<-p.logged
		_ = p.cmd.Wait()
		cancel()
	})
	lines := bufio.NewReader(stderr)
	first, err := lines.ReadString('\n')
	go func() {
		defer close(p.logged)
		_, _ = io.Copy(p.log, lines)
	}()
	require.NoError(tb, err)
	match := listening.FindStringSubmatch(first)
	require.NotNil(tb, match, "the first line has the address: %s", first)
	p.base = "http://" + match[1]
	return p
}

// send sends the request, reads the answer and returns an error unless the status is 200.
func send(client http.RoundTripper, r *http.Request) error {
	res, err := client.RoundTrip(r)
	if err != nil {
		return err
	}
	defer func() { _ = res.Body.Close() }()
	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("status %d", res.StatusCode)
	}
	_, err = io.Copy(io.Discard, res.Body)
	return err
}

func TestCommand_StopsGracefully(t *testing.T) {
	t.Parallel()
	p := MustStart(t)
	slow := extractionAt(p.base, "ocr_test_ok", `{"imageUrl":"http://mock.invalid/slow-800"}`)
	answered := make(chan error, 1)
	go func() { answered <- send(http.DefaultTransport, slow) }()
	require.Eventually(t, func() bool {
		res, err := http.DefaultClient.Do(statusAt(p.base, "ocr_test_ok"))
		if err != nil {
			return false
		}
		body, _ := io.ReadAll(res.Body)
		_ = res.Body.Close()
		return strings.Contains(string(body), `"pointsUsed":10`) // the running extraction holds its points
	}, 5*time.Second, 10*time.Millisecond)
	require.NoError(t, p.cmd.Process.Signal(syscall.SIGTERM))
	require.NoError(t, <-answered, "a running request is answered")
	<-p.logged
	require.NoError(t, p.cmd.Wait())
	require.Contains(t, p.log.String(), "msg=stopped")
}

func TestCommand_Verbose(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		flags []string
		lines int
	}{
		{"logs each request with -v", []string{"-v"}, 1},
		{"logs no request without it", nil, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := MustStart(t, c.flags...)
			require.NoError(t, send(http.DefaultTransport, extractionAt(p.base, "ocr_test_ok_log", extractionBody)))
			require.NoError(t, p.cmd.Process.Signal(syscall.SIGTERM))
			<-p.logged
			require.Equal(t, c.lines, strings.Count(p.log.String(), "msg=request"))
			require.Equal(t, c.lines, strings.Count(p.log.String(), "key=ocr_test_ok_log"))
			require.Contains(t, p.log.String(), "msg=stopped")
		})
	}
}

func TestCommand_Flags(t *testing.T) {
	t.Parallel()
	plain := MustStart(t)
	p := MustStart(t, "--seed", "3", "--latency", "40ms", "--clock", "real", "--cors-origin", "https://app.example")
	ask := func(base string, headers ...string) (answer, http.Header) {
		t.Helper()
		res, err := http.DefaultClient.Do(extractionAt(base, "ocr_test_ok", `{"imageUrl":"https://images.example.org/page-001.jpg"}`, headers...))
		require.NoError(t, err)
		defer func() { _ = res.Body.Close() }()
		var a answer
		require.NoError(t, json.NewDecoder(res.Body).Decode(&a))
		return a, res.Header
	}
	one, _ := ask(plain.base)
	began := time.Now()
	other, header := ask(p.base, "Origin", "https://app.example")
	require.GreaterOrEqual(t, time.Since(began), 40*time.Millisecond)
	require.NotEqual(t, *one.Text, *other.Text, "another seed, another text")
	require.Equal(t, "https://app.example", header.Get("Access-Control-Allow-Origin"))
	_, header = ask(p.base, "Origin", "https://other.example")
	require.Empty(t, header.Get("Access-Control-Allow-Origin"))
	res, err := http.DefaultClient.Do(request(http.MethodPost, p.base+"/__mock/clock", `{"advance":"0s"}`))
	require.NoError(t, err)
	defer func() { _ = res.Body.Close() }()
	var clock struct{ Now time.Time }
	require.NoError(t, json.NewDecoder(res.Body).Decode(&clock))
	require.WithinDuration(t, time.Now(), clock.Now, time.Minute)
}

func TestCommand_Version(t *testing.T) {
	t.Parallel()
	path, err := binary()
	require.NoError(t, err)
	for _, argument := range []string{"--version", "version"} {
		out, err := exec.CommandContext(t.Context(), path, argument).Output()
		require.NoError(t, err)
		require.Equal(t, "dev\n", string(out), argument)
	}
}
