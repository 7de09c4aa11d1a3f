package layout

// Lengths are in units of the pitch (the distance between lines) unless a comment says otherwise. The values were checked on
// the French handwritten pages among the 55 pages, on which Find gives 0.85 to 1.6 times the lines of the ground truth, and
// on drawn pages (layout_test.go). Any other page set that a value was tuned on is named with the value.

// The working size.
const (
	// workHeight is the height, in pixels, to which higher pages are shrunk. workPixels bounds wide pages.
	workHeight, workPixels = 1500, 3_000_000
	// leastSide is the smallest width and height, in pixels, of a page that can have a line.
	leastSide = 32
)

// Thresholds of the ink map.
const (
	// quarter is the factor by which the page shrinks before its paper is sought.
	quarter = 4
	// paperCell and paperReach give the neighbourhood in which the paper is sought, about 25 pixels wide: cells of paperCell
	// pixels, and paperReach of them to each side. paperBlur smooths the cells, in cells.
	paperCell, paperReach, paperBlur = 5, 2, 1.2
	// paperQuantile of a neighbourhood is its paper: brighter than the ink, darker than specks of glare.
	paperQuantile = 0.8
	// leastPaper is the lowest grey that counts as paper; usualPaper is assumed where no cell reaches it. darkestPaper bounds
	// what ink is divided by.
	leastPaper, usualPaper, darkestPaper = 80, 200, 20
	// darkBorder is the share of the usual paper up to which a pixel is not on the page.
	darkBorder = 0.55
	// borderMargin is how many pixels of the shrunk page along a dark border count as border too.
	borderMargin = 2
	// inkFrom and inkRange define ink: none at inkFrom of the paper's brightness, full ink at inkRange less.
	inkFrom, inkRange = 0.88, 0.35
	// solidInk is the ink from which a pixel counts as black in rules and spots.
	solidInk = 0.3
)

// Thresholds of rules, in pixels of the working size or shares of the page. Letters have no straight run as long.
const (
	// ruleAcross and ruleAcrossShare are the least length of a rule across, in pixels and as one in so many of the width;
	// ruleDown and ruleDownShare the same for rules down.
	ruleAcross, ruleAcrossShare = 40, 10
	ruleDown, ruleDownShare     = 60, 14
	// rowsBesideRule and columnsBesideRule are how many pixels beside a rule are cleared with it: its blurred edge.
	rowsBesideRule, columnsBesideRule = 1, 2
	// ruleShare is the share of the page's height, 1 in ruleShare, that the pieces of a vertical rule reach together.
	ruleShare = 5
	// ruleStep is how far a piece of a vertical rule may stand beside the piece before, and ruleLean beside the first.
	ruleStep, ruleLean = 4, 24
)

// Thresholds of spots, in pixels of the working size.
const (
	// leastSpot and narrowestSpot are the height and the width below which a spot is a speck.
	leastSpot, narrowestSpot = 4, 2
	// longestSpot is how many times as long as thick a spot may be; longer ones are rules.
	longestSpot = 8
)

// Thresholds of the skew, in degrees.
const (
	// leastSkew is the skew from which the page is levelled. Ridges follow smaller ones.
	leastSkew = 2
	// mostSkew and skewStep bound and grade the search.
	mostSkew, skewStep = 10.0, 0.5
	// distinctSkew is how many times as sharp the rows of the levelled page must be for the skew to be believed.
	distinctSkew = 1.1
	// skewInk is the ink, 0..1, from which a pixel of the shrunk page counts, and skewLag the distance in rows at which
	// differences are taken.
	skewInk, skewLag = 0.15, 2
	// mostSpread is how many times as large as the page its levelled plane may be. A strip of 30,000 x 100 pixels that seemed
	// skewed took 4.5 GB without this bound; long strips lie level.
	mostSpread = 2
)

