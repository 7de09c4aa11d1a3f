// Package deploy_test checks the deployment files: the Helm chart, as it renders, and the compose file.
package deploy_test

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"uncial/impl/ocr/workerpool"
)

type object = map[string]any

// at returns the value at a path of keys and indexes.
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

// folder is where the tests keep the program that they build.
var folder string

func TestMain(m *testing.M) {
	var err error
	if folder, err = os.MkdirTemp("", "uncial-deploy"); err != nil {
		panic(err)
	}
	status := m.Run()
	_ = os.RemoveAll(folder)
	os.Exit(status)
}

// buildChart builds testdata/chart.go with the modules of helm, and returns its path.
var buildChart = sync.OnceValues(func() (string, error) {
	module, err := filepath.Abs("../../gen/tools/helm/go.mod")
	if err != nil {
		return "", err
	}
	program := filepath.Join(folder, "chart")
	out, err := exec.Command("go", "build", "-modfile="+module, "-o", program, "testdata/chart.go").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%w: %s", err, out)
	}
	return program, nil
})

// runChart runs testdata/chart.go, where what is lint, objects or notes, and returns all that it prints.
func runChart(tb testing.TB, what, values string) (string, error) {
	tb.Helper()
	program, err := buildChart()
	require.NoError(tb, err)
	file := filepath.Join(tb.TempDir(), "values.yaml")
	require.NoError(tb, os.WriteFile(file, []byte(values), 0o600))
	out, err := exec.CommandContext(tb.Context(), program, what, "chart", file).CombinedOutput()
	return string(out), err
}

// render returns the objects of the chart by kind and name, after checking that Kubernetes knows all their fields.
func render(tb testing.TB, values string) map[string]object {
	tb.Helper()
	out, err := runChart(tb, "objects", values)
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
deadlineSeconds: 300
api:
  fetchAllow: [192.0.2.0/24]
  plans: '{"small": {"points": 100, "requestsPerMinute": 5}}'
  extraEnv:
    - name: UNCIAL_ENHANCE_KEY
      valueFrom: {secretKeyRef: {name: model, key: key}}
postgres:
  peers:
    - podSelector: {matchLabels: {app.kubernetes.io/name: postgresql}}
networkPolicy:
  metrics:
    - namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: monitoring}}
