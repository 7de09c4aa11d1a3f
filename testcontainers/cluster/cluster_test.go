package cluster_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"uncial/testcontainers/cluster"
)

func TestMain(m *testing.M) { os.Exit(cluster.Isolate(m.Run)) }

// TestCluster installs the chart on a cluster of one node and uses it as clients and operators do. The parts share one
// cluster and follow each other, as they would in the life of an installation.
func TestCluster(t *testing.T) {
	c, err := cluster.Start(t.Context())
	require.NoError(t, err)
	t.Cleanup(c.Stop)
	t.Cleanup(func() {
		if t.Failed() {
			describe(t, c)
		}
	})
	serveOutside(t)
	in := &installation{Cluster: c}
	require.True(t, t.Run("the chart installs under the restricted security standard", in.install))
	t.Run("the contract suite passes through the Service", in.passesSuite)
	t.Run("images are fetched from where the values allow it", in.fetchesImages)
	t.Run("network policies allow what is needed and nothing else", in.enforcesPolicies)
	t.Run("killing an engine under load neither loses nor doubles points", in.survivesEngineKill)
	t.Run("killing a replica of the API under load neither loses nor doubles points", in.survivesAPIKill)
	t.Run("an upgrade fails no request", in.upgrades)
	t.Run("a rollback fails no request", in.rollsBack)
	t.Run("nothing is left after the chart is removed", in.uninstall)
}
