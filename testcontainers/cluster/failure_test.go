package cluster_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// kill ends a pod of the component at once, with SIGKILL, and waits until another has taken its place.
func (in *installation) kill(t *testing.T, component string) {
	t.Helper()
	pods, err := in.Pods(t.Context(), namespace, component)
	require.NoError(t, err)
	require.NotEmpty(t, pods)
	in.mustKubectl(t, "--namespace", namespace, "delete", "pod", pods[0].Name, "--grace-period=0", "--force", "--wait=false")
	require.NoError(t, in.Ready(t.Context(), namespace, "uncial-"+component, replicas))
}

// survivesEngineKill kills an engine. Its images are read by the other one, so that clients see nothing but 200.
func (in *installation) survivesEngineKill(t *testing.T) {
	l, account := in.newLoad(t, "engine-kill")
	l.during(t, func() { in.kill(t, "engine") })
	assert.Empty(t, l.bad)
	in.requireCharged(t, account, l)
}

// survivesAPIKill kills a replica of the API. Its connections break, so clients repeat requests with their Idempotency-Key.
func (in *installation) survivesAPIKill(t *testing.T) {
	l, account := in.newLoad(t, "api-kill")
	l.retry = true
	l.during(t, func() { in.kill(t, "api") })
	assert.Empty(t, l.bad)
	in.requireCharged(t, account, l)
}

// upgrades replaces every pod while clients send requests, and waits until the old pods have ended.
func (in *installation) upgrades(t *testing.T) {
	l, account := in.newLoad(t, "upgrade")
	l.during(t, func() {
		_, err := in.Helm(t.Context(), "upgrade", "uncial", chart, "--namespace", namespace,
			"--values", "testdata/values.yaml", "--set", "image.tag=cluster-next", "--wait", "--timeout", "10m")
		require.NoError(t, err)
		in.requireReplaced(t, "cluster-next")
	})
	assert.Empty(t, l.bad)
	in.requireCharged(t, account, l)
}

func (in *installation) rollsBack(t *testing.T) {
	l, account := in.newLoad(t, "rollback")
	l.during(t, func() {
		_, err := in.Helm(t.Context(), "rollback", "uncial", "1", "--namespace", namespace, "--wait", "--timeout", "10m")
		require.NoError(t, err)
		in.requireReplaced(t, "cluster")
	})
	assert.Empty(t, l.bad)
	in.requireCharged(t, account, l)
}

// requireReplaced waits until all pods are of the version and the last pod of the old one has ended.
func (in *installation) requireReplaced(t *testing.T, tag string) {
	t.Helper()
	in.requireReady(t, tag)
	require.NoError(t, in.Ended(t.Context(), namespace))
}
