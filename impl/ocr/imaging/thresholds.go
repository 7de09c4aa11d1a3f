package imaging

// Thresholds of the background estimate.
const (
	// paperCell is the side, in pixels, of the squares in which the paper is estimated: small enough to follow shading, large
	// enough that some paper shows between the letters of a 300 dpi scan.
	paperCell = 16
	// paperQuantile is the quantile of a cell's greys that counts as its paper: above the ink, below glare.
	paperQuantile = 0.9
	// paperReach is the distance, in cells, within which the brightest paper counts, so that large letters and woodcuts do not
	// count as background.
	paperReach = 3
	// darkestPaper is the minimum grey that counts as paper. Without it, black surroundings of a page would be divided by
	// themselves and become white with noise.
	darkestPaper = 48
)

// bilevelShare is the minimum share of nearly black and nearly white pixels on a page that counts as bilevel. bilevelEnds is
// the number of greys at each end of the scale that are nearly black or nearly white. Compressed bilevel scans keep some grey
// at the edges of strokes; none of the grey and colour scans of the first set comes near that share.
const bilevelShare, bilevelEnds = 0.95, 8

// Thresholds that separate a leaf of paper from what was photographed with it.
const (
	// surroundingsShare is the maximum brightness of a cell that is not paper, as a share of the page's brightness.
	// pageBrightness is the quantile, in tenths, of all cells that counts as the page's brightness.
	surroundingsShare, pageBrightness = 0.5, 9
	// edgeBlur is the width, in pixels, of the blur between the paper and a darker table.
	edgeBlur = 2
	// shadowStep is the minimum brightness of a cell, as a share of its neighbour's, at which both are the same paper. Shadows
	// get darker gradually, while the edge of a leaf is a step between two cells. Tuned on eight pages that were darkened from
	// one side; their CER fell from 0.18-0.70 to 0.005-0.07.
	shadowStep = 0.92
	// minSurroundings is the minimum share of dark cells on a page that was photographed with its surroundings.
	minSurroundings = 0.04
	// minLeaf is the minimum size, as a share of the largest bright part, at which another part is a leaf too. The two leaves
	// of an open book have about the same size, and a leaf beside two that touch has about half of theirs; a colour card or the
	// edge of the next leaf is smaller.
	minLeaf = 0.3
	// minPaper is the minimum share of all cells that paper covers in a photograph of a page.
	minPaper = 0.2
)

// Thresholds of seams between two pictures. Sides are in cells.
const (
	// seamStep is the maximum brightness of the darker paper at a seam, as a share of the brighter paper's, and seamShare the
	// minimum share of the height in which the seam is found. Two leaves under one light differ less, and leaves on a table do
	// not fill the height.
	seamStep, seamShare = 0.8, 0.8
	// seamDrift is the maximum distance that a seam leans to either side, as a share of its length.
	seamDrift = 0.02
	// seamMargin is the minimum distance of a seam from the sides of the picture, as a share of the width; anything nearer is
	// the edge of a leaf. minSeamBands is the minimum height of a picture in bands.
	seamMargin, minSeamBands = 0.25, 8
	// seamInk is the maximum grey of ink, as a share of the paper's grey, and minSeamInk the minimum share of cells with ink on
	// either side.
	seamInk, minSeamInk = 0.6, 0.03
	// maxBrightColumns is the maximum share of the columns of the dark side whose paper is more like that of the bright side.
	maxBrightColumns = 0.1
	// seamReach is the number of bands above and below a band that are included in the median difference of the sides. seamEdge
	// is the number of pixels on each side that are compared to locate the seam.
	seamReach, seamEdge = 4, 3
)

