package imaging_test

import (
	"image"
	"image/color"
	"image/draw"
	"math"
	"math/rand/v2"
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

func fill(g *image.Gray, r image.Rectangle, grey uint8) {
	draw.Draw(g, r, image.NewUniform(color.Gray{Y: grey}), image.Point{}, draw.Src)
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
	require.Equal(t, uint8(255), imaging.FromImage(transparent).Pix[0], "transparent pixels are white")
	require.Same(t, g, imaging.FromImage(g))
}

func TestFlatten(t *testing.T) {
	t.Parallel()
	page := ocrtest.Page(lines...)
	shaded := image.NewGray(page.Rect)
	for y := range page.Rect.Dy() {
		for x := range page.Rect.Dx() {
			paper := 90 + 130*float64(x)/float64(page.Rect.Dx())
			shaded.Pix[y*shaded.Stride+x] = uint8(paper * (0.3 + 0.7*float64(page.Pix[y*page.Stride+x])/255))
		}
	}
	wrong := 0
	for i, v := range imaging.Flatten(shaded).Pix {
		if page.Pix[i] == 0 && v >= 160 || page.Pix[i] == 255 && v < 160 {
			wrong++
		}
	}
	require.Less(t, wrong, len(page.Pix)/500, "one threshold separates ink from paper")
}

func TestIsBilevel(t *testing.T) {
	t.Parallel()
	page := ocrtest.Page(lines...)
	for i, v := range page.Pix {
		page.Pix[i] = v &^ 127 * 2 // nearly black and nearly white
	}
	require.True(t, imaging.IsBilevel(page))
	fill(page, page.Rect, 200)
	require.False(t, imaging.IsBilevel(page))
}

func TestWhitenSurroundings(t *testing.T) {
	t.Parallel()
	t.Run("whitens the table and a colour card, but not a picture on the leaf", func(t *testing.T) {
		t.Parallel()
		photo := image.NewGray(image.Rect(0, 0, 1000, 1200))
		fill(photo, image.Rect(100, 50, 900, 900), 220)    // the leaf
		fill(photo, image.Rect(300, 300, 400, 400), 0)     // a picture
		fill(photo, image.Rect(100, 1050, 700, 1150), 220) // the card
		fill(photo, image.Rect(200, 1080, 300, 1120), 0)
		out := imaging.WhitenSurroundings(photo)
		require.Equal(t, uint8(0), out.GrayAt(350, 350).Y, "the picture")
		require.Equal(t, uint8(255), out.GrayAt(250, 1100).Y, "the card")
		require.Equal(t, uint8(255), out.GrayAt(950, 500).Y, "the table")
	})
	t.Run("keeps a leaf beside two that touch", func(t *testing.T) {
		t.Parallel()
		photo := image.NewGray(image.Rect(0, 0, 1600, 800))
		fill(photo, image.Rect(50, 50, 1050, 750), 220) // two leaves
		fill(photo, image.Rect(1100, 50, 1550, 750), 220)
		fill(photo, image.Rect(1200, 200, 1210, 210), 0)
		out := imaging.WhitenSurroundings(photo)
		require.Equal(t, uint8(0), out.GrayAt(1205, 205).Y, "a letter on the third leaf")
		require.Equal(t, uint8(255), out.GrayAt(1075, 400).Y, "the table")
	})
}

func TestWhitenSurroundings_Edges(t *testing.T) {
	t.Parallel()
	t.Run("leaves no frame of the table around the leaf, and keeps a letter at its edge", func(t *testing.T) {
		t.Parallel()
		photo := image.NewGray(image.Rect(0, 0, 1000, 1200))
		leaf := image.Rect(109, 55, 893, 907)
		fill(photo, leaf.Inset(-1), 120) // blurred edge
		fill(photo, leaf, 220)
		letter := image.Rect(112, 500, 122, 510)
		fill(photo, letter, 20)
		out := imaging.WhitenSurroundings(photo)
		for y := range 1200 {
			for x := range 1000 {
				if !image.Pt(x, y).In(letter) {
					require.GreaterOrEqual(t, out.GrayAt(x, y).Y, uint8(220), "%d, %d", x, y)
				}
			}
		}
		require.Equal(t, uint8(20), out.GrayAt(115, 505).Y)
	})
	t.Run("keeps pages without surroundings or without a leaf", func(t *testing.T) {
		t.Parallel()
		fence := image.NewGray(image.Rect(0, 0, 960, 640))
		for x := 0; x < 960; x += 48 {
			fill(fence, image.Rect(x, 0, x+16, 640), 220)
		}
		for _, page := range []*image.Gray{ocrtest.Page(lines...), fence, image.NewGray(image.Rect(0, 0, 0, 0))} {
			require.Same(t, page, imaging.WhitenSurroundings(page))
		}
	})
	t.Run("keeps paper in a shadow", func(t *testing.T) {
		t.Parallel()
		page := ocrtest.Page(lines...)
		w := page.Rect.Dx()
		for i, v := range page.Pix {
			page.Pix[i] = uint8(float64(v) * (0.25 + 0.75*float64(i%page.Stride)/float64(w))) // #nosec G115 -- at most v
		}
		require.Same(t, page, imaging.WhitenSurroundings(page), "a page lit from one side is paper throughout")
		fill(page, image.Rect(0, 0, w, 200), 0)
		out := imaging.WhitenSurroundings(page)
		require.Equal(t, uint8(255), out.GrayAt(w-20, 20).Y, "the table becomes white")
		for _, x := range []int{8, w / 4, w / 2, w - 20} {
			require.Equal(t, page.GrayAt(x, 300), out.GrayAt(x, 300), "the paper stays, %d from the left", x)
		}
	})
}

func TestSpots(t *testing.T) {
	t.Parallel()
	g := image.NewGray(image.Rect(0, 0, 40, 20))
	fill(g, g.Rect, 255)
	for _, r := range []image.Rectangle{
		image.Rect(2, 2, 4, 12), image.Rect(8, 2, 10, 12), image.Rect(2, 11, 10, 13), // a u, whose sides meet below
		image.Rect(14, 5, 16, 7), image.Rect(16, 7, 18, 9), image.Rect(14, 9, 16, 11), // corners that touch
		image.Rect(20, 2, 21, 5),                                                                                 // a speck
		image.Rect(24, 2, 38, 4), image.Rect(24, 4, 26, 12), image.Rect(36, 4, 38, 9), image.Rect(30, 6, 32, 12), // an n, and a stroke in it
	} {
		fill(g, r, 0)
	}
	require.ElementsMatch(t, []image.Rectangle{
		image.Rect(2, 2, 10, 13), image.Rect(14, 5, 18, 11), image.Rect(24, 2, 38, 12), image.Rect(30, 6, 32, 12),
	}, imaging.Spots(g))
}

// The test compares the components with those of a flood fill, which is simple and slow.
func TestComponents(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		w, h := rapid.IntRange(1, 12).Draw(t, "w"), rapid.IntRange(1, 12).Draw(t, "h")
		ink := rapid.SliceOfN(rapid.Bool(), w*h, w*h).Draw(t, "ink")
		c := rapid.SampledFrom([]imaging.Connectivity{imaging.Edges, imaging.Corners}).Draw(t, "connectivity")
		runs := func(y int) imaging.RunSeq {
			return imaging.Runs(w, 1, func(x int) bool { return ink[y*w+x] })
		}
		var want []imaging.Component
		seen := make([]bool, w*h)
		var visit func(x, y int)
		visit = func(x, y int) {
			if x < 0 || y < 0 || x >= w || y >= h || !ink[y*w+x] || seen[y*w+x] {
				return
			}
			seen[y*w+x] = true
			last := &want[len(want)-1]
			last.Box, last.Area = last.Box.Union(image.Rect(x, y, x+1, y+1)), last.Area+1
			for dy := -1; dy <= 1; dy++ {
				for dx := -1; dx <= 1; dx++ {
					if c == imaging.Corners || dx*dy == 0 {
						visit(x+dx, y+dy)
					}
				}
			}
		}
		for i := range ink {
			if ink[i] && !seen[i] {
				want = append(want, imaging.Component{})
				visit(i%w, i/w)
			}
		}
		got, boxes := imaging.Components(h, c, runs), imaging.ComponentBoxes(h, c, runs)
		if len(got) != len(want) || len(boxes) != len(want) {
			t.Fatalf("%d components and %d boxes, want %d", len(got), len(boxes), len(want))
		}
		for i, w := range want {
			if got[i].Box != w.Box || got[i].Area != w.Area || boxes[i] != w.Box {
				t.Fatalf("component %d: %v and box %v, want %v", i, got[i], boxes[i], w)
			}
		}
	})
}

