package reading

// Print that may be handwriting. doubtfulPrint, unsurePrint, likelyHandwriting and handwritingLead are in units of the
// estimated share of correct characters.
const (
	// doubtfulPrint is the estimate below which print may be handwriting. On the second set, the estimates of seven pages were
	// below it for print, and higher for handwriting. Five of these had an estimate of at least 0.83 for handwriting, which also
	// had far fewer errors (for example, CER 0.05 instead of 0.65, and 0.10 instead of 0.74). The other two, for which handwriting
	// was not better, had an estimate below likelyHandwriting.
	doubtfulPrint = 0.6
	// unsurePrint replaces doubtfulPrint on a page without any line that was read as print with a confidence of at least
	// surePrintLine; such a line proves that there is print beside handwriting. A carefully drawn hand of the second set was read
	// as print with an estimate of 0.70, its best line with a confidence of 0.76 (CER 0.245 as print, 0.020 as handwriting).
	unsurePrint, surePrintLine = 0.85, 0.85
	// likelyHandwriting is the minimum estimate for the reading as handwriting, and handwritingLead its minimum lead over the
	// estimate for print.
	likelyHandwriting, handwritingLead = 0.75, 0.15
	// betterThanIllegible is the minimum estimate for handwriting where less than illegiblePrint of the print is likely to be
	// right, as on forms of a land register and index cards that are filled in by hand.
	illegiblePrint, betterThanIllegible = 0.5, 0.55
	// A side of a page is print that was read well if at least minSideLetters characters were read there, at least minReadSide for
	// each of its letters, and at least surePrintSide of them are likely to be correct. A side with a smaller share may be
	// handwriting. On pages of the second set that were pasted together (--degrade mixed), it is at least 0.77 for print, and at
	// most 0.69 for handwriting that was read as print.
	surePrintSide, minSideLetters, minReadSide = 0.75, 40, 0.25
	// minFacingShape is the minimum ratio of width to height of an image of two facing pages. A cut between them divides at most
	// one box in gutterLines lines (boxes of words and letters both count), and each is at least minFacingWidth of the image wide.
	// If one is handwriting and the other print, each has more than minFacingShare of the characters of its kind. Before they are
	// read as separate pages, it is enough that one has more than minFacingShare of the print, and that more than minFacingShare
	// of the characters of the other are handwriting. The separate pages replace the reading of the whole if at least
	// separateShare as many characters are likely to be correct: lines of both pages that were mixed up do not lower the estimate
	// of the whole. All were chosen on the same pages.
	minFacingShape, gutterLines, minFacingWidth, minFacingShare, separateShare = 1.1, 20, 0.25, 0.8, 0.95
)
