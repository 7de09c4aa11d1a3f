// Package cluster runs the chart on a real Kubernetes: a control plane and a node on this machine, built from source, without
// any image registry. `make cluster` runs its tests.
//
// Everything happens in namespaces of Linux of its own (mounts, processes, network, host name), so that nothing of this
// machine changes and everything ends with one process. Start reading at cluster_test.go, which says what is proved; then
// isolate.go (the namespaces), cluster.go (the parts of Kubernetes and their order), node.go (network and kubelet) and
// policy.go (the enforcement of network policies). kube, dns and pause are the programs that run inside.
package cluster
