package cluster_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
)

// replaceLimit is the time limit for a pod to start, and for an engine to get an image.
const replaceLimit = 3 * time.Minute

// maxKills is the maximum number of replicas of the API that are killed until a kill interrupts a request. Clients send
// requests continuously, so most kills interrupt one.
const maxKills = 4

// kill ends the processes of a pod with SIGKILL and waits until they have been started again.
func (in *installation) kill(t *testing.T, component string, pod corev1.Pod) {
	t.Helper()
	require.NoError(t, in.KillContainers(t.Context(), pod))
	require.NoError(t, in.Await(t.Context(), "the killed containers are started again", replaceLimit, func(ctx context.Context) error {
		pods, err := in.Pods(ctx, namespace, component)
		if err != nil {
			return err
		}
		for _, p := range pods {
			if p.Name == pod.Name && restarts(p) > restarts(pod) {
				return nil
			}
		}
		return fmt.Errorf("pod %s has not been restarted", pod.Name)
	}))
	require.NoError(t, in.Ready(t.Context(), namespace, "uncial-"+component, replicas))
}

// restarts returns how often containers of a pod were started again.
func restarts(pod corev1.Pod) (n int32) {
	for _, container := range pod.Status.ContainerStatuses {
		n += container.RestartCount
	}
	return n
}

// busyEngine waits for an engine that is reading.
func (in *installation) busyEngine(t *testing.T) (engine corev1.Pod) {
	t.Helper()
	require.NoError(t, in.Await(t.Context(), "an engine reads", replaceLimit, func(ctx context.Context) error {
		pods, err := in.Pods(ctx, namespace, "engine")
		if err != nil {
			return err
		}
		for _, engine = range pods {
			if err = checkBusy(ctx, engine); err == nil {
				return nil
			}
		}
		return err
	}))
	return engine
}

// checkBusy asks an engine for its load and returns an error unless the engine is reading an image.
func checkBusy(ctx context.Context, engine corev1.Pod) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+engine.Status.PodIP+":8090/load", nil)
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	var load struct{ Busy int }
	if err := json.NewDecoder(resp.Body).Decode(&load); err != nil {
		return err
	}
	if load.Busy == 0 {
		return fmt.Errorf("engine %s is idle", engine.Name)
	}
	return nil
}

// survivesEngineKill kills an engine. The other one reads its images again, so that clients see only status 200.
func (in *installation) survivesEngineKill(t *testing.T) {
	l, account := in.newLoad(t, "engine-kill")
	l.during(t, func() { in.kill(t, "engine", in.busyEngine(t)) })
	assert.Empty(t, l.bad)
	in.requireCharged(t, account, l)
}

// survivesAPIKill kills a replica of the API. Its connections break, so clients repeat requests with their Idempotency-Key.
func (in *installation) survivesAPIKill(t *testing.T) {
	l, account := in.newLoad(t, "api-kill")
	l.retry = true
	l.during(t, func() {
		for n := range maxKills { // a kill between two requests interrupts none
			pods, err := in.Pods(t.Context(), namespace, "api")
			require.NoError(t, err)
			in.kill(t, "api", pods[n%len(pods)]) // in turn: after several restarts of one, the kubelet would wait
			if l.wasInterrupted() {
				return
			}
		}
	})
	assert.Empty(t, l.bad)
	assert.NotEmpty(t, l.refused, "the kill must interrupt requests")
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
