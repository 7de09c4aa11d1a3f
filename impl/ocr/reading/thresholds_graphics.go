package reading

// The thresholds for ink that is not text: scraps, ditto marks, pictures, initials and music. thresholds.go defines confidences
// and the sets of pages.

// Dropping scraps that were read in woodcuts, stains and edges. Tuned on the printed pages of the first set.
const (
	// A line with a confidence below maxScrapConfidence and fewer than minWordLetters letters and digits per word is a scrap.
	maxScrapConfidence = 0.6
	minWordLetters     = 2.0
	// minYearLetters is the minimum number of numerals in a year in Roman numerals, which is not a scrap, and otherYearLetters
	// the minimum number of numerals per other letter. The only year of both sets that would otherwise be dropped, M. DC. XVI.,
	// has seven numerals and one misread letter.
	minYearLetters, otherYearLetters = 5, 5
	// On a page with a confidence of at least wellRead, a line with a confidence below maxFaintConfidence and fewer than
	// minFaintLetters letters and digits per word is a scrap too.
	maxFaintConfidence = 0.35
	minFaintLetters    = 3.0
	wellRead           = 0.65
	// maxGarbleConfidence is the confidence below which every line of such a page is a scrap, read in a stamp, an ornament or a
	// picture.
	maxGarbleConfidence = 0.2
	// A row of accents has at least minAccents words, at least 1/signDivisor of which are only signs, and a confidence below
	// maxAccentConfidence. On the six pages with Greek of both sets, ten lines have these properties, and all of them are rows
	// of accents.
	minAccents, signDivisor = 4, 6
	maxAccentConfidence     = 0.85
	// A line of descenders has at most maxDescenders characters for each word and a confidence below maxDescenderConfidence, and
	// at least the share minDescent of its height is within the line above it. On a rendered page with five such lines, these were
	// 1.3, 0.71 and 0.42.
	maxDescenders, maxDescenderConfidence, minDescent = 1.5, 0.8, 0.3
	// minReadable is the minimum confidence of a page on which scraps are dropped. On other pages, writing looks like scraps.
	minReadable = 0.5
	// minDroppedShare is the minimum share of scraps among a block's lines at which the whole block is dropped.
	minDroppedShare = 0.7
)

// Ditto marks. Sizes are in units of the height of most letters. Tuned on a typed list of the second set.
const (
	// minDittoSize and maxDittoSize bound the width and the height of a mark.
	minDittoSize, maxDittoSize = 0.5, 0.8
	// minDittoRise is the minimum distance of a mark's lower edge above the feet of other words: bullets end lower.
	minDittoRise = 0.35
	// dittoGap is the minimum distance of a mark from other words of its line: a footnote number is nearer to its text.
	dittoGap = 2
	// longestDittoMark is the maximum number of characters that are read in a mark.
	longestDittoMark = 2
	// minDittoMarks is the minimum number of marks in a column.
	minDittoMarks = 3
)

// Pictures, initials and music. Heights are in units of that of most letters.
const (
	// initialGap is the maximum distance between an initial and the text to its right, and linesBeside the minimum number of
	// lines there. initialTop is the maximum distance by which the first of them begins below the top of the initial: less than
	// that of two lines, because the first may not have been read.
	initialGap, linesBeside, initialTop = 2, 2, 2
	// maxScrapLetters is the maximum number of letters in a scrap that is read in an initial. Longer words that are sure are
	// text.
	maxScrapLetters = 3
	// sureInitial is the minimum confidence in a word that was read with the letter of its initial, wordsWithInitial the number
	// of words that are read together with the initial, and capitalHeight the height of a capital in units of half the usual
	// letter height.
	sureInitial, wordsWithInitial, capitalHeight = 0.6, 3, 3
	// staffMargin is the distance to which notes reach beyond the lines of their staff, in units of its height.
	staffMargin = 0.3
	// afterLeader is the maximum distance of a number from its leader, and betweenLeaders that of two leaders with only a number
	// between them, in heights of a letter.
	afterLeader, betweenLeaders = 4, 6
	// sureInPicture is the minimum confidence of a sure word in a picture. A picture with at least maxSureLetters letters in
	// such words, or with words that cover at least maxCovered of its box, is a frame around text.
	sureInPicture, maxSureLetters, maxCovered = 0.7, 12, 0.2
)
