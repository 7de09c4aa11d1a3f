// Package cluster runs the chart on a real Kubernetes: a control plane and a node on this machine, built from source, without
// any image registry. `make cluster` runs its tests.
//
// Everything runs in Linux namespaces of its own (mounts, processes, network, host name) and below one cgroup, so that the rest
// of the machine is left alone and everything ends with one process. Start with cluster_test.go, which says what the tests
// prove; then isolate.go (the namespaces), cluster.go (the parts of Kubernetes and their order), node.go (network and kubelet)
// and enforce.go (network policies; package policy turns them into rules). kube, dns and pause are the programs that run
// inside.
package cluster
