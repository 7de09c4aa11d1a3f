package mock_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
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
		env        string // NAME=value, or ""
		args       []string
	}{
		{"an invalid origin", `--cors-origin: invalid origin "a.example"`, "", []string{"--cors-origin", "a.example"}},
		{"an unknown flag", "unknown flag --nope", "", []string{"--nope"}},
		{"an unknown clock", "--clock must be one of", "", []string{"--clock", "late"}},
		{"a latency above the limit", "--latency: must be a time", "", []string{"--latency", "31s"}},
		{"a fault rate above 1", "uncial-mock: error: --fault-rate: must be a share from 0 to 1", "", []string{"--fault-rate", "10"}},
		{"an unknown fault", "fault must be reset, cut", "", []string{"--fault-rate", "0.1", "--fault", "fire"}},
		{"faults without a rate", "uncial-mock: error: --fault: needs --fault-rate", "", []string{"--fault", "reset"}},
		{"an unknown command", "unexpected argument nope", "", []string{"nope"}},
		{"a clock in the environment", "--clock must be one of", "UNCIAL_MOCK_CLOCK=sundial", nil},
		{"a latency in the environment", "at most 30s", "UNCIAL_MOCK_LATENCY=1h", nil},
		{"a range that ends before it begins", "such as 100ms-900ms", "UNCIAL_MOCK_LATENCY=900ms-100ms", nil},
		{"an origin in the environment", "--cors-origin", "UNCIAL_MOCK_CORS_ORIGIN=https://a.example/path", nil},
	} {
		t.Run("refuses "+c.name, func(t *testing.T) {
			t.Parallel()
			cmd := exec.CommandContext(t.Context(), path, c.args...)
			cmd.Env = append(os.Environ(), c.env)
			out, err := cmd.CombinedOutput()
			var exit *exec.ExitError
			require.ErrorAs(t, err, &exit, "%s", out)
			assert.Equal(t, 2, exit.ExitCode())
			assert.Contains(t, string(out), c.want)
			assert.NotContains(t, string(out), "goroutine")
		})
	}
	cmd := exec.CommandContext(t.Context(), path)
	cmd.Env = append(os.Environ(), "UNCIAL_MOCK_LISTEN=127.0.0.1:notaport")
	out, err := cmd.CombinedOutput()
	require.Error(t, err)
	require.Contains(t, string(out), "--listen")
}

func TestCommand_Lists(t *testing.T) {
	t.Parallel()
	path, err := binary()
	require.NoError(t, err)
	list := func(arguments ...string) []byte {
		out, err := exec.CommandContext(t.Context(), path, arguments...).Output()
		require.NoError(t, err)
		return out
	}
	var texts []mock.Fixture
	require.NoError(t, json.Unmarshal(list("texts", "--json"), &texts))
	require.Len(t, texts, len(mock.Fixtures()))
	table := string(list("texts"))
	for _, f := range mock.Fixtures() {
		require.Contains(t, table, f.Author+": "+f.Work)
	}
	var scenarios []mock.Scenario
	require.NoError(t, json.Unmarshal(list("scenarios", "--json"), &scenarios))
	require.Equal(t, mock.Scenarios(), scenarios)
	table = string(list("scenarios"))
	for _, s := range scenarios {
		require.Contains(t, table, s.Name)
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
	assert.Contains(t, string(out), "returned 503")
}

func TestNew_InvalidOrigin(t *testing.T) {
	t.Parallel()
	assert.PanicsWithError(t, `invalid origin "a.example"; expected "*" or scheme://host[:port] in lower case, with nothing after it`,
		func() { mock.New(mock.Options{CORSOrigins: []string{"a.example"}}) })
}
