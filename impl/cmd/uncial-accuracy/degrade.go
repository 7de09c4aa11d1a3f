package main

import (
	"bytes"
	"errors"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"uncial/impl/ocr/decode"
	"uncial/impl/ocr/imaging"
	"uncial/impl/ocr/tesseract"
	"uncial/internal/accuracy"
)

// degradation makes one degraded picture from several pages, which are given in reading order.
type degradation struct {
	group func([]accuracy.Page) [][]accuracy.Page // the pages of each picture
	draw  func(pages []*image.Gray, random *rand.Rand) *image.Gray
}

// degradations are the choices of --degrade, and the pages as they are under "". They are the same in every run: the seed is
// the position of the group among the selected pages.
var degradations = map[string]degradation{
	"":         {groupsOf(1), nil},
	"turn90":   {groupsOf(1), func(p []*image.Gray, _ *rand.Rand) *image.Gray { return imaging.Turn(p[0], 1) }},
	"turn180":  {groupsOf(1), func(p []*image.Gray, _ *rand.Rand) *image.Gray { return imaging.Turn(p[0], 2) }},
	"facing":   {groupsOf(2), facing},
	"mixed":    {printAndHandwriting, facing},
	"columns":  {groupsOf(3), threeColumns},
	"half":     {groupsOf(1), func(p []*image.Gray, _ *rand.Rand) *image.Gray { return scaled(p[0], p[0].Rect.Dx()/2) }},
	"shadow":   {groupsOf(1), shadow},
	"photo":    {groupsOf(1), photo},
	"slant":    {groupsOf(1), slant},
	"noise":    {groupsOf(1), smallAndNoisy},
	"dither":   {groupsOf(1), dither},
	"mirror":   {groupsOf(1), mirror},
	"negative": {groupsOf(1), negative},
	"fade":     {groupsOf(1), faded(fallingFrom(0.2, 0.95))},
	"edge":     {groupsOf(1), faded(fallingFrom(0.6, 0.75))},
	"middle":   {groupsOf(1), faded(func(x float64) float64 { return 1 - 0.88*math.Exp(-(x-0.5)*(x-0.5)/0.0225) })},
	"waves":    {groupsOf(1), bent(func(x float64) float64 { return 0.02 * math.Sin(2*math.Pi*x) })},
	"fold":     {groupsOf(1), bent(func(x float64) float64 { return 0.03 * math.Exp(-x/0.15) })},
	"bleed":    {groupsOf(1), bleed},
}

func degradationNames() []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(degradations)), func(name string) bool { return name == "" })
}

// groupsOf returns a function that divides pages into groups of n. Pages left over at the end are dropped.
func groupsOf(n int) func([]accuracy.Page) [][]accuracy.Page {
	return func(pages []accuracy.Page) (groups [][]accuracy.Page) {
		for group := range slices.Chunk(pages, n) {
			if len(group) == n {
				groups = append(groups, group)
			}
		}
		return groups
	}
}

// printAndHandwriting pairs each handwritten page with a printed page in the same language, by turns on its left and on its
// right. Printed pages are used several times if there are fewer of them. Pages in languages without a printed page are
// dropped. The kind of all pages becomes "mixed", because the figures of a pair are those of its first page.
func printAndHandwriting(pages []accuracy.Page) (groups [][]accuracy.Page) {
	printed := map[string][]accuracy.Page{}
	for _, p := range pages {
		if p.Kind == "printed" {
			printed[p.Language] = append(printed[p.Language], p)
		}
	}
	for _, p := range pages {
		others := printed[p.Language]
		if p.Kind != "handwritten" || len(others) == 0 {
			continue
		}
		group := []accuracy.Page{others[0], p}
		group[0].Kind, group[1].Kind = "mixed", "mixed"
		if len(groups)%2 == 1 {
			slices.Reverse(group)
		}
		groups = append(groups, group)
		printed[p.Language] = append(others[1:], others[0])
	}
	return groups
}

// load returns the picture and the text of a group of pages: the file itself without a degradation, else a PNG.
func load(folder *accuracy.Folder, group []accuracy.Page, how string, seed int) (data []byte, truth string, err error) {
	if how == "" {
		return folder.Load(group[0])
	}
	var images []*image.Gray
	var texts []string
	for _, p := range group {
		data, text, err := folder.Load(p)
		if err != nil {
			return nil, "", err
		}
		img, err := firstImage(data)
		if err != nil {
			return nil, "", err
		}
		images, texts = append(images, img), append(texts, text)
	}
	var file bytes.Buffer
	random := rand.New(rand.NewPCG(uint64(seed), 1))
	err = png.Encode(&file, degradations[how].draw(images, random))
	return file.Bytes(), strings.Join(texts, "\n"), err
}

