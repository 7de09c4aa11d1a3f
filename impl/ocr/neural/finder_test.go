package neural_test

import (
	"math"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"uncial/impl/ocr/neural"
)

// newFinderSketch returns a small network that finds lines. Its weights follow a formula, so that another program can compute
// with the same weights.
func newFinderSketch() *sketch {
	s := &sketch{
		meta:    map[string]string{"format": "uncial-finder-1", "version": "test", "licence": "CC0-1.0"},
		tensors: map[string][]float32{}, shapes: map[string][]int{},
	}
	add := func(name string, number int, spread float64, shape ...int) {
		n := 1
		for _, d := range shape {
			n *= d
		}
		values := make([]float32, n)
		for k := range values {
			u := float64((k*k%1009*31+k*7919+number*104729+13)%1009)/1009 - 0.5
			values[k] = float32(u * spread)
		}
		s.order, s.tensors[name], s.shapes[name] = append(s.order, name), values, shape
	}
	in := 1
	for i, out := range []int{3, 5, 6, 7, 8, 9, 10, 11, 12, 11, 10, 9, 8, 7, 6, 5, 4, 4} {
		side := 3
		if i == 0 {
			side = 5
		}
		name := "c" + strconv.Itoa(i)
		add(name+".weight", 2*i, 5/math.Sqrt(float64(in*side*side)), out, in, side, side)
		add(name+".bias", 2*i+1, 0.2, out)
		in = out
	}
	return s
}

func mustFinder(tb testing.TB, data []byte) *neural.FinderModel {
	tb.Helper()
	m, err := neural.LoadFinder(data)
	require.NoError(tb, err)
	return m
}

// pattern returns ink that varies over the whole page.
func pattern(w, h int) []float32 {
	ink := make([]float32, w*h)
	for i := range ink {
		ink[i] = float32((i%w*7+i/w*13)%17) / 16
	}
	return ink
}

// The expected values were computed with PyTorch from the same weights and ink. PyTorch rounds neither weights nor values to
// integers.
func TestFinder_Maps(t *testing.T) {
	t.Parallel()
	at := [][2]int{{0, 0}, {49, 0}, {63, 0}, {5, 17}, {31, 20}, {49, 34}, {0, 47}, {63, 47}}
	want := map[string][]float64{
		"baseline": {0.96123, 0.82626, 0.43980, 0.02977, 0.00596, 0.77526, 0.77580, 0.42368},
		"end":      {0.36868, 0.26893, 0.49751, 0.03713, 0.26509, 0.88676, 0.72541, 0.53841},
		"up":       {3.42077, 11.68291, 5.80239, -104.31982, -104.75151, -56.12851, -10.50380, -11.37999},
		"down":     {-15.82881, -0.14174, 1.09008, 1.31310, -32.94753, -13.64228, 12.25232, -1.27382},
	}
	tolerance := map[string]float64{"baseline": 5e-4, "end": 5e-4, "up": 0.1, "down": 0.1} // heights are in pixels
	sets := neural.Finders(mustFinder(t, newFinderSketch().file()))
	plain := sets["plain"].Maps(pattern(100, 70), 100, 70)
	for name, f := range sets {
		m := f.Maps(pattern(100, 70), 100, 70)
		require.Equal(t, plain, m, "%s and plain", name)
		require.Equal(t, [2]int{64, 48}, [2]int{m.W, m.H}, "half of the size, in cells of 32 pixels")
		for part, values := range map[string][]float32{"baseline": m.Baseline, "end": m.End, "up": m.Up, "down": m.Down} {
			require.Len(t, values, m.W*m.H)
			for i, p := range at {
				require.InDelta(t, want[part][i], values[p[1]*m.W+p[0]], tolerance[part], "%s: %s at %v", name, part, p)
			}
		}
	}
}

func TestFinder_Maps_sizes(t *testing.T) {
	t.Parallel()
	f := neural.NewFinder(mustFinder(t, newFinderSketch().file()))
	for _, size := range [][2]int{{1, 1}, {1, 300}, {300, 1}, {31, 33}, {64, 32}} {
		m := f.Maps(pattern(size[0], size[1]), size[0], size[1])
		require.Equal(t, (size[0]+31)/32*16, m.W)
		require.Equal(t, (size[1]+31)/32*16, m.H)
		require.Len(t, m.Down, m.W*m.H)
	}
	for _, size := range [][2]int{{0, 0}, {-1, 5}, {5, -1}, {1 << 40, 1 << 40}, {neural.MaxFinderPixels, 2}, {40, 40}} {
		require.Empty(t, f.Maps(pattern(30, 30), size[0], size[1]).Baseline, "%v", size)
	}
}

func TestLoadFinder_RefusesDamagedFiles(t *testing.T) {
	t.Parallel()
	shape := func(name string, shape ...int) func(*sketch) {
		return func(s *sketch) { s.shapes[name] = shape }
	}
	for name, c := range map[string]struct {
		change func(s *sketch)
		reason string
	}{
		"a model that reads lines":            {func(s *sketch) { s.meta["format"] = neural.Format }, `"uncial-lines-1"; this program reads "uncial-finder-1"`},
		"a digest of other weights":           {func(s *sketch) { s.meta["sha256"] = "0" }, "damaged"},
		"a weight that is not a number":       {func(s *sketch) { s.tensors["c9.bias"][0] = float32(math.NaN()) }, "c9.bias"},
		"a missing tensor":                    {func(s *sketch) { s.order = s.order[1:] }, "c0.weight"},
		"a shape that does not fit its bytes": {shape("c3.bias", 8), "c3.bias"},
		"too many channels":                   {shape("c1.weight", 1024, 3, 3, 3), "c1.weight"},
		"convolutions that do not fit":        {shape("c2.weight", 5, 6, 3, 3), "c2.weight"},
		"sizes that cannot be added up":       {shape("c13.weight", 8, 7, 3, 3), "c13.weight"},
		"another number of maps":              {shape("c17.weight", 3, 4, 3, 3), "c17.weight"},
	} {
		t.Run("refuses "+name, func(t *testing.T) {
			t.Parallel()
			s := newFinderSketch()
			c.change(s)
			_, err := neural.LoadFinder(s.file())
			require.ErrorIs(t, err, neural.ErrModel)
			require.ErrorContains(t, err, c.reason)
		})
	}
}

func FuzzLoadFinder(f *testing.F) {
	f.Add(newFinderSketch().file())
	f.Add(newSketch().file())
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := neural.LoadFinder(data)
		if (m == nil) == (err == nil) {
			t.Fatal("a model and an error, or neither")
		}
	})
}

// BenchmarkFinder_Maps processes one megapixel with a network of the same widths as the shipped model.
func BenchmarkFinder_Maps(b *testing.B) {
	s := newFinderSketch()
	s.order = nil
	in := 1
	for i, out := range []int{16, 16, 32, 32, 64, 64, 96, 96, 128, 96, 96, 64, 64, 32, 32, 16, 16, 4} {
		side := 3
		if i == 0 {
			side = 5
		}
		for name, shape := range map[string][]int{"c" + strconv.Itoa(i) + ".weight": {out, in, side, side}, "c" + strconv.Itoa(i) + ".bias": {out}} {
			n := 1
			for _, d := range shape {
				n *= d
			}
			s.order, s.shapes[name], s.tensors[name] = append(s.order, name), shape, make([]float32, n)
		}
		in = out
	}
	ink := pattern(1000, 1000)
	for name, f := range neural.Finders(mustFinder(b, s.file())) {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				f.Maps(ink, 1000, 1000)
			}
		})
	}
}
