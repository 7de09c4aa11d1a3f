package imaging_test

import (
	"image"
	"image/color"
	"image/draw"
	"math"
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"uncial/impl/ocr/imaging"
	"uncial/impl/ocr/ocrtest"
)

var lines = []string{
	"It was the best of times, it was the worst of times,", "it was the age of wisdom, it was the age of foolishness,",
	"it was the epoch of belief, it was the epoch of incredulity,", "it was the season of Light, it was the season of Darkness,",
	"it was the spring of hope, it was the winter of despair,", "we had everything before us, we had nothing before us,",
}

func TestFromImage(t *testing.T) {
	t.Parallel()
	c := image.NewRGBA(image.Rect(10, 10, 12, 11))
	c.Set(10, 10, color.RGBA{R: 255, A: 255})
	c.Set(11, 10, color.RGBA{R: 255, G: 255, B: 255, A: 255})
	g := imaging.FromImage(c.SubImage(c.Rect))
	require.Equal(t, image.Rect(0, 0, 2, 1), g.Rect)
	require.Equal(t, []uint8{76, 255}, g.Pix[:2], "luminance of red and of white")

	transparent := image.NewNRGBA(image.Rect(0, 0, 1, 1))
	require.Equal(t, uint8(255), imaging.FromImage(transparent).Pix[0], "what is transparent is white")
	require.Same(t, g, imaging.FromImage(g))
}

func TestFlatten_takes_the_shading_and_keeps_the_ink(t *testing.T) {
	t.Parallel()
	page := ocrtest.Page(lines...)
	shaded := image.NewGray(page.Rect)
	for y := range page.Rect.Dy() {
		for x := range page.Rect.Dx() {
			paper := 90 + 130*float64(x)/float64(page.Rect.Dx())
			shaded.Pix[y*shaded.Stride+x] = uint8(paper * (0.3 + 0.7*float64(page.Pix[y*page.Stride+x])/255))
		}
	}
	flat := imaging.Flatten(shaded)
	wrong := 0
	ink := imaging.Binarize(flat, imaging.Otsu(flat))
	for i, v := range page.Pix {
		if v == 0 && ink.Pix[i] != 0 || v == 255 && ink.Pix[i] != 255 {
			wrong++
		}
	}
	require.Less(t, wrong, len(page.Pix)/500)
}

func TestBilevel(t *testing.T) {
	t.Parallel()
	page := ocrtest.Page(lines...)
	require.True(t, imaging.Bilevel(imaging.Binarize(page, 128)))
	grey := image.NewGray(page.Rect)
	draw.Draw(grey, grey.Rect, image.NewUniform(color.Gray{Y: 200}), image.Point{}, draw.Src)
	require.False(t, imaging.Bilevel(grey))
}

func TestLeaves_drops_the_colour_card(t *testing.T) {
	t.Parallel()
	photo := image.NewGray(image.Rect(0, 0, 1000, 1200)) // black
	white := image.NewUniform(color.Gray{Y: 220})
	draw.Draw(photo, image.Rect(100, 50, 900, 900), white, image.Point{}, draw.Src)        // the leaf
	draw.Draw(photo, image.Rect(300, 300, 400, 400), image.Black, image.Point{}, draw.Src) // a picture on it
	draw.Draw(photo, image.Rect(100, 1050, 700, 1150), white, image.Point{}, draw.Src)     // the card
	draw.Draw(photo, image.Rect(200, 1080, 300, 1120), image.Black, image.Point{}, draw.Src)
	out := imaging.Leaves(photo)
	require.Equal(t, uint8(0), out.GrayAt(350, 350).Y, "the picture stays")
	require.Equal(t, uint8(255), out.GrayAt(250, 1100).Y, "what stands on the card goes")
	require.Equal(t, uint8(255), out.GrayAt(950, 500).Y, "the table becomes white")

	page := ocrtest.Page(lines...)
	require.Same(t, page, imaging.Leaves(page), "a page without surroundings stays")

	fence := image.NewGray(image.Rect(0, 0, 960, 640))
	for x := 0; x < 960; x += 48 {
		draw.Draw(fence, image.Rect(x, 0, x+16, 640), white, image.Point{}, draw.Src)
	}
	require.Same(t, fence, imaging.Leaves(fence), "where no leaf can be made out nothing is taken away")
}

// grainy is blank paper with a normal grain.
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
	require.Same(t, full, imaging.DropGrain(full), "so does white text on black")
}

