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
	// ruleAcross is the least length of a horizontal rule in pixels, and 1/ruleAcrossShare its least share of the width. ruleDown
	// and ruleDownShare are the same for vertical rules and the height.
	ruleAcross, ruleAcrossShare = 40, 10
	ruleDown, ruleDownShare     = 60, 14
	// rowsBesideRule and columnsBesideRule are the numbers of pixels on each side of a rule that are erased with it, because its
	// edge is blurred.
	rowsBesideRule, columnsBesideRule = 1, 2
	// 1/ruleShare of the page's height is the least length that the pieces of a vertical rule have together.
	ruleShare = 5
	// ruleStep is the largest horizontal distance between a piece of a vertical rule and the piece before, and ruleLean between
	// it and the first piece.
	ruleStep, ruleLean = 4, 24
)

// Thresholds of spots, in pixels of the working size.
const (
	// leastSpot and narrowestSpot are the height and the width below which a spot is a speck.
	leastSpot, narrowestSpot = 4, 2
	// longestSpot is the largest ratio of a spot's length to its thickness; longer ones are rules.
	longestSpot = 8
)

// Thresholds of the skew, in degrees.
const (
	// leastSkew is the skew from which the page is levelled. Ridges follow smaller ones.
	leastSkew = 2
	// mostSkew and skewStep bound and grade the search.
	mostSkew, skewStep = 10.0, 0.5
	// distinctSkew is the least factor by which levelling must improve the sharpness of the rows for the skew to be accepted.
	distinctSkew = 1.1
	// skewInk is the ink, 0..1, from which a pixel of the shrunk page counts, and skewLag the distance in rows at which
	// differences are taken.
	skewInk, skewLag = 0.15, 2
	// mostSpread is the largest ratio of the levelled plane's size to the page's. Without this bound, a strip of 30,000 x 100
	// pixels that seemed skewed took 4.5 GB.
	mostSpread = 2
)

// Thresholds of the pitch, in pixels of the working size.
const (
	// leastPitch and mostPitch bound the pitch; usualPitch is assumed if no repetition is found.
	leastPitch, mostPitch, usualPitch = 14, 180, 40
	// pitchColumn is the least width, in pixels, of the columns in which repetition is searched for, and 1/pitchColumnShare their
	// least share of the page's width.
	pitchColumn, pitchColumnShare = 60, 10
	// columnInk is the least mean ink of such a column, 0..1 a row.
	columnInk = 0.3
	// leastPeak is the correlation, as a share of that at lag 0, from which a peak counts; goodPeak the share of the best
	// peak from which the smallest lag wins.
	leastPeak, goodPeak = 0.02, 0.6
	// trendWidth is the width of the mean that is subtracted from a profile to remove its trend.
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
	// widestGap is the largest gap between two pieces of a line, and overlap the largest overlap.
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
	// nearPath is the distance from its path within which the ink of a line is measured. When ends are trimmed, it is at least
	// leastNear pixels.
	nearPath, leastNear = 0.33, 2
	// darkInk is the ink from which a pixel counts when ends are trimmed; a column with darkPixels of them has ink, and
	// darkColumns such columns end a line.
	darkInk, darkPixels, darkColumns = 0.35, 2, 2
	// thinnest is the least mean ink along a line, 0..1; less is a stain, or ink that shines through from the other side.
	thinnest = 0.03
	// evenWord and evenLine are the least variation of the ink (deviation over mean) along a short line and along one of
	// longLine or more. Writing has strokes and blanks, while rules and page edges are even.
	evenWord, evenLine, longLine = 0.2, 0.45, 8.0
	// pathSmoothing is the deviation of the blur of a path's heights.
	pathSmoothing = 1.2
	// cutLines is the number of short lines at one edge of the image that show that another page was cut off there. cutWidth is
	// their largest width, as a share of the usual line's, and cutMargin their largest distance from the edge.
	cutLines, cutWidth, cutMargin = 3, 0.3, 0.5
)

