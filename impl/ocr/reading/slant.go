package reading

import (
	"context"
	"image"
	"math"
	"slices"

	"uncial/impl/ocr/imaging"
	"uncial/internal/document"
)

// slant is the place of a page on an image that shows it at an angle.
type slant struct {
	angle float64         // clockwise, in degrees
	image image.Point     // size of the image
	part  image.Rectangle // the page, in pixels of the image after it was rotated by -angle around its middle
}

// levelSlanted replaces a page that was photographed at an angle with the part of the rotated image that has ink, and prepares
// that part again. The later steps correct small angles only, and straighten lines that slope because they curve.
func levelSlanted(ctx context.Context, p *page) error {
	angle := imaging.Slant(p.sheet.letters)
	if angle == 0 || math.Abs(angle) <= maxCurledSlope && p.sheet.findCurl() != nil {
		return nil
	}
	angle += imaging.Skew(imaging.Rotate(p.sheet.img, -angle))
	s := &slant{angle: angle, image: p.gray.Rect.Size()}
	s.part = s.around(p.sheet.components, -angle).Inset(-slantMargin * p.sheet.letterHeight)
	if !isReadable(s.part.Size(), 1) {
		return nil
	}
	p.gray = imaging.RotatePart(p.gray, -s.angle, s.part, imaging.EdgeGrey(p.gray))
	p.slant = s
	return p.run(ctx, inkSteps)
}

// around returns the box of all boxes after they were rotated by an angle around the middle of the image.
func (s *slant) around(boxes []image.Rectangle, angle float64) image.Rectangle {
	var all image.Rectangle
	for _, b := range boxes {
		for _, corner := range [4]image.Point{b.Min, b.Max, {X: b.Min.X, Y: b.Max.Y}, {X: b.Max.X, Y: b.Min.Y}} {
			x, y := rotatedPoint(float64(corner.X), float64(corner.Y), s.image, angle)
			at := image.Pt(int(math.Round(x)), int(math.Round(y)))
			all = all.Union(image.Rectangle{Min: at, Max: at.Add(image.Pt(1, 1))})
		}
	}
	return all
}

// turned returns the place of the page after quarter turns of the image clockwise, or nil if there is no slant.
func (s *slant) turned(quarters int) *slant {
	if s == nil {
		return nil
	}
	t := *s
	t.part = turnBoxes([]image.Rectangle{s.part}, s.image, quarters)[0]
	if quarters%2 != 0 {
		t.image = image.Pt(s.image.Y, s.image.X)
	}
	return &t
}

// onImage moves the results of a slanted page to where they are on the image.
func (p *page) onImage() {
	s := p.slant
	p.read.Blocks = moveAll(p.read.Blocks, s.wordOnImage, func(at document.Point) document.Point {
		x, y := s.pointOnImage(float64(at.X), float64(at.Y))
		return document.Point{X: min(max(int(math.Round(x)), 0), s.image.X-1), Y: min(max(int(math.Round(y)), 0), s.image.Y-1)}
	})
	p.edits, p.read.Edits = slices.Clone(p.edits), slices.Clone(p.read.Edits)
	for _, edits := range [][]document.Edit{p.edits, p.read.Edits} {
		for i := range edits {
			edits[i].Box = s.wordOnImage(edits[i].Box)
		}
	}
	for i := range p.graphics {
		p.graphics[i].Box = s.partOnImage(p.graphics[i].Box)
	}
	for i := range p.doubts {
		p.doubts[i].Box = s.partOnImage(p.doubts[i].Box)
	}
}

// pointOnImage returns where a point of the page is on the image.
func (s *slant) pointOnImage(x, y float64) (float64, float64) {
	return rotatedPoint(x+float64(s.part.Min.X), y+float64(s.part.Min.Y), s.image, s.angle)
}

// wordOnImage moves the middle of a word's box. It does not enlarge the box, as sheet.boxOnPage does not.
func (s *slant) wordOnImage(b document.Box) document.Box {
	x, y := s.pointOnImage(float64(b.X)+float64(b.W)/2, float64(b.Y)+float64(b.H)/2)
	b.X, b.Y = int(math.Round(x-float64(b.W)/2)), int(math.Round(y-float64(b.H)/2))
	return b.Clip(s.image.X, s.image.Y)
}

// partOnImage returns the box on the image of a part of the page.
func (s *slant) partOnImage(b document.Box) document.Box {
	on := s.around([]image.Rectangle{b.Rectangle().Add(s.part.Min)}, s.angle)
	return document.BoxOf(on).Clip(s.image.X, s.image.Y)
}
