package layout

// Thresholds of the search for handwritten lines. Unless a comment says otherwise, lengths are in pixels of the network's maps,
// or in heights of the line (hl), from the top of its ascenders to the bottom of its descenders. Tuned on the 35 handwritten
// pages of the second set.
const (
	// firstSide is the length of the page's longer side, in pixels, in the first run of the network. usualHeight is the height
	// of lines, in pixels, that the network finds best. The network runs again at another scale if the ratio of the lines'
	// height to usualHeight, or its inverse, is more than goodScale, and a third time if it is then more than wrongScale: on no
	// page of either set, but on two pages pasted together whose lines are 11 and 30 pixels high.
	firstSide, usualHeight, goodScale, wrongScale = 1024, 32, 1.15, 1.5
	// maxHeight is the maximum height of lines, in pixels, that the network finds reliably.
	maxHeight = 64
	// maxEnlarged is the maximum factor by which a page is enlarged.
	maxEnlarged = 2
	// paperBlock is the side, in pixels, of the blocks whose paper is estimated, blockPaper the quantile of a block's greys
	// that counts as its paper, and darkestBlock the minimum grey of paper.
	paperBlock, blockPaper, darkestBlock = 32, 0.75, 40
	// faintBaseline is the minimum probability of a baseline at a point of a line, and minStrength its minimum mean along the
	// line.
	faintBaseline, minStrength = 0.25, 0.45
	// thickestRidge is the maximum thickness of a single ridge of the baseline map.
	thickestRidge = 7
	// slopeColumns is the number of columns over which the slope of a track is measured.
	slopeColumns = 16
	// A mark may be up to minReach away from the y at which its track is expected, plus reachGrowth for each column since the
	// track's last mark.
	minReach, reachGrowth = 1.5, 0.35
	// longestGap is the number of columns without a mark at which a track ends, and minColumns the minimum number of its columns.
	longestGap, minColumns = 6, 5
	// likelyEnd is the minimum probability of an end at which a line is cut, endNear the distance above and below the line
	// within which the end is searched for, and endReach the distance from the ends of a path within which it is the path's own
	// end.
	likelyEnd, endNear, endReach = 0.7, 1, 7
	// minHeight is the minimum height of a line.
	minHeight = 4
	// slopeLength (hl) is the length over which the slope of a line's end is measured, and steepest the maximum slope with
	// which a line is continued.
	slopeLength, steepest = 3, 0.2
	// widestJoin (hl) is the maximum gap between two pieces of a line, joinMisfit (hl) the maximum distance of the second piece
	// above or below the continuation of the first, and alikeHeights the maximum ratio of their heights.
	widestJoin, joinMisfit, alikeHeights = 1.5, 0.3, 1.6
	// shortestLine (hl) is the minimum length of a line.
	shortestLine = 0.4
	// nearestLines (hl) is the minimum distance between two lines; nearer ones are the same line, found twice.
	nearestLines = 0.5
	// strokeInk is the quantile of the ink in the zone of small letters that counts as the ink of strokes; this zone is the
	// lower smallLetters of the line's height above its baseline. Lines whose strokes have less than faintLine of the usual ink
	// are show-through. Lines on paper with less than darkDesk of the usual brightness are not on the page.
	strokeInk, smallLetters, faintLine, darkDesk = 0.9, 0.6, 0.4, 0.55
	// cutLines is the minimum number of short lines at one edge of the image that prove that another page was cut off there.
	// cutWidth is their maximum width, as a share of the median width of lines, and cutMargin (hl) their maximum distance from
	// the edge.
	cutLines, cutWidth, cutMargin = 3, 0.3, 0.5
	// lineSmoothing (hl) is the standard deviation of the blur along a line.
	lineSmoothing = 0.25
)

