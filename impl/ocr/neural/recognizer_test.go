package neural_test

import (
	"image"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"uncial/impl/ocr/neural"
)

// reference computes the scores of a sketch in the simplest way, in float64.
type reference struct{ s *sketch }

func (r reference) conv(x [][][]float64, name string, stride, pad int) [][][]float64 {
	shape, weight, bias := r.s.shapes[name+".weight"], r.s.tensors[name+".weight"], r.s.tensors[name+".bias"]
	h, w, side := len(x[0]), len(x[0][0]), shape[2]
	oh, ow := (h+2*pad-side)/stride+1, (w+2*pad-side)/stride+1
	out := make([][][]float64, shape[0])
	for o := range out {
		out[o] = make([][]float64, oh)
		for y := range oh {
			out[o][y] = make([]float64, ow)
			for q := range ow {
				sum := float64(bias[o])
				for c := range shape[1] {
					for i := range side {
						for j := range side {
							yy, xx := y*stride+i-pad, q*stride+j-pad
							if yy >= 0 && yy < h && xx >= 0 && xx < w {
								sum += float64(weight[((o*shape[1]+c)*side+i)*side+j]) * x[c][yy][xx]
							}
						}
					}
				}
				out[o][y][q] = max(sum, 0)
			}
		}
	}
	return out
}

func poolOf(x [][][]float64, kh, kw int) [][][]float64 {
	out := make([][][]float64, len(x))
	for c := range x {
		out[c] = make([][]float64, len(x[c])/kh)
		for y := range out[c] {
			out[c][y] = make([]float64, len(x[c][0])/kw)
			for q := range out[c][y] {
				for i := range kh {
					for j := range kw {
						out[c][y][q] = max(out[c][y][q], x[c][y*kh+i][q*kw+j])
					}
				}
			}
		}
	}
	return out
}

func (r reference) product(x []float64, name string) []float64 {
	shape, weight := r.s.shapes[name], r.s.tensors[name]
	out := make([]float64, shape[0])
	for o := range out {
		for i, v := range x {
			out[o] += float64(weight[o*shape[1]+i]) * v
		}
	}
	return out
}

func (r reference) lstm(x [][]float64, name string, reverse bool) [][]float64 {
	sigmoid := func(v float64) float64 { return 1 / (1 + math.Exp(-v)) }
	out, h, cell := make([][]float64, len(x)), make([]float64, hidden), make([]float64, hidden)
	for s := range x {
		t := s
		if reverse {
			t = len(x) - 1 - s
		}
		gates := r.product(x[t], name+"wi")
		for i, v := range r.product(h, name+"wh") {
			gates[i] += v + float64(r.s.tensors[name+"bias"][i])
		}
		h = make([]float64, hidden)
		for i := range h {
			cell[i] = sigmoid(gates[hidden+i])*cell[i] + sigmoid(gates[i])*math.Tanh(gates[2*hidden+i])
			h[i] = sigmoid(gates[3*hidden+i]) * math.Tanh(cell[i])
		}
		out[t] = h
	}
	return out
}

func (r reference) scores(ink []float32, width int) [][]float64 {
	w := (width + 32 + 3) / 4 * 4
	x := [][][]float64{make([][]float64, 48)}
	for y := range x[0] {
		x[0][y] = make([]float64, w)
		for q := range w {
			v := 0.0
			if q >= 16 && q-16 < width {
				v = float64(ink[y*width+q-16])
			}
			x[0][y][q] = (v - 0.12) * 3.6
		}
	}
	x = poolOf(r.conv(r.conv(x, "c1", 2, 2), "c2", 1, 1), 2, 2)
	x = poolOf(r.conv(r.conv(x, "c3", 1, 1), "c4", 1, 1), 2, 1)
	x = r.conv(x, "c5", 1, 1)
	x = poolOf(x, len(x[0]), 1)
	sequence := make([][]float64, len(x[0][0]))
	for t := range sequence {
		for c := range x {
			sequence[t] = append(sequence[t], x[c][0][t])
		}
	}
	for _, layer := range []string{"rnn.0", "rnn.1"} {
		forwards, backwards := r.lstm(sequence, layer+".f.", false), r.lstm(sequence, layer+".b.", true)
		for t := range sequence {
			sequence[t] = slices.Concat(forwards[t], backwards[t])
		}
	}
	out := make([][]float64, len(sequence))
	for t, v := range sequence {
		out[t] = r.product(v, "out.weight")
		sum := 0.0
		for i := range out[t] {
			out[t][i] += float64(r.s.tensors["out.bias"][i])
			sum += math.Exp(out[t][i])
		}
		for i := range out[t] {
			out[t][i] -= math.Log(sum)
		}
	}
	return out
}

