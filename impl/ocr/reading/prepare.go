package reading

import (
	"cmp"
	"context"
	"image"
	"math"
	"slices"

	"uncial/impl/ocr/imaging"
	"uncial/impl/ocr/layout"
	"uncial/impl/ocr/tesseract"
	"uncial/internal/document"
)

// sheet is the prepared page that the models read.
type sheet struct {
	img *image.Gray
	// angle is the rotation of img in degrees, clockwise around its middle.
	angle float64
	// unlevelled is the sheet before its rotation.
	unlevelled *image.Gray
	// curl is the curl that was removed from img, or nil if its lines were straight.
	curl *imaging.Curl
	// components are the connected components of ink without specks, and letters the letter-shaped ones among them, both in
	// pixels of the page.
	components, letters []image.Rectangle
	// marks are the components in pixels of img.
	marks []image.Rectangle
	// letterHeight is the usual height of letters in pixels, or 0 if there are too few letters to tell.
	letterHeight int
	// dpi is the resolution of img in dots per inch, or 0 if it is not known.
	dpi int
	// isScratched means that vertical scratches were erased from img.
	isScratched bool
	// staves are the boxes of music, which are white in img.
	staves []image.Rectangle
	// halftone is the box of a picture of dots, in pixels of the page. It is white in img.
	halftone image.Rectangle
	// leaders are the leaders in pixels of the page. Their dots are white in img.
	leaders []layout.Leader
	// regions are the parts of img that are read separately, in reading order. If it is nil, img is read as a whole.
	regions []layout.Region
	// scale is the factor by which img, and parts of it, are scaled for reading. 0 means 1.
	scale float64
}

// measure records whether the page has greys, before steps change them, and makes the page itself the first version of the
// sheet.
func measure(_ context.Context, p *page) error {
	p.isGray = !imaging.IsBilevel(p.gray)
	p.sheet = sheet{img: p.gray}
	return nil
}

// findInk finds the ink of the sheet, and finishes a page without any.
func findInk(_ context.Context, p *page) error {
	spots := imaging.AllSpots(p.sheet.img)
	if !slices.Contains(p.options.Without, leadersStep) {
		spots = p.sheet.eraseLeaders(spots)
	}
	if p.sheet.setInk(spots); p.sheet.isBlank() {
		p.sheet.eraseHalftone(spots)
	}
	if p.finished = p.sheet.isBlank(); !p.finished {
		p.beginHandwriting()
	}
	return nil
}

// beginHandwriting prepares the search for handwriting, on the page without leaders and halftone.
func (p *page) beginHandwriting() {
	p.handwriting = newHandwriting(p, p.withoutHalftone(p.withoutLeaders()), p.sheet.letters)
}

// eraseSpecks whitens the specks of a page in black and white if there are many: enlarged, they would look like dots and pieces
// of letters.
func eraseSpecks(_ context.Context, p *page) error {
	if img := imaging.DropSpecks(p.sheet.img, p.sheet.letterHeight); img != p.sheet.img {
		p.sheet.img = img
		p.sheet.setInk(imaging.AllSpots(img))
	}
	return nil
}

// setInk makes spots the components of ink, and finds the height of letters.
func (s *sheet) setInk(spots []image.Rectangle) {
	s.components = imaging.WithoutSpecks(spots)
	s.marks, s.letters = s.components, imaging.LetterShaped(s.components)
	s.unlevelled = s.img
	s.letterHeight = imaging.LetterHeight(s.letters)
	if s.isTexture(spots) {
		s.components, s.marks, s.letters = nil, nil, nil // they are not text in any orientation of the page
	}
}