// Thresholds of facing pages, columns and rows. Lengths are in units of the usual height of lines.
const (
	// sameRow is the maximum vertical distance between two lines in one row.
	sameRow = 0.45
	// columnLines is the minimum number of lines in a column, and columnWidth their minimum median width: narrower columns
	// belong to a table, which is read row by row. columnOverlap is the minimum share of the shorter column's height in which
	// both columns have lines.
	columnLines, columnWidth, columnOverlap = 4, 5.0, 0.5
	// facingShape is the minimum ratio of width to height of an image of facing pages, facingMiddle the share of its width in
	// which their gutter is, and facingGutter the minimum width of the gutter; lines may end at either edge of it. Pasted
	// together, two letters of 1905 from the first set have 0.93 times the CER of the separate letters at 0.25, and 2.3 times
	// at 1. A gutter that is narrower than wideGutter must have pageLines lines on each side, because the cells of a form may
	// be as close.
	facingShape, facingMiddle, facingGutter, wideGutter, pageLines = 1.1, 0.3, 0.25, 1.0, 8
	// lineOfPage is the share of the width of a page's lines that each part of a line across the fold has. A heading across two
	// columns is shorter.
	lineOfPage = 0.6
	// likeness is the minimum ratio of the number of lines, and of the widths, of two columns.
	likeness = 0.4
	// Two columns are cells of a table if the ratio of their widths is below cellWidths and at least rowsOfTable of the lines
	// of one are in rows with those of the other.
	cellWidths, rowsOfTable = 0.65, 0.8
	// noteLines is the minimum number of lines in a note in the margin, and maxNoteShare their maximum number for each line of the
	// text. Above noteShare, the note is read like a column, such as one in a small hand beside a memorandum. inRows is the
	// minimum share of the lines that are in rows with the text at which they belong to the text.
	noteLines, maxNoteShare, noteShare, inRows = 2, 1.5, 0.6, 0.5
	// cutNotes is the maximum share of lines that cross the blank beside a note. If it is above crossing, those with at least
	// lineOfNote of the length of a line on each side are cut.
	cutNotes, lineOfNote = 0.25, 0.5
	// crossing is the maximum share of lines that cross the blank between columns, such as headings and lines that were split
	// at the wrong position. columnTries is the number of x positions that are tried per height of a line.
	crossing, columnTries = 0.12, 4
)

// The working size of the search for spots.
const (
	// workHeight is the maximum height of the shrunk page in pixels, and workPixels its maximum number of pixels, which limits
	// wide pages.
	workHeight, workPixels = 1500, 3_000_000
	// minSide is the minimum width and height, in pixels, of a page that is searched for lines.
	minSide = 32
)

// Thresholds of the ink map.
const (
	// quarter is the factor by which the page shrinks before its paper is estimated.
	quarter = 4
	// The paper is estimated in cells of paperCell x paperCell pixels, from each cell and the paperReach cells on each side of
	// it, about 25 pixels in all. paperBlur is the standard deviation, in cells, of the blur of the result.
	paperCell, paperReach, paperBlur = 5, 2, 1.2
	// paperQuantile is the quantile of a neighbourhood's greys that counts as its paper: brighter than the ink, darker than
	// specks of glare.
	paperQuantile = 0.8
	// minPaper is the minimum grey that counts as paper; if no cell reaches it, the paper is assumed to be usualPaper.
	// darkestPaper is the minimum grey by which a pixel is divided.
	minPaper, usualPaper, darkestPaper = 80, 200, 20
	// darkBorder is the maximum brightness, as a share of the usual paper's, of a pixel that is not on the page.
	darkBorder = 0.55
	// borderMargin is the number of pixels of the shrunk page along a dark border that count as border too.
	borderMargin = 2
	// inkFrom is the brightness, as a share of the paper's, at which there is no ink; full ink is inkRange darker.
	inkFrom, inkRange = 0.88, 0.35
	// solidInk is the minimum ink of a pixel that counts as black in rules and spots.
	solidInk = 0.3
)

// Thresholds of rules, in pixels of the working size or shares of the page. Letters do not have straight runs of this length.
const (
	// ruleAcross is the minimum length of a horizontal rule in pixels, and 1/ruleAcrossDivisor its minimum share of the width.
	// ruleDown and ruleDownDivisor are the same for vertical rules and the height.
	ruleAcross, ruleAcrossDivisor = 40, 10
	ruleDown, ruleDownDivisor     = 60, 14
	// rowsBesideRule and columnsBesideRule are the numbers of pixels on each side of a rule that are erased with it, because its
	// edge is blurred.
	rowsBesideRule, columnsBesideRule = 1, 2
)

// Thresholds of spots, in pixels of the working size.
const (
	// minSpot and narrowestSpot are the minimum height and width of a spot. Smaller ones are specks.
	minSpot, narrowestSpot = 4, 2
	// longestSpot is the maximum ratio of a spot's length to its thickness; longer ones are rules.
	longestSpot = 8
)