func TestLetterHeight(t *testing.T) {
	t.Parallel()
	page := ocrtest.Page(lines...)
	height := imaging.LetterHeight(imaging.Letters(page))
	require.InDelta(t, 27, height, 4, "12 points at 300 dots per inch")
	framed := append(imaging.Letters(page), image.Rect(0, 0, page.Rect.Dx(), 20_000))
	require.Equal(t, height, imaging.LetterHeight(framed), "a frame around the page is not a letter")
	half := imaging.Resize(page, page.Rect.Dx()/2, page.Rect.Dy()/2)
	require.InDelta(t, float64(height)/2, imaging.LetterHeight(imaging.Letters(half)), 2)
	require.Zero(t, imaging.LetterHeight(imaging.Letters(ocrtest.Page("few"))))
}

func skewOf(g *image.Gray) float64 {
	slant := imaging.Slant(imaging.LetterShaped(imaging.WithoutSpecks(imaging.AllSpots(g))))
	return slant + imaging.Skew(imaging.Rotate(g, -slant))
}

func TestSkew(t *testing.T) {
	t.Parallel()
	page := ocrtest.Page(lines...)
	for _, angle := range []float64{-40, -15, -6.3, -3, -1.2, 0, 0.6, 2.5, 5.2, 8, 13, 22, 33, 40} {
		require.InDelta(t, angle, skewOf(imaging.Rotate(page, angle)), 0.2, "%v degrees", angle)
	}
	long := ocrtest.BlankPage(ocrtest.Width, 4*page.Rect.Dy())
	for i := range 4 {
		imaging.Copy(long, page.Rect.Add(image.Pt(0, i*page.Rect.Dy())), page, image.Point{})
	}
	small := imaging.Resize(long, long.Rect.Dx()*2/5, long.Rect.Dy()*2/5)
	for _, angle := range []float64{-33, -17, 17, 40} {
		bilevel := imaging.Rotate(small, angle)
		for i, v := range bilevel.Pix {
			bilevel.Pix[i] = v >> 7 * 255
		}
		require.InDelta(t, angle, skewOf(bilevel), 0.5, "%v degrees, black and white", angle)
	}
	require.Zero(t, skewOf(image.NewGray(image.Rect(0, 0, 0, 0))))
}

