package cluster

import (
	"context"
	"embed"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"text/template"
	"time"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
)

// The addresses of the cluster. They exist only in its own network.
const (
	nodeName    = "node"
	nodeAddress = "10.200.0.1"
	podRange    = "10.244.0.0/24"
	serviceCIDR = "10.96.0.0/16"

	// APIAddress is the Service of the API server, which the API server creates.
	APIAddress = "10.96.0.1"
	// DNSAddress is the Service of the name server.
	DNSAddress = "10.96.0.10"
	// ShellImage is an image with a shell, for pods that try something.
	ShellImage = postgresImage
)

const (
	// startLimit bounds how long a part takes to answer, and how long a command of kubectl runs. On a busy machine everything is
	// ten times slower.
	startLimit = 5 * time.Minute
	// helmLimit is longer than the --timeout of any helm command.
	helmLimit = 15 * time.Minute
)

// Cluster is a control plane and one node. Start it inside Isolate only.
type Cluster struct {
	Client    kubernetes.Interface
	paths     paths
	ca        *authority
	processes []*process
	policies  *enforcer
}

//go:embed config
var configFiles embed.FS

// Start starts all parts of the cluster and waits until the node can run pods. After an error, Stop ends what was started.
func Start(ctx context.Context) (*Cluster, error) {
	p, err := locate()
	if err != nil {
		return nil, err
	}
	c := &Cluster{paths: p}
	// Each part needs those before it: the name server, for example, runs in a pod, which needs the node and its images.
	for _, step := range []struct {
		what string
		do   func(context.Context) error
	}{
		{"certificates", c.certify},
		{"network", c.createNetwork},
		{"control plane", c.startControlPlane},
		{"node", c.startNode},
		{"images", c.loadImages},
		{"network policies", c.startPolicies},
		{"name server", c.startNameServer},
	} {
		began := time.Now()
		if err := step.do(ctx); err != nil {
			c.Stop()
			return nil, fmt.Errorf("%s: %w", step.what, err)
		}
		fmt.Fprintf(os.Stderr, "cluster: %s ready after %s\n", step.what, time.Since(began).Round(time.Second/10))
	}
	return c, nil
}

// certify writes the certificates of all parts.
func (c *Cluster) certify(context.Context) (err error) {
	if c.ca, err = newAuthority(filepath.Join(c.paths.run, "certificates")); err != nil {
		return err
	}
	for name, hosts := range map[string][]string{
		"apiserver": {"kubernetes", "kubernetes.default", "kubernetes.default.svc", "localhost", "127.0.0.1", nodeAddress, APIAddress},
		"kubelet":   {nodeName, nodeAddress},
	} {
		if err := c.ca.server(name, hosts...); err != nil {
			return err
		}
	}
	for name, user := range map[string][]string{ // user and groups, as the roles of Kubernetes name them
		"admin": {"admin", "system:masters"},
		// With this certificate the API server fetches logs from the kubelet and runs commands in pods.
		"to-kubelet": {"apiserver", "system:masters"},
		"controller": {"system:kube-controller-manager"},
		"scheduler":  {"system:kube-scheduler"},
		"proxy":      {"system:kube-proxy"},
		"node":       {"system:node:" + nodeName, "system:nodes"},
	} {
		if err := c.ca.client(name, user[0], user[1:]...); err != nil {
			return err
		}
	}
	config, err := clientcmd.BuildConfigFromFlags("", c.ca.file("admin.conf"))
	if err != nil {
		return err
	}
	// The defaults of the library, 5 and 10 requests a second, would make waiting for pods slow.
	config.QPS, config.Burst, config.Timeout = 50, 100, time.Minute
	c.Client, err = kubernetes.NewForConfig(config)
	return err
}

