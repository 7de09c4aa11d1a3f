// Package deploy_test holds the deployment files against what they promise.
package deploy_test

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

type object = map[string]any

// at walks down an object; a number is an index.
func at(tb testing.TB, v any, path ...any) any {
	tb.Helper()
	for _, p := range path {
		switch p := p.(type) {
		case string:
			m, ok := v.(object)
			require.True(tb, ok, "no object at %q", p)
			v = m[p]
		case int:
			l, ok := v.([]any)
			require.True(tb, ok && len(l) > p, "no item %d", p)
			v = l[p]
		}
	}
	return v
}

// helmTool is the path of the pinned helm, built where it was not before.
var helmTool = sync.OnceValues(func() (string, error) {
	module, err := filepath.Abs("../../gen/tools/helm/go.mod")
	if err != nil {
		return "", err
	}
	path, err := exec.Command("go", "tool", "-modfile="+module, "-n", "helm").Output() // what go says of downloads is elsewhere
	return strings.TrimSpace(string(path)), err
})

// helm runs the pinned helm. It needs no cluster: it is told the version of one.
func helm(tb testing.TB, args ...string) (string, error) {
	tb.Helper()
	tool, err := helmTool()
	require.NoError(tb, err)
	cmd := exec.Command(tool, args...)
	cmd.Env = append(os.Environ(), "HELM_CACHE_HOME="+tb.TempDir(), "HELM_CONFIG_HOME="+tb.TempDir(), "HELM_DATA_HOME="+tb.TempDir())
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// render is the chart's objects by kind and name.
func render(tb testing.TB, values string) map[string]object {
	tb.Helper()
	file := filepath.Join(tb.TempDir(), "values.yaml")
	require.NoError(tb, os.WriteFile(file, []byte(values), 0o600))
	out, err := helm(tb, "template", "demo", "chart", "--kube-version", "1.31.0", "--values", file)
	require.NoError(tb, err, out)
	objects := map[string]object{}
	for dec := yaml.NewDecoder(strings.NewReader(out)); ; {
		var o object
		err := dec.Decode(&o)
		if errors.Is(err, io.EOF) {
			return objects
		}
		require.NoError(tb, err, out)
		objects[o["kind"].(string)+" "+at(tb, o, "metadata", "name").(string)] = o
	}
}

const values = `
existingSecret: uncial
api:
  fetchAllow: [192.0.2.0/24]
  plans: '{"small": {"points": 100, "requestsPerMinute": 5}}'
postgres:
  peers:
    - podSelector: {matchLabels: {app.kubernetes.io/name: postgresql}}
`

func TestChart_Lints(t *testing.T) {
	t.Parallel()
	out, err := helm(t, "lint", "--strict", "chart", "--kube-version", "1.31.0", "--set", "existingSecret=uncial")
	require.NoError(t, err, out)
}

func TestChart_AsksForItsSecret(t *testing.T) {
	t.Parallel()
	out, err := helm(t, "template", "demo", "chart", "--kube-version", "1.31.0")
	require.Error(t, err)
	require.Contains(t, out, "existingSecret")
}

func TestChart_RendersWhatItPromises(t *testing.T) {
	t.Parallel()
	objects := render(t, values)
	for _, name := range []string{
		"Deployment demo-api", "Deployment demo-engine", "Service demo-api", "Service demo-engine", "Job demo-migrate",
		"HorizontalPodAutoscaler demo-engine", "PodDisruptionBudget demo-api", "PodDisruptionBudget demo-engine",
		"NetworkPolicy demo-api", "NetworkPolicy demo-engine", "ConfigMap demo-plans",
	} {
		require.Contains(t, objects, name)
	}
	for _, name := range []string{"Deployment demo-api", "Deployment demo-engine", "Job demo-migrate"} {
		pod := at(t, objects[name], "spec", "template", "spec")
		require.Equal(t, true, at(t, pod, "securityContext", "runAsNonRoot"), name)
		container := at(t, pod, "containers", 0)
		require.Equal(t, true, at(t, container, "securityContext", "readOnlyRootFilesystem"), name)
		require.Equal(t, []any{"ALL"}, at(t, container, "securityContext", "capabilities", "drop"), name)
		require.Equal(t, false, at(t, pod, "enableServiceLinks"), "no service's name becomes a flag of ours")
		if strings.HasPrefix(name, "Deployment") {
			require.Greater(t, at(t, pod, "terminationGracePeriodSeconds"), 180, "no extraction is cut short")
			for _, probe := range []string{"startupProbe", "livenessProbe", "readinessProbe"} {
				require.NotNil(t, at(t, container, probe), "%s: %s", name, probe)
			}
		}
	}
	require.Empty(t, at(t, objects["NetworkPolicy demo-engine"], "spec", "egress"), "the engine reaches nothing")
	require.Contains(t, at(t, objects["NetworkPolicy demo-engine"], "spec", "policyTypes"), "Egress")
	require.Equal(t, "None", at(t, objects["Service demo-engine"], "spec", "clusterIP"), "each replica sees every engine")
	require.NotContains(t, objects["Deployment demo-engine"]["spec"], "replicas", "the autoscaler decides")
	for _, o := range objects {
		require.NotEqual(t, "Secret", o["kind"], "secrets come by reference")
	}
}

func TestCompose_RunsEverythingHardened(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("compose.yaml")
	require.NoError(t, err)
	var file object
	require.NoError(t, yaml.Unmarshal(data, &file))
	for _, name := range []string{"api", "engine", "mock"} {
		service := at(t, file, "services", name)
		require.Equal(t, true, at(t, service, "read_only"), name)
		require.Equal(t, []any{"ALL"}, at(t, service, "cap_drop"), name)
	}
	for _, name := range []string{"api", "engine"} {
		require.Equal(t, "190s", at(t, file, "services", name, "stop_grace_period"), "no extraction is cut short")
	}
	require.Equal(t, []any{"inside"}, at(t, file, "services", "engine", "networks"), "the engine reaches nothing outside")
	require.Equal(t, true, at(t, file, "networks", "inside", "internal"))
}