// joinFragments smooths the sheet of a page whose letters break into fragments, such as typescript on rough paper that was
// scanned at a high resolution, and sets the factor by which it is reduced for reading. At half the size such letters are
// whole, so that there are far fewer and they are higher in pixels of the page. The search for handwriting keeps the letters
// that were found before smoothing.
func joinFragments(_ context.Context, p *page) error {
	s := &p.sheet
	half := scaled(s.img, 0.5)
	letters := imaging.Letters(half)
	height := imaging.LetterHeight(letters)
	if height < minWholeHeight || float64(len(s.letters)) < minFragments*float64(len(letters)) ||
		2*float64(height) < minFragmentGrowth*float64(s.letterHeight) {
		return nil
	}
	quarter := imaging.LetterHeight(imaging.Letters(scaled(half, 0.5)))
	whole := max(2*height, 4*quarter)
	if float64(whole) > maxWholeGrowth*2*float64(height) {
		return nil // they are not letters at either size
	}
	smooth := *s
	smooth.scale = wholeHeight / float64(whole)
	size := s.img.Rect.Size()
	smooth.img = imaging.Resize(scaled(s.img, smooth.scale), size.X, size.Y)
	if smooth.setInk(imaging.AllSpots(smooth.img)); !smooth.isBlank() {
		*s = smooth
	}
	return nil
}

// scaled returns an image with its sides multiplied by a factor.
func scaled(g *image.Gray, factor float64) *image.Gray {
	return imaging.Resize(g, int(float64(g.Rect.Dx())*factor), int(float64(g.Rect.Dy())*factor))
}

// isBlank reports whether the sheet has no ink apart from specks.
func (s sheet) isBlank() bool { return len(s.components) == 0 }

// hasSmallLetters reports whether the letters are so small that the page is read better when it is enlarged.
func hasSmallLetters(p *page) bool {
	return p.sheet.letterHeight > 0 && p.sheet.letterHeight <= maxSmallHeight
}

// enlarge sets the factor that makes letters about as large as those that the models have learnt.
func enlarge(_ context.Context, p *page) error {
	p.sheet.scale = min(enlargedHeight/float64(p.sheet.letterHeight), maxEnlargement)
	return nil
}

// mayHoldStrikes reports whether a rule through letters is not a part of them, as the headline of Devanagari letters is. If the
// language is not known yet, it is most likely written in Latin letters.
func mayHoldStrikes(p *page) bool { return hasLetterHeight(p) && isLatinScript(p.language) }

// eraseStrikes whitens rules that run through letters, because Tesseract loses the letters with them, and vertical scratches,
// because it takes them for rules between columns.
func eraseStrikes(_ context.Context, p *page) error {
	struck := imaging.EraseStrikes(p.sheet.img, p.sheet.letterHeight)
	img := imaging.EraseScratches(struck, p.sheet.letterHeight)
	p.sheet.isScratched = img != struck
	if img != p.sheet.img {
		p.sheet.img, p.sheet.marks = img, imaging.Spots(img)
	}
	return nil
}

// estimateResolution derives the resolution from the height of letters, because many files declare the resolution of a screen
// or of another copy.
func estimateResolution(_ context.Context, p *page) error {
	p.sheet.dpi = dpiPerLetterHeight * p.sheet.letterHeight
	return nil
}

// mayBeRotated reports whether the letters are so large that a small skew harms them more than the blur from rotating does.
func mayBeRotated(p *page) bool {
	return float64(p.sheet.letterHeight)*cmp.Or(p.sheet.scale, 1) >= minLevelHeight
}

// level rotates the sheet if it is skewed.
func level(_ context.Context, p *page) error {
	if skew := imaging.Skew(p.sheet.img); math.Abs(skew) >= minSkew {
		p.sheet.rotate(-skew)
	}
	return nil
}

// rotate rotates the sheet by an angle in degrees, clockwise, and replaces any earlier rotation.
func (s *sheet) rotate(angle float64) {
	s.img, s.angle = imaging.Rotate(s.unlevelled, angle), angle
	s.marks = imaging.Spots(s.img)
}

// dewarp straightens curved lines. Curved lines do not show by how much the page is rotated, so dewarp measures that from the
// columns and the stems of letters.
func dewarp(_ context.Context, p *page) error {
	s := &p.sheet
	curl := s.findCurl()
	if curl == nil {
		return nil
	}
	if lean := imaging.Lean(s.img); math.Abs(lean) >= minSkew && mayBeRotated(p) {
		leaning := *s
		s.rotate(s.angle - lean)
		if curl = s.findCurl(); curl == nil {
			*s = leaning
			return nil
		}
	}
	s.curl, s.img = curl, curl.Straighten(s.img)
	s.marks = imaging.Spots(s.img)
	return nil
}

