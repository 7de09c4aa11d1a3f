package neural

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// TestQuantize shows that no sum of products can exceed 31 bits, and that the integers stand for the weights.
func TestQuantize(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		rows, columns := rapid.IntRange(1, 5).Draw(t, "rows"), 2*rapid.IntRange(1, 200).Draw(t, "pairs")
		spread := math.Pow(10, rapid.Float64Range(-6, 6).Draw(t, "magnitude"))
		weights := rapid.SliceOfN(rapid.Float32Range(float32(-spread), float32(spread)), rows*columns, rows*columns).Draw(t, "weights")
		most := rapid.SampledFrom([]float64{math.MaxInt8, math.MaxInt16}).Draw(t, "most")
		magnitudes := magnitudesOf(weights, columns)
		p := quantize(weights, magnitudes, most, maxValueOf(magnitudes, most))
		for r := range rows {
			sum := 0.0
			for c := range columns {
				v := p.data[r*p.columns+c/2]
				whole := float64(int16(v)) // #nosec G115 -- the lower half
				if c%2 == 1 {
					whole = float64(v >> 16)
				}
				if math.Abs(whole) > most {
					t.Fatalf("%g became %g", weights[r*columns+c], whole)
				}
				sum += math.Abs(whole)
				if p.units[r] == 0 {
					if v != 0 || math.Abs(float64(weights[r*columns+c])) > 1e-30 {
						t.Fatalf("%g became nothing", weights[r*columns+c])
					}
					continue
				}
				if want, got := float64(weights[r*columns+c]), whole*float64(p.units[r]); math.Abs(want-got) > 0.501*float64(p.units[r]) {
					t.Fatalf("%g became %g", want, got)
				}
			}
			if sum*float64(p.levels) > math.MaxInt32 {
				t.Fatalf("row %d can add up to %g", r, sum*float64(p.levels))
			}
		}
	})
	p := quantize([]float32{0, 0}, []magnitude{{}}, math.MaxInt16, 1)
	require.Equal(t, []any{int32(0), float32(0)}, []any{p.data[0], p.units[0]}, "weights of zero")
}