// The geometry of strips.
const (
	// Height is the height of a strip in pixels.
	Height = 48
	// padding is the length by which a strip extends beyond the ends of its line, in heights of the line.
	padding = 0.3
	// narrowest and widest bound the width of a strip, in pixels.
	narrowest, widest = 16, 8000
	// coarse is the maximum ratio of the usual height of lines to that of a strip; above it, the page is shrunk first.
	coarse = 1.5
	// outsidePaper is the quantile of a strip's greys with which pixels outside the page are filled.
	outsidePaper = 0.75
	// boxPoints is the number of straight pieces that approximate a line when its box is computed, and stripPoints the number
	// for a box on a strip.
	boxPoints, stripPoints = 16, 4
	// polygonPitch is the length of the straight pieces of a line's outline, in pixels of the network's maps.
	polygonPitch = 16
	// minPart is the minimum length of a part of a line that is read separately, in heights of the line.
	minPart = 1.2
	// coverReach is the maximum distance of the middle of a line's word from the middle of the line, as a share of half the
	// height of the line or of the word, whichever is larger.
	coverReach = 0.8
)

// Thresholds of the ink of neighbouring lines in a strip.
const (
	// minContrast is the minimum difference between paper and ink, in greys, in a strip that is cleaned. stripPaper and
	// stripInk are the quantiles of its greys that count as paper and ink. spotLevel is the minimum darkness of a pixel of ink,
	// as a share of the difference between paper and ink.
	minContrast, stripPaper, stripInk, spotLevel = 20, 0.8, 0.03, 0.35
	// Parts of the line above end within the upper upperZone of the strip's height; parts of the line below begin below
	// lowerZone of it.
	upperZone, lowerZone = 0.42, 0.74
	// borderWidth is the maximum width of a dark border, in units of the strip's height, and borderArea the minimum share of
	// its box that it fills.
	borderWidth, borderArea = 1.2, 0.8
)

// Thresholds of the reading order of printed lines, tuned on the 40 printed pages of the first set. There, joining torn lines,
// moving numbers to their entries, and reading Greek lowered the CER from 0.120 to 0.089.
const (
	// rowOverlap is the minimum vertical overlap of two lines in one row, as a share of the shorter line's height.
	rowOverlap = 0.5
	// tornGap is the maximum gap, in line heights, within a torn line. Lines farther apart were set apart on purpose, such as a
	// date to the right of a letterhead, or a catchword.
	tornGap = 2.5
	// gutterRows is the number of rows above and below a gap that are searched for a gutter through it. gutterReach is the
	// maximum distance, in line heights, between the middle of the gap and the end of a line next to the gutter.
	gutterRows, gutterReach = 3, 3
	// rowPitch is the usual distance between rows in half line heights.
	rowPitch = 3
	// endingsPerCrossing is the maximum number of lines that end at a gap, for each line that crosses it. If more end there,
	// the gap is a gutter.
	endingsPerCrossing = 2
	// numberColumn is the minimum share of lines of numbers in a column of numbers. A line of numbers has at most maxDigits
	// digits, and at most one letter for every digitsPerLetter digits.
	numberColumn, maxDigits, digitsPerLetter = 0.7, 12, 3
	// scrapBlock is the maximum number of characters in a scrap: a block such as a drop capital or a number in the margin.
	scrapBlock = 3
	// sharedRows is the maximum share of lines that are in a row with an earlier line, on a page of one column.
	sharedRows = 0.1
)