// Thresholds of the pitch, in pixels of the working size.
const (
	// leastPitch and mostPitch bound the pitch; usualPitch is assumed where nothing repeats.
	leastPitch, mostPitch, usualPitch = 14, 180, 40
	// pitchColumn and pitchColumnShare are the least width of the columns in which repetition is sought, in pixels and as one
	// in so many of the page's width.
	pitchColumn, pitchColumnShare = 60, 10
	// columnInk is the least mean ink of such a column, 0..1 a row.
	columnInk = 0.3
	// leastPeak is the correlation, as a share of that at lag 0, from which a peak counts; goodPeak the share of the best
	// peak from which the smallest lag wins.
	leastPeak, goodPeak = 0.02, 0.6
	// trendWidth is the width over which a profile's own rise and fall is taken away.
	trendWidth = 121
	// mostDeviations cuts the extremes of a profile, in standard deviations, so that one thick line does not outweigh others.
	mostDeviations = 2
)

// Thresholds of ridges and paths.
const (
	// blurAcross and blurDown blur the ink along and across the lines, ridgeDown the ridges across.
	blurAcross, blurDown, ridgeDown = 0.9, 0.16, 0.24
	// ridgeLevel is the share of the strongest ridges' curvature from which a ridge counts; strongRidge the quantile, in
	// hundredths, that is the strongest. It is taken over every ridgeSample-th position with at least ridgeInk of ink.
	ridgeLevel, strongRidge, ridgeInk, ridgeSample = 0.22, 95, 0.02, 3
	// leastPiece is the shortest piece of a ridge.
	leastPiece = 0.8
	// widestGap and overlap are how far pieces of a line may stand apart, and lie side by side.
	widestGap, overlap = 2.2, 0.5
	// misfit is how far a piece may lie above or below the continuation of another; endLength the length over which the end
	// of a piece is continued, and slopeLength how many times that its slope is measured over.
	misfit, endLength, slopeLength = 0.33, 1.5, 3
	// steepest is the largest slope that a continuation follows.
	steepest = 0.15
)

// Thresholds that drop what is not writing.
const (
	// shortest is the shortest line, and shortestColumns its least number of columns with ink.
	shortest, shortestColumns = 0.6, 3
	// nearPath is how far from its path the ink of a line is measured, and leastNear the same in pixels at least when ends
	// are trimmed.
	nearPath, leastNear = 0.33, 2
	// darkInk is the ink from which a pixel counts when ends are trimmed; a column with darkPixels of them has ink, and
	// darkColumns such columns end a line.
	darkInk, darkPixels, darkColumns = 0.35, 2, 2
	// thinnest is the least mean ink along a line, 0..1; less is a stain or shines through.
	thinnest = 0.03
	// evenWord and evenLine are the least variation of the ink (deviation over mean) along a short line and along one of
	// longLine or more. Writing has strokes and blanks, while rules and page edges are even.
	evenWord, evenLine, longLine = 0.2, 0.45, 8.0
	// pathSmoothing is the deviation of the blur of a path's heights.
	pathSmoothing = 1.2
	// cutLines is how many short lines at one edge of the image show that the next page begins or ends there, cutWidth their
	// largest width as a share of the usual line's, and cutMargin how close to the edge they reach.
	cutLines, cutWidth, cutMargin = 3, 0.3, 0.5
)

// Thresholds of gutters and columns.
const (
	// gutterCell is the precision with which gutters are sought, and leastGutter their least width.
	gutterCell, leastGutter = 0.25, 0.5
	// gutterLines is how many lines, one below the other, a gutter interrupts: too many for a blank between words to stand
	// at the same position in each by chance. One line in gutterLines may reach into the gutter.
	gutterLines = 8
	// nearInk is how far above and below its path a line is searched for ink, and blankInk the mean ink up to which a cell is
	// blank.
	nearInk, blankInk = 0.4, 0.02
	// sameRow is how far apart the heights of lines in one row may be.
	sameRow = 0.45
	// columnLines is the least number of lines in a column, and columnWidth their least median width: narrower columns are
	// those of a table, which is read row by row. columnOverlap is the share of the lower column's height that stands beside
	// the other.
	columnLines, columnWidth, columnOverlap = 4, 5.0, 0.5
	// likeness is the share of the larger column's lines and width that the smaller one has at least.
	likeness = 0.4
	// noteLines is the least number of lines in a note in the margin, noteShare the most for each line of the text, and
	// inStep the share of its lines in a row with the text's from which they belong to the text.
	noteLines, noteShare, inStep = 2, 0.6, 0.5
	// crossing is the share of lines that may cross the blank between columns: headings, and lines badly split. columnSteps
	// is how many positions are tried for each unit of the pitch.
	crossing, columnSteps = 0.12, 4
)