// firstImage decodes the first image of a file.
func firstImage(data []byte) (*image.Gray, error) {
	for page, err := range decode.Pages(data, tesseract.Leptonica{}) {
		if err != nil {
			return nil, err
		}
		return imaging.FromImage(page.Image), nil
	}
	return nil, errors.New("the file has no image")
}

// scaled returns a page at another width.
func scaled(g *image.Gray, width int) *image.Gray {
	return imaging.Resize(g, width, g.Rect.Dy()*width/g.Rect.Dx())
}

// blank returns an image of one grey.
func blank(w, h int, grey uint8) *image.Gray {
	g := image.NewGray(image.Rect(0, 0, w, h))
	for i := range g.Pix {
		g.Pix[i] = grey
	}
	return g
}

// paste draws a page with its upper left corner at a place.
func paste(to, page *image.Gray, x, y int) {
	draw.Draw(to, page.Rect.Add(image.Pt(x, y)), page, image.Point{}, draw.Src)
}

// facing draws two pages of one height side by side.
func facing(pages []*image.Gray, _ *rand.Rand) *image.Gray {
	left := pages[0]
	right := scaled(pages[1], pages[1].Rect.Dx()*left.Rect.Dy()/pages[1].Rect.Dy())
	out := blank(left.Rect.Dx()+right.Rect.Dx(), max(left.Rect.Dy(), right.Rect.Dy()), 0xff)
	paste(out, left, 0, 0)
	paste(out, right, left.Rect.Dx(), 0)
	return out
}

// threeColumns draws three pages of one width side by side, with rules between them.
func threeColumns(pages []*image.Gray, _ *rand.Rand) *image.Gray {
	const rule = 4 // pixels
	width, height := pages[0].Rect.Dx(), 0
	columns := make([]*image.Gray, len(pages))
	for i, p := range pages {
		columns[i] = scaled(p, width)
		height = max(height, columns[i].Rect.Dy())
	}
	out := blank(len(columns)*(width+rule), height, 0xff)
	for i, c := range columns {
		paste(out, c, i*(width+rule), 0)
		paste(out, blank(rule, height, 0), i*(width+rule)+width, 0)
	}
	return out
}

// shadow darkens a page towards one side, to a third to a half of its brightness.
func shadow(pages []*image.Gray, random *rand.Rand) *image.Gray {
	g := pages[0]
	out := image.NewGray(g.Rect)
	darkest, w := 0.33+0.17*random.Float64(), g.Rect.Dx()
	fromLeft := random.IntN(2) == 0
	for y := range g.Rect.Dy() {
		for x, v := range g.Pix[y*g.Stride:][:w] {
			at := float64(x) / float64(w)
			if fromLeft {
				at = 1 - at
			}
			out.Pix[y*out.Stride+x] = uint8(float64(v) * (1 - (1-darkest)*at)) // #nosec G115 -- at most v
		}
	}
	return out
}

// photo draws a page on a dark table with some grain, skewed by up to 2 degrees.
func photo(pages []*image.Gray, random *rand.Rand) *image.Gray {
	const share = 8 // the table around the page is 1/share of its width
	g := pages[0]
	margin := g.Rect.Dx() / share
	out := blank(g.Rect.Dx()+2*margin, g.Rect.Dy()+2*margin, 0)
	paste(out, g, margin, margin)
	turned := imaging.Rotate(out, 4*random.Float64()-2)
	table := image.Rect(margin, margin, margin+g.Rect.Dx(), margin+g.Rect.Dy()).Inset(-margin / 2)
	for y := range turned.Rect.Dy() {
		for x := range turned.Rect.Dx() {
			v := &turned.Pix[y*turned.Stride+x]
			if !image.Pt(x, y).In(table) {
				*v = 30
			}
			*v = uint8(min(max(int(*v)+random.IntN(13)-6, 0), 0xff)) // #nosec G115 -- clamped
		}
	}
	return turned
}

// slant draws a page rotated by 12 to 40 degrees on white paper that is large enough for it.
func slant(pages []*image.Gray, random *rand.Rand) *image.Gray {
	size := pages[0].Rect.Size()
	side := int(math.Ceil(math.Hypot(float64(size.X), float64(size.Y))))
	out := blank(side, side, 0xff)
	paste(out, pages[0], (side-size.X)/2, (side-size.Y)/2)
	angle := 12 + 28*random.Float64()
	if random.IntN(2) == 0 {
		angle = -angle
	}
	return imaging.Rotate(out, angle)
}

