package layout

// Thresholds of the network that finds lines. Lengths are in pixels of its maps, or in heights of the line (hl): from the top of its
// ascenders to the bottom of its descenders. The values were set on the 35 handwritten pages of the second set.
const (
	// firstSide is the longer side of a page, in pixels, when the network sees it first. usualHeight is the height of lines, in
	// pixels, that the network finds best; it sees the page again unless the lines are within goodScale of that.
	firstSide, usualHeight, goodScale = 1024, 32, 1.15
	// maxHeight is the height of lines, in pixels, above which the network loses them.
	maxHeight = 64
	// maxEnlarged is the largest factor by which a page is enlarged.
	maxEnlarged = 2
	// paperBlock is the side, in pixels, of the blocks whose paper is measured, blockPaper the share of their pixels that are darker
	// than paper or as dark, and darkestBlock the darkest paper.
	paperBlock, blockPaper, darkestBlock = 32, 0.75, 40
	// faintBaseline is the minimum probability at which there may be a baseline, and minStrength its mean along a line.
	faintBaseline, minStrength = 0.25, 0.45
	// thickestRidge is the largest thickness of a single ridge of the baseline map.
	thickestRidge = 7
	// slopeColumns is the number of columns over which the slope of a track is measured.
	slopeColumns = 16
	// minReach is how far a mark may lie from where it is expected, and reachGrowth how much more for each column in between.
	minReach, reachGrowth = 1.5, 0.35
	// longestGap is the number of columns without a mark at which a track ends, and minColumns the minimum number of its columns.
	longestGap, minColumns = 6, 5
	// likelyEnd is the probability of an end at which a line is cut, endNear how far above and below the line that is searched for,
	// and endReach the distance from the ends of a path within which it is the path's own end.
	likelyEnd, endNear, endReach = 0.7, 1, 7
	// minHeight is the minimum height of a line.
	minHeight = 4
	// slopeLength is how many times the height of the line its slope is measured over, and steepest the largest slope that a
	// continuation follows.
	slopeLength, steepest = 3, 0.2
	// widestJoin (hl) is the widest gap between two pieces of a line, joinMisfit (hl) how far the second may lie above or below the
	// continuation of the first, and alikeHeights the largest ratio of their heights.
	widestJoin, joinMisfit, alikeHeights = 1.5, 0.3, 1.6
	// shortestLine (hl) is the minimum length of a line.
	shortestLine = 0.4
	// nearestLines (hl) is the distance below which two lines are one that was found twice.
	nearestLines = 0.5
	// strokeInk is the quantile of the ink in the zone of small letters that counts as the ink of strokes, and smallLetters the share of the
	// height above the baseline that this zone takes. Lines whose strokes have less than faintLine of the usual ink are show-through,
	// and lines on paper that is darker than darkTable of the usual one are not on the page.
	strokeInk, smallLetters, faintLine, darkTable = 0.9, 0.6, 0.4, 0.55
	// cutLines is the number of short lines at one edge of the image that show that another page was cut off there. cutWidth is
	// their largest width, as a share of the usual line's, and cutMargin (hl) their largest distance from the edge.
	cutLines, cutWidth, cutMargin = 3, 0.3, 0.5
	// lineSmoothing (hl) is the deviation of the blur of a line's heights.
	lineSmoothing = 0.25
)