// Finding the columns of print. Heights and widths are in units of the height of most letters.
const (
	// minMark, maxMarkHeight and maxMarkWidth bound the components that are letters, alone or touching. Specks are shorter;
	// rules, drop capitals and pictures are taller or wider.
	minMark, maxMarkHeight, maxMarkWidth = 0.35, 4, 14
	// minPicture is the minimum width of a component higher than maxMarkHeight that is a picture or a drop capital instead of a
	// rule. maxPicture is its maximum width, as a share of the page's: a wider one may be a frame around the text.
	minPicture, maxPicture = 2, 0.5
	// minInsetRows is the minimum number of bands of columns above and below an inset picture, two or three lines, and insetShare
	// the minimum share of its bands that have text on both sides: every other one is between two lines.
	minInsetRows, insetShare = 6, 0.3
	// insetMargin is the maximum distance of the lines beside an inset from the margins of the columns and from the inset, in
	// heights of letters.
	insetMargin = 3
	// captionRows is the maximum number of bands from a picture to the end of its caption.
	captionRows = 15
	// highestPicture is the maximum ratio of a picture's height to its width: dark edges of leaves have a far higher one.
	highestPicture = 6
	// minFrameLetters is the minimum number of letters in a frame, and minFrameDensity the minimum number per square of the
	// letter height. Frames around leaves with a dark edge have at least 510 letters and a density of at least 0.12; woodcuts
	// of both sets contain at most 269 letter-like components.
	minFrameLetters, minFrameDensity = 400, 0.05
	// A smaller frame, or a grid of rules, has at least minFramedLetters letters. At least framedShare of them are in rows of
	// minFramedLine letters or more that are at most maxFramedRow high, at least minFramedRows.
	minFramedLetters, minFramedRows, framedShare, minFramedLine, maxFramedRow = 15, 3, 0.8, 3, 2.5
	// maxFrames is the maximum number of components that are examined for being such frames. More are noise, and would take long.
	maxFrames = 100
	// minRiver is the minimum width of a river, the white space that may be a gutter. In Gothic print, some gutters are barely
	// wider than word spaces, but word spaces do not line up over many rows.
	minRiver = 0.7
	// riverDrift is the maximum distance by which a gutter moves to either side from band to band: 3 degrees, for leaves that
	// are not flat.
	riverDrift = 0.06
	// minRiverRows is the minimum number of bands with letters on both sides of a gutter, about five lines. minGutterArea is the
	// minimum product of this number and the width of the white: five lines if the gutter is wide, 15 if it is barely wider than a
	// word space.
	minRiverRows, minGutterArea = 12, 60.0
	// minColumnBesideRule is the minimum width of the columns beside a short rule: 20.8 in advertisements of a newspaper. The
	// entries of most lists are shorter. steepestRule is the maximum slope of such a rule.
	minColumnBesideRule, steepestRule = 20, 0.03
	// At least fullShare of the lines to the left of such a rule end at most shortOfRule farther from it than the fullestLines
	// quantile. Above maxUprightRules, they are hatching or a form.
	fullestLines, shortOfRule, fullShare, maxUprightRules = 0.1, 1.5, 0.5, 50
	// minColumn is the minimum median width of the text of a column. Columns of numbers are narrower, so their rows are read
	// across.
	minColumn = 8.0
	// minCellGap is the minimum blank between two cells of a row, widestCell the maximum width of a cell, and cellRows the
	// minimum share of the rows that have only cells on one side of a gutter within a table. Between the pounds, shillings and
	// pence of rendered ledgers, the blanks are 1.4 to 3 heights wide.
	minCellGap, widestCell, cellRows = 1.0, 3.2, 0.7
	// widestWordGap is the maximum blank within a line.
	widestWordGap = 3
	// maxDivisions is the maximum depth of columns within columns.
	maxDivisions = 6
)

// Labels beside paragraphs. minLabels is the minimum number of labels on a page, and otherRows the maximum number of other
// lines beside text, as a share of it. labelPitch is the minimum distance between labels in distances between lines of the
// text, and labelBands the maximum height of a label in bands. paragraphPitch is the minimum distance of a paragraph from the
// line above it in distances from the next line, and shortEnd the minimum distance by which the line above ends before it
// otherwise, in heights of a line.

const minLabels, otherRows, labelPitch, labelBands, paragraphPitch, shortEnd = 3, 0.35, 1.6, 3, 1.15, 2

// Headings in the margin. They are headingPitch times as far apart as lines of the text, or farther. There are at most
// 1/maxHeadingLines as many lines of these as of the text, and at least the share besideParagraphs of them stand beside the
// first lines of paragraphs. Tuned on nine drawn pages of minutes.
const headingPitch, maxHeadingLines, besideParagraphs, maxHeadingNumbers = 1.5, 2, 0.75, 3

// Notes in the margin that are close to the text. Lengths are in units of the height of most letters.
const (
	// noteWhite is the minimum width of the white between notes and the margin of the text. At that margin, within marginReach,
	// begin at least minMarginLines lines and minMarginShare of all.
	noteWhite, marginReach, minMarginLines, minMarginShare = 0.25, 0.5, 8, 0.5
	// minNoteRows is the minimum number of lines of notes, minNoteWidth their minimum median width and maxNoteWidth their maximum
	// width. Numbers of lines and verses are narrower.
	minNoteRows, minNoteWidth, maxNoteWidth = 2, 2.5, 14
	// maxNotePitch is the maximum distance of the lines of notes, as a share of that of the text, maxRowPitch the maximum distance
	// of successive lines, and pitchWidth the width of the part of the text in which it is measured.
	maxNotePitch, maxRowPitch, pitchWidth = 0.92, 5, 20
)