// findCurl returns how the lines of the sheet curve, or nil.
func (s *sheet) findCurl() *imaging.Curl {
	return imaging.FindCurl(s.img.Rect.Size(), imaging.LetterShaped(s.marks))
}

// source returns a source that scales parts of the sheet for reading. Boxes remain in pixels of the sheet.
func (s sheet) source(src Source) Source {
	if s.scale == 0 {
		return src
	}
	return resizing{src, s.scale}
}

// resizing is a source that scales images by a factor before it reads them, unless they would become too large.
type resizing struct {
	Source
	factor float64
}

// Read implements Source. It returns boxes in pixels of img. It reads images that would become too large at their own size.
func (e resizing) Read(ctx context.Context, img *image.Gray, dpi int, model string, mode tesseract.Mode) ([]document.Block, error) {
	size := img.Rect.Size()
	w, h := max(int(float64(size.X)*e.factor), 1), max(int(float64(size.Y)*e.factor), 1)
	if w*h > maxEnlargedPixels || max(w, h) > maxSide {
		return e.Source.Read(ctx, img, dpi, model, mode)
	}
	blocks, err := e.Source.Read(ctx, imaging.Resize(img, w, h), int(float64(dpi)*e.factor), model, mode)
	return rescaled(blocks, size, image.Pt(w, h)), err
}

// onPage returns copies of blocks of the sheet with boxes and baselines on the page. The baselines of curved lines get more
// points.
func (s sheet) onPage(blocks []document.Block) []document.Block {
	blocks = moveAll(blocks, s.boxOnPage, func(p document.Point) document.Point { return p })
	for l := range document.Lines(blocks) {
		if s.curl != nil {
			l.Baseline = withPoints(l.Baseline, baselineStep*s.letterHeight)
		}
		for i, p := range l.Baseline {
			x, y := s.pointOnPage(float64(p.X), float64(p.Y))
			l.Baseline[i] = document.Point{X: int(math.Round(x)), Y: int(math.Round(y))}
		}
	}
	return blocks
}

// boxOnPage converts a box of the sheet to one of the page by moving its centre. It does not enlarge the box, although the
// words of a rotated page take slightly more room.
func (s sheet) boxOnPage(b document.Box) document.Box {
	return movedMiddle(b, s.img.Rect.Size(), s.pointOnPage)
}

// boxOnSheet converts a box of the page to one of the sheet. It is the inverse of boxOnPage.
func (s sheet) boxOnSheet(b document.Box) document.Box {
	return movedMiddle(b, s.img.Rect.Size(), s.pointOnSheet)
}

// wordsOnSheet returns the box on the sheet of words of the page. It converts each word because the box of all words of a
// slanted line is narrower than the line.
func (s sheet) wordsOnSheet(words []document.Word) document.Box {
	words = slices.Clone(words)
	for i := range words {
		words[i].Box = s.boxOnSheet(words[i].Box)
	}
	return document.WordsBox(words)
}

// pointOnPage converts a point of the sheet to one of the page, and clips it to the page.
func (s sheet) pointOnPage(x, y float64) (float64, float64) {
	if s.curl != nil {
		y = s.curl.Down(x, y)
	}
	return s.clip(s.rotated(x, y, -s.angle))
}

// pointOnSheet converts a point of the page to one of the sheet, and clips it to the sheet.
func (s sheet) pointOnSheet(x, y float64) (float64, float64) {
	x, y = s.rotated(x, y, s.angle)
	if s.curl != nil {
		y = s.curl.Up(x, y)
	}
	return s.clip(x, y)
}

// clip returns the point of the sheet that is nearest to a point, unless the sheet has the geometry of the page.
func (s sheet) clip(x, y float64) (float64, float64) {
	if s.angle == 0 && s.curl == nil {
		return x, y
	}
	return min(max(x, 0), float64(s.img.Rect.Dx()-1)), min(max(y, 0), float64(s.img.Rect.Dy()-1))
}

// rotated rotates a point by an angle in degrees, clockwise, around the middle of the sheet.
func (s sheet) rotated(x, y, angle float64) (float64, float64) {
	return imaging.RotatePoint(x, y, s.img.Rect.Size(), angle)
}