// TestSkew_hatching checks that the skew of a page is that of its lines, not of the hatching of a picture in its middle.
func TestSkew_hatching(t *testing.T) {
	t.Parallel()
	page := ocrtest.BlankPage(ocrtest.Width, 3000)
	text := ocrtest.Page(lines[:4]...)
	imaging.Copy(page, text.Rect, text, image.Point{})
	imaging.Copy(page, text.Rect.Add(image.Pt(0, 2500)), text, image.Point{})
	for y := 600; y < 2400; y++ {
		for x := 100; x < ocrtest.Width-100; x++ {
			if (x+y)%14 < 5 {
				page.SetGray(x, y, color.Gray{})
			}
		}
	}
	require.InDelta(t, 0, skewOf(page), 0.5)
}

func TestMemory(t *testing.T) { //nolint:paralleltest // counts what the process allocates
	noise := image.NewGray(image.Rect(0, 0, 1500, 1500)) // has a run of ink for every few pixels, most of them in one spot
	random := rand.New(rand.NewPCG(1, 2))
	for i := range noise.Pix {
		noise.Pix[i] = uint8(random.Uint32())
	}
	require.Less(t, ocrtest.Allocated(func() { imaging.Spots(noise) }), uint64(30<<20), "Spots grows with the spots, not the runs")
	black := image.NewGray(image.Rect(0, 0, 800, 8000))
	require.Less(t, ocrtest.Allocated(func() { require.Zero(t, imaging.Skew(black)) }), uint64(200<<20), "Skew of a black band")
}

func TestTurn(t *testing.T) {
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
			t.Fatal("resizing to the same size changes the page")
		}
		big := imaging.Resize(g, 3*w, 2*h)
		if math.Abs(mean(big)-mean(g)) > 40 {
			t.Fatalf("brightness went from %v to %v", mean(g), mean(big))
		}
		imaging.Flatten(g)
		imaging.WhitenSurroundings(g)
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

func TestThin(t *testing.T) {
	t.Parallel()
	g := image.NewGray(image.Rect(0, 0, 5, 5))
	for i := range g.Pix {
		g.Pix[i] = 255
	}
	for y := range 5 {
		for x := 1; x < 4; x++ {
			g.Pix[y*g.Stride+x] = 55 // a stroke three pixels wide
		}
	}
	require.Equal(t, []uint8{255, 155, 55, 155, 255}, imaging.Thin(g).Pix[10:15], "its edges are fainter")
	require.Equal(t, uint8(55), g.Pix[11], "the image itself does not change")
	require.Equal(t, image.Rect(0, 0, 0, 3), imaging.Thin(image.NewGray(image.Rect(0, 0, 0, 3))).Rect)
}

func TestContrast(t *testing.T) {
	t.Parallel()
	page := ocrtest.BlankPage(100, 100)
	require.Zero(t, imaging.Contrast(page), "blank paper")
	for i := range page.Pix {
		page.Pix[i] = 200
		if i%10 == 0 {
			page.Pix[i] = 50
		}
	}
	require.InDelta(t, 150, imaging.Contrast(page), 0.01)
}

func TestAround(t *testing.T) {
	t.Parallel()
	outer := image.Rect(0, 0, 100, 100)
	left, right, above, below := image.Rect(0, 0, 50, 100), image.Rect(90, 0, 100, 100), image.Rect(0, 0, 100, 20), image.Rect(0, 60, 100, 100)
	parts := imaging.Around(outer, image.Rect(50, 20, 90, 60))
	require.Equal(t, []image.Rectangle{left, below, above, right}, parts, "the largest first")
	require.Equal(t, image.Rect(50, 60, 100, 100), imaging.LargestRest(below, []image.Rectangle{left}))
	require.Equal(t, image.Rect(50, 0, 90, 20), imaging.LargestRest(above, []image.Rectangle{left, right}))
	require.Equal(t, above, imaging.LargestRest(above, []image.Rectangle{below}))
	require.True(t, imaging.LargestRest(above, []image.Rectangle{outer}).Empty())
}
