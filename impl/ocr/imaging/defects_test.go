package imaging_test

import (
	"bytes"
	"image"
	"image/color"
	"image/draw"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"uncial/impl/ocr/imaging"
	"uncial/impl/ocr/ocrtest"
)

// grainy returns blank paper whose grain has a normal distribution.
func grainy(w, h int, deviation float64) *image.Gray {
	g := image.NewGray(image.Rect(0, 0, w, h))
	random := rand.New(rand.NewPCG(1, 2))
	for i := range g.Pix {
		g.Pix[i] = uint8(min(max(235+deviation*random.NormFloat64(), 0), 255))
	}
	return g
}

func TestDropGrain(t *testing.T) {
	t.Parallel()
	for _, deviation := range []float64{0, 0.6, 3, 12} {
		blank := grainy(400, 500, deviation)
		require.Empty(t, imaging.Spots(imaging.DropGrain(blank)), "blank paper with a grain of %v", deviation)
		little := grainy(400, 500, deviation)
		draw.Draw(little, image.Rect(300, 400, 305, 420), image.NewUniform(color.Gray{Y: 60}), image.Point{}, draw.Src)
		spots := imaging.Spots(imaging.DropGrain(little))
		require.Len(t, spots, 1, "a single letter on it, at a grain of %v", deviation)
		require.True(t, spots[0].In(image.Rect(297, 397, 308, 423)) && image.Rect(301, 401, 304, 419).In(spots[0]), "%v", spots[0])
	}
	full := grainy(1400, 580, 12)
	for i, v := range ocrtest.Page(lines...).Pix {
		if v < 128 {
			full.Pix[i] -= 60
		}
	}
	require.Same(t, full, imaging.DropGrain(full), "a page of faint text stays as it is")
	black := image.NewGray(image.Rect(0, 0, 50, 50))
	require.Same(t, black, imaging.DropGrain(black))
	for i := range full.Pix {
		full.Pix[i] = 255 - full.Pix[i]
	}
	require.Same(t, full, imaging.DropGrain(full), "white text on black stays as it is, too")
}

func TestDropGrain_picture(t *testing.T) {
	t.Parallel()
	page := ocrtest.Page(lines...)
	w, h := page.Rect.Dx(), page.Rect.Dy()
	framed := image.NewGray(image.Rect(0, 0, 2*w, 2*h)) // a picture, with text in the middle
	for i := range framed.Pix {
		x, y := float64(i%framed.Stride), float64(i/framed.Stride)
		framed.Pix[i] = uint8(150 + 60*math.Sin(x/60)*math.Cos(y/60))
	}
	draw.Draw(framed, page.Rect.Add(image.Pt(w/2, h/2)), page, image.Point{}, draw.Src)
	same := framed == imaging.DropGrain(framed)
	require.True(t, same, "the tones of a picture are no grain")
}

func TestDropGrain_smallPrint(t *testing.T) {
	t.Parallel()
	small := imaging.Resize(ocrtest.Page(lines...), 560, 232)
	page := ocrtest.BlankPage(560, 4*232)
	for i := range 4 {
		draw.Draw(page, small.Rect.Add(image.Pt(0, i*232)), small, image.Point{}, draw.Src)
	}
	for i, g := range grainy(560, 4*232, 20).Pix {
		page.Pix[i] = uint8(min(max(float64(g)-0.5*float64(255-page.Pix[i]), 0), 255))
	}
	flat := imaging.Flatten(imaging.Denoise(page))
	same := flat == imaging.DropGrain(flat) // require.Same would print both
	require.True(t, same, "lines of small faint letters are no grain")
}

func TestDropGrain_coarseGrain(t *testing.T) {
	t.Parallel()
	text := ocrtest.Page(slices.Repeat(lines, 2)...)
	page := imaging.Resize(grainy(text.Rect.Dx()/2, text.Rect.Dy()/2, 60), text.Rect.Dx(), text.Rect.Dy()) // grain of a microfilm
	for i, v := range page.Pix {
		page.Pix[i] = uint8(max(float64(v)-0.25*float64(255-text.Pix[i]), 0))
	}
	found := 0
	for _, l := range imaging.Letters(imaging.DropGrain(page)) {
		if l.Dy() > 15 {
			found++
		}
	}
	require.Greater(t, found, len(imaging.Letters(text))/2)
}

