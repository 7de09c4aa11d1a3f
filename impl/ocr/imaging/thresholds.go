package imaging

// Thresholds of the background estimate.
const (
	// paperCell is the side, in pixels, of the squares in which the paper is sought: small enough to follow shading, large
	// enough that some paper shows between the letters of a 300 dpi scan.
	paperCell = 16
	// paperQuantile is the share of a cell's pixels that the paper is at least as bright as: above the ink, below glare.
	paperQuantile = 0.9
	// paperReach is how many cells around a cell are searched for brighter paper, so that large letters and woodcuts do not
	// count as background.
	paperReach = 3
	// darkestPaper is the lowest grey that counts as paper. Dividing the black surroundings of a page by themselves would
	// turn them into white with noise.
	darkestPaper = 48
)

// bilevelShare is the share of nearly black or nearly white pixels from which a page counts as bilevel, and bilevelEnds how
// many greys at each end of the scale are nearly black or white. Compressed bilevel scans keep some grey at the edges of
// strokes; none of the grey and colour scans among the 55 pages came near the share.
const bilevelShare, bilevelEnds = 0.95, 8

// Thresholds that separate a leaf of paper from what was photographed with it.
const (
	// surroundingsShare is the share of the page's brightness up to which a cell is not paper; pageBrightness is the quantile
	// of all cells that counts as the page's brightness, in tenths.
	surroundingsShare, pageBrightness = 0.5, 9
	// shadowStep is the least share of a cell's brightness that the next cell of the same paper has. A shadow falls off
	// gradually, while a leaf ends from one cell to the next. Tuned on eight pages darkened from one side, whose CER it
	// brought from 0.18-0.70 down to 0.005-0.07.
	shadowStep = 0.92
	// leastSurroundings is the share of dark cells from which a page counts as photographed with its surroundings.
	leastSurroundings = 0.04
	// leastLeaf is the size, as a share of the largest bright part, from which another part is a leaf too. The two leaves of
	// an open book are alike; a colour card or the edge of the next leaf is smaller.
	leastLeaf = 0.5
	// leastPaper is the share of all cells that the paper must cover. A picture with less is not a photographed page.
	leastPaper = 0.2
)

// Thresholds of the skew search.
const (
	// maxSkew is the largest skew sought, in degrees. Larger skew is not corrected: the time grows with the range.
	maxSkew = 5.0
	// skewStep is the precision of the result, in degrees: half a pixel over the width of a short line. The first pass uses
	// steps coarseSteps times as large.
	skewStep, coarseSteps = 0.05, 10
	// skewWidth is the width, in pixels, at which the skew is measured: smaller is faster and less exact. skewPixels bounds
	// the memory for pages that are far higher than wide.
	skewWidth, skewPixels = 800, 2_000_000
)

// Thresholds of the letter size.
const (
	// leastLetter is the height, in pixels, below which a spot of ink is a speck, or too small to be read anyway.
	leastLetter = 4
	// slimmest and widest are how many times as high as wide, and as wide as high, a letter may be; thinnestLetter is its
	// least width in pixels.
	slimmest, widest, thinnestLetter = 5, 5, 2
	// enoughLetters is how many spots of a letter's shape are needed to tell their size.
	enoughLetters = 30
	// mostWeight is how many usual spots a single one may count for. Without it a frame 1,020 pixels high outweighed 67
	// letters of 7 pixels.
	mostWeight = 20
)

// Thresholds of defects. None of the 119 pages of both page sets has one of these; what the corrections do was measured on
// pages made worse: faint ones with strong noise came from a CER of 1.0 to 0.01-0.1.
const (
	// quietNoise is the noise, a standard deviation in greys, that is never corrected. The noisiest of the 55 pages has 2.6.
	quietNoise = 4.0
	// noiseShare is the noise, as a share of the contrast of ink and paper, that one smoothing makes up for. On the 55 pages
	// it is at most 0.04; from about 0.2 Tesseract takes noise for ink and loses whole pages.
	noiseShare = 0.15
	// mostSmoothing is the most smoothings of a page: more would melt its letters.
	mostSmoothing = 5
	// contrastSmoothing is how often a page is smoothed for measuring its contrast, so that noise is small compared with ink.
	contrastSmoothing = 4
	// inkQuantile and lightQuantile are where ink and paper are sought among a page's greys. On a page photographed on a dark
	// table, paper is the smaller part.
	inkQuantile, lightQuantile = 0.03, 0.9
	// grainThreshold is how far from the usual paper, in units of the grain, Otsu's threshold lies at most if there is no ink:
	// then it separates light grain from dark. On paper alone it lies within 1 unit; on the 55 pages, faint ones and
	// handwriting included, 4 or more away.
	grainThreshold = 2.5
	// darkestGrain is how far below the usual paper grain reaches, in the same units: six standard deviations if it is normal.
	darkestGrain = 9
	// negativeLetters is how many times as many light letters as dark ones a negative has at least. Its dark spots are the
	// counters of letters such as o and e, less than half as many.
	negativeLetters = 1.5
	// borderShare is the share of white pixels in a row or column of a white border, and mostBorder the most of each side,
	// one in mostBorder, that is a border.
	borderShare, mostBorder = 0.9, 3
	// darkestPage is the grey up to which the brightest parts of a page, its brightShare quantile, count as too dark to show
	// anything, and brightened the grey that they become.
	darkestPage, brightShare, brightened = 110, 0.99, 240
)
