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

// levelSlanted replaces a page that was photographed at an angle with the rotated image, cropped to its ink, and prepares that
// again. The later steps correct small angles only, and straighten lines that slope because they curve. If the rotated ink is a
// texture, the rows of dots of a picture slope, and the page is not rotated.
func levelSlanted(ctx context.Context, p *page) error {
	angle := imaging.Slant(p.sheet.letters)
	if angle == 0 || math.Abs(angle) <= maxCurledSlope && p.sheet.findCurl() != nil {
		return nil
	}
	if skew := imaging.Skew(imaging.Rotate(p.sheet.img, -angle)); math.Abs(skew) <= maxSlantError {
		angle += skew
	}
	frame, outside := p.gray.Rect, uint8(255)
	if p.isGray {
		outside = imaging.EdgeGrey(p.gray)
	}
	s := &slant{angle: angle, image: frame.Size()}
	s.part = imaging.RotatedExtent(p.sheet.img, -angle).Inset(-slantMargin * p.sheet.letterHeight)
	if growth := float64(s.part.Dx()*s.part.Dy()) / float64(frame.Dx()*frame.Dy()); growth > maxSlantGrowth || !isReadable(s.part.Size(), 1) {
		s.part = frame
	}
	before := *p
	p.gray = imaging.RotatePart(p.gray, -angle, s.part, outside)
	p.slant = s
	if err := p.run(ctx, inkSteps); err != nil || !p.sheet.isBlank() {
		return err
	}
	rotated := *p
	*p = before
	if p.sheet.eraseHalftone(imaging.AllSpots(p.sheet.img)); p.sheet.halftone.Empty() {
		*p = rotated
		return nil
	}
	p.beginHandwriting()
	return nil
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
	p.read.Blocks = moveAll(p.read.Blocks, s.boxOnImage, func(at document.Point) document.Point {
		x, y := s.pointOnImage(float64(at.X), float64(at.Y))
		return document.Point{X: min(max(int(math.Round(x)), 0), s.image.X-1), Y: min(max(int(math.Round(y)), 0), s.image.Y-1)}
	})
	p.edits, p.read.Edits = slices.Clone(p.edits), slices.Clone(p.read.Edits)
	for _, edits := range [][]document.Edit{p.edits, p.read.Edits} {
		for i := range edits {
			edits[i].Box = s.boxOnImage(edits[i].Box)
		}
	}
	for i := range p.graphics {
		p.graphics[i].Box = s.boxOnImage(p.graphics[i].Box)
	}
	for i := range p.doubts {
		p.doubts[i].Box = s.boxOnImage(p.doubts[i].Box)
	}
}

// pointOnImage returns where a point of the page is on the image.
func (s *slant) pointOnImage(x, y float64) (float64, float64) {
	return imaging.RotatePoint(x+float64(s.part.Min.X), y+float64(s.part.Min.Y), s.image, s.angle)
}

// boxOnImage moves the middle of a box. It does not enlarge the box, as sheet.boxOnPage does not: a larger box of an
// illustration would have words in it.
func (s *slant) boxOnImage(b document.Box) document.Box {
	return movedMiddle(b, s.image, s.pointOnImage)
}