// Thresholds of the skew search.
const (
	// skewRange is the largest skew that is searched for, in degrees. The time grows with the range.
	skewRange = 5.0
	// skewStep is the precision of the result, in degrees: half a pixel over the width of a short line. The first pass uses
	// steps coarseSteps times as large.
	skewStep, coarseSteps = 0.05, 10
	// skewWidth is the width, in pixels, at which the skew is measured: a smaller one is faster and less exact. skewPixels
	// bounds the memory for pages that are far taller than wide.
	skewWidth, skewPixels = 800, 2_000_000
	// maxSlant is the largest slant that is tried, and minSlantStep the smallest angle between two tries, both in degrees.
	// maxSlantLetters bounds the letters that are looked at.
	maxSlant, minSlantStep, maxSlantLetters = 45.0, 0.2, 20_000
	// faintInk is the lightest grey of ink on a flattened page. InkThreshold is darker if some of the ink is.
	faintInk = 207
	// minSlant is the smallest slant in degrees. It is less than skewRange, so that every slope is found. Up to maxLevelSlope,
	// lines are level.
	minSlant, maxLevelSlope = skewRange - 0.5, 2.5
	// slantParts is the number of parts across and down the page that are checked for a slant, and minPartLetters the minimum
	// number of letters in these.
	slantParts, minPartLetters = 3, 60
	// minSlantGain is the minimum factor by which lineation grows when a slant is removed. On the pages of both sets it is at
	// most 1.3 for print that is level, and 2.14 for handwriting; if they slope by 12 to 40 degrees, it is at least 5 for print,
	// and at least 2.4 for 45 of the 50 handwritten pages.
	minSlantGain = 2.4
)

// Finding curved lines. Tuned on the printed pages of the second set and checked on the first, undamaged and with their columns
// moved down by a sine of 2 % of the height ("waves"), or by up to 3 % near one side ("fold").
const (
	// curlCell is the side of the cells in which slopes are measured, in heights of letters. The medians of narrower cells are
	// less certain, and wider cells hide where a fold begins.
	curlCell = 8
	// curlPasses is the number of times that the slopes are measured. Each pass finds most of what is left: "waves" has
	// a tenth more errors with 2 passes than with 3, and as many with 5.
	curlPasses = 3
	// A slope is measured between letters of a line that are minSlopeLength to maxSlopeLength heights of letters apart and
	// whose heights differ by at most 1/sameHeight of the usual one. maxLetterGap is the widest gap in a line, in heights of
	// letters.
	minSlopeLength, maxSlopeLength, sameHeight, maxLetterGap = 3, 10, 8, 2
	// Letters on one line end at most 1/sameEnd of the usual height lower or higher than their neighbours.
	sameEnd = 6
	// A cell counts if it has at least minCellSlopes slopes, of which the middle half are within maxSlopeSpread. In cells of text
	// they are within 0.06. maxCellWeight bounds the weight of cells with much text, and maxCellSlopes the memory.
	minCellSlopes, maxSlopeSpread, maxCellWeight, maxCellSlopes = 5, 0.1, 100.0, 1000
	// Slopes are smoothed by Gaussians with standard deviations of curlAcross cells across the page and curlDown cells down the
	// page, where curls change more slowly, cut off at curlReach deviations. curlPrior is the weight of the assumption that
	// lines are level, as a number of slopes. curlRidge is that of the assumption that neighbouring cells have the same slope.
	curlAcross, curlDown, curlReach, curlPrior, curlRidge = 1, 2, 4, 1.0, 5.0
	// A page has a curl if its slopes differ by at least minCurlSlope when the share curlTail of the letters with the smallest
	// slopes, and that with the largest, are left out. No undamaged page of the first set and three of the second have so much;
	// straightening improves one of them and harms two, each by at most 0.006. With 0.05, four more pages are straightened, and a
	// page of the second set changes from 0.013 to 0.042.
	minCurlSlope, curlTail = 0.06, 0.02
	// maxCurlGradient is the maximum change of the shift from row to row, in pixels per pixel. What changes more is not a page
	// that curves. curlSteps is the number of steps in which the place of a point on the straightened page is found; each halves
	// the error at least.
	maxCurlGradient, curlSteps = 0.5, 12
	// leanPixels is the maximum number of pixels of the image on which the lean is measured.
	leanPixels = 1_000_000
)

// Thresholds of the letter size.
const (
	// minLetter is the minimum height of a letter in pixels. A smaller spot of ink is a speck, or illegible anyway.
	minLetter = 4
	// slimmest is the maximum ratio of a letter's height to its width, and widest the maximum ratio of its width to its height.
	// thinnestLetter is its minimum width in pixels.
	slimmest, widest, thinnestLetter = 5, 5, 2
	// enoughLetters is the minimum number of spots in the shape of letters at which their usual size is determined.
	enoughLetters = 30
	// maxWeight is the maximum weight of a single spot, in units of the median height. Without it, a frame 1,020 pixels high
	// outweighed 67 letters of 7 pixels.
	maxWeight = 20
)

