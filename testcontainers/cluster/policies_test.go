package cluster_test

import (
	"context"
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"uncial/testcontainers/cluster"
)

// twins are pods with the labels of the chart's pods, from which connections can be tried: the images of the service have no
// shell. They are never ready, so that no Service sends them requests.
var twins = map[string]struct{ namespace, component string }{
	"api": {namespace, "api"}, "engine": {namespace, "engine"}, "migrate": {namespace, "migrate"},
	"stranger": {"default", ""}, "neighbour": {namespace, ""}, "prometheus": {"monitoring", ""},
}

// enforcesPolicies tries every connection that the chart's policies allow, and connections that they must refuse.
func (in *installation) enforcesPolicies(t *testing.T) {
	in.mustKubectl(t, "create", "namespace", "monitoring")
	for name := range twins {
		in.startTwin(t, name)
	}
	api, engine := in.address(t, "api"), in.address(t, "engine")
	postgres, err := in.Client.CoreV1().Services("database").Get(t.Context(), "postgres", metav1.GetOptions{})
	require.NoError(t, err)
	dns := cluster.DNSAddress
	passes := map[string][]string{
		"api":        {engine + ":8090", postgres.Spec.ClusterIP + ":5432", dns + ":53", publicAddress + ":80", publicAddress + ":443", allowedAddress + ":8000"},
		"engine":     {},
		"migrate":    {postgres.Spec.ClusterIP + ":5432", dns + ":53"},
		"stranger":   {api + ":8080", dns + ":53", publicAddress + ":8000"},
		"neighbour":  {api + ":8080", postgres.Spec.ClusterIP + ":5432"},
		"prometheus": {api + ":9090", engine + ":9090", api + ":8080"},
	}
	fails := map[string][]string{
		"api":        {engine + ":9090", publicAddress + ":8000", privateAddress + ":80", cluster.APIAddress + ":443"},
		"engine":     {api + ":8080", engine + ":8090", postgres.Spec.ClusterIP + ":5432", dns + ":53", publicAddress + ":80", cluster.APIAddress + ":443"},
		"migrate":    {engine + ":8090", api + ":8080", publicAddress + ":443", cluster.APIAddress + ":443"},
		"stranger":   {api + ":9090", engine + ":8090", engine + ":9090"},
		"neighbour":  {api + ":9090", engine + ":8090", engine + ":9090"},
		"prometheus": {engine + ":8090"},
	}
	require.NoError(t, in.AwaitPolicies(t.Context()))
	for name := range twins {
		for _, to := range passes[name] {
			assert.True(t, in.connects(t, name, to), "%s must reach %s", name, to)
		}
		for _, to := range fails[name] {
			assert.False(t, in.connects(t, name, to), "%s must not reach %s", name, to)
		}
	}
	// If these connections failed without policies too, the refusals above would only show a broken network.
	in.mustKubectl(t, "--namespace", namespace, "delete", "networkpolicies", "--all")
	require.NoError(t, in.AwaitPolicies(t.Context()))
	for name := range twins {
		for _, to := range fails[name] {
			assert.True(t, in.connects(t, name, to), "without policies %s must reach %s", name, to)
		}
		in.mustKubectl(t, "--namespace", twins[name].namespace, "delete", "pod", "twin-"+name, "--grace-period=0", "--force", "--wait=false")
	}
	_, err = in.Helm(t.Context(), "upgrade", "uncial", chart, "--namespace", namespace, "--values", "testdata/values.yaml", "--wait", "--timeout", "10m")
	require.NoError(t, err)
	list, err := in.Client.NetworkingV1().NetworkPolicies(namespace).List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	require.Len(t, list.Items, 3, "an upgrade restores the policies")
}

// address returns the address of a pod of the chart.
func (in *installation) address(t *testing.T, component string) string {
	t.Helper()
	pods, err := in.Pods(t.Context(), namespace, component)
	require.NoError(t, err)
	for _, pod := range pods {
		if !strings.HasPrefix(pod.Name, "twin-") {
			return pod.Status.PodIP
		}
	}
	t.Fatal("no pod of ", component)
	return ""
}

func (in *installation) startTwin(t *testing.T, name string) {
	t.Helper()
	twin := twins[name]
	yes, no, user := true, false, int64(65532)
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: "twin-" + name, Labels: map[string]string{"twin": name}},
		Spec: corev1.PodSpec{
			AutomountServiceAccountToken: &no,
			SecurityContext: &corev1.PodSecurityContext{
				RunAsNonRoot: &yes, RunAsUser: &user, SeccompProfile: &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault},
			},
			Containers: []corev1.Container{{
				Name: "twin", Image: cluster.ShellImage, ImagePullPolicy: corev1.PullNever, Command: []string{"sleep", "3600"},
				SecurityContext: &corev1.SecurityContext{AllowPrivilegeEscalation: &no, Capabilities: &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}}},
				ReadinessProbe:  &corev1.Probe{ProbeHandler: corev1.ProbeHandler{Exec: &corev1.ExecAction{Command: []string{"false"}}}},
			}},
		},
	}
	if twin.component != "" {
		pod.Labels["app.kubernetes.io/name"], pod.Labels["app.kubernetes.io/instance"] = "uncial", "uncial"
		pod.Labels["app.kubernetes.io/component"] = twin.component
	}
	_, err := in.Client.CoreV1().Pods(twin.namespace).Create(t.Context(), pod, metav1.CreateOptions{})
	require.NoError(t, err)
	require.NoError(t, in.Await(t.Context(), "twin "+name+" runs", 2*time.Minute, func(ctx context.Context) error {
		p, err := in.Client.CoreV1().Pods(twin.namespace).Get(ctx, pod.Name, metav1.GetOptions{})
		if err == nil && (p.Status.Phase != corev1.PodRunning || p.Status.PodIP == "") {
			err = fmt.Errorf("it is %s", p.Status.Phase)
		}
		return err
	}))
}

// connects reports whether a twin reaches an address and port.
func (in *installation) connects(t *testing.T, name, to string) bool {
	t.Helper()
	host, port, err := net.SplitHostPort(to)
	require.NoError(t, err)
	// bash fails after timeout kills it, and when the connection is refused; only a connection prints.
	const seconds = "3"
	out, err := in.Kubectl(t.Context(), "--namespace", twins[name].namespace, "exec", "twin-"+name, "--",
		"bash", "-c", fmt.Sprintf("timeout %s bash -c '</dev/tcp/%s/%s' 2>/dev/null && echo connected || echo failed", seconds, host, port))
	require.NoError(t, err)
	return out == "connected"
}