// Thresholds of facing pages, columns and rows. Lengths are in units of the usual height of lines.
const (
	// sameRow is the largest difference in height between two lines in one row.
	sameRow = 0.45
	// columnLines is the minimum number of lines in a column, and columnWidth their minimum median width: narrower columns are
	// those of a table, which is read row by row. columnOverlap is the minimum share of the shorter column's height that the other
	// one covers.
	columnLines, columnWidth, columnOverlap = 4, 5.0, 0.5
	// facingShape is the minimum ratio of width to height of an image of facing pages, facingMiddle the share of its width in which
	// their gutter is, and facingGutter the minimum width of the gutter.
	facingShape, facingMiddle, facingGutter = 1.1, 0.3, 1.0
	// likeness is the share of the larger column's lines and width that the smaller one has at least.
	likeness = 0.4
	// cellWidths is the ratio of the widths of two columns below which they are cells of a table, if the share rowsOfTable of the lines of
	// one stand in rows with those of the other.
	cellWidths, rowsOfTable = 0.65, 0.8
	// noteLines is the minimum number of lines in a note in the margin, noteShare the most for each line of the text, and
	// inRows the minimum share of its lines in a row with the text's at which they belong to the text.
	noteLines, noteShare, inRows = 2, 0.6, 0.5
	// crossing is the largest share of lines that may cross the blank between columns: headings, and lines that were split at the
	// wrong position. columnTries is the number of positions that are tried per height of a line.
	crossing, columnTries = 0.12, 4
)

// The working size of the search for spots.
const (
	// workHeight is the height, in pixels, to which higher pages are shrunk. workPixels bounds wide pages.
	workHeight, workPixels = 1500, 3_000_000
	// minSide is the smallest width and height, in pixels, of a page that can have a line.
	minSide = 32
)

// Thresholds of the ink map.
const (
	// quarter is the factor by which the page shrinks before its paper is estimated.
	quarter = 4
	// paperCell and paperReach give the neighbourhood in which the paper is estimated, about 25 pixels wide: cells of paperCell
	// pixels, and paperReach of them to each side. paperBlur smooths the cells, in cells.
	paperCell, paperReach, paperBlur = 5, 2, 1.2
	// paperQuantile of a neighbourhood is its paper: brighter than the ink, darker than specks of glare.
	paperQuantile = 0.8
	// minPaper is the lowest grey that counts as paper; usualPaper is assumed where no cell reaches it. darkestPaper bounds
	// what ink is divided by.
	minPaper, usualPaper, darkestPaper = 80, 200, 20
	// darkBorder is the largest share of the usual paper at which a pixel is not on the page.
	darkBorder = 0.55
	// borderMargin is how many pixels of the shrunk page along a dark border count as border too.
	borderMargin = 2
	// inkFrom and inkRange define ink: none at inkFrom of the paper's brightness, full ink at inkRange less.
	inkFrom, inkRange = 0.88, 0.35
	// solidInk is the minimum ink of a pixel that counts as black in rules and spots.
	solidInk = 0.3
)

// Thresholds of rules, in pixels of the working size or shares of the page. Letters have no straight run as long.
const (
	// ruleAcross is the minimum length of a horizontal rule in pixels, and 1/ruleAcrossShare its minimum share of the width. ruleDown
	// and ruleDownShare are the same for vertical rules and the height.
	ruleAcross, ruleAcrossShare = 40, 10
	ruleDown, ruleDownShare     = 60, 14
	// rowsBesideRule and columnsBesideRule are the numbers of pixels on each side of a rule that are erased with it, because its
	// edge is blurred.
	rowsBesideRule, columnsBesideRule = 1, 2
)

// Thresholds of spots, in pixels of the working size.
const (
	// minSpot and narrowestSpot are the height and the width below which a spot is a speck.
	minSpot, narrowestSpot = 4, 2
	// longestSpot is the largest ratio of a spot's length to its thickness; longer ones are rules.
	longestSpot = 8
)

// The geometry of strips.
const (
	// Height is the height of a strip in pixels.
	Height = 48
	// padding is how far a strip reaches beyond the ends of its line, in heights of the line.
	padding = 0.3
	// narrowest and widest bound the width of a strip, in pixels.
	narrowest, widest = 16, 8000
	// coarse is the ratio of the band's height to a strip's above which the page is shrunk first.
	coarse = 1.5
	// outsidePaper is the quantile of a strip's greys that fills what lies outside the page.
	outsidePaper = 0.75
	// boxPoints is the number of straight pieces that stand for a line when its box is computed, and stripPoints the number for
	// a box on a strip.
	boxPoints, stripPoints = 16, 4
	// polygonPitch is the length of the straight pieces of a line's outline, in pixels of the network's maps.
	polygonPitch = 16
	// minPart is the shortest part of a line that is worth reading on its own, in heights of the line.
	minPart = 1.2
	// coverReach is the share of half a band's or a word's height within which a word's middle lies in the line.
	coverReach = 0.8
)