func TestLeaves_keeps_paper_in_a_shadow(t *testing.T) {
	t.Parallel()
	page := ocrtest.Page(lines...)
	w := page.Rect.Dx()
	for i, v := range page.Pix {
		page.Pix[i] = uint8(float64(v) * (0.25 + 0.75*float64(i%page.Stride)/float64(w))) // #nosec G115 -- at most v
	}
	require.Same(t, page, imaging.Leaves(page), "a page lit from one side is paper throughout")
	draw.Draw(page, image.Rect(0, 0, w, 200), image.Black, image.Point{}, draw.Src)
	out := imaging.Leaves(page)
	require.Equal(t, uint8(255), out.GrayAt(w-20, 20).Y, "the table beside it goes")
	for _, x := range []int{8, w / 4, w / 2, w - 20} {
		require.Equal(t, page.GrayAt(x, 300), out.GrayAt(x, 300), "the paper stays, %d from the left", x)
	}
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
	require.Same(t, strong, imaging.Denoise(strong), "noise that is small beside the contrast")
	want := len(imaging.Letters(clean))
	for _, deviation := range []float64{20, 25, 30} {
		faint := noisy(70, deviation)
		require.InDelta(t, want, len(imaging.Letters(imaging.DropGrain(imaging.Flatten(imaging.Denoise(faint))))), 0.1*float64(want), "noise of %v", deviation)
		require.Greater(t, len(imaging.Spots(faint)), 2*want, "it is noise of %v", deviation)
	}
	require.Empty(t, imaging.Spots(imaging.DropGrain(imaging.Flatten(imaging.Denoise(grainy(700, 900, 30))))), "paper with noise alone is blank")
	table := image.NewGray(image.Rect(0, 0, 2500, 2500))
	draw.Draw(table, clean.Rect.Add(image.Pt(500, 500)), clean, image.Point{}, draw.Src)
	for i, g := range grainy(2500, 2500, 6).Pix {
		table.Pix[i] = uint8(40 + 0.6*float64(table.Pix[i]) + float64(g) - 235)
	}
	require.Same(t, table, imaging.Denoise(table), "the contrast is that of the page, not of the table that it lies on")
	cut := image.NewGray(image.Rect(0, 0, 2500, 2500)) // from its surroundings
	draw.Draw(cut, cut.Rect, image.White, image.Point{}, draw.Src)
	faint := noisy(70, 20)
	draw.Draw(cut, faint.Rect.Add(image.Pt(480, 480)), faint, image.Point{}, draw.Src)
	require.NotSame(t, cut, imaging.Denoise(cut), "what was made white around a page says nothing of its noise")
	var scrap image.Rectangle // one line of small type
	for _, l := range imaging.Letters(ocrtest.Page(lines[0])) {
		scrap = scrap.Union(l)
	}
	line := imaging.Crop(clean, scrap.Inset(-6))
	line = imaging.Resize(line, line.Rect.Dx()/4, line.Rect.Dy()/4)
	require.Same(t, line, imaging.Denoise(line), "letters are no noise, though they be most of the picture")
	empty := image.NewGray(image.Rect(0, 0, 0, 0))
	require.Same(t, empty, imaging.Denoise(empty))
	require.Same(t, empty, imaging.Leaves(empty))
}

// Not parallel: it counts what is allocated.
func TestDenoise_copies_a_page_twice_at_most(t *testing.T) {
	g := grainy(2000, 2000, 20)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	require.NotSame(t, g, imaging.Denoise(g))
	runtime.ReadMemStats(&after)
	require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(9<<20))
}

func TestBright(t *testing.T) {
	t.Parallel()
	page := ocrtest.Page(lines...)
	require.Same(t, page, imaging.Bright(page))
	want := len(imaging.Letters(page))
	for i, v := range page.Pix {
		page.Pix[i] = v/10 + 2
	}
	bright := imaging.Bright(page)
	require.Len(t, imaging.Letters(bright), want)
	require.InDelta(t, 240, bright.GrayAt(0, 0).Y, 2)
	title := image.NewGray(image.Rect(0, 0, 2000, 3000)) // a negative with little on it
	draw.Draw(title, title.Rect, image.White, image.Point{}, draw.Src)
	draw.Draw(title, title.Rect, ocrtest.Page("A title of few words, of the year 1847"), image.Point{}, draw.Src)
	for i, g := range grainy(2000, 3000, 3).Pix {
		title.Pix[i] = uint8(15 + 0.8*float64(255-title.Pix[i]) + float64(g) - 235)
	}
	require.Same(t, title, imaging.Bright(title), "a negative is no dark picture")
	black := image.NewGray(image.Rect(0, 0, 50, 50))
	require.Same(t, black, imaging.Bright(black))
	empty := image.NewGray(image.Rect(0, 0, 0, 0))
	require.Same(t, empty, imaging.Bright(empty))
}

func TestPositive_of_a_page_with_a_white_border(t *testing.T) {
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
		g := ocrtest.Sheet(w+2*border, h+2*border)
		draw.Draw(g, page.Rect.Add(image.Pt(border, border)), page, image.Point{}, draw.Src)
		same := g == imaging.Positive(g) // require.Same would print both
		require.True(t, same, "a border of %d", border)
	}
}

func TestPositive(t *testing.T) {
	t.Parallel()
	page := ocrtest.Page(lines...)
	negative := image.NewGray(page.Rect)
	for i, v := range page.Pix {
		negative.Pix[i] = 255 - v
	}
	require.Equal(t, page.Pix, imaging.Positive(negative).Pix)
	require.Same(t, page, imaging.Positive(page))

	table := image.NewGray(image.Rect(0, 0, 2200, 1200)) // dark, with a page on it
	draw.Draw(table, page.Rect.Add(image.Pt(400, 300)), page, image.Point{}, draw.Src)
	require.Same(t, table, imaging.Positive(table))
	for _, empty := range []*image.Gray{image.NewGray(image.Rect(0, 0, 40, 40)), image.NewGray(image.Rect(0, 0, 1, 1))} {
		require.Same(t, empty, imaging.Positive(empty))
	}
}

