package neural

import (
	"encoding/binary"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestWiden(t *testing.T) {
	t.Parallel()
	for bits, want := range map[uint16]float32{
		0x0000: 0, 0x8000: float32(math.Copysign(0, -1)), 0x3c00: 1, 0xc500: -5, 0x3555: 0.33325195,
		0x0001: 0x1p-24, 0x83ff: -1023 * 0x1p-24, // subnormal
		0x7bff: 65504, 0x7c00: 65536, 0xfc00: -65536, 0x7e00: 98304, // the largest, infinite, and not a number
	} {
		got := make([]float32, 1)
		widen(binary.LittleEndian.AppendUint16(nil, bits), got)
		require.Equal(t, math.Float32bits(want), math.Float32bits(got[0]), "%#04x: %v instead of %v", bits, got[0], want)
	}
	odd := []byte{9, 0x00, 0x3c, 0x00, 0x40, 0x00, 0x42, 0x00, 0x44, 0x00, 0x45} // from the second byte on
	got := make([]float32, 5)
	widen(odd[1:], got)
	require.Equal(t, []float32{1, 2, 3, 4, 5}, got)
}

func TestLargestOf(t *testing.T) {
	t.Parallel()
	require.Equal(t, math.Float32bits(3), largestOf([]float32{1, -3, 2, 0, 0.5}))
	require.Zero(t, largestOf(nil))
	require.Greater(t, largestOf([]float32{1, float32(math.NaN()), 2}), math.Float32bits(float32(math.Inf(1))))
}

// TestQuantize_rounding checks single weights: halves are rounded away from 0.
func TestQuantize_rounding(t *testing.T) {
	t.Parallel()
	weights := []float32{4, -4, 1, -1, 0.5, -0.5, 0, 3.5}
	p := quantize(weights, magnitudesOf(weights, len(weights)), 8, 1)
	require.InDelta(t, 0.5, p.units[0], 1e-9)
	var got []int16
	for _, pair := range p.data {
		got = append(got, int16(pair), int16(pair>>16)) // #nosec G115 -- the two halves
	}
	require.Equal(t, []int16{8, -8, 2, -2, 1, -1, 0, 7}, got)
	weights = []float32{1, 0.25, -0.25, 0.75}
	require.Equal(t, []int32{2 | 1<<16, -1&math.MaxUint16 | 2<<16}, quantize(weights, magnitudesOf(weights, 4), 2, 1).data)
}
