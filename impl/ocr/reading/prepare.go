package reading

import (
	"image"
	"math"

	"uncial/impl/ocr/imaging"
	"uncial/internal/document"
)

const (
	// leastSkew is the skew in degrees from which on a page is turned level. Tesseract follows smaller ones by itself,
	// and turning blurs.
	leastSkew = 0.8
	// skewLetters is the height of letters in pixels, as they are read, that turning does not harm.
	skewLetters = 14
)

// sheet is a page prepared for reading. That without an image leaves boxes where they are.
type sheet struct {
	img *image.Gray
	// angle is how many degrees the image was turned clockwise, around its middle, to lie level.
	angle float64
	// letters are the spots of ink that have the shape of a letter, in pixels of the page.
	letters []image.Rectangle
	// spots are all spots of ink that are no specks, in pixels of the page.
	spots []image.Rectangle
	// enlarge is by how much the sheet is made larger to be read; see source.
	enlarge float64
	// blank is true where no spot of ink is as high as a letter: there is nothing to read.
	blank bool
}

// prepare brings a page into the state that models read best. Bilevel pages have nothing to mend but the skew. Grey and
// colour ones lose their surroundings, then strong noise, then their shading, then the grain of the paper where hardly
// anything else is there.
func prepare(g *image.Gray) sheet {
	if !imaging.Bilevel(g) {
		g = imaging.DropGrain(imaging.Flatten(imaging.Denoise(imaging.Leaves(g))))
	}
	spots := imaging.Spots(g)
	letters := imaging.LetterShaped(spots)
	s := sheet{img: g, letters: letters, spots: spots, blank: len(spots) == 0}
	if s.blank {
		return s
	}
	height := imaging.LetterHeight(letters)
	s.enlarge = enlargement(height)
	if skew := imaging.Skew(g); math.Abs(skew) >= leastSkew && float64(height)*s.enlarge >= skewLetters {
		s.img, s.angle = imaging.Rotate(g, -skew), -skew
	}
	return s
}

// inked are the spots of ink in pixels of the sheet.
func (s sheet) inked() []image.Rectangle {
	if s.angle == 0 {
		return s.spots
	}
	return imaging.Spots(s.img)
}

// place puts what was read on the sheet to its place on the page. It copies.
func (s sheet) place(blocks []document.Block) []document.Block {
	out := make([]document.Block, len(blocks))
	for i, b := range blocks {
		lines := make([]document.Line, len(b.Lines))
		for j, l := range b.Lines {
			line := l
			line.Words = make([]document.Word, len(l.Words))
			for k, w := range l.Words {
				w.Box = s.placeBox(w.Box)
				line.Words[k] = w
			}
			line.Baseline = make([]document.Point, len(l.Baseline))
			for k, p := range l.Baseline {
				x, y := s.placePoint(float64(p.X), float64(p.Y))
				line.Baseline[k] = document.Point{X: int(math.Round(x)), Y: int(math.Round(y))}
			}
			line.Box = wordsBox(line.Words)
			lines[j] = line
		}
		out[i] = blockOf(lines)
	}
	return out
}

// placeBox moves a box with its middle: the words of a page that is a degree or two askew are not worth a larger one.
func (s sheet) placeBox(b document.Box) document.Box {
	x, y := s.placePoint(float64(b.X)+float64(b.W)/2, float64(b.Y)+float64(b.H)/2)
	b.X, b.Y = int(math.Round(x-float64(b.W)/2)), int(math.Round(y-float64(b.H)/2))
	if s.img == nil {
		return b
	}
	return b.Clip(s.img.Rect.Dx(), s.img.Rect.Dy())
}

func (s sheet) placePoint(x, y float64) (float64, float64) {
	if s.angle == 0 {
		return x, y
	}
	cx, cy := float64(s.img.Rect.Dx()-1)/2, float64(s.img.Rect.Dy()-1)/2
	sin, cos := math.Sincos(s.angle * math.Pi / 180)
	dx, dy := x-cx, y-cy
	return min(max(cx+dx*cos+dy*sin, 0), 2*cx), min(max(cy-dx*sin+dy*cos, 0), 2*cy)
}