// The tips by which letters of successive lines may overlap are 1/lineTips of their height, and 1/titleTips above columns:
// there, white must separate the rows.
const lineTips, titleTips = 4, 8

// columnShare is the minimum share of the narrower of two lines that is above or below the other one if both are in one column.
const columnShare = 0.5

// Headings above columns. Widths are in units of the height of most letters.
const (
	// widestHeadingBlank is the maximum blank between words of a heading in large type.
	widestHeadingBlank = 2.0
	// headingLead is the minimum distance by which a heading begins to the left of the margin of the column below or above it.
	// The margin is the marginShare quantile of the beginnings of lines in up to marginRows bands above and below.
	headingLead, marginShare, marginRows = 0.6, 0.25, 16
	// smallestLarge and largestLarge are the smallest and the largest height of a letter in large type, and widestLarge its
	// maximum width as a share of its height. A line of such letters has at least minLargeLetters. largeDescent is the maximum
	// distance of their lower ends, and largeBlank the maximum blank between them, as shares of the height of the letters.
	smallestLarge, largestLarge, widestLarge, minLargeLetters, largeDescent, largeBlank = 1.75, 12, 1.6, 4, 0.35, 1.25
	// mostOfRiver is the share of the width of white space within that of longer white space above which it is a part of that.
	mostOfRiver = 0.75
	// narrowEnd is the minimum width of a gutter's first and last row, as a share of its lower quartile. A narrower row has a
	// word space there instead.
	narrowEnd = 0.4
)

// Strips of facing pages. Lengths are in units of the height of most letters.
const (
	// stripMargin is the maximum distance of a strip's text from the edge of the image, in at least stripShare of the rows.
	// widestStrip is the maximum median width of its text.
	stripMargin, stripShare, widestStrip = 0.4, 0.5, 6.0
)

// Parts of a page that a layout analysis left out. A band is as high as most letters; a line takes about two and a half bands.
const (
	// minUnreadBands is the minimum number of bands in such a part, about four lines, and minUnreadLetters the minimum number
	// of letters.
	minUnreadBands, minUnreadLetters = 10, 40
	// openShare is the minimum number of letters outside lines for each letter in a line, in every band. maxBlankBands is the
	// maximum number of successive blank bands.
	openShare, maxBlankBands = 2, 2
	// maxStrays is the maximum number of other components for each letter. The hatching of a woodcut has more.
	maxStrays = 2
	// maxUnreadParts is the maximum number of such parts in a region.
	maxUnreadParts = 4
)

// Broken rules, in units of the height of most letters.
const (
	// pieceStrip is the width of the strip in which the pieces of a broken rule are, and widestPiece that of the widest piece.
	// longestBreak is the maximum distance of two pieces.
	pieceStrip, widestPiece, longestBreak = 0.6, 0.4, 3
	// minBrokenRule is the minimum length of a rule, minPrinted the minimum share of it that is printed, and minLongPiece the
	// minimum length of its longest piece. Letters one above the other fill at most two thirds, and none is as high.
	minBrokenRule, minPrinted, minLongPiece = 10.0, 0.7, 2.5
	// maxStem is the maximum height of the stem of a letter.
	maxStem = 2
)

