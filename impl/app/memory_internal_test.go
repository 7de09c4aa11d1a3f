package app

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestImageMemory(t *testing.T) {
	t.Parallel()
	for limit, want := range map[uint64]int64{
		256 * mib: leastImages, 3 << 30: 512 * mib, 4 << 30: 4096 * mib / 6, 64 << 30: mostImages, math.MaxUint64: mostImages,
	} {
		require.Equal(t, want, imageMemory(limit))
	}
}