// smallAndNoisy draws a page at a height of 900 pixels, with less contrast and with noise.
func smallAndNoisy(pages []*image.Gray, random *rand.Rand) *image.Gray {
	const height, contrast, deviation = 900, 0.8, 18
	out := scaled(pages[0], max(pages[0].Rect.Dx()*height/pages[0].Rect.Dy(), 1))
	for i, v := range out.Pix {
		out.Pix[i] = uint8(min(max(128+contrast*(float64(v)-128)+deviation*random.NormFloat64(), 0), 0xff)) // #nosec G115 -- clamped
	}
	return out
}

// dither draws a page in black and white, with its greys as dots (Floyd-Steinberg).
func dither(pages []*image.Gray, _ *rand.Rand) *image.Gray {
	dots := image.NewPaletted(pages[0].Rect, color.Palette{color.Black, color.White})
	draw.FloydSteinberg.Draw(dots, dots.Rect, pages[0], pages[0].Rect.Min)
	return imaging.FromImage(dots)
}

// faded returns a function that draws a page whose ink is paler in some parts. contrast returns what is left of it at each
// distance from one of the four sides, as a share of the page.
func faded(contrast func(distance float64) float64) func([]*image.Gray, *rand.Rand) *image.Gray {
	return func(pages []*image.Gray, random *rand.Rand) *image.Gray {
		quarters := random.IntN(4)
		out := imaging.Turn(pages[0], quarters)
		paper := float64(imaging.PaperGrey(out, out.Rect, 0.8))
		w := out.Rect.Dx()
		for i, v := range out.Pix {
			left := contrast(float64(i%out.Stride) / float64(w))
			out.Pix[i] = uint8(min(max(paper-(paper-float64(v))*left, 0), 255))
		}
		return imaging.Turn(out, 4-quarters)
	}
}

// fallingFrom returns a contrast that falls to a tenth between two distances.
func fallingFrom(from, to float64) func(float64) float64 {
	return func(distance float64) float64 { return math.Pow(0.1, min(max((distance-from)/(to-from), 0), 1)) }
}

// bent returns a function that draws a page whose lines are curved. It moves each column down or, at random, up, by a share of
// the page's height that depends on the column's place, from 0 on the left to 1 on the right.
func bent(down func(x float64) float64) func([]*image.Gray, *rand.Rand) *image.Gray {
	return func(pages []*image.Gray, random *rand.Rand) *image.Gray {
		size := pages[0].Rect.Size()
		by := float64(size.Y)
		if random.IntN(2) == 0 {
			by = -by
		}
		return imaging.ShiftColumns(pages[0], func(_ int, shifts []float32) {
			for x := range shifts {
				shifts[x] = float32(-by * down(float64(x)/float64(size.X)))
			}
		})
	}
}

// bleed draws a page with the writing of its other side shining through: the page itself, mirrored, blurred, and with 35 % of
// its contrast.
func bleed(pages []*image.Gray, _ *rand.Rand) *image.Gray {
	const contrast = 0.35
	g := pages[0]
	size := g.Rect.Size()
	back := mirror([]*image.Gray{imaging.Resize(imaging.Resize(g, size.X/2, size.Y/2), size.X, size.Y)}, nil)
	paper := max(float64(imaging.PaperGrey(back, back.Rect, 0.8)), 1)
	out := image.NewGray(g.Rect)
	for y := range size.Y {
		for x, v := range g.Pix[y*g.Stride:][:size.X] {
			through := min(float64(back.Pix[y*back.Stride+x])/paper, 1)
			out.Pix[y*out.Stride+x] = uint8(float64(v) * (1 - contrast*(1-through))) // #nosec G115 -- at most v
		}
	}
	return out
}

// negative draws a page as its photographic negative.
func negative(pages []*image.Gray, _ *rand.Rand) *image.Gray {
	out := imaging.Crop(pages[0], pages[0].Rect)
	for i, v := range out.Pix {
		out.Pix[i] = 255 - v
	}
	return out
}

// mirror draws a page as it shines through from the back of a leaf. Its text is gibberish.
func mirror(pages []*image.Gray, _ *rand.Rand) *image.Gray {
	out := imaging.Crop(pages[0], pages[0].Rect)
	for y := range out.Rect.Dy() {
		slices.Reverse(out.Pix[y*out.Stride:][:out.Rect.Dx()])
	}
	return out
}