`

// minimal are the values that the chart requires.
const minimal = `
existingSecret: uncial
postgres: {peers: [{ipBlock: {cidr: 10.0.5.7/32}}]}
`

func TestChart_Lint(t *testing.T) {
	t.Parallel()
	for name, v := range map[string]string{"all": values, "minimal": minimal} {
		out, err := runChart(t, "lint", v)
		require.NoError(t, err, "%s: %s", name, out)
	}
}

func TestChart_RequiredValues(t *testing.T) {
	t.Parallel()
	for want, v := range map[string]string{"existingSecret": "networkPolicy: {enabled: false}", "postgres.peers": "existingSecret: uncial"} {
		out, err := runChart(t, "objects", v)
		require.Error(t, err)
		require.Contains(t, out, want+": required")
	}
	render(t, "existingSecret: uncial\nnetworkPolicy: {enabled: false}")
}

func TestChart_Objects(t *testing.T) {
	t.Parallel()
	objects := render(t, values)
	for _, name := range []string{
		"Deployment demo-api", "Deployment demo-engine", "Service demo-api", "Service demo-engine", "Job demo-migrate",
		"HorizontalPodAutoscaler demo-engine", "PodDisruptionBudget demo-api", "PodDisruptionBudget demo-engine",
		"NetworkPolicy demo-api", "NetworkPolicy demo-engine", "NetworkPolicy demo-migrate", "ConfigMap demo-plans",
	} {
		require.Contains(t, objects, name)
	}
	require.Equal(t, "None", at(t, objects["Service demo-engine"], "spec", "clusterIP"), "each replica sees every engine")
	require.NotContains(t, objects["Deployment demo-engine"]["spec"], "replicas", "the autoscaler sets the replicas")
	for _, o := range objects {
		require.NotEqual(t, "Secret", o["kind"], "the chart only refers to secrets")
	}
}

func TestChart_PodSecurity(t *testing.T) {
	t.Parallel()
	objects := render(t, values)
	for _, name := range []string{"Deployment demo-api", "Deployment demo-engine", "Job demo-migrate"} {
		pod := at(t, objects[name], "spec", "template", "spec")
		require.Equal(t, false, at(t, pod, "automountServiceAccountToken"), name)
		require.Equal(t, false, at(t, pod, "enableServiceLinks"), "the names of services must not become flags")
		require.Equal(t, object{
			"runAsNonRoot": true, "runAsUser": 65532, "runAsGroup": 65532, "seccompProfile": object{"type": "RuntimeDefault"},
		}, at(t, pod, "securityContext"), name)
		require.Equal(t, object{
			"allowPrivilegeEscalation": false, "readOnlyRootFilesystem": true, "capabilities": object{"drop": []any{"ALL"}},
		}, at(t, pod, "containers", 0, "securityContext"), name)
		require.NotNil(t, at(t, pod, "containers", 0, "resources", "limits", "memory"), name)
	}
	secrets := map[string]bool{"Deployment demo-api": true, "Deployment demo-engine": false, "Job demo-migrate": false}
	for name, want := range secrets {
		env, err := yaml.Marshal(at(t, objects[name], "spec", "template", "spec", "containers", 0, "env"))
		require.NoError(t, err)
		require.Equal(t, want, strings.Contains(string(env), "UNCIAL_KEY_SECRET"), name)
		require.Equal(t, name != "Deployment demo-engine", strings.Contains(string(env), "UNCIAL_DATABASE"), name)
	}
}

func TestChart_Shutdown(t *testing.T) {
	t.Parallel()
	objects := render(t, values)
	for _, name := range []string{"Deployment demo-api", "Deployment demo-engine"} {
		pod := at(t, objects[name], "spec", "template", "spec")
		container := at(t, pod, "containers", 0)
		require.Equal(t, 10, at(t, container, "lifecycle", "preStop", "sleep", "seconds"), name)
		require.Contains(t, at(t, container, "env"), object{"name": "UNCIAL_DEADLINE", "value": "300s"}, name)
		require.Greater(t, at(t, pod, "terminationGracePeriodSeconds"), 10+300+120, name)
		for _, probe := range []string{"startupProbe", "livenessProbe", "readinessProbe"} {
			require.NotNil(t, at(t, container, probe), "%s: %s", name, probe)
		}
		require.Equal(t, "/readyz", at(t, container, "readinessProbe", "httpGet", "path"), name)
	}
}

func TestChart_WorkerMemory(t *testing.T) {
	t.Parallel()
	container := at(t, render(t, minimal)["Deployment demo-engine"], "spec", "template", "spec", "containers", 0)
	require.Contains(t, at(t, container, "env"), object{"name": "UNCIAL_WORKERS", "value": "2"})
	const each = workerpool.MaxMemory >> 30
	require.Equal(t, fmt.Sprintf("%dGi", 2*each+1), at(t, container, "resources", "limits", "memory"), "a hostile image must kill a worker, not the pod")
}

// ports returns the ports of a network policy by the peers of its rules.
func ports(tb testing.TB, policy object, direction string) map[string][]any {
	tb.Helper()
	rules, _ := at(tb, policy, "spec", direction).([]any)
	found := map[string][]any{}
	for _, r := range rules {
		rule := r.(object)
		peers, err := yaml.Marshal(rule[map[string]string{"ingress": "from", "egress": "to"}[direction]])
		require.NoError(tb, err)
		list, _ := rule["ports"].([]any)
		for _, p := range list {
			found[string(peers)] = append(found[string(peers)], p.(object)["port"])
		}
	}
	return found
}

func TestChart_NetworkPolicies(t *testing.T) {
	t.Parallel()
	const (
		anyone     = "null\n"
		engine     = "- podSelector:\n    matchLabels:\n        app.kubernetes.io/component: engine\n        app.kubernetes.io/instance: demo\n        app.kubernetes.io/name: uncial\n"
		postgres   = "- podSelector:\n    matchLabels:\n        app.kubernetes.io/name: postgresql\n"
		monitoring = "- namespaceSelector:\n    matchLabels:\n        kubernetes.io/metadata.name: monitoring\n"
	)
	api := strings.Replace(engine, "component: engine", "component: api", 1)
	objects := render(t, values)
	for _, component := range []string{"api", "engine", "migrate"} {
		policy := objects["NetworkPolicy demo-"+component]
		require.Equal(t, component, at(t, policy, "spec", "podSelector", "matchLabels", "app.kubernetes.io/component"))
		require.Equal(t, []any{"Ingress", "Egress"}, at(t, policy, "spec", "policyTypes"))
	}
	require.Empty(t, at(t, objects["NetworkPolicy demo-engine"], "spec", "egress"), "the engine connects to nothing")
	require.Equal(t, map[string][]any{api: {8090}, monitoring: {9090}}, ports(t, objects["NetworkPolicy demo-engine"], "ingress"))
	require.Equal(t, map[string][]any{anyone: {53, 53}, postgres: {5432}}, ports(t, objects["NetworkPolicy demo-migrate"], "egress"))
	require.Empty(t, at(t, objects["NetworkPolicy demo-migrate"], "spec", "ingress"))

	egress := ports(t, objects["NetworkPolicy demo-api"], "egress")
	require.Equal(t, []any{53, 53}, egress[anyone])
	require.Equal(t, []any{8090}, egress[engine])
	require.Equal(t, []any{5432}, egress[postgres])
	require.Len(t, egress, 4, "the fourth rule is for public addresses")
	require.Equal(t, map[string][]any{anyone: {8080}, monitoring: {9090}}, ports(t, objects["NetworkPolicy demo-api"], "ingress"))
	require.Equal(t, map[string][]any{anyone: {8080}}, ports(t, render(t, minimal)["NetworkPolicy demo-api"], "ingress"), "nobody reads metrics by default")
}

func TestCompose_Hardening(t *testing.T) {
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
		require.Equal(t, "190s", at(t, file, "services", name, "stop_grace_period"), "no extraction is cut off")
	}
	require.Equal(t, []any{"engines"}, at(t, file, "services", "engine", "networks"), "the engine shares a network with the API only")
	require.Equal(t, []any{"database"}, at(t, file, "services", "postgres", "networks"))
	for _, name := range []string{"engines", "database"} {
		require.Equal(t, object{
			"internal": true, "driver_opts": object{"com.docker.network.bridge.inhibit_ipv4": "true"},
		}, at(t, file, "networks", name), "the same as in testcontainers")
	}
}

func TestChart_IngressAndMonitor(t *testing.T) {
	t.Parallel()
	require.NotContains(t, render(t, minimal), "Ingress demo-api")
	objects := render(t, minimal+"ingress: {enabled: true, host: uncial.example.org, className: nginx, tlsSecret: certificate}\nserviceMonitor: {enabled: true, labels: {release: prometheus}}")
	ingress := objects["Ingress demo-api"]
	require.Equal(t, object{"name": "demo-api", "port": object{"name": "http"}}, at(t, ingress, "spec", "rules", 0, "http", "paths", 0, "backend", "service"))
	require.Equal(t, "certificate", at(t, ingress, "spec", "tls", 0, "secretName"))
	require.Equal(t, "28m", at(t, ingress, "metadata", "annotations", "nginx.ingress.kubernetes.io/proxy-body-size"))
	monitor := objects["ServiceMonitor demo"]
	require.Equal(t, "prometheus", at(t, monitor, "metadata", "labels", "release"))
	labels := at(t, objects["Service demo-metrics"], "metadata", "labels").(object)
	require.Subset(t, labels, at(t, monitor, "spec", "selector", "matchLabels"), "the monitor finds the service")
	require.Equal(t, at(t, objects["Service demo-metrics"], "spec", "ports", 0, "name"), at(t, monitor, "spec", "endpoints", 0, "port"))
	for _, component := range []string{"api", "engine"} {
		pod := at(t, objects["Deployment demo-"+component], "spec", "template", "metadata", "labels").(object)
		require.Subset(t, pod, at(t, objects["Service demo-metrics"], "spec", "selector"), "the service finds the pods")
	}
	out, err := runChart(t, "objects", "existingSecret: uncial\nnetworkPolicy: {enabled: false}\ningress: {enabled: true}")
	require.Error(t, err)
	require.Contains(t, out, "ingress.host: required")
}

// TestChart_Notes checks what helm prints after an installation.
func TestChart_Notes(t *testing.T) {
	t.Parallel()
	out, err := runChart(t, "notes", "existingSecret: uncial\nnetworkPolicy: {enabled: false}\ningress: {enabled: true, host: uncial.example.org}")
	require.NoError(t, err, out)
	require.Contains(t, out, "kubectl --namespace default exec deploy/demo-api -- /uncial account create")
	require.Contains(t, out, "The API: http://uncial.example.org/api/v1")
}

// TestMonitoring_Metrics compares the metrics of the alert rules and of the dashboard with the table in the guide, which a test
// of package app compares with the service.
func TestMonitoring_Metrics(t *testing.T) {
	t.Parallel()
	guide, err := os.ReadFile("README.md")
	require.NoError(t, err)
	for _, file := range []string{"monitoring/alerts.yaml", "monitoring/grafana.json"} {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		names := regexp.MustCompile(`\buncial_[a-z_]+`).FindAllString(string(text), -1)
		require.NotEmpty(t, names)
		for _, name := range names {
			name = strings.TrimSuffix(name, "_bucket")
			require.Regexp(t, "`"+name+"[`{]", string(guide), "%s uses a metric that the guide lacks", file)
		}
	}
	rules, err := os.ReadFile("monitoring/alerts.yaml")
	require.NoError(t, err)
	for _, match := range regexp.MustCompile(`- alert: (\w+)`).FindAllSubmatch(rules, -1) {
		require.Contains(t, string(guide), "`"+string(match[1])+"`", "the guide says what to do")
	}
}

// A commit is older than the release it leads to, even if its name begins with a digit, and a later commit is newer.
func TestDebian_Version(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ version, epoch, want string }{
		{"1.1.0", "0", "1.1.0"},
		{"1.1.0-rc1", "0", "1.1.0~rc1"},
		{"33eb4ed", "1700000000", "1.1.0~20231114221320~33eb4ed"},
		{"1234567", "1700000001", "1.1.0~20231114221321~1234567"},
		{"abcdef0-dirty", "1700000002", "1.1.0~20231114221322~abcdef0~dirty"},
	} {
		cmd := exec.CommandContext(t.Context(), "debian/version.sh", c.version, "1.1.0")
		cmd.Env = append(os.Environ(), "SOURCE_DATE_EPOCH="+c.epoch)
		got, err := cmd.Output()
		require.NoError(t, err)
		require.Equal(t, c.want, string(got))
	}
}
