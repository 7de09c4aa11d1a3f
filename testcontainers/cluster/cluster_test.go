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
	serveOutside(t)
	in := &installation{Cluster: c}
	require.True(t, in.run(t, "the chart installs under the restricted security standard", in.install))
	in.run(t, "the contract suite passes through the Service", in.passesSuite)
	in.run(t, "images are fetched from where the values allow it", in.fetchesImages)
	in.run(t, "network policies allow what is needed and nothing else", in.enforcesPolicies)
	in.run(t, "killing an engine under load neither loses nor doubles points", in.survivesEngineKill)
	in.run(t, "killing a replica of the API under load neither loses nor doubles points", in.survivesAPIKill)
	in.run(t, "an upgrade fails no request", in.upgrades)
	in.run(t, "a rollback fails no request", in.rollsBack)
	in.run(t, "nothing is left after the chart is removed", in.uninstall)
}
