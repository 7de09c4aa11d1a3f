package layout

import (
	"cmp"
	"context"
	"image"
	"math"
	"slices"

	"uncial/impl/ocr/imaging"
	"uncial/impl/ocr/neural"
)

// Finder finds lines of handwriting with a network. It must not be used by several goroutines at once.
type Finder struct {
	maps func(ink []float32, w, h int) neural.Maps
}

// NewFinder returns a finder that uses model m.
func NewFinder(m *neural.FinderModel) *Finder { return &Finder{neural.NewFinder(m).Maps} }

// Find finds the lines of a page whose bounds begin at (0, 0). Blank and very small pages have none. If rules divide the page
// into columns, Find searches each column separately if a line found on the whole page crosses a rule, or if the columns have
// writing of different sizes. If ctx ends before the last column, Find returns its error.
func (f *Finder) Find(ctx context.Context, g *image.Gray) (*Page, error) {
	whole := &Page{f.findIn(g, image.Point{})}
	rules := Rules(g)
	if len(rules) == 0 {
		return whole, ctx.Err()
	}
	parts, heights := &Page{}, []float64{}
	for _, column := range columnsOf(nil, nil, 1, g.Rect.Size(), rules) {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		blocks := f.findIn(column.cutOnto(g), column.Box.Min)
		parts.Blocks = append(parts.Blocks, blocks...)
		if len(blocks) > 0 {
			heights = append(heights, blocks[0][0].part.height)
		}
	}
	crosses := func(l Line) bool {
		return slices.ContainsFunc(rules, func(r Rule) bool { return r.isCrossed(l.Box(), g.Rect.Dy()) })
	}
	if slices.ContainsFunc(whole.Lines(), crosses) || len(heights) > 1 && slices.Max(heights) > otherSize*slices.Min(heights) {
		return parts, nil
	}
	return whole, nil
}

// findIn finds the lines of a part of a page that begins at origin. It runs the network on the whole part at a fixed size
// first, which shows how tall the lines are, and then at the scale at which the network finds lines of that height best. If
// that shows many lines of another height, such as small writing beside a large hand, it runs once more at their scale.
func (f *Finder) findIn(g *image.Gray, origin image.Point) [][]Line {
	w, h := g.Rect.Dx(), g.Rect.Dy()
	if w < minSide || h < minSide {
		return nil
	}
	paths, scale := f.linesAt(g, firstSide/float64(max(w, h)))
	for _, tolerance := range []float64{goodScale, wrongScale} {
		if better := bestScale(paths, scale); max(better/scale, scale/better) > tolerance {
			paths, scale = f.linesAgain(g, paths, scale, better)
		}
	}
	return inOrder(g, paths, mapStride/scale, origin)
}

// linesAgain runs the network at a better scale than that at which paths were found. If some of these are too tall for it, it
// runs the network once more at the scale that suits them. If the better scale shows no lines, it returns what was found
// before.
func (f *Finder) linesAgain(g *image.Gray, paths []path, scale, better float64) ([]path, float64) {
	again, at := f.linesAt(g, better)
	if tall := slices.DeleteFunc(slices.Clone(paths), func(p path) bool { return !p.isTall(at / scale) }); len(tall) > 0 {
		large, small := f.linesAt(g, bestScale(tall, scale))
		again = withTall(again, large, at/small)
	}
	if len(again) == 0 {
		return paths, scale
	}
	return again, at
}

// bestScale returns the scale at which the network finds lines of this height best, given the scale at which they were found.
// Without lines it returns scale.
func bestScale(all []path, scale float64) float64 {
	tall := medianHeight(all) * mapStride
	if tall == 0 {
		return scale
	}
	return scale * usualHeight / tall
}

// isTall reports whether a line would be too tall for the network at a scale that is factor times the scale at which it was
// found.
func (p path) isTall(factor float64) bool { return p.band.height()*factor > maxHeight/mapStride }

// withTall adds to lines those found at a smaller scale that are too tall for the network at the larger scale, such as a large
// hand on a page of small print. factor is the ratio of the scales. Lines within a tall line are parts of its letters, and are
// dropped.
func withTall(all, smaller []path, factor float64) []path {
	var tall []path
	for _, p := range smaller {
		if p.isTall(factor) {
			tall = append(tall, p.scaled(factor))
		}
	}
	all = slices.DeleteFunc(all, func(p path) bool {
		return slices.ContainsFunc(tall, func(t path) bool { return p.liesIn(t) })
	})
	return append(all, tall...)
}

// mapStride is the stride of the network's maps: one pixel of a map stands for mapStride x mapStride pixels of its input.
const mapStride = 2