func TestSpots(t *testing.T) {
	t.Parallel()
	g := image.NewGray(image.Rect(0, 0, 40, 20))
	draw.Draw(g, g.Rect, image.White, image.Point{}, draw.Src)
	for _, r := range []image.Rectangle{
		image.Rect(2, 2, 4, 12), image.Rect(8, 2, 10, 12), image.Rect(2, 11, 10, 13), // a u, whose sides meet below
		image.Rect(14, 5, 16, 7), image.Rect(16, 7, 18, 9), image.Rect(14, 9, 16, 11), // corners that touch
		image.Rect(20, 2, 21, 5),                                                                                 // a speck
		image.Rect(24, 2, 38, 4), image.Rect(24, 4, 26, 12), image.Rect(36, 4, 38, 9), image.Rect(30, 6, 32, 12), // an n, and a stroke in it
	} {
		draw.Draw(g, r, image.Black, image.Point{}, draw.Src)
	}
	require.ElementsMatch(t, []image.Rectangle{
		image.Rect(2, 2, 10, 13), image.Rect(14, 5, 18, 11), image.Rect(24, 2, 38, 12), image.Rect(30, 6, 32, 12),
	}, imaging.Spots(g))
}

// Not parallel: it counts what is allocated. Noise has a run of ink for every few pixels, most of them one spot.
func TestSpots_of_noise_takes_memory_by_spots(t *testing.T) {
	g := image.NewGray(image.Rect(0, 0, 1500, 1500))
	random := rand.New(rand.NewPCG(1, 2))
	for i := range g.Pix {
		g.Pix[i] = uint8(random.Uint32())
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	imaging.Spots(g)
	runtime.ReadMemStats(&after)
	require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(30<<20))
}

func TestSkew_of_a_black_band_takes_little_memory(t *testing.T) {
	band := image.NewGray(image.Rect(0, 0, 800, 8000))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	require.Zero(t, imaging.Skew(band))
	runtime.ReadMemStats(&after)
	require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(200<<20))
}

func TestSkew(t *testing.T) {
	t.Parallel()
	page := ocrtest.Page(lines...)
	for _, angle := range []float64{-3, -1.2, 0, 0.6, 2.5} {
		require.InDelta(t, angle, imaging.Skew(imaging.Rotate(page, angle)), 0.2, "%v degrees", angle)
	}
	require.Zero(t, imaging.Skew(image.NewGray(image.Rect(0, 0, 0, 0))))
}

func TestLetterHeight(t *testing.T) {
	t.Parallel()
	page := ocrtest.Page(lines...)
	height := imaging.LetterHeight(imaging.Letters(page))
	require.InDelta(t, 27, height, 4, "12 points at 300 dots per inch")
	framed := append(imaging.Letters(page), image.Rect(0, 0, page.Rect.Dx(), 20_000))
	require.Equal(t, height, imaging.LetterHeight(framed), "a frame around the page is no letter")
	half := imaging.Resize(page, page.Rect.Dx()/2, page.Rect.Dy()/2)
	require.InDelta(t, float64(height)/2, imaging.LetterHeight(imaging.Letters(half)), 2)
	require.Zero(t, imaging.LetterHeight(imaging.Letters(ocrtest.Page("few"))))
}

func TestTurn_and_Resize(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		w, h := rapid.IntRange(1, 20).Draw(t, "w"), rapid.IntRange(1, 20).Draw(t, "h")
		g := image.NewGray(image.Rect(0, 0, w, h))
		copy(g.Pix, rapid.SliceOfN(rapid.Byte(), w*h, w*h).Draw(t, "pixels"))
		n := rapid.IntRange(0, 3).Draw(t, "quarters")
		if back := imaging.Turn(imaging.Turn(g, n), 4-n); back.Rect != g.Rect || string(back.Pix) != string(g.Pix) {
			t.Fatal("turning back does not give the page back")
		}
		if same := imaging.Resize(g, w, h); string(same.Pix) != string(g.Pix) {
			t.Fatal("the same size is not the same page")
		}
		big := imaging.Resize(g, 3*w, 2*h)
		if math.Abs(mean(big)-mean(g)) > 40 {
			t.Fatalf("brightness went from %v to %v", mean(g), mean(big))
		}
		var counted [256]int
		for _, v := range g.Pix {
			counted[v]++
		}
		if counted != imaging.Histogram(g) {
			t.Fatal("the histogram does not count every pixel once")
		}
		imaging.Positive(imaging.Bright(g))
		imaging.DropGrain(imaging.Flatten(imaging.Denoise(g)))
		imaging.Leaves(g)
		imaging.Skew(g)
		imaging.Letters(g)
	})
}

func mean(g *image.Gray) float64 {
	sum := 0
	for _, v := range g.Pix {
		sum += int(v)
	}
	return float64(sum) / float64(len(g.Pix))
}