// Rules that run the height of a page. Shares are shares of the width of the page unless a comment says otherwise.
const (
	// ruleBands is the number of bands in which rules are followed, and ruleRows the approximate number of rows that are
	// examined in each.
	ruleBands, ruleRows = 64, 12
	// ruleGrey is the maximum grey of a rule as a share of the paper's, and stripeShare the minimum share of a band's rows in
	// which it is dark.
	ruleGrey, stripeShare = 0.6, 0.8
	// ruleGap is the width of the gap beside a rule, and minRuleGap its minimum in pixels. inkBesideRule is the maximum share
	// of ink in the gap. A band with more than maxStripes stripes is hatched.
	ruleGap, inkBesideRule, minRuleGap, maxStripes = 0.003, 0.2, 6, 250
	// ruleReach is the maximum distance that a rule leans to either side, as a share of its length. longestRuleGap is the
	// maximum number of successive bands in which it is not found. bentRule is its maximum distance from a straight line in
	// pixels, plus as much again for each pixel that it leans.
	ruleReach, longestRuleGap, bentRule = 0.05, 3, 6.0
	// marginOfWriting is the maximum share of the writing above a rule, and the same below it. wholeRule is the minimum share
	// of the other bands in which the rule is found, and clearRule the minimum share of these in which no writing touches it.
	// Where columns are set close to their rule, it is 0.77 (a Bible of 1694); 0.6 would change no page of either set.
	marginOfWriting, wholeRule, clearRule = 0.03, 0.85, 0.7
	// minRuledHeight is the minimum height of the text of a page with rules, in heights of a letter: four lines.
	minRuledHeight = 8
	// topOfPage is the share of the page, at its top, that may be a title above the rules. A title has at least minTitle letters.
	// A stroke of a letter above a rule has at most maxStrokeBands. A rule between the title and the columns is at least crossRule
	// of the page wide.
	topOfPage, minTitle, maxStrokeBands, crossRule = 0.33, 3, 4, 0.6
	// minCrossing is the minimum length of a horizontal rule across columns, crossingPiece that of its pieces, and crossingGap the
	// maximum distance between them. A piece is at most thickestCrossing high, and steepestCrossing of its length. At least
	// printedCrossing of the rule is printed. A vertical rule at least minUpright high divides it. A page with more than maxCuts
	// rules across is a form.
	minCrossing, crossingPiece, crossingGap, thickestCrossing, steepestCrossing, printedCrossing = 20, 3, 15, 0.6, 0.02, 0.8
	minUpright, maxCuts                                                                          = 3, 50
	// spannedShare is the minimum share of a column's width that a rule across it spans; strayLetters of all letters at each side
	// of the page do not count. Text runs across a vertical rule if in at least crossedRule of the bands with text, the white
	// around it is narrower than ruledGutter.
	spannedShare, strayLetters, crossedRule, ruledGutter = 0.7, 0.01, 0.25, 0.5
	// minRuledColumn is the minimum width of a column, maxRuledColumns the maximum number of columns, and likeRuledColumns the
	// minimum ratio of the narrowest to the widest column. The ratio is 0.59 for a margin with notes beside framed text.
	minRuledColumn, maxRuledColumns, likeRuledColumns = 0.06, 8, 0.65
	// otherSize is the maximum ratio between the heights of lines in columns with writing of the same size.
	otherSize = 1.5
)

// Leaders, the rows of dots in tables of contents. Lengths are in widths of a dot unless a comment says otherwise. Tuned on 12
// rendered tables of contents in several fonts, whose dots are 4 to 6 pixels wide at distances of 8 to 45, and checked on both
// sets.
const (
	// minDot is the minimum side of a dot in pixels, roundDot the maximum ratio of its sides, and likeDot that of the widths of
	// two dots of a leader. With more than maxDots, or more than maxCrowded rows of dots beside other ink, a page is a screen.
	minDot, roundDot, likeDot, maxDots, maxCrowded = 2, 2.0, 1.8, 12_000, 300
	// minPitch is the minimum distance between the middles of two dots on average, and maxPitch the maximum distance of any two,
	// pitchSlack its maximum deviation as a share of the mean distance, at least minPitchSlack pixels, and maxDrift the maximum
	// difference in height. Between two dots that were found, there are fewer than mostSteps others.
	minPitch, maxPitch, pitchSlack, minPitchSlack, maxDrift, mostSteps = 1.5, 12.0, 0.3, 2.0, 0.6, 3.0
	// minLeaderDots is the minimum number of dots of a leader, and maxMissing the maximum number of missing dots between them, as
	// a share. maxBesideLeader is the maximum number of other spots within aroundLeader of it, as a share of its dots.
	minLeaderDots, maxMissing, aroundLeader, maxBesideLeader = 6, 0.15, 2.5, 0.35
	// minCellDots is the minimum number of dots in an empty cell, cellGap their minimum distance from other ink in their row, in
	// heights of a letter, and minCells the minimum number of such cells on a page.
	minCellDots, cellGap, minCells = 3, 1.5, 3
	// maxDot is the maximum width of a dot, and minLeader the minimum length of a leader, both in heights of a letter; an ellipsis
	// is shorter. The page has at least minLarger letters; the share capitalRank of letter-shaped spots is no higher than
	// capitals.
	maxDot, minLeader, minLarger, capitalRank = 0.4, 6.0, 20, 0.95
)
