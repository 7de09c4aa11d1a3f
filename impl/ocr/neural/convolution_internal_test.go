package neural

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// convolved returns a convolution of 3x3 taps, computed from its definition: out[channel][y*w+x].
func convolved(c convolution, in grid) [][]float64 {
	out := make([][]float64, c.out)
	for o := range out {
		out[o] = make([]float64, in.h*in.w)
		for i := range out[o] {
			sum := float64(c.bias[o])
			for channel := range c.in {
				for tap := range 9 {
					pixel := (i/in.w+tap/3)*in.row + i%in.w + tap%3
					sum += float64(in.data[channel*in.plane+pixel]) * float64(c.weight[(o*c.in+channel)*9+tap])
				}
			}
			out[o][i] = sum
		}
	}
	return out
}

// TestKernels_convolve compares convolutions of all sizes with their definition, in both orders of memory.
func TestKernels_convolve(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(3, 4))
	some := func(n int) []float32 {
		values := make([]float32, n)
		for i := range values {
			values[i] = float32(random.NormFloat64())
		}
		return values
	}
	for _, size := range [][4]int{{1, 1, 1, 1}, {3, 5, 2, 3}, {2, 50, 6, 40}, {7, 49, 5, 31}, {4, 3, 10, 450}, {5, 4, 33, 17}} {
		c := convolution{in: size[0], out: size[1], side: filterSide, weight: some(size[0] * size[1] * 9), bias: some(size[1])}
		h, w := size[2], size[3]
		var p planes
		p.reshape(c.in, h+h%2, w) // room for an even number of rows
		p.h = h
		p.clearBorder()
		var m memory
		s := m.stack(c.in, h, w)
		for channel := range c.in {
			for i := range h * w {
				v := float32(math.Abs(random.NormFloat64()))
				p.pixels(channel)[i/w*p.stride()+i%w] = v
				s.row(i / w)[channel*s.stride()+i%w] = v
			}
		}
		want := convolved(c, p.grid())
		for _, pool := range []pooling{poolNothing, poolRows, poolBoth} {
			if pool != poolNothing && (h%2 == 1 || w%2 == 1) {
				continue // only even sizes are pooled
			}
			var first []float32
			for _, k := range available() {
				name := fmt.Sprint(size, pool, k.name)
				f := k.newFilters(c)
				var b tileBuffers
				var out planes
				ph, pw := pool.size(h, w)
				out.reshape(c.out, ph, pw)
				k.convolve(f, p.grid(), out.grid(), pool != poolNothing, pool, &b)
				var values []float32
				for o := range c.out {
					for i := range ph * pw {
						got := out.pixels(o)[i/pw*out.stride()+i%pw]
						require.InDelta(t, pooled(want[o], w, h/ph, w/pw, i, pool != poolNothing), got, 0.01, "%s: %d, %d", name, o, i)
						values = append(values, got)
					}
				}
				if first == nil {
					first = values
				}
				require.Equal(t, first, values, "%s and the fastest set", name)
				if pool == poolNothing {
					result := m.stack(c.out, h, w)
					k.convolve(f, s.grid(), result.grid(), false, pool, &b)
					for o := range c.out {
						require.Equal(t, values[o*h*w:][:h*w], result.channel(o), "%s: rows of all channels together", name)
					}
				}
			}
		}
	}
}

// TestKernels_convolve_largestSums lets all products of a sum have the same sign and the largest values, so that integers that
// are too large by a little would overflow.
func TestKernels_convolve_largestSums(t *testing.T) {
	t.Parallel()
	const channels, h, w = maxWidth, 6, 18
	filterOf := map[string]func(y, x int) float32{
		"taps of one sign":              func(int, int) float32 { return 1 },
		"negative taps":                 func(int, int) float32 { return -1 },
		"signs that alternate in a row": func(_, x int) float32 { return float32(1 - x%2*2) },
		"one tap":                       func(y, x int) float32 { return float32((2 - y) / 2 * (2 - x) / 2) },
	}
	for image, value := range map[string]func(y, x int) float32{
		"the largest value everywhere":   func(int, int) float32 { return 3 },
		"stripes of the largest value":   func(_, x int) float32 { return float32(3 * (x % 2)) },
		"one pixel of the largest value": func(y, x int) float32 { return map[bool]float32{true: 3}[y == 2 && x == 5] },
	} {
		var p planes
		p.reshape(channels, h, w)
		for channel := range channels {
			for i := range h * w {
				p.pixels(channel)[i/w*p.stride()+i%w] = value(i/w, i%w)
			}
		}
		for name, taps := range filterOf {
			c := convolution{in: channels, out: 1, side: filterSide, bias: []float32{0}}
			for i := range channels * filterSide * filterSide {
				c.weight = append(c.weight, taps(i/filterSide%filterSide, i%filterSide))
			}
			want := convolved(c, p.grid())
			for _, k := range available() {
				var out planes
				var b tileBuffers
				out.reshape(1, h, w)
				k.convolve(k.newFilters(c), p.grid(), out.grid(), false, poolNothing, &b)
				for i, v := range want[0] {
					require.InDelta(t, v, out.pixels(0)[i/w*out.stride()+i%w], 30, "%s, %s, %s", image, name, k.name) // 0.1 % of the largest sum
				}
			}
		}
	}
}

// pooled returns value i of a channel after max pooling over h x w values and, with relu, a ReLU.
func pooled(channel []float64, stride, h, w, i int, relu bool) float64 {
	largest := math.Inf(-1)
	if relu {
		largest = 0
	}
	for y := range h {
		for x := range w {
			largest = max(largest, channel[(i/(stride/w)*h+y)*stride+i%(stride/w)*w+x])
		}
	}
	return largest
}
