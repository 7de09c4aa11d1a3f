package neural

import "slices"

// stack is the channels of a page between two layers of the finder, with a border of zeros. It stores row y of all channels
// together, so that the data for a convolution is close together in memory; with planes, a large page takes 1.5 times as long.
type stack struct {
	channels, h, w int
	data           []float32
}

// memory keeps the buffers of released stacks for other stacks of the same page, and those of convolutions.
type memory struct {
	free  [][]float32
	tiles tileBuffers
}

// stack returns a stack of zeros.
func (m *memory) stack(channels, h, w int) *stack {
	s := &stack{channels: channels, h: h, w: w}
	rows := (h + 3) / 2 * 2 // a convolution reads an even number of rows
	n, best := rows*s.rowSize()+slack, -1
	for i, f := range m.free {
		if cap(f) >= n && (best < 0 || cap(f) < cap(m.free[best])) {
			best = i
		}
	}
	if best < 0 {
		s.data = make([]float32, n)
		return s
	}
	s.data = m.free[best][:n]
	m.free = slices.Delete(m.free, best, best+1)
	clear(s.data)
	return s
}

// release keeps the buffer of a stack that is no longer needed.
func (m *memory) release(s *stack) { m.free = append(m.free, s.data) }

// stride is the distance between channels within a row, and rowSize the distance between rows.
func (s *stack) stride() int  { return s.w + 2 }
func (s *stack) rowSize() int { return s.channels * s.stride() }

func (s *stack) grid() grid { return grid{s.channels, s.h, s.w, s.stride(), s.rowSize(), s.data} }

// row returns the data from row y on; channel c begins at c*stride.
func (s *stack) row(y int) []float32 { return s.data[(y+1)*s.rowSize()+1:] }

// pool applies 2x2 max pooling.
func (s *stack) pool(m *memory) *stack {
	out := m.stack(s.channels, s.h/2, s.w/2)
	for y := range out.h {
		for c := range s.channels {
			to := out.row(y)[c*out.stride():][:out.w]
			a, b := s.row(2 * y)[c*s.stride():][:2*out.w], s.row(2*y + 1)[c*s.stride():][:2*out.w]
			for x := range to {
				to[x] = max(a[2*x], a[2*x+1], b[2*x], b[2*x+1])
			}
		}
	}
	return out
}

// addEnlarged adds a stack of half the size, enlarged so that each of its pixels becomes 2x2 pixels.
func (s *stack) addEnlarged(small *stack) {
	for y := range s.h {
		for c := range s.channels {
			to, from := s.row(y)[c*s.stride():][:s.w], small.row(y / 2)[c*small.stride():][:small.w]
			for x, v := range from {
				to[2*x] += v
				to[2*x+1] += v
			}
		}
	}
}

// channel returns the pixels of a channel without the border.
func (s *stack) channel(c int) []float32 {
	out := make([]float32, 0, s.w*s.h)
	for y := range s.h {
		out = append(out, s.row(y)[c*s.stride():][:s.w]...)
	}
	return out
}