func TestDropGrain_laidPaper(t *testing.T) {
	t.Parallel()
	for _, pitch := range []int{8, 14, 25} {
		for _, depth := range []float64{2, 4, 8} {
			laid := grainy(1400, 1800, 4)
			for i, v := range laid.Pix {
				if i/laid.Stride%pitch < pitch/3 {
					laid.Pix[i] = uint8(float64(v) - depth)
				}
			}
			flat := imaging.Flatten(imaging.Denoise(laid))
			require.Less(t, len(imaging.Letters(imaging.DropGrain(flat))), 30, "blank paper with ribs of %v, %d apart", depth, pitch)
		}
	}
}

func TestDropSpecks(t *testing.T) {
	t.Parallel()
	page := ocrtest.Page("i. They crossed it: the river...", "äöü, at night.")
	for scale, speck := range map[int]int{1: 1, 2: 2} { // of pages of 700 and 1400 pixels
		clean := imaging.Resize(page, 700*scale, 130*scale)
		for i, v := range clean.Pix {
			clean.Pix[i] = 255 * (v / 128)
		}
		speckled := func(n, size int) *image.Gray {
			g := imaging.Crop(clean, clean.Rect)
			for i := range n {
				fill(g, image.Rect(0, 0, size, size).Add(image.Pt(2+17*i, 60+i%5).Mul(scale)), 0) // between the lines
			}
			return g
		}
		height := 12 * scale
		out := imaging.DropSpecks(speckled(40, speck), height)
		require.True(t, bytes.Equal(clean.Pix, out.Pix), "specks of %d are dropped, dots and full stops stay", speck)
		few, large := speckled(5, speck), speckled(40, 3*scale)
		sameFew, sameLarge := few == imaging.DropSpecks(few, height), large == imaging.DropSpecks(large, height)
		require.True(t, sameFew, "a page with few specks stays")
		require.True(t, sameLarge, "what is as large as a full stop stays")
	}
}

func TestStrengthen(t *testing.T) {
	t.Parallel()
	g := &image.Gray{Pix: []uint8{200, 200, 200, 190, 150, 230}, Stride: 6, Rect: image.Rect(0, 0, 6, 1)}
	require.Equal(t, []uint8{200, 200, 200, 170, 50, 255}, imaging.Strengthen(g, 3).Pix, "relative to the paper, within 0..255")
	require.Equal(t, g.Pix, imaging.Strengthen(g, 1).Pix)
}

func TestDescreen(t *testing.T) {
	t.Parallel()
	clean := ocrtest.Page(lines...)
	screened := func(paper uint8) *image.Gray {
		gray := image.NewGray(clean.Rect)
		for i, v := range clean.Pix {
			gray.Pix[i] = min(v, paper)
		}
		dots := image.NewPaletted(clean.Rect, color.Palette{color.Black, color.White})
		draw.FloydSteinberg.Draw(dots, dots.Rect, gray, image.Point{})
		return imaging.FromImage(dots)
	}
	white := screened(255)
	require.Same(t, white, imaging.Descreen(white), "white paper needs no dots")
	for _, paper := range []uint8{235, 200, 150} {
		dots := screened(paper)
		got := imaging.Descreen(dots)
		require.InDelta(t, len(imaging.Letters(clean)), len(imaging.Letters(got)), 0.1*float64(len(imaging.Letters(clean))), "letters on paper of grey %d", paper)
		require.InDelta(t, paper, got.Pix[len(got.Pix)/2], 40, "grey of the paper")
		require.NotSame(t, dots, got)
	}
	small := imaging.Crop(screened(200), image.Rect(0, 0, 99, 100))
	require.Same(t, small, imaging.Descreen(small), "too few pixels to tell dots from letters")
	empty := image.NewGray(image.Rect(0, 0, 0, 0))
	require.Same(t, empty, imaging.Descreen(empty))
}

