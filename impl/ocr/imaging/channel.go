package imaging

import (
	"image"
	"slices"
)

// The channels that are compared: red, green, and luminance. Blue is never used: brown ink on yellow paper has the most
// contrast in blue, but also the most noise. One hand, whose contrast in blue is half again as high, was read with 50 % more
// errors.
const red, green, luma, channels = 0, 1, 2, 3

// StrongestChannel returns the colour channel in which writing has clearly more contrast than in the luminance, such as red for
// blue pencil on buff paper. If there is no such channel, it returns the luminance, as FromImage does. It never returns a
// channel in which some of the writing fades, such as red on a page with red initials.
func StrongestChannel(img image.Image) *image.Gray {
	c, ok := opaqueRGBA(img)
	if !ok {
		return FromImage(img)
	}
	cells := contrasts(c)
	if len(cells) < minInkedCells {
		return FromImage(img)
	}
	best, bestLead := luma, minChannelLead
	for _, channel := range []int{red, green} {
		if lead, faded := compare(cells, channel); faded <= maxFadedCells && lead > bestLead {
			best, bestLead = channel, lead
		}
	}
	if best == luma {
		return FromImage(img)
	}
	return channelIn(c, c.Rect, best)
}

// opaqueRGBA returns the image as the type of the pages in colour that the decoders return. It reports false for any other.
func opaqueRGBA(img image.Image) (*image.RGBA, bool) {
	c, ok := img.(*image.RGBA)
	return c, ok && c.Rect.Min == (image.Point{}) && c.Opaque()
}

// channelIn returns red, green or blue of a part of an image.
func channelIn(c *image.RGBA, part image.Rectangle, channel int) *image.Gray {
	g := image.NewGray(image.Rect(0, 0, part.Dx(), part.Dy()))
	for y := range part.Dy() {
		from, to := c.Pix[c.PixOffset(part.Min.X, part.Min.Y+y):], row(g, y)
		for x := range to {
			to[x] = from[4*x+channel]
		}
	}
	return g
}

// contrasts returns the contrast of each channel in a sample of the cells with writing.
func contrasts(c *image.RGBA) [][channels]float64 {
	var out [][channels]float64
	for y := 0; y+inkCell <= c.Rect.Dy(); y += cellStride * inkCell {
		for x := 0; x+inkCell <= c.Rect.Dx(); x += cellStride * inkCell {
			if cell := contrast(c, x, y); slices.Max(cell[:]) >= minInk {
				out = append(out, cell)
			}
		}
	}
	return out
}

// contrast returns for each channel how much darker the ink of a cell is than its paper, as a share of the paper's brightness.
func contrast(c *image.RGBA, x, y int) [channels]float64 {
	var all [channels]Histogram
	for dy := range inkCell {
		pixels := c.Pix[(y+dy)*c.Stride+4*x:][:4*inkCell]
		for i := 0; i < len(pixels); i += 4 {
			r, g, b := uint32(pixels[i]), uint32(pixels[i+1]), uint32(pixels[i+2])
			all[red][r]++
			all[green][g]++
			all[luma][(redWeight*r+greenWeight*g+blueWeight*b+1<<15)>>16]++
		}
	}
	var out [channels]float64
	for i := range all {
		paper := max(all[i].quantile(paperQuantile), darkestPaper)
		out[i] = max(1-float64(all[i].quantile(inkShare))/float64(paper), 0)
	}
	return out
}

// compare returns the ratio of a channel's median contrast to that of the luminance, and the share of the cells in which
// writing fades in the channel.
func compare(cells [][channels]float64, channel int) (lead, faded float64) {
	var of, all []float64
	for _, c := range cells {
		of, all = append(of, c[channel]), append(all, c[luma])
		if c[channel] < fading*c[luma] {
			faded += 1 / float64(len(cells))
		}
	}
	slices.Sort(of)
	slices.Sort(all)
	return of[len(of)/2] / max(all[len(all)/2], minInk), faded
}
