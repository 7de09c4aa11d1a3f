package mock_test

import (
	"net/http"
	"net/http/httptest"
	"os/exec"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"uncial/mock"
)

func TestCommand_WrongUsage(t *testing.T) {
	t.Parallel()
	path, err := binary()
	require.NoError(t, err)
	for _, c := range []struct {
		name, want string
		args       []string
	}{
		{"an origin that no browser sends", `--cors-origin: invalid origin "a.example"`, []string{"--cors-origin", "a.example"}},
		{"an unknown flag", "unknown flag --nope", []string{"--nope"}},
		{"a clock that there is not", "--clock must be one of", []string{"--clock", "late"}},
		{"a latency beyond the longest", "--latency: must be a time", []string{"--latency", "31s"}},
		{"an unknown command", "unexpected argument nope", []string{"nope"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			out, err := exec.Command(path, c.args...).CombinedOutput()
			var exit *exec.ExitError
			require.ErrorAs(t, err, &exit, "%s", out)
			assert.Equal(t, 2, exit.ExitCode())
			assert.Contains(t, string(out), c.want)
			assert.NotContains(t, string(out), "goroutine")
		})
	}
}

func TestCommand_Health(t *testing.T) {
	t.Parallel()
	path, err := binary()
	require.NoError(t, err)
	var broken atomic.Bool
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if broken.Load() {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	}))
	t.Cleanup(server.Close)
	require.NoError(t, exec.Command(path, "health", server.URL+"/healthz").Run())
	broken.Store(true)
	out, err := exec.Command(path, "health", server.URL+"/healthz").CombinedOutput()
	require.Error(t, err)
	assert.Contains(t, string(out), "answered 503")
}

func TestNew_InvalidOrigin(t *testing.T) {
	t.Parallel()
	assert.PanicsWithError(t, `invalid origin "a.example"; expected "*" or scheme://host[:port] in lower case, with nothing after it`,
		func() { mock.New(mock.Options{CORSOrigins: []string{"a.example"}}) })
}
