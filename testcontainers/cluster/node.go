package cluster

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// createNetwork gives the node an address. The other end of the pair of interfaces stands in for a router: it gives the node a
// default route, which packets to the addresses of Services need until these are translated, and it drops packets to the
// outside.
func (c *Cluster) createNetwork(ctx context.Context) error {
	for _, args := range []string{
		"link set lo up",
		"link add node0 type veth peer name world0",
		"link set node0 up",
		"link set world0 up",
		"address add " + nodeAddress + "/24 dev node0",
		"route add default dev node0",
	} {
		if _, err := output(ctx, "ip", strings.Fields(args)...); err != nil {
			return err
		}
	}
	// The node is the router of its pods. The setting belongs to the network namespace, so that of the machine does not change.
	return os.WriteFile("/proc/sys/net/ipv4/ip_forward", []byte("1\n"), 0o600)
}

// startNode starts containerd, the kubelet and kube-proxy, and waits until the node can run pods.
func (c *Cluster) startNode(ctx context.Context) error {
	for _, folder := range []string{"cni", "kubelet", "/var/log/pods"} {
		if !filepath.IsAbs(folder) {
			folder = filepath.Join(c.paths.run, folder)
		}
		if err := os.MkdirAll(folder, 0o755); err != nil { //nolint:gosec // as in a distribution of Kubernetes
			return err
		}
	}
	var files [3]string
	var errs [3]error
	for i, name := range []string{"containerd.toml", "kubelet.yaml", "proxy.yaml"} {
		files[i], errs[i] = c.write(name)
	}
	network, err := c.write("pods.conflist")
	if err := errors.Join(errs[0], errs[1], errs[2], err); err != nil {
		return err
	}
	if err := os.Rename(network, filepath.Join(c.paths.run, "cni", "pods.conflist")); err != nil {
		return err
	}
	if err := c.start("containerd", "containerd", "--config", files[0]); err != nil {
		return err
	}
	if err := c.Await(ctx, "containerd answers", startLimit, func(ctx context.Context) error {
		_, err := c.ctr(ctx, "version")
		return err
	}); err != nil {
		return err
	}
	if err := c.part("kubelet", "--config", files[1], "--kubeconfig", c.ca.file("node.conf"), "--node-ip", nodeAddress,
		"--hostname-override", nodeName, "--root-dir", filepath.Join(c.paths.run, "kubelet")); err != nil {
		return err
	}
	if err := c.part("kube-proxy", "--config", files[2]); err != nil {
		return err
	}
	return c.Await(ctx, "the node is ready", startLimit, c.checkNodeReady)
}

// checkNodeReady returns why the node is not ready, in its own words, or nil.
func (c *Cluster) checkNodeReady(ctx context.Context) error {
	node, err := c.Client.CoreV1().Nodes().Get(ctx, nodeName, metav1.GetOptions{})
	if err != nil {
		return err
	}
	for _, condition := range node.Status.Conditions {
		if condition.Type == corev1.NodeReady && condition.Status == corev1.ConditionTrue {
			return nil
		} else if condition.Type == corev1.NodeReady {
			return fmt.Errorf("%s: %s", condition.Reason, condition.Message)
		}
	}
	return errors.New("the node has not reported yet")
}

// ctr runs containerd's own client in the namespace of the kubelet.
func (c *Cluster) ctr(ctx context.Context, args ...string) (string, error) {
	return output(ctx, "ctr", append([]string{"--address", "/run/containerd/containerd.sock", "--namespace", "k8s.io"}, args...)...)
}

// loadImages puts the images into containerd, because there is no registry.
func (c *Cluster) loadImages(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	if _, err := c.ctr(ctx, "images", "import", c.paths.imageFile()); err != nil {
		return err
	}
	// The file is as large as all images together, and containerd has copied them.
	return os.Remove(c.paths.imageFile())
}

// startNameServer installs CoreDNS as the Service kube-dns.
func (c *Cluster) startNameServer(ctx context.Context) error {
	if err := c.Apply(ctx, "dns.yaml"); err != nil {
		return err
	}
	return c.Ready(ctx, "kube-system", "coredns", 1)
}

// Ready waits until a Deployment has exactly this many pods, all of its current version and ready.
func (c *Cluster) Ready(ctx context.Context, namespace, name string, replicas int32) error {
	return c.Await(ctx, name+" is ready", startLimit, func(ctx context.Context) error {
		d, err := c.Client.AppsV1().Deployments(namespace).Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		s := d.Status
		// Until the controller has seen the current generation, its counts are about the previous one.
		if s.ObservedGeneration < d.Generation || s.UpdatedReplicas != replicas || s.ReadyReplicas != replicas || s.Replicas != replicas {
			return fmt.Errorf("%d pods, %d of the current version, %d ready; expected %d", s.Replicas, s.UpdatedReplicas, s.ReadyReplicas, replicas)
		}
		return nil
	})
}

// Pods returns the pods of a component of the chart, without those that are stopping.
func (c *Cluster) Pods(ctx context.Context, namespace, component string) ([]corev1.Pod, error) {
	list, err := c.Client.CoreV1().Pods(namespace).List(ctx, metav1.ListOptions{LabelSelector: "app.kubernetes.io/component=" + component})
	if err != nil {
		return nil, err
	}
	var running []corev1.Pod
	for _, pod := range list.Items {
		if pod.DeletionTimestamp == nil {
			running = append(running, pod)
		}
	}
	return running, nil
}

// KillContainers ends the processes of a pod with SIGKILL, as the kernel does when memory runs out. The kubelet starts the
// containers again. Deleting the pod would not work: even without a grace period it stops in an orderly way.
func (c *Cluster) KillContainers(ctx context.Context, pod corev1.Pod) error {
	for _, container := range pod.Status.ContainerStatuses {
		id := strings.TrimPrefix(container.ContainerID, "containerd://")
		if _, err := c.ctr(ctx, "tasks", "kill", "--all", "--signal", "SIGKILL", id); err != nil {
			return err
		}
	}
	return nil
}

// Ended waits until no pod of the namespace is stopping.
func (c *Cluster) Ended(ctx context.Context, namespace string) error {
	return c.Await(ctx, "stopping pods end", startLimit, func(ctx context.Context) error {
		list, err := c.Client.CoreV1().Pods(namespace).List(ctx, metav1.ListOptions{})
		if err != nil {
			return err
		}
		for _, pod := range list.Items {
			if pod.DeletionTimestamp != nil {
				return fmt.Errorf("%s is stopping", pod.Name)
			}
		}
		return nil
	})
}