// Thresholds of the ink of neighbouring lines in a strip.
const (
	// minContrast is the minimum difference between paper and ink, in greys, for a strip to be cleaned; stripPaper and
	// stripInk are the quantiles of its greys that count as paper and ink, and spotLevel the share of their difference from
	// which a pixel is ink.
	minContrast, stripPaper, stripInk, spotLevel = 20, 0.8, 0.03, 0.35
	// upperZone and lowerZone are the shares of the strip's height that parts of the lines above and below reach to.
	upperZone, lowerZone = 0.42, 0.74
	// borderWidth is the width of a dark border in units of the strip's height, and borderArea the share of its box that it
	// fills at least.
	borderWidth, borderArea = 1.2, 0.8
)

// Thresholds of the reading order of printed lines. They were chosen on the 40 printed pages of the first set, where joining
// torn lines, moving figures to their entries and reading Greek together brought the CER from 0.120 to 0.089.
const (
	// rowOverlap is the share of the shorter line's height by which two lines must overlap to be in one row.
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
	// figureColumn is the minimum share of lines of figures in a column of figures. A line of figures has at most maxDigits
	// digits, and at most one letter for every digitsPerLetter digits.
	figureColumn, maxDigits, digitsPerLetter = 0.7, 12, 3
	// scrapBlock is the largest number of characters in a block that is a scrap: a drop capital, a number in the margin.
	scrapBlock = 3
	// sharedRows is the largest share of lines that stand in a row with another line on a page of one column.
	sharedRows = 0.1
)

// Finding the columns of print. Heights and widths are in units of the height of most letters.
const (
	// minMark, maxMarkHeight and maxMarkWidth bound the components that are letters, alone or touching. Specks are shorter; rules,
	// drop capitals and pictures are taller or wider.
	minMark, maxMarkHeight, maxMarkWidth = 0.35, 4, 14
	// minPicture is the minimum width of a higher component that is a picture or a drop capital, not a rule. maxPicture is the largest
	// width of one, as a share of the page's: a frame is around the text, not beside it.
	minPicture, maxPicture = 2, 0.5
	// highestPicture is the largest ratio of a picture's height to its width: dark edges of leaves are far taller.
	highestPicture = 6
	// minFrameLetters is the minimum number of letters in a frame, and minFrameDensity the minimum number per square of the letter
	// height. Leaves with a dark edge have 510 letters or more and 0.12; woodcuts of both sets hold at most 269 pieces like letters.
	minFrameLetters, minFrameDensity = 400, 0.05
	// minRiver is the minimum width of a gutter. Gothic print has gutters that are hardly wider than the blanks between words; these
	// do not stand below each other in many rows.
	minRiver = 0.7
	// riverDrift is how far a gutter may run to either side in each band: 3 degrees, for leaves that are not flat.
	riverDrift = 0.06
	// minRiverRows is the minimum number of bands with letters on both sides of a gutter, about five lines. minGutterArea is the
	// least product of this number and the width of the white: five lines if the gutter is wide, 15 if it is hardly wider than a blank.
	minRiverRows, minGutterArea = 12, 60.0
	// minColumn is the minimum width of the text of a column, in half of the rows. Columns of figures are narrower: their rows are read
	// across.
	minColumn = 8.0
	// widestWordGap is the widest blank within a line.
	widestWordGap = 3
	// maxDivisions bounds the depth of columns within columns.
	maxDivisions = 6
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
	// narrowEnd is the share of a gutter's usual width below which a row at its end has a blank between words instead.
	narrowEnd = 0.4
)

// Strips of facing pages. Lengths are in units of the height of most letters.
const (
	// stripMargin is the largest distance of a strip's text from the edge of the image, in stripShare of the rows, and widestStrip the
	// largest usual width of its text.
	stripMargin, stripShare, widestStrip = 0.4, 0.5, 6.0
)

