// Package policy turns network policies into a table of nftables.
//
// It supports IPv4, a single node, and ports by number, which is all that the chart uses. The node itself reaches all its pods,
// because probes come from it. Rules see packets after the translation of Services, so they match the addresses and ports of
// pods. Package cluster reads the policies and puts the table into force. Start with Table.
package policy

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	networkv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
)

// State is what network policies depend on.
type State struct {
	Namespaces map[string]labels.Set // by name
	Pods       []corev1.Pod          // those with an address of their own
	Policies   []networkv1.NetworkPolicy
}

// Table returns the rules as a file for nft, which replaces the previous table. For each pod that a policy selects there is a
// chain per direction that accepts what any of its policies allows, and drops the rest.
func Table(s State) (string, error) {
	slices.SortFunc(s.Pods, func(a, b corev1.Pod) int { return strings.Compare(a.Status.PodIP, b.Status.PodIP) })
	var chains, jumps strings.Builder
	for _, pod := range s.Pods {
		for _, direction := range []networkv1.PolicyType{networkv1.PolicyTypeIngress, networkv1.PolicyTypeEgress} {
			rules, selected, err := s.allowed(pod, direction)
			if err != nil {
				return "", err
			}
			if !selected {
				continue
			}
			name := strings.ToLower(string(direction)) + "_" + strings.ReplaceAll(pod.Status.PodIP, ".", "_")
			own := map[networkv1.PolicyType]string{networkv1.PolicyTypeIngress: "daddr", networkv1.PolicyTypeEgress: "saddr"}[direction]
			_, _ = fmt.Fprintf(&jumps, "    ip %s %s jump %s\n", own, pod.Status.PodIP, name)
			_, _ = fmt.Fprintf(&chains, "  chain %s { # %s/%s\n", name, pod.Namespace, pod.Name)
			for _, rule := range rules {
				_, _ = fmt.Fprintf(&chains, "    %s return\n", rule)
			}
			chains.WriteString("    counter drop\n  }\n")
		}
	}
	// The first line creates the table, so that the second can always delete it; the whole file takes effect at once. Packets to
	// the node itself, such as those to the API server, are not forwarded but leave a pod all the same.
	hook := func(name, jumps string) string {
		return "  chain " + name + " {\n    type filter hook " + name + " priority filter;\n    ct state established,related accept\n" + jumps + "  }\n"
	}
	return "table ip policies {}\ndelete table ip policies\ntable ip policies {\n" + chains.String() +
		hook("forward", jumps.String()) + hook("input", jumps.String()) + "}\n", nil
}

// allowed returns what policies let into a pod, or out of it, and whether any policy selects it.
func (s State) allowed(pod corev1.Pod, direction networkv1.PolicyType) (rules []string, selected bool, err error) {
	other := map[networkv1.PolicyType]string{networkv1.PolicyTypeIngress: "saddr", networkv1.PolicyTypeEgress: "daddr"}[direction]
	for _, p := range s.Policies {
		matches, err := matchesLabels(&p.Spec.PodSelector, pod.Labels)
		if err != nil {
			return nil, false, err
		}
		// The API server has filled in PolicyTypes where the policy leaves it out.
		if p.Namespace != pod.Namespace || !matches || !slices.Contains(p.Spec.PolicyTypes, direction) {
			continue
		}
		selected = true
		add := func(peers []networkv1.NetworkPolicyPeer, ports []networkv1.NetworkPolicyPort) error {
			from, err := s.addresses(p.Namespace, other, peers)
			if err != nil {
				return err
			}
			to, err := portMatches(ports)
			for _, address := range from {
				for _, port := range to {
					rules = append(rules, strings.TrimSpace(address+" "+port))
				}
			}
			return err
		}
		if direction == networkv1.PolicyTypeIngress {
			for _, r := range p.Spec.Ingress {
				err = cmp.Or(err, add(r.From, r.Ports))
			}
		} else {
			for _, r := range p.Spec.Egress {
				err = cmp.Or(err, add(r.To, r.Ports))
			}
		}
		if err != nil {
			return nil, false, fmt.Errorf("policy %s/%s: %w", p.Namespace, p.Name, err)
		}
	}
	return rules, selected, nil
}

// addresses returns nftables matches for the peers: without peers, a single empty match, which matches every packet; for peers
// that select no pod, none, so that they allow nothing.
func (s State) addresses(namespace, field string, peers []networkv1.NetworkPolicyPeer) ([]string, error) {
	if len(peers) == 0 {
		return []string{""}, nil
	}
	var found []string
	for _, peer := range peers {
		if block := peer.IPBlock; block != nil {
			if strings.Contains(block.CIDR, ":") {
				continue // the cluster has no IPv6
			}
			match := "ip " + field + " " + block.CIDR
			if len(block.Except) > 0 {
				match += fmt.Sprintf(" ip %s != { %s }", field, strings.Join(block.Except, ", "))
			}
			found = append(found, match)
			continue
		}
		for _, pod := range s.Pods {
			inside := pod.Namespace == namespace
			var err error
			if peer.NamespaceSelector != nil {
				inside, err = matchesLabels(peer.NamespaceSelector, s.Namespaces[pod.Namespace])
			}
			chosen := true
			if err == nil && peer.PodSelector != nil {
				chosen, err = matchesLabels(peer.PodSelector, pod.Labels)
			}
			if err != nil {
				return nil, err
			}
			if inside && chosen {
				found = append(found, "ip "+field+" "+pod.Status.PodIP)
			}
		}
	}
	return found, nil
}

// matchesLabels reports whether a selector selects something with these labels. An empty selector selects everything.
func matchesLabels(selector *metav1.LabelSelector, set labels.Set) (bool, error) {
	compiled, err := metav1.LabelSelectorAsSelector(selector)
	return err == nil && compiled.Matches(set), err
}

// portMatches returns nftables matches for the ports: without ports, a single empty match, which matches every packet.
func portMatches(ports []networkv1.NetworkPolicyPort) ([]string, error) {
	if len(ports) == 0 {
		return []string{""}, nil
	}
	var found []string
	for _, p := range ports {
		protocol := corev1.ProtocolTCP
		if p.Protocol != nil {
			protocol = *p.Protocol
		}
		match := "meta l4proto " + strings.ToLower(string(protocol))
		if p.Port != nil {
			number := p.Port.IntValue()
			if number == 0 {
				return nil, fmt.Errorf("port %q: only numbers are enforced here", p.Port.String())
			}
			match += fmt.Sprintf(" th dport %d", number)
			if p.EndPort != nil {
				match += fmt.Sprintf("-%d", *p.EndPort)
			}
		}
		found = append(found, match)
	}
	return found, nil
}
