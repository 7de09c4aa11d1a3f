package decode

import (
	"encoding/binary"
	"image"
	"image/color"
	"slices"
)

// canvas is the image that samples are written to.
type canvas struct {
	image  image.Image
	pix    []byte
	stride int
	// step is the number of bytes per pixel.
	step int
	// to lists, for each sample, the bytes of a pixel that it sets: one, or three if a grey image has alpha.
	to [][]int
	// level holds the byte to set for each sample of up to 8 bits.
	level [256]byte
}

// canvas returns an empty image of the type that fits the samples.
func (m *tiffImage) canvas() (*canvas, error) {
	colours := map[int]int{whiteIsZero: 1, blackIsZero: 1, rgb: 3, paletted: 1, separated: 4, yCbCr: 3}[m.photometric]
	if colours == 0 || m.samples < colours {
		return nil, errKind
	}
	alpha := uint64(0)
	if extra := m.d.numbers(tagExtraSamples); m.samples > colours && len(extra) > 0 {
		alpha = extra[0]
	}
	hasAlpha := alpha == associated || alpha == unassociated
	rect := image.Rect(0, 0, m.width, m.height)
	var c *canvas
	switch {
	case m.photometric == paletted:
		palette, err := m.palette()
		if err != nil {
			return nil, err
		}
		img := image.NewPaletted(rect, palette)
		c = &canvas{image: img, pix: img.Pix, stride: img.Stride, step: 1, to: [][]int{{0}}}
	case m.photometric == separated:
		img := image.NewCMYK(rect)
		c = &canvas{image: img, pix: img.Pix, stride: img.Stride, step: 4, to: [][]int{{0}, {1}, {2}, {3}}}
	case colours == 1 && !hasAlpha:
		img := image.NewGray(rect)
		c = &canvas{image: img, pix: img.Pix, stride: img.Stride, step: 1, to: [][]int{{0}}}
	default:
		img := image.NewRGBA(rect)
		c = &canvas{image: img, pix: img.Pix, stride: img.Stride, step: 4, to: [][]int{{0}, {1}, {2}}}
		if alpha == unassociated {
			c.image = &image.NRGBA{Pix: img.Pix, Stride: img.Stride, Rect: rect}
		}
		if colours == 1 {
			c.to = [][]int{{0, 1, 2}}
		}
		if hasAlpha {
			c.to = append(c.to, []int{3})
		} else {
			for i := 3; i < len(img.Pix); i += 4 {
				img.Pix[i] = 0xff
			}
		}
	}
	m.levels(c)
	return c, nil
}

// levels fills the table of levels: indices of a palette stay as they are, other samples are scaled to 0..255.
func (m *tiffImage) levels(c *canvas) {
	full := 1<<min(m.depth, 8) - 1
	for v := range full + 1 {
		switch m.photometric {
		case paletted:
			c.level[v] = uint8(v)
		case whiteIsZero:
			c.level[v] = uint8(0xff - v*0xff/full)
		default:
			c.level[v] = uint8(v * 0xff / full)
		}
	}
}

// palette returns the colour map: all reds, then all greens, then all blues, of 16 bits each. Some writers store 8 bits.
func (m *tiffImage) palette() (color.Palette, error) {
	values, n := m.d.numbers(tagColorMap), 1<<m.depth
	if m.depth > 8 || len(values) < 3*n {
		return nil, errKind
	}
	// If no value is above 255, the values have 8 bits.
	shift := 0
	if slices.Max(values) > 0xff {
		shift = 8
	}
	palette := make(color.Palette, n)
	for i := range palette {
		palette[i] = color.NRGBA{uint8(values[i] >> shift), uint8(values[n+i] >> shift), uint8(values[2*n+i] >> shift), 0xff}
	}
	return palette, nil
}

// put writes row y of a block's samples to the canvas.
func (m *tiffImage) put(c *canvas, row []byte, y int, b block) {
	// Only the high byte of a 16-bit sample is used.
	high := 0
	if m.depth == 16 && m.order == binary.LittleEndian {
		high = 1
	}
	for s := range b.samples {
		if b.first+s >= len(c.to) {
			break // an extra sample other than alpha
		}
		for _, channel := range c.to[b.first+s] {
			at := y*c.stride + b.x*c.step + channel
			for i := s; i < b.columns*b.samples; i += b.samples {
				var v byte
				switch m.depth {
				case 8:
					v = row[i]
				case 16:
					v = row[2*i+high]
				default:
					first := i * m.depth
					v = row[first/8] >> (8 - m.depth - first%8) & (1<<m.depth - 1)
				}
				c.pix[at] = c.level[v]
				at += c.step
			}
		}
	}
}
