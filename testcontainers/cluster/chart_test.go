package cluster_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"uncial/testcontainers/cluster"
)

const (
	namespace = "uncial"
	chart     = "../../impl/deploy/chart"
	replicas  = 2 // of API and engine, as in testdata/values.yaml
)

// installation is the chart on the cluster, installed as the operator's guide says.
type installation struct {
	*cluster.Cluster
	url string // of the Service, without a path
}

func (in *installation) mustKubectl(t *testing.T, args ...string) string {
	t.Helper()
	out, err := in.Kubectl(t.Context(), args...)
	require.NoError(t, err)
	return out
}

func (in *installation) install(t *testing.T) {
	require.NoError(t, in.Apply(t.Context(), "postgres.yaml"))
	require.NoError(t, in.Ready(t.Context(), "database", "postgres", 1))
	in.mustKubectl(t, "create", "namespace", namespace)
	// The strictest standard of Kubernetes: pods that it does not admit are never created.
	in.mustKubectl(t, "label", "namespace", namespace, "pod-security.kubernetes.io/enforce=restricted")
	in.mustKubectl(t, "--namespace", namespace, "create", "secret", "generic", "uncial",
		"--from-literal=database=postgres://uncial@postgres.database:5432/postgres?sslmode=disable",
		"--from-literal=key-secret="+strings.Repeat("a secret of tests ", 3))
	out, err := in.Helm(t.Context(), "install", "uncial", chart, "--namespace", namespace,
		"--values", "testdata/values.yaml", "--wait", "--timeout", "10m")
	require.NoError(t, err)
	require.Contains(t, out, "Create an account and its first key", "the notes of the chart")
	in.requireReady(t, "cluster")
	service, err := in.Client.CoreV1().Services(namespace).Get(t.Context(), "uncial-api", metav1.GetOptions{})
	require.NoError(t, err)
	in.url = "http://" + service.Spec.ClusterIP
}

// requireReady waits until API and engines run the version and nothing else runs.
func (in *installation) requireReady(t *testing.T, tag string) {
	t.Helper()
	for _, component := range []string{"api", "engine"} {
		require.NoError(t, in.Ready(t.Context(), namespace, "uncial-"+component, replicas))
		pods, err := in.Pods(t.Context(), namespace, component)
		require.NoError(t, err)
		require.Len(t, pods, replicas)
		for _, pod := range pods {
			require.True(t, strings.HasSuffix(pod.Spec.Containers[0].Image, ":"+tag), pod.Spec.Containers[0].Image)
			require.Equal(t, corev1.PodQOSBurstable, pod.Status.QOSClass)
		}
	}
}

func (in *installation) uninstall(t *testing.T) {
	_, err := in.Helm(t.Context(), "uninstall", "uncial", "--namespace", namespace, "--wait", "--timeout", "5m")
	require.NoError(t, err)
	require.NoError(t, in.Ended(t.Context(), namespace))
	kinds := "deployments,replicasets,pods,services,jobs,poddisruptionbudgets,horizontalpodautoscalers,networkpolicies,ingresses"
	require.Empty(t, in.mustKubectl(t, "--namespace", namespace, "get", kinds, "-o", "name", "-l", "app.kubernetes.io/name=uncial"))
}

// uncial runs a command of the operator in a pod of the API and decodes what it prints with --json.
func (in *installation) uncial(t *testing.T, v any, args ...string) {
	t.Helper()
	out := in.mustKubectl(t, append([]string{"--namespace", namespace, "exec", "deploy/uncial-api", "--", "/uncial"}, args...)...)
	if v != nil {
		require.NoError(t, json.Unmarshal([]byte(out), v), out)
	}
}

func (in *installation) account(t *testing.T, plan string) (id string) {
	t.Helper()
	var made struct{ ID string }
	in.uncial(t, &made, "account", "create", "--name", "test", "--plan", plan, "--json")
	return made.ID
}

// key creates a key of an account. The flags are those of `uncial key create`.
func (in *installation) key(t *testing.T, account string, flags ...string) (id, secret string) {
	t.Helper()
	var made struct{ ID, Secret string }
	in.uncial(t, &made, append([]string{"key", "create", "--account", account, "--json"}, flags...)...)
	return made.ID, made.Secret
}

// run runs a part of the test. If it fails, the cluster is described at once, before the next part replaces pods and their
// logs.
func (in *installation) run(t *testing.T, name string, part func(*testing.T)) bool {
	t.Helper()
	return t.Run(name, func(t *testing.T) {
		t.Cleanup(func() {
			if t.Failed() {
				in.describe(t)
			}
		})
		part(t)
	})
}

// describeLimit bounds the description of a cluster that may be broken.
const describeLimit = 2 * time.Minute

// describe writes what an operator would look at first into the log of the test. The logs of the cluster's own parts are kept
// as files.
func (in *installation) describe(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), describeLimit)
	defer cancel()
	for _, args := range [][]string{
		{"get", "pods,jobs,services,nodes", "-A", "-o", "wide"},
		{"get", "events", "-A", "--sort-by=.lastTimestamp"},
		{"--namespace", namespace, "logs", "-l", "app.kubernetes.io/name=uncial", "--tail=20", "--prefix", "--all-containers"},
	} {
		out, err := in.Kubectl(ctx, args...)
		t.Log(out, err)
	}
	rules, _, err := in.Enforced()
	t.Log(rules, err)
}
