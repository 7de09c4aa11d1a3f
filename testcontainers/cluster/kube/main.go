// Package main is one program with all parts of Kubernetes that a cluster of one node needs, each started by its usual name:
// `kube kubelet --config FILE`. A single program is built and linked only once, and takes less space on the disk.
//
// This package adds no behaviour: flags and versions are those of the parts. The cluster that starts them is in the package
// above.
package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"go.etcd.io/etcd/server/v3/etcdmain"
	"k8s.io/component-base/cli"
	_ "k8s.io/component-base/metrics/prometheus/clientgo" // metrics of clients
	_ "k8s.io/component-base/metrics/prometheus/version"  // metric of the version
	kubectl "k8s.io/kubectl/pkg/cmd"
	apiserver "k8s.io/kubernetes/cmd/kube-apiserver/app"
	controllers "k8s.io/kubernetes/cmd/kube-controller-manager/app"
	proxy "k8s.io/kubernetes/cmd/kube-proxy/app"
	scheduler "k8s.io/kubernetes/cmd/kube-scheduler/app"
	kubelet "k8s.io/kubernetes/cmd/kubelet/app"
)

// parts maps the names of the programs of Kubernetes to their commands. It lacks etcd, which has no such command.
var parts = map[string]func() *cobra.Command{
	"kube-apiserver":          apiserver.NewAPIServerCommand,
	"kube-controller-manager": controllers.NewControllerManagerCommand,
	"kube-scheduler":          func() *cobra.Command { return scheduler.NewSchedulerCommand() },
	"kube-proxy":              proxy.NewProxyCommand,
	"kubelet":                 func() *cobra.Command { return kubelet.NewKubeletCommand(context.Background()) },
	"kubectl":                 kubectl.NewDefaultKubectlCommand,
}

// main runs the part that the first argument names, and exits with its status.
func main() {
	if len(os.Args) < 2 {
		usage()
	}
	name := os.Args[1]
	os.Args = slices.Delete(os.Args, 0, 1) // parts read their flags from os.Args themselves
	if name == "etcd" {
		etcdmain.Main(os.Args)
		return
	}
	part, known := parts[name]
	if !known {
		usage()
	}
	os.Exit(cli.Run(part()))
}

// usage lists the parts and exits with status 2.
func usage() {
	names := []string{"etcd"}
	for name := range parts {
		names = append(names, name)
	}
	slices.Sort(names)
	fmt.Fprintf(os.Stderr, "kube: the first argument must be one of: %s\n", strings.Join(names, ", "))
	os.Exit(2)
}