// linesAt returns the lines found at a scale, in pixels of the network's maps, and the scale that it used, which is smaller
// than the requested one for large pages.
func (f *Finder) linesAt(g *image.Gray, scale float64) ([]path, float64) {
	w, h := float64(g.Rect.Dx()), float64(g.Rect.Dy())
	scale = min(scale, maxEnlarged, math.Sqrt(neural.MaxFinderPixels/(w*h)))
	small := imaging.Resize(g, int(w*scale), int(h*scale))
	paper := paperBlocks(small)
	ink := relativeInk(small, paper)
	return onlyWritten(decode(f.maps(ink.Values, ink.W, ink.H)), ink, paper), scale
}

// inOrder returns the lines of a part of a page that begins at origin as blocks in reading order. scale is the number of pixels
// of the page per pixel of the paths.
func inOrder(g *image.Gray, paths []path, scale float64, origin image.Point) [][]Line {
	height := medianHeight(paths)
	p := &part{height * scale, scale, newSource(g, height*scale, origin)}
	w, h := float64(g.Rect.Dx())/scale, float64(g.Rect.Dy())/scale
	left, right := facingPages(dropCutLines(paths, w, height), w, h, height)
	return append(p.blocks(left, height), p.blocks(right, height)...)
}

// weightedMedian returns the median of a value of some elements, each with a weight, or 0 if there are none.
func weightedMedian[T any](all []T, value func(T) float64, weight func(T) int) float64 {
	sorted := slices.SortedFunc(slices.Values(all), func(a, b T) int { return cmp.Compare(value(a), value(b)) })
	total, sum := 0, 0
	for _, one := range sorted {
		total += weight(one)
	}
	for _, one := range sorted {
		if sum += weight(one); 2*sum >= total {
			return value(one)
		}
	}
	return 0
}

// medianHeight returns the median height of the lines, weighted by their length, or 0 if there are none.
func medianHeight(all []path) float64 {
	return weightedMedian(all, func(p path) float64 { return p.band.height() }, func(p path) int { return len(p.xs) })
}

// relativeInk returns how much darker each pixel is than the paper around it, 0..1. The network was trained with the same
// values.
func relativeInk(g *image.Gray, paper imaging.Plane) imaging.Plane {
	ink := imaging.NewPlane(g.Rect.Dx(), g.Rect.Dy())
	interpolate, line := paper.Interpolator(paperBlock, ink.W), make([]float32, ink.W)
	for y := range ink.H {
		interpolate((float32(y)+0.5)/paperBlock-0.5, line)
		to := ink.Row(y)
		for x, v := range g.Pix[y*g.Stride : y*g.Stride+ink.W] {
			to[x] = min(max(1-float32(v)/max(line[x], darkestBlock), 0), 1)
		}
	}
	return ink
}

// paperBlocks returns the grey of the paper in each block: the median of the estimates for the block and its neighbours.
func paperBlocks(g *image.Gray) imaging.Plane {
	blocks := imaging.NewPlane((g.Rect.Dx()+paperBlock-1)/paperBlock, (g.Rect.Dy()+paperBlock-1)/paperBlock)
	for y := range blocks.H {
		for x := range blocks.W {
			var h imaging.Histogram
			to := min((x+1)*paperBlock, g.Rect.Dx())
			for row := y * paperBlock; row < min((y+1)*paperBlock, g.Rect.Dy()); row++ {
				h.Add(g.Pix[row*g.Stride+x*paperBlock : row*g.Stride+to])
			}
			blocks.Values[y*blocks.W+x] = float32(h.AtRank(int(blockPaper * float64(h.Total()-1))))
		}
	}
	out := imaging.NewPlane(blocks.W, blocks.H)
	for y := range blocks.H {
		for x := range blocks.W {
			var near []float64
			for ny := max(y-1, 0); ny <= min(y+1, blocks.H-1); ny++ {
				for nx := max(x-1, 0); nx <= min(x+1, blocks.W-1); nx++ {
					near = append(near, float64(blocks.At(nx, ny)))
				}
			}
			out.Values[y*out.W+x] = float32(quantile(near, 0.5))
		}
	}
	return out
}

// toPage converts a point in pixels of the network's maps to one on the page. The centres of the page's pixels have integer
// coordinates.
func (p *part) toPage(x, y float64) (float64, float64) {
	return (x+0.5)*p.scale - 0.5 + float64(p.source.origin.X), (y+0.5)*p.scale - 0.5 + float64(p.source.origin.Y)
}

// fromPage converts a point on the page to one in pixels of the network's maps.
func (p *part) fromPage(x, y float64) (float64, float64) {
	return (x-float64(p.source.origin.X)+0.5)/p.scale - 0.5, (y-float64(p.source.origin.Y)+0.5)/p.scale - 0.5
}
