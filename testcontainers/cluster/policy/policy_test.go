package policy_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	networkv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"sigs.k8s.io/yaml"

	"uncial/testcontainers/cluster/policy"
)

// state has three pods: a web server, a client in its namespace, and a reader of metrics in another.
func state(t *testing.T, spec string) policy.State {
	t.Helper()
	pod := func(namespace, name, address string) corev1.Pod {
		return corev1.Pod{
			ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name, Labels: map[string]string{"is": name}},
			Status:     corev1.PodStatus{PodIP: address},
		}
	}
	s := policy.State{
		Namespaces: map[string]labels.Set{"shop": {"name": "shop"}, "watch": {"name": "watch"}},
		Pods:       []corev1.Pod{pod("watch", "reader", "10.0.0.3"), pod("shop", "client", "10.0.0.2"), pod("shop", "web", "10.0.0.1")},
	}
	if spec != "" {
		p := networkv1.NetworkPolicy{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "test"}}
		require.NoError(t, yaml.UnmarshalStrict([]byte(spec), &p.Spec))
		s.Policies = append(s.Policies, p)
	}
	return s
}

func TestTable(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ spec, chain, want string }{
		"no rule drops all": {"{podSelector: {matchLabels: {is: web}}, policyTypes: [Egress]}", "egress_10_0_0_1", ""},
		"a rule without peers and ports passes all": {
			"{podSelector: {}, policyTypes: [Ingress], ingress: [{}]}", "ingress_10_0_0_2", "return",
		},
		"pods are those of the policy's namespace": {
			"{podSelector: {matchLabels: {is: web}}, policyTypes: [Ingress], ingress: [{from: [{podSelector: {}}], ports: [{port: 80}]}]}",
			"ingress_10_0_0_1", "ip saddr 10.0.0.1 meta l4proto tcp th dport 80 return\nip saddr 10.0.0.2 meta l4proto tcp th dport 80 return",
		},
		"a namespace means all its pods": {
			"{podSelector: {matchLabels: {is: web}}, policyTypes: [Ingress], ingress: [{from: [{namespaceSelector: {matchLabels: {name: watch}}}]}]}",
			"ingress_10_0_0_1", "ip saddr 10.0.0.3 return",
		},
		"namespace and pod must both match": {
			"{podSelector: {matchLabels: {is: web}}, policyTypes: [Ingress], ingress: [{from: [{namespaceSelector: {matchLabels: {name: watch}}, podSelector: {matchLabels: {is: web}}}]}]}",
			"ingress_10_0_0_1", "",
		},
		"exceptions of a block are left out": {
			"{podSelector: {matchLabels: {is: web}}, policyTypes: [Egress], egress: [{to: [{ipBlock: {cidr: 0.0.0.0/0, except: [10.0.0.0/8, 192.168.0.0/16]}}], ports: [{port: 53, protocol: UDP}, {port: 80, endPort: 90}]}]}",
			"egress_10_0_0_1", "ip daddr 0.0.0.0/0 ip daddr != { 10.0.0.0/8, 192.168.0.0/16 } meta l4proto udp th dport 53 return\n" +
				"ip daddr 0.0.0.0/0 ip daddr != { 10.0.0.0/8, 192.168.0.0/16 } meta l4proto tcp th dport 80-90 return",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			table, err := policy.Table(state(t, test.spec))
			require.NoError(t, err)
			_, chain, found := strings.Cut(table, "chain "+test.chain+" {")
			require.True(t, found, table)
			_, chain, _ = strings.Cut(chain, "\n")
			rules, _, _ := strings.Cut(chain, "counter drop")
			require.Equal(t, test.want, strings.TrimSpace(strings.ReplaceAll(rules, "\n    ", "\n")))
			require.Contains(t, table, " jump "+test.chain+"\n")
		})
	}
}

func TestTable_WithoutPolicies(t *testing.T) {
	t.Parallel()
	table, err := policy.Table(state(t, ""))
	require.NoError(t, err)
	require.NotContains(t, table, "drop")
}

func TestTable_NamedPort(t *testing.T) {
	t.Parallel()
	_, err := policy.Table(state(t, "{podSelector: {}, policyTypes: [Ingress], ingress: [{ports: [{port: http}]}]}"))
	require.EqualError(t, err, `policy shop/test: port "http": only numbers are enforced here`)
}
