package reading

// Faint print beside clear print.
const (
	// minFaintShare is the minimum share of the sheet in a part without words that may hold faint print.
	minFaintShare = 0.2
	// minPartLetters is the minimum number of letters in such a part, by their shape before it is read and by the characters
	// that were read afterwards. minFaintConfidence is the minimum mean confidence of the recognizer in them.
	minPartLetters, minFaintConfidence = 60, 0.75
	// maxContinuationGap is the maximum gap, in heights of letters, between a line and its faint continuation, and minContinued
	// the minimum share of the lines in a row with others that continue if one part of the page is faint.
	maxContinuationGap, minContinued = 2, 0.6
	// minRiver is the minimum width, in heights of letters, of the blank between two columns, as in package layout, and
	// minShortRiver that of fewer than minGutterLines lines, in which gaps between words may coincide.
	minRiver, minShortRiver, minGutterLines = 0.7, 1.1, 4
	// minFaintContrast is the minimum contrast of illegible text that is listed as unread, as a share of that of the words. Text
	// out of focus has about 0.3; text that shines through from the other side of the leaf has less.
	minFaintContrast = 0.2
)

// Print whose ink fades over the page.
const (
	// fadingCell is the side of the cells in which ink is measured, in heights of letters: every cell of a text has ink.
	fadingCell = 4
	// triedPaleRows is the maximum number of unread rows of at least minPaleRow letters that are tried, and minPaleRows the
	// minimum number of those that are writing.
	triedPaleRows, minPaleRow, minPaleRows = 6, 5, 2
	// minFadingGain is the minimum ratio of the characters of the new reading that are probably right to those of the old one, and
	// maxFadingLoss the maximum by which their share may fall. What shines through from the other side of the leaf is read as
	// gibberish.
	minFadingGain, maxFadingLoss = 1.02, 0.1
)
