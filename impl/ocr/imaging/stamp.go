package imaging

import (
	"image"
	"math"
	"slices"
)

// EraseStamps erases coloured stamps that lie over black text, and keeps the text under them. g is a colour channel of the page
// or its luminance, which it changes; img is the page in colour. It reports whether it erased anything. Stamps beside the text
// stay, because they can be read, and so do pictures, forms and coloured text.
func EraseStamps(g *image.Gray, img image.Image) (erased bool) {
	c, ok := opaqueRGBA(img)
	if !ok {
		return false
	}
	small, ok := Shrink(c, stampScale).(*image.RGBA)
	if !ok {
		return false
	}
	inks := separate(small, small.Rect)
	coloured := NewPlane(inks.size.X, inks.size.Y)
	for i := range coloured.Values {
		if inks.isColoured(i) {
			coloured.Values[i] = 1
		}
	}
	cells := NewMask(coloured.Reduce(stampCell), func(v float32) bool { return v > 0 }).dilate()
	longer := max(c.Rect.Dx(), c.Rect.Dy(), stampScale)
	var stamps []image.Rectangle
	for _, component := range cells.components(true) {
		box := scale(component.Box, stampCell, 1)
		touchesEdge := !component.Box.Inset(-1).In(image.Rect(0, 0, cells.W, cells.H)) // such as a colour chart
		isInside := slices.ContainsFunc(stamps, func(s image.Rectangle) bool { return box.In(s) })
		if len(stamps) < maxStamps && !touchesEdge && !isInside && inks.isStampOverText(box) {
			eraseColour(g, c, scale(box, longer, stampScale).Intersect(c.Rect))
			stamps = append(stamps, box)
		}
	}
	return len(stamps) > 0
}

// inks are the optical densities of the black and of the coloured ink in each pixel of an image, and the channel in which the
// coloured ink is the lightest: red for red ink.
type inks struct {
	size          image.Point
	black, colour []float32
	lightest      []uint8
}

// separate separates the inks of a part of an image by their colours. Paper has no density, whatever its colour.
func separate(c *image.RGBA, part image.Rectangle) inks {
	var flat [3]*image.Gray
	for channel := range flat {
		flat[channel] = Flatten(channelIn(c, part, channel))
	}
	n := part.Dx() * part.Dy()
	out := inks{part.Size(), make([]float32, n), make([]float32, n), make([]uint8, n)}
	for i := range n {
		rgb := [3]float32{densities[flat[0].Pix[i]], densities[flat[1].Pix[i]], densities[flat[2].Pix[i]]}
		black := slices.Min(rgb[:])
		out.black[i], out.lightest[i] = black, uint8(slices.Index(rgb[:], black)) // #nosec G115 -- at most 2
		if sum := rgb[0] + rgb[1] + rgb[2] - 3*black; rgb[2]-black <= maxYellow*sum {
			out.colour[i] = sum / 3
		}
	}
	return out
}

// densities are the optical densities of the greys on white paper.
var densities = func() (table [256]float32) {
	for grey := range table {
		table[grey] = float32(math.Log(255 / max(float64(grey), darkestInk)))
	}
	return table
}()

// isColoured reports whether pixel i has enough coloured ink.
func (k inks) isColoured(i int) bool {
	return k.colour[i] > minColour && k.colour[i] > minSaturation*(k.colour[i]+k.black[i])
}

// isStampOverText reports whether what is coloured in the box is a stamp with black text under it.
func (k inks) isStampOverText(box image.Rectangle) bool {
	if min(box.Dx(), box.Dy()) < minStampSide || Area(box) > k.size.X*k.size.Y/minPageOfStamp {
		return false
	}
	var coloured, black, both, rows, continued int
	var lightest [3]int // the coloured pixels by their lightest channel
	shade, colour := k.shade(box)
	for y := box.Min.Y; y < box.Max.Y; y++ {
		above := both
		for i := y*k.size.X + box.Min.X; i < y*k.size.X+box.Max.X; i++ {
			isText := k.black[i]-shade*k.colour[i] > minTextInk
			switch isStamp := k.colour[i] > fullColour*colour; {
			case isStamp && isText:
				both++
			case isText:
				black++
			case k.isColoured(i):
				coloured++
				lightest[k.lightest[i]]++
			}
		}
		if both > above {
			rows++
			if k.isTextBeside(box, y) {
				continued++
			}
		}
	}
	share := func(part, whole int) float64 { return float64(part) / float64(max(whole, 1)) }
	isInk := shade <= maxShade && share(slices.Max(lightest[:]), coloured) >= minUniform
	isDrawing := share(coloured, Area(box)) >= minStampInk && share(coloured, Area(box)) <= maxStampInk
	isOverLines := share(continued, rows) >= minContinued // what is typed in a coloured form ends in its boxes
	return isInk && isDrawing && isOverLines && share(black, coloured) >= minTextBeside && share(both, coloured) >= minOverlap
}

// isTextBeside reports whether there is black ink directly to the left or to the right of a box in row y.
func (k inks) isTextBeside(box image.Rectangle, y int) bool {
	line := k.black[y*k.size.X : (y+1)*k.size.X]
	isText := func(v float32) bool { return v > minTextInk }
	return slices.ContainsFunc(line[max(box.Min.X-besideStamp, 0):box.Min.X], isText) ||
		slices.ContainsFunc(line[box.Max.X:min(box.Max.X+besideStamp, k.size.X)], isText)
}

// shade returns how much black the coloured ink in a box seems to contain, as a ratio of its colour, and its usual colour.
func (k inks) shade(box image.Rectangle) (shade, colour float32) {
	var shades, colours []float32
	for y := box.Min.Y; y < box.Max.Y; y++ {
		for i := y*k.size.X + box.Min.X; i < y*k.size.X+box.Max.X; i++ {
			if k.isColoured(i) {
				shades, colours = append(shades, k.black[i]/k.colour[i]), append(colours, k.colour[i])
			}
		}
	}
	if len(shades) == 0 {
		return 0, 0
	}
	slices.Sort(shades)
	slices.Sort(colours)
	return shadeMargin * shades[len(shades)/2], colours[len(colours)/2]
}

// eraseColour takes the coloured ink in a box out of g.
func eraseColour(g *image.Gray, c *image.RGBA, box image.Rectangle) {
	k := separate(c, box)
	shade, _ := k.shade(image.Rectangle{Max: k.size})
	paper := float64(PaperGrey(g, box, paperQuantile))
	for y := range k.size.Y {
		to := row(g, box.Min.Y+y)[box.Min.X:box.Max.X]
		for x := range to {
			if i := y*k.size.X + x; k.colour[i] > minErased {
				text := max(k.black[i]-shade*k.colour[i], 0)
				to[x] = uint8(paper * math.Exp(-float64(text))) // #nosec G115 -- at most paper
			}
		}
	}
}

// scale multiplies the coordinates of a box by n/m.
func scale(box image.Rectangle, n, m int) image.Rectangle {
	return image.Rectangle{box.Min.Mul(n).Div(m), box.Max.Mul(n).Div(m)}
}