func TestDenoise(t *testing.T) {
	t.Parallel()
	clean := ocrtest.Page(lines...)
	require.Same(t, clean, imaging.Denoise(clean))
	noisy := func(contrast, deviation float64) *image.Gray {
		g := grainy(clean.Rect.Dx(), clean.Rect.Dy(), deviation)
		for i, v := range clean.Pix {
			g.Pix[i] = uint8(max(float64(g.Pix[i])-contrast*float64(255-v)/255, 0))
		}
		return g
	}
	strong := noisy(180, 8)
	require.Same(t, strong, imaging.Denoise(strong), "noise that is small compared with the contrast")
	want := len(imaging.Letters(clean))
	for _, deviation := range []float64{20, 25, 30} {
		faint := noisy(70, deviation)
		require.InDelta(t, want, len(imaging.Letters(imaging.DropGrain(imaging.Flatten(imaging.Denoise(faint))))), 0.1*float64(want), "noise of %v", deviation)
		require.Greater(t, len(imaging.Spots(faint)), 2*want, "the page has noise of %v", deviation)
	}
	require.Empty(t, imaging.Spots(imaging.DropGrain(imaging.Flatten(imaging.Denoise(grainy(700, 900, 30))))), "paper with noise alone is blank")
	table := image.NewGray(image.Rect(0, 0, 2500, 2500))
	draw.Draw(table, clean.Rect.Add(image.Pt(500, 500)), clean, image.Point{}, draw.Src)
	for i, g := range grainy(2500, 2500, 6).Pix {
		table.Pix[i] = uint8(40 + 0.6*float64(table.Pix[i]) + float64(g) - 235)
	}
	require.Same(t, table, imaging.Denoise(table), "the contrast must be measured on the page, not on the table")
	cut := image.NewGray(image.Rect(0, 0, 2500, 2500)) // a page whose surroundings were whitened
	draw.Draw(cut, cut.Rect, image.White, image.Point{}, draw.Src)
	faint := noisy(70, 20)
	draw.Draw(cut, faint.Rect.Add(image.Pt(480, 480)), faint, image.Point{}, draw.Src)
	require.NotSame(t, cut, imaging.Denoise(cut), "whitened surroundings must not count as noiseless paper")
	var scrap image.Rectangle // one line of small type
	for _, l := range imaging.Letters(ocrtest.Page(lines[0])) {
		scrap = scrap.Union(l)
	}
	line := imaging.Crop(clean, scrap.Inset(-6))
	line = imaging.Resize(line, line.Rect.Dx()/4, line.Rect.Dy()/4)
	require.Same(t, line, imaging.Denoise(line), "letters are not noise, even where they are most of the picture")
	empty := image.NewGray(image.Rect(0, 0, 0, 0))
	require.Same(t, empty, imaging.Denoise(empty))
	require.Same(t, empty, imaging.WhitenSurroundings(empty))
}

// Denoise copies a page at most three times, and lists its spots once.
func TestDenoise_memory(t *testing.T) { //nolint:paralleltest // counts what the process allocates
	g := grainy(2000, 2000, 20)
	require.Less(t, ocrtest.Allocated(func() { require.NotSame(t, g, imaging.Denoise(g)) }), uint64(17<<20))
}