// Parts of a page that a layout analysis left out. A band has the height of most letters; a line covers about two and a half.
const (
	// minUnreadBands is the minimum number of bands, about four lines, and minUnreadLetters that of letters in such a part.
	minUnreadBands, minUnreadLetters = 9, 40
	// openShare is the minimum number of letters outside lines for each one in a line. maxBlankBands is how many blank bands may follow
	// each other.
	openShare, maxBlankBands = 2, 3
	// maxStrays is the largest number of other components for each letter. The hatching of a woodcut has more.
	maxStrays = 2
	// maxUnreadParts bounds the parts of a region.
	maxUnreadParts = 4
)

// Pictures on a page of print. Lengths are in units of the height of most letters.
const (
	// inkGrey is the grey below which a pixel of a page with white paper is ink.
	inkGrey = 128
	// minPictureInk is the minimum share of ink in a picture: the nine of both sets have .12 to .88. Frames around text are recognized by the words in them.
	minPictureInk = 0.1
	// minPictureSide is the minimum side of a picture: those of both sets have 14 and more, initials of up to three lines at most 9.
	minPictureSide = 10.0
	// minInitial is the minimum height of an initial of two lines, narrowestInitial its minimum width, and largestInitial its largest side.
	minInitial, narrowestInitial, largestInitial = 3.0, 1.2, 18.0
	// samePicture is the minimum share of the smaller of two boxes that parts of one picture have in common.
	samePicture = 0.25
)

// Staves of music.
const (
	staffLines = 5
	// staffStrips is the number of strips of the page in which lines are looked for, minStaffStrip their minimum width in pixels,
	// minStaffStrips in how many there must be a staff, and staffGap how many may be without, where beams hide it.
	staffStrips, minStaffStrip, minStaffStrips, staffGap = 24, 16, 4, 2
	// minStaffSpace and maxStaffSpace bound the distance of lines in units of the height of most letters. Rows of a table are taller.
	minStaffSpace, maxStaffSpace = 0.4, 2.0
	// staffTolerance is by how much the distances may differ, and staffThickness the largest thickness of a line, as shares of the
	// distance; a pixel more is allowed.
	staffTolerance, staffThickness = 0.2, 0.4
	// staffDark is the share of a strip that a line covers.
	staffDark = 0.8
)

// Rules that run the height of a page. Shares are those of the width of the page unless a comment says otherwise.
const (
	// ruleBands is the number of bands in which rules are followed, and ruleRows about how many rows of each are looked at.
	ruleBands, ruleRows = 64, 12
	// ruleGrey is the grey of a rule as a share of that of the paper, and stripeShare the share of a band's rows in which it is dark.
	ruleGrey, stripeShare = 0.6, 0.8
	// ruleGap is the width beside a rule in which inkBesideRule is the largest share of ink, and minRuleGap its minimum in pixels.
	// A band with more than maxStripes pieces of rules is hatched.
	ruleGap, inkBesideRule, minRuleGap, maxStripes = 0.003, 0.2, 6, 250
	// ruleReach is by how much a rule may run to either side, as a share of its length. longestRuleGap is the largest number of bands
	// without it. bentRule bounds how far it may deviate from a straight line: so many pixels, and
	// as many again for each pixel that it leans.
	ruleReach, longestRuleGap, bentRule = 0.05, 3, 6.0
	// marginOfWriting is the share of the writing that may stand above a rule, and below it. wholeRule is the share of the other bands in
	// which the rule is found, clearRule the share of these in which no writing touches it.
	marginOfWriting, wholeRule, clearRule = 0.03, 0.85, 0.8
	// minRuledColumn is the minimum width of a column, maxRuledColumns the largest number of columns, and likeRuledColumns the minimum
	// ratio of the narrowest to the widest one. A margin with notes beside a frame around the text has .59.
	minRuledColumn, maxRuledColumns, likeRuledColumns = 0.06, 8, 0.65
	// otherSize is the minimum ratio between the heights of lines in columns with writing of different sizes.
	otherSize = 1.5
)
