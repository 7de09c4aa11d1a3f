// Package main is CoreDNS with the few plugins that the name server of a cluster needs. Its image holds nothing else.
package main

import (
	"github.com/coredns/coredns/core/dnsserver"
	"github.com/coredns/coredns/coremain"
	_ "github.com/coredns/coredns/plugin/cache"
	_ "github.com/coredns/coredns/plugin/errors"
	_ "github.com/coredns/coredns/plugin/health"
	_ "github.com/coredns/coredns/plugin/kubernetes"
	_ "github.com/coredns/coredns/plugin/ready"
	_ "github.com/coredns/coredns/plugin/template"
)

func main() {
	// The order in which plugins see a request, whatever their order in the configuration.
	dnsserver.Directives = []string{"health", "ready", "errors", "cache", "kubernetes", "template"}
	coremain.Run()
}