// Thresholds of defects. None of the 119 pages of both sets has one of these, so the corrections were measured on artificially
// degraded pages: the CER of faint pages with strong noise fell from 1.0 to 0.01-0.1.
const (
	// quietNoise is the minimum noise that is corrected, as a standard deviation in greys. The noisiest page of the first set
	// has 2.6.
	quietNoise = 4.0
	// noiseShare is the noise, as a share of the contrast between ink and paper, that one smoothing can remove. On the first
	// set, the noise is at most 0.04 of the contrast; from about 0.2 on, Tesseract mistakes noise for ink and cannot read the
	// page.
	noiseShare = 0.15
	// smallNoiseShare is the same for letters of at most smallNoiseHeight pixels, which smoothing would merge. With it, the
	// mean CER of the printed pages of the second set at a height of 900 pixels, with noise of 0.15 of the contrast, falls from
	// 0.277 to 0.218 (to 0.249 with a maximum height of 11).
	smallNoiseShare, smallNoiseHeight = 0.4, 16
	// maxSmoothing is the maximum number of times that a page is smoothed: more would merge its letters.
	maxSmoothing = 5
	// pixelsPerDot is the maximum number of pixels of a screened page per dot. Paper with dots on 5 % of its pixels has 16 to 20;
	// print in black and white has hundreds or thousands.
	pixelsPerDot = 60
	// minScreened is the minimum number of pixels of a screened page. In a smaller image, a few letters may look like dots.
	minScreened = 10_000
	// contrastSmoothing is the number of times that a page is smoothed before its contrast is measured, so that noise is small
	// compared with ink.
	contrastSmoothing = 4
	// inkQuantile and lightQuantile are the quantiles of a page's greys that count as its ink and its paper. lightQuantile is
	// high because on a page photographed on a dark table the paper is the smaller part.
	inkQuantile, lightQuantile = 0.03, 0.9
	// grainThreshold is the maximum distance, in units of the grain, between the usual paper and Otsu's threshold on a page
	// without ink, on which the threshold only separates light grain from dark grain. On blank paper the distance is below 1;
	// on the pages of the first set, including faint and handwritten ones, it is 4 or more.
	grainThreshold = 2.5
	// pictureGrain is the minimum grain of a page that is mostly a picture, and pictureTones the minimum share of it that
	// smoothing pictureSmoothing times leaves. On a page with an illuminated border they are 30 and 1.1; the share is at most 0.55
	// for noise.
	pictureGrain, pictureTones, pictureSmoothing = 20, 0.75, 16
	// minTextOrder is the minimum Order of faint print, and maxTextInk the maximum share of the page in its ink. On faint noisy
	// print at a height of 750 pixels the Order is at least 2.2, and the ink mostly 0.13 to 0.3 of the page. Grain has an Order
	// of at most 1.22; rendered ribs of laid paper have more, but mostly an ink of at least 0.33.
	minTextOrder, maxTextInk = 1.8, 0.3
	// minLetterSpots is the minimum share of the spots of faint print that have the shape of letters: 0.22 to 0.71 on those pages,
	// and less than 0.1 on rendered laid paper with chain lines and little ink.
	minLetterSpots = 0.15
	// darkestGrain is the distance of the darkest grain from the usual paper, in the same units: six standard deviations of a
	// normal distribution.
	darkestGrain = 9
	// negativeCell is the side, in pixels, of the cells in which writing is compared with what surrounds it. In a cell with
	// writing, the greys between the 1-fullRange and the fullRange quantile differ by at least negativeContrast. A negative has
	// at least negativeCells cells with light writing, and negativeLead times as many as with dark writing. On all 119 pages of
	// both sets these are at most 0.25 times as many, and on their negatives at least 4 times.
	negativeCell, negativeContrast, fullRange, negativeCells, negativeLead = 64, 40, 0.98, 10, 2
	// darkestPage is the minimum grey of the brightest parts of a page (its brightShare quantile); a page below it is too dark
	// to be read and is brightened. brightened is the grey that these parts get.
	darkestPage, brightShare, brightened = 110, 0.99, 240
)