func TestBrighten(t *testing.T) {
	t.Parallel()
	page := ocrtest.Page(lines...)
	require.Same(t, page, imaging.Brighten(page))
	want := len(imaging.Letters(page))
	for i, v := range page.Pix {
		page.Pix[i] = v/10 + 2
	}
	bright := imaging.Brighten(page)
	require.Len(t, imaging.Letters(bright), want)
	require.InDelta(t, 240, bright.GrayAt(0, 0).Y, 2)
	title := image.NewGray(image.Rect(0, 0, 2000, 3000)) // a negative with little on it
	draw.Draw(title, title.Rect, image.White, image.Point{}, draw.Src)
	draw.Draw(title, title.Rect, ocrtest.Page("A title of few words, of the year 1847"), image.Point{}, draw.Src)
	for i, g := range grainy(2000, 3000, 3).Pix {
		title.Pix[i] = uint8(15 + 0.8*float64(255-title.Pix[i]) + float64(g) - 235)
	}
	require.Same(t, title, imaging.Brighten(title), "a negative is not a dark image")
	black := image.NewGray(image.Rect(0, 0, 50, 50))
	require.Same(t, black, imaging.Brighten(black))
	empty := image.NewGray(image.Rect(0, 0, 0, 0))
	require.Same(t, empty, imaging.Brighten(empty))
}

func TestInvertNegative_whiteBorder(t *testing.T) {
	t.Parallel()
	page := ocrtest.Page(lines...)
	grain := grainy(page.Rect.Dx(), page.Rect.Dy(), 3)
	for i, v := range page.Pix {
		page.Pix[i] = uint8(60 + float64(v)/255*(float64(grain.Pix[i])-145)) // #nosec G115 -- grey paper with a grain
	}
	w, h := page.Rect.Dx(), page.Rect.Dy()
	for i := range 60 { // bright specks, which are all that stands out against the border
		draw.Draw(page, image.Rect(0, 0, 6, 9).Add(image.Pt(20+i*(w-40)/60, 15+i%3*12)), image.White, image.Point{}, draw.Src)
	}
	for _, border := range []int{40, 100, 300} {
		g := ocrtest.BlankPage(w+2*border, h+2*border)
		draw.Draw(g, page.Rect.Add(image.Pt(border, border)), page, image.Point{}, draw.Src)
		same := g == imaging.InvertNegative(g) // require.Same would print both
		require.True(t, same, "a border of %d", border)
	}
}

func TestInvertNegative(t *testing.T) {
	t.Parallel()
	page := ocrtest.Page(lines...)
	negative := image.NewGray(page.Rect)
	for i, v := range page.Pix {
		negative.Pix[i] = 255 - v
	}
	require.Equal(t, page.Pix, imaging.InvertNegative(negative).Pix)
	require.Same(t, page, imaging.InvertNegative(page))

	table := image.NewGray(image.Rect(0, 0, 2200, 1200)) // dark, with a page on it
	draw.Draw(table, page.Rect.Add(image.Pt(400, 300)), page, image.Point{}, draw.Src)
	require.Same(t, table, imaging.InvertNegative(table))

	w, h := page.Rect.Dx(), page.Rect.Dy()
	facing := image.NewGray(image.Rect(0, 0, 2*w, h)) // a page of dark paper with bright specks, beside a bright one
	for i := range 2 * w * h {
		facing.Pix[i] = 100
	}
	for i := range 600 {
		draw.Draw(facing, image.Rect(0, 0, 6, 9).Add(image.Pt(10+i%20*(w-20)/20, 5+i/20*(h-10)/30)), image.White, image.Point{}, draw.Src)
	}
	draw.Draw(facing, page.Rect.Add(image.Pt(w, 0)), page, image.Point{}, draw.Src)
	same := facing == imaging.InvertNegative(facing) // require.Same would print both
	require.True(t, same, "dark paper beside bright paper is no negative")

	for x := 0; x < w; x += 18 { // narrow squares, which are as many and as large as letters
		draw.Draw(negative, image.Rect(x, h/2, x+2, h), image.White, image.Point{}, draw.Src)
	}
	for y := h / 2; y < h; y += 18 {
		draw.Draw(negative, image.Rect(0, y, w, y+2), image.White, image.Point{}, draw.Src)
	}
	same = negative == imaging.InvertNegative(negative)
	require.False(t, same, "a negative with squared paper")
	for _, empty := range []*image.Gray{image.NewGray(image.Rect(0, 0, 40, 40)), image.NewGray(image.Rect(0, 0, 1, 1))} {
		require.Same(t, empty, imaging.InvertNegative(empty))
	}
}
