package cluster

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"uncial/testcontainers/cluster/policy"
)

// pollInterval is the interval at which the enforcer looks for changed pods and policies. A new pod may be unprotected for that
// long.
const pollInterval = time.Second

// enforcer enforces the network policies of the cluster, because the network plugins of Debian enforce none.
type enforcer struct {
	c      *Cluster
	cancel context.CancelFunc
	ended  chan struct{}
	// mu guards the fields below. Only apply writes applied, never in two goroutines at once, so it reads the field without mu.
	mu      sync.Mutex
	applied string // the last table
	err     error  // of the last attempt; nil if it succeeded
	passes  int    // attempts so far
}

// startPolicies enforces network policies until the cluster stops.
func (c *Cluster) startPolicies(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	e := &enforcer{c: c, cancel: cancel, ended: make(chan struct{})}
	c.policies = e
	// The first pass does not run in the background, so that a cluster whose policies cannot be enforced does not start.
	err := e.apply(ctx)
	go func() {
		defer close(e.ended)
		for ctx.Err() == nil {
			err := e.apply(ctx)
			e.mu.Lock()
			e.err = err
			e.passes++
			e.mu.Unlock()
			select {
			case <-ctx.Done():
			case <-time.After(pollInterval):
			}
		}
	}()
	return err
}

// Enforced returns the rules in force, or why there are none, and how often policies have been read.
func (c *Cluster) Enforced() (rules string, passes int, err error) {
	c.policies.mu.Lock()
	defer c.policies.mu.Unlock()
	return c.policies.applied, c.policies.passes, c.policies.err
}

// AwaitPolicies waits until the policies that exist now are in force.
func (c *Cluster) AwaitPolicies(ctx context.Context) error {
	_, before, _ := c.Enforced()
	return c.Await(ctx, "network policies are enforced", startLimit, func(context.Context) error {
		_, passes, err := c.Enforced()
		if err == nil && passes < before+2 { // the pass that was running may have read older ones
			err = errors.New("the enforcer has not read them yet")
		}
		return err
	})
}

// stop returns when the enforcer has ended. The rules of the last pass stay in force.
func (e *enforcer) stop() {
	e.cancel()
	<-e.ended
}

// apply reads pods and policies and replaces the table if it changed.
func (e *enforcer) apply(ctx context.Context) error {
	state, err := e.read(ctx)
	if err != nil {
		return err
	}
	table, err := policy.Table(state)
	if err != nil || table == e.applied {
		return err
	}
	file := filepath.Join(e.c.paths.run, "policies.nft")
	if err := os.WriteFile(file, []byte(table), 0o600); err != nil {
		return err
	}
	if _, err := output(ctx, "nft", "-f", file); err != nil {
		return err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.applied = table
	return nil
}

// read returns what the rules are computed from: namespaces, running pods with an address of their own, and policies.
func (e *enforcer) read(ctx context.Context) (s policy.State, err error) {
	namespaces, err := e.c.Client.CoreV1().Namespaces().List(ctx, metav1.ListOptions{})
	if err != nil {
		return s, err
	}
	s.Namespaces = map[string]labels.Set{}
	for _, n := range namespaces.Items {
		s.Namespaces[n.Name] = n.Labels
	}
	pods, err := e.c.Client.CoreV1().Pods("").List(ctx, metav1.ListOptions{})
	if err != nil {
		return s, err
	}
	for _, pod := range pods.Items { // a pod in the node's network has the node's address
		if pod.Status.PodIP != "" && !pod.Spec.HostNetwork && pod.Status.Phase != corev1.PodSucceeded && pod.Status.Phase != corev1.PodFailed {
			s.Pods = append(s.Pods, pod)
		}
	}
	policies, err := e.c.Client.NetworkingV1().NetworkPolicies("").List(ctx, metav1.ListOptions{})
	if err != nil {
		return s, err
	}
	s.Policies = policies.Items
	return s, nil
}