// Choosing a colour channel.
const (
	// inkCell is the side, in pixels, of the cells in which contrast is measured. One in cellStride cells is sampled in each
	// direction.
	inkCell, cellStride = 32, 3
	// inkShare is the quantile of a cell's greys that counts as its ink. minInk is the minimum contrast of a cell with writing.
	inkShare, minInk = 0.05, 0.12
	// minInkedCells is the minimum number of cells with writing that is enough to choose a channel.
	minInkedCells = 30
	// minChannelLead is the minimum ratio of a channel's contrast to that of the luminance at which the channel is used. On
	// most pages the channels are alike, and noisier than the luminance.
	minChannelLead = 1.25
	// fading is the contrast, as a share of that in the luminance, below which writing fades in a channel. maxFadedCells is the
	// maximum share of cells in which it may fade.
	fading, maxFadedCells = 0.7, 0.08
)

// Thresholds of EraseStamps. Densities are natural logarithms. They are tuned on drawn pages, because the two sets have no
// stamp over print, and so that print of the sets stays as it is.
const (
	// stampScale is the length of a page's longer side, in pixels, at which stamps are looked for. Coloured ink in neighbouring
	// cells, of stampCell pixels a side, belongs to one stamp.
	stampScale, stampCell = 1000, 8
	// darkestInk is the darkest grey whose colour still shows.
	darkestInk = 4
	// minColour is the minimum density of coloured ink, on average over the channels, and minSaturation its minimum share in the
	// density of a pixel.
	minColour, minSaturation = 0.12, 0.25
	// maxYellow is the maximum share of a colour that is yellow, which is the colour of stained paper, leather and brown ink.
	maxYellow = 0.6
	// minStampSide is the minimum side of a stamp in pixels: a line that is struck out in blue is lower, and stays. A page is at
	// least minPageOfStamp times as large as a stamp.
	minStampSide, minPageOfStamp = 60, 8
	// minStampInk and maxStampInk are the least and the greatest share of a stamp's box that is coloured. Coloured noise has
	// less, pictures have more.
	minStampInk, maxStampInk = 0.02, 0.18
	// maxShade is the maximum ratio of black to colour in the ink of a stamp. Black text whose channels are not in register
	// has a higher one. shadeMargin is what this ratio is multiplied by to erase darker parts of the stamp too.
	maxShade, shadeMargin = 4, 1.15
	// minUniform is the minimum share of a stamp's pixels that are lightest in the same channel. Pictures have several colours,
	// and black text whose channels are not in register has one on each side of its strokes.
	minUniform = 0.9
	// minTextInk is the minimum density of text. fullColour is the minimum share of its usual colour that the stamp has over
	// text. Text must lie under a stamp, minOverlap times as much as there is of the stamp, and beside it, minTextBeside times.
	minTextInk, fullColour, minOverlap, minTextBeside = 0.5, 0.6, 0.05, 0.25
	// The text goes on within besideStamp pixels of the stamp in at least the share minContinued of the rows in which it lies
	// under the stamp.
	besideStamp, minContinued = 24, 0.3
	// maxStamps bounds the time for stamps.
	maxStamps = 8
	// minErased is the minimum density of coloured ink that is erased.
	minErased = 0.05
)

// Thresholds of Order and IsPattern.
const (
	// tileSide is the side in pixels of the tiles that are examined: some lines of writing.
	tileSide = 128
	// minTileInk is the minimum share of ink, and of paper, in a tile that is examined.
	minTileInk = 0.08
	// minTiles is the minimum number of tiles that is enough to judge an image.
	minTiles = 12
	// orderRank is the quantile of the tiles' orders that is the result. Some tiles lie on the edge of the ink.
	orderRank = 0.7
	// minPeriod and maxPeriod bound the period of a pattern in pixels.
	minPeriod, maxPeriod = 2, 64
	// maxDifferences is the maximum number of pixels of a tile that may differ in a pattern: 1 of 100.
	maxDifferences = tileSide * tileSide / 100
	// patternShare is the minimum share of tiles that repeat themselves in a pattern. On the 119 pages of both sets, the share is
	// at most 0.015.
	patternShare = 0.9
)