// The geometry of strips.
const (
	// Height is the height of a strip in pixels.
	Height = 48
	// coreHeight is the height of small letters in a strip, in pixels, and coreMiddle the share of its height at which their
	// middle lies. The models were trained with both.
	coreHeight, coreMiddle = 11.0, 0.604
	// coreLevel is the share of a profile's peak, above its coreFloor quantile, that still belongs to small letters;
	// coreLow and coreHigh are the quantiles of the lines' heights between which a height is believed.
	coreLevel, coreFloor, coreLow, coreHigh = 0.5, 0.1, 0.2, 0.8
	// leastCore is the shortest line, in units of the pitch, that the height is measured on.
	leastCore = 2
	// leastBand and mostBand bound the height of the band that becomes a strip; usualUp and usualDown are the band where no
	// line is long enough to measure one.
	leastBand, mostBand, usualUp, usualDown = 0.95, 1.75, 0.72, 0.56
	// padding is how far a strip reaches beyond the ends of its line.
	padding = 0.45
	// narrowest and widest bound the width of a strip, in pixels.
	narrowest, widest = 16, 8000
	// coarse is how many times as high as a strip the band may be before the page is shrunk for it.
	coarse = 1.5
	// outsidePaper is the quantile of a strip's greys that fills what lies outside the page.
	outsidePaper = 0.75
	// boxPoints is how many parts of a line are taken as straight for its box, and stripPoints for a box on a strip.
	boxPoints, stripPoints = 16, 4
	// leastPart is the shortest part of a line that is worth reading on its own.
	leastPart = 1.2
	// coverReach is the share of half a band's or a word's height within which a word's middle lies in the line.
	coverReach = 0.8
)

// Thresholds of the ink of neighbouring lines in a strip.
const (
	// leastContrast is the least difference between paper and ink, in greys, for a strip to be cleaned; stripPaper and
	// stripInk are the quantiles of its greys that count as paper and ink, and spotLevel the share of their difference from
	// which a pixel is ink.
	leastContrast, stripPaper, stripInk, spotLevel = 20, 0.8, 0.03, 0.35
	// upperZone and lowerZone are the shares of the strip's height that parts of the lines above and below reach to.
	upperZone, lowerZone = 0.42, 0.74
	// borderWidth is the width of a dark border in units of the strip's height, and borderArea the share of its box that it
	// fills at least.
	borderWidth, borderArea = 1.2, 0.8
)

// Thresholds of the reading order of printed lines. They were chosen on the 40 printed ones of the 55 pages, where joining
// torn lines, moving figures to their entries and reading Greek together brought the CER from 0.120 to 0.089.
const (
	// rowOverlap is the share of the lower line's height by which two lines overlap that stand in one row.
	rowOverlap = 0.5
	// tornGap is the widest gap, in line heights, within a torn line. Lines farther apart stand apart on purpose: a date to the
	// right of a letterhead, a catchword.
	tornGap = 2.5
	// gutterRows is how many rows above and below a gap are searched for a gutter through it, and gutterReach how many line
	// heights from the middle of the gap a line may end that stands beside the gutter.
	gutterRows, gutterReach = 3, 3
	// rowPitch is the usual distance between rows in halves of a line's height.
	rowPitch = 3
	// endingsPerCrossing is how many lines may end beside a gap for each that crosses it, before the gap is a gutter.
	endingsPerCrossing = 2
	// figureColumn is the share of a block's lines that are figures from which the block is a column of them. A line of
	// figures has at most mostDigits digits, and one letter for each digitsPerLetter of them.
	figureColumn, mostDigits, digitsPerLetter = 0.7, 12, 3
	// scrapBlock is the most characters in a block that is a scrap: a drop capital, a number in the margin.
	scrapBlock = 3
	// sharedRows is the share of lines that may stand in a row with another while the page counts as one column.
	sharedRows = 0.1
)