// Thresholds of gutters and columns.
const (
	// gutterCell is the precision with which gutters are sought, and leastGutter their least width.
	gutterCell, leastGutter = 0.25, 0.5
	// gutterLines is how many lines, one below the other, a gutter interrupts: too many for a blank between words to stand
	// at the same position in each by chance. One line in gutterLines may reach into the gutter.
	gutterLines = 8
	// nearInk is the distance above and below its path within which a line is searched for ink, and blankInk the largest mean
	// ink of a blank cell.
	nearInk, blankInk = 0.4, 0.02
	// sameRow is the largest difference in height between two lines in one row.
	sameRow = 0.45
	// columnLines is the least number of lines in a column, and columnWidth their least median width: narrower columns are
	// those of a table, which is read row by row. columnOverlap is the least share of the shorter column's height that the other
	// one covers.
	columnLines, columnWidth, columnOverlap = 4, 5.0, 0.5
	// likeness is the share of the larger column's lines and width that the smaller one has at least.
	likeness = 0.4
	// noteLines is the least number of lines in a note in the margin, noteShare the most for each line of the text, and
	// inStep the share of its lines in a row with the text's from which they belong to the text.
	noteLines, noteShare, inStep = 2, 0.6, 0.5
	// crossing is the largest share of lines that may cross the blank between columns: headings, and lines that were split at the
	// wrong position. columnSteps is the number of positions that are tried per unit of the pitch.
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
	// coarse is the ratio of the band's height to a strip's above which the page is shrunk first.
	coarse = 1.5
	// outsidePaper is the quantile of a strip's greys that fills what lies outside the page.
	outsidePaper = 0.75
	// boxPoints is the number of straight pieces that stand for a line when its box is computed, and stripPoints the number for
	// a box on a strip.
	boxPoints, stripPoints = 16, 4
	// polygonStep is the length of the straight pieces of a line's outline, in pixels of the working size.
	polygonStep = 16
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
	// tornGap is the widest gap, in line heights, within a torn line. Lines farther apart were set apart on purpose, such as a
	// date to the right of a letterhead, or a catchword.
	tornGap = 2.5
	// gutterRows is the number of rows above and below a gap that are searched for a gutter through it. gutterReach is the largest
	// distance, in line heights, between the middle of the gap and the end of a line next to the gutter.
	gutterRows, gutterReach = 3, 3
	// rowPitch is the usual distance between rows in halves of a line's height.
	rowPitch = 3
	// endingsPerCrossing is the largest number of lines that may end at a gap, for each line that crosses it; with more, the gap
	// is a gutter.
	endingsPerCrossing = 2
	// figureColumn is the least share of lines of figures in a column of figures. A line of figures has at most mostDigits
	// digits, and at most one letter for every digitsPerLetter digits.
	figureColumn, mostDigits, digitsPerLetter = 0.7, 12, 3
	// scrapBlock is the most characters in a block that is a scrap: a drop capital, a number in the margin.
	scrapBlock = 3
	// sharedRows is the largest share of lines that stand in a row with another line on a page of one column.
	sharedRows = 0.1
)

// Finding the columns of print. Heights and widths are in units of the height of most letters.
const (
	// leastMark, mostMarkHeight and mostMarkWidth bound the components that are letters, alone or touching. Specks are lower; rules,
	// drop capitals and pictures are higher or wider.
	leastMark, mostMarkHeight, mostMarkWidth = 0.35, 4, 14
	// leastPicture is the least width of a higher component that is no rule but a picture or a drop capital. mostPicture is the largest
	// width of one, as a share of the page's: a frame is around the text, not beside it.
	leastPicture, mostPicture = 2, 0.5
	// leastRiver is the least width of a gutter. Gothic print has gutters that are hardly wider than the blanks between words; these
	// do not stand below each other in many rows.
	leastRiver = 0.7
	// riverDrift is how far a gutter may run to either side in each band: 3 degrees, for leaves that are not flat.
	riverDrift = 0.06
	// leastRiverRows is the least number of bands with letters on both sides of a gutter, about five lines. leastGutterArea is the
	// least product of this number and the width of the white: five lines if the gutter is wide, 15 if it is hardly wider than a blank.
	leastRiverRows, leastGutterArea = 12, 60.0
	// leastColumn is the least width of the text of a column, in half of the rows. Columns of figures are narrower: their rows are read
	// across.
	leastColumn = 8.0
	// widestWordGap is the widest blank within a line.
	widestWordGap = 3
	// mostDivisions bounds the depth of columns within columns.
	mostDivisions = 6
)

// columnShare is the share of the narrower of two lines that stands above or below the other one if both are in one column.
const columnShare = 0.5

// Headings above columns. Widths are in units of the height of most letters.
const (
	// widestHeadingBlank is the widest blank between words of a heading in large type.
	widestHeadingBlank = 2.0
	// headingLead is how far a heading begins to the left of the margin of the column below or above it. The margin is the marginShare
	// quantile of the beginnings of lines in up to marginRows bands above and below.
	headingLead, marginShare, marginRows = 0.6, 0.25, 16
)

// Strips of facing pages. Lengths are in units of the height of most letters.
const (
	// stripMargin is the largest distance of a strip's text from the edge of the image, in stripShare of the rows, and widestStrip the
	// largest usual width of its text.
	stripMargin, stripShare, widestStrip = 0.4, 0.5, 6.0
)

// Parts of a page that a layout analysis left out. A band has the height of most letters; a line covers about two and a half.
const (
	// leastUnreadBands is the least number of bands, about four lines, and leastUnreadLetters that of letters in such a part.
	leastUnreadBands, leastUnreadLetters = 9, 40
	// openShare is the least number of letters outside lines for each one in a line. mostBlankBands is how many blank bands may follow
	// each other.
	openShare, mostBlankBands = 2, 3
	// mostStrays is the largest number of other components for each letter. The hatching of a woodcut has more.
	mostStrays = 2
	// mostUnreadParts bounds the parts of a region.
	mostUnreadParts = 4
)