// Ink that fades over the page, measured in cells. Tuned on printed pages of the first set that were made to fade to 0.3, 0.15,
// 0.1 and 0.08 of their contrast, and checked on the second set.
const (
	// paperOfCell, inkOfCell and strokeOfCell are the quantiles of the greys of a cell that count as its darker paper, its ink,
	// and the darkest of its ink. Text covers at most half of a cell; the darkest few pixels may be specks.
	paperOfCell, inkOfCell, strokeOfCell = 0.5, 0.03, 0.005
	// darkQuantile is the quantile of the ink of cells with writing that counts as dark, and paleInk the maximum ink of a pale
	// cell as a share of it.
	darkQuantile, paleInk = 0.75, 0.5
	// stepCells is the number of cells in a row of one cell if ink becomes pale within a few words.
	stepCells = 2
	// minDarkInk is the minimum of dark ink in grey levels.
	minDarkInk = 30.0
	// minPaleShare is the minimum number of pale cells without writing, as a share of the number of cells with writing. At least
	// minFadingCells of them must be next to a cell with writing whose ink is at most maxFadingStep times as dark.
	minPaleShare, minFadingCells, maxFadingStep = 0.08, 4, 2.0
	// maxEvened is the maximum factor by which ink becomes darker, and minEvenedInk the minimum ink of a cell in grey levels. Less
	// is grain.
	maxEvened, minEvenedInk = 15.0, 8.0
)

// Thresholds of rules through letters, in heights of letters. Tuned on 32 drawn index cards; no real page of the two sets has
// such a rule, and none is changed.
const (
	// minStrikeRun is the minimum length of the runs of ink of which a rule consists. A dash is shorter. minStrike is the minimum
	// length of a rule, and thickestStrike its maximum thickness.
	minStrikeRun, minStrike, thickestStrike = 1.5, 12, 0.3
	// longestStroke is the length above or below a rule from which a stroke is another rule.
	longestStroke = 2
	// minStroke is the minimum extent beyond a rule of a stroke that counts as part of a letter: the edge of a sheet of paper is
	// not straight, but has no strokes.
	minStroke = 0.5
	// crossing is the minimum extent of a stroke on both sides of a rule, beyond the grey edges of the rule, at which it stays.
	crossing = 0.1
	// scaleSlack is the maximum difference between successive distances of the marks of a scale.
	scaleSlack = 0.1
)

// steepestStrike is the maximum slope of a rule through letters, and minStrokes the minimum number of strokes that touch it.
// Descenders touch the rules of many tables. Where a rule is widestStrike times as thick as usual, the bar of a letter is on
// it.
const steepestStrike, minStrokes, widestStrike = 0.02, 8, 1.5

// minTouches is the minimum number of strokes on each side of a scratch, touchesPerHeight that in each height of letters, and
// minTouch the minimum length of such a stroke. minScratch is the minimum length of a scratch as a share of the height of the
// page: hatching and the rules of short tables have at most 0.17. scratchGap is the maximum distance between two pieces of a
// scratch: where it bends, its runs are short. In at least minCloseShare of the places where text is at most textReach from the
// scratch on both sides, letters are at most closeLetters apart there: 0.5 to 0.9 for scratches, at most 0.3 for the rules
// between the columns of a newspaper. Lengths are in heights of letters. Tuned on drawn pages, and on 16 real pages with a
// drawn hairline; no printed page of the two sets has a rule that counts as a scratch.
const (
	minTouches, touchesPerHeight, minTouch = 6, 0.06, 0.25
	minScratch, scratchGap                 = 0.3, 2
	textReach, closeLetters, minCloseShare = 1.5, 0.25, 0.4
)

// speckSize is the maximum size of a speck in heights of letters, and largestSpeck that in pixels. manySpecks is the minimum
// number of specks for each letter on a page with many. Tuned on 32 drawn pages in black and white.
const speckSize, largestSpeck, manySpecks = 0.12, 4, 0.5
