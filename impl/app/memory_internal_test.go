package app

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestImageMemory(t *testing.T) {
	t.Parallel()
	for limit, want := range map[uint64]int64{
		256 * mib: minImages, 3 << 30: 512 * mib, 4 << 30: 4096 * mib / 6, 64 << 30: maxImages, math.MaxUint64: maxImages,
	} {
		require.Equal(t, want, imageMemory(limit))
	}
}