// strokes returns the ink of a line of a given width, always the same.
func strokes(width int) []float32 {
	random := rand.New(rand.NewPCG(3, uint64(width)))
	ink := make([]float32, 48*width)
	for i := range ink {
		if random.IntN(4) == 0 {
			ink[i] = random.Float32()
		}
	}
	return ink
}

func TestRecognizer_ComputesTheSameWithEveryInstructionSet(t *testing.T) {
	t.Parallel()
	s := newSketch()
	m := mustLoad(t, s.file())
	sets := neural.Recognizers(m, nil)
	require.Contains(t, sets, "plain")
	for _, width := range []int{1, 15, 64, 131, 333} {
		ink := strokes(width)
		want, plain := reference{s}.scores(ink, width), sets["plain"].Scores(ink, width)
		for name, r := range sets {
			got := r.Scores(ink, width)
			require.Len(t, got, len(want), "%s, %d pixels", name, width)
			for step := range got {
				for i, v := range got[step] {
					// The reference rounds neither weights nor values to integers.
					require.InDelta(t, want[step][i], float64(v), 0.05, "%s, %d pixels, step %d, class %d", name, width, step, i)
				}
			}
			require.Equal(t, plain, got, "%s and plain, %d pixels", name, width)
			require.Equal(t, got, r.Scores(ink, width), "%s: the memory of a reading must not change the next", name)
		}
	}
}

func drawn(width int) *image.Gray {
	g := image.NewGray(image.Rect(0, 0, width, 48))
	for i, v := range strokes(width) {
		g.Pix[i] = 255 - uint8(v*255)
	}
	return g
}

func TestRecognizer_Read(t *testing.T) {
	t.Parallel()
	m := mustLoad(t, newSketch().file())
	l := mustLanguage(t, mustCount(t, "a bac\ncab é\n", 3))
	for _, r := range []*neural.Recognizer{neural.NewRecognizer(m, nil), neural.NewRecognizer(m, l)} {
		for _, width := range []int{1, 7, 300} {
			line := drawn(width)
			words := r.Read(line)
			end := 0
			for _, w := range words {
				require.NotEmpty(t, w.Text)
				require.NotContains(t, w.Text, " ")
				require.True(t, w.Box.In(line.Rect), "%v of %d pixels", w.Box, width)
				require.False(t, w.Box.Empty())
				require.GreaterOrEqual(t, w.Box.Min.X, end, "words must not overlap")
				end = w.Box.Max.X
				require.True(t, w.Confidence > 0 && w.Confidence <= 1)
				text := ""
				for _, c := range w.Characters {
					text += c.Text
				}
				require.Equal(t, w.Text, text)
			}
			require.Equal(t, words, r.Read(line), "reading a line twice")
		}
		require.Nil(t, r.Read(image.NewGray(image.Rect(0, 0, 100, 64))), "a line of another height")
		require.Nil(t, r.Read(image.NewGray(image.Rect(0, 0, neural.MaxWidth+1, 48))), "a line that is too wide")
		require.Nil(t, r.Read(image.NewGray(image.Rectangle{})), "no image")
	}
}

func FuzzRecognizer_Read(f *testing.F) {
	m, err := neural.Load(newSketch().file())
	require.NoError(f, err)
	r := neural.NewRecognizer(m, nil)
	f.Add([]byte("ink"), 20)
	f.Fuzz(func(t *testing.T, pixels []byte, width int) {
		width = min(max(width, 1), 500)
		line := image.NewGray(image.Rect(0, 0, width, 48))
		copy(line.Pix, pixels)
		for _, w := range r.Read(line) {
			require.True(t, w.Box.In(line.Rect) && !w.Box.Empty())
		}
	})
}