// startControlPlane starts etcd, the API server, the controllers and the scheduler.
func (c *Cluster) startControlPlane(ctx context.Context) error {
	// Nothing outlives the run, so etcd need not wait for the disk, and nobody else is in this network, so it needs no TLS.
	const etcd = "http://127.0.0.1:2379"
	if err := c.part("etcd", "--data-dir", filepath.Join(c.paths.run, "etcd"), "--unsafe-no-fsync", "--log-level=warn",
		"--listen-client-urls", etcd, "--advertise-client-urls", etcd, "--listen-peer-urls", "http://127.0.0.1:2380"); err != nil {
		return err
	}
	// Real clusters have RBAC and NodeRestriction; with them, a chart that needs more rights than it declares fails here too.
	if err := c.part("kube-apiserver", "--etcd-servers", etcd, "--secure-port=6443", "--advertise-address", nodeAddress,
		"--service-cluster-ip-range", serviceCIDR, "--authorization-mode=Node,RBAC", "--enable-admission-plugins=NodeRestriction",
		"--client-ca-file", c.ca.file("ca.crt"), "--tls-cert-file", c.ca.file("apiserver.crt"), "--tls-private-key-file", c.ca.file("apiserver.key"),
		"--kubelet-client-certificate", c.ca.file("to-kubelet.crt"), "--kubelet-client-key", c.ca.file("to-kubelet.key"),
		"--kubelet-certificate-authority", c.ca.file("ca.crt"), "--kubelet-preferred-address-types=InternalIP",
		"--service-account-issuer=https://kubernetes.default.svc",
		"--service-account-key-file", c.ca.file("accounts.pub"), "--service-account-signing-key-file", c.ca.file("accounts.key")); err != nil {
		return err
	}
	if err := c.Await(ctx, "the API server answers", startLimit, c.checkServing); err != nil {
		return err
	}
	// There is one controller manager and one scheduler, so none has to be elected.
	if err := c.part("kube-controller-manager", "--kubeconfig", c.ca.file("controller.conf"), "--use-service-account-credentials",
		"--leader-elect=false", "--root-ca-file", c.ca.file("ca.crt"), "--service-account-private-key-file", c.ca.file("accounts.key")); err != nil {
		return err
	}
	return c.part("kube-scheduler", "--kubeconfig", c.ca.file("scheduler.conf"), "--leader-elect=false")
}

// checkServing returns nil once the API server answers its own readiness check.
func (c *Cluster) checkServing(ctx context.Context) error {
	_, err := c.Client.Discovery().RESTClient().Get().AbsPath("/readyz").DoRaw(ctx)
	return err
}

// write fills in a file of the folder config, writes the result to the folder of this run, and returns its path.
func (c *Cluster) write(name string) (string, error) {
	t, err := template.ParseFS(configFiles, "config/"+name)
	if err != nil {
		return "", err
	}
	var text strings.Builder
	if err := t.Execute(&text, map[string]string{
		"Run": c.paths.run, "Certificates": c.ca.folder, "Plugins": plugins, "Cgroup": "/" + cgroupName, "Pods": podRange,
		"Name": nodeName, "DNS": DNSAddress, "PauseImage": pauseImage, "DNSImage": dnsImage, "PostgresImage": postgresImage,
	}); err != nil {
		return "", err
	}
	file := filepath.Join(c.paths.run, name)
	return file, os.WriteFile(file, []byte(text.String()), 0o600)
}

// Apply creates the Kubernetes objects of a file in the folder config, after filling in the file.
func (c *Cluster) Apply(ctx context.Context, name string) error {
	file, err := c.write(name)
	if err != nil {
		return err
	}
	_, err = c.Kubectl(ctx, "apply", "-f", file)
	return err
}

// Kubectl runs kubectl as the administrator and returns what it prints.
func (c *Cluster) Kubectl(ctx context.Context, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	return output(ctx, c.program("kube"), append([]string{"kubectl", "--kubeconfig", c.ca.file("admin.conf")}, args...)...)
}

// Helm runs helm as the administrator and returns what it prints.
func (c *Cluster) Helm(ctx context.Context, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, helmLimit)
	defer cancel()
	// So that helm neither reads nor changes the settings of the person who runs the tests.
	home := filepath.Join(c.paths.run, "helm")
	env := []string{"HELM_CACHE_HOME=" + home, "HELM_CONFIG_HOME=" + home, "HELM_DATA_HOME=" + home}
	return outputWith(ctx, env, c.program("helm"), append([]string{"--kubeconfig", c.ca.file("admin.conf")}, args...)...)
}
