package reading

// The thresholds of this package. Confidences are 0..1; those of the recognizer are its own, before calibration, unless a comment
// says otherwise. "The shared pages" are the 40 printed and 15 handwritten pages that README.md describes. No threshold was tuned
// to a single page.

// Preparing the sheet. Measured on the printed shared pages, also made smaller.
const (
	// minSkew is the smallest skew, in degrees, at which a page is levelled. Tesseract can follow a smaller skew, and rotating blurs
	// the page: pages with less than 0.8 degrees did not gain.
	minSkew = 0.8
	// minLevelHeight is the minimum height of letters, in pixels as they will be read, on a page that is rotated: the blur harms
	// smaller ones.
	minLevelHeight = 14
	// maxSmallHeight is the largest height of letters in pixels at which a page is enlarged. Of 19 pages with such letters 16 were
	// read better, and none by more than 0.006 of CER worse. Slightly larger letters gain nothing.
	maxSmallHeight = 11
	// enlargedHeight is the height in pixels that letters are brought to: a small x of 12 points at 170 dots per inch.
	enlargedHeight = 15.0
	// maxEnlargement bounds the factor. Letters that are still too small cannot be read at any size.
	maxEnlargement = 3.0
	// maxEnlargedPixels bounds the enlarged image, for memory: 50 MB.
	maxEnlargedPixels = 50_000_000
)

// Deciding that ink is a texture and not writing. None of the 119 pages of both sets is taken for one.
const (
	// minTexturePixels is the minimum size of a page that is examined: a square of 500 pixels.
	minTexturePixels = 250_000
	// minTextureSpots is the minimum number of spots of a pattern or of noise.
	minTextureSpots = 2_000
	// If sameSizeShare of the spots have one of sameSizes exact sizes, they are a pattern. On the 119
	// pages the share is at most .47.
	sameSizes     = 4
	sameSizeShare = 0.9
	// maxIllegibleHeight is the largest height in pixels at which letters between specks are illegible, however enlarged.
	maxIllegibleHeight = 8
	// maxTextureLetters is the largest number of spots of a legible size in a texture: on 3 megapixels, noise with 50 % ink has 32, and
	// with 10 % 9.
	maxTextureLetters = 35
	// pixelsPerSpeck is the largest number of pixels of the page for each spot of noise; dust on a page has thousands.
	pixelsPerSpeck = 60
	// textureInk is the minimum share of ink of a texture without many letters. The boldest print has a third.
	textureInk = 0.45
	// maxNoiseOrder is the largest imaging.Order of noise: 1.19 for squares of 1 to 12 pixels. Of the 119 pages and their middles, also at
	// half the size and rotated by 7 degrees, the one with the lowest order has 1.35, loose handwriting.
	maxNoiseOrder = 1.22
)

// Shares of the time that a page has, so that a step that does not end leaves time for the others.
const (
	// stepShare is the share of the remaining time that a step may take if the page can be answered without it.
	stepShare = 0.7
	// firstReadingShare is that of the first reading of print, without which there is no answer. The rest is for turning it into an
	// answer.
	firstReadingShare = 0.85
	// pageShare is the share of the remaining time that a page may take if other pages of the file follow. An equal share would curtail a
	// dense page between blank ones.
	pageShare = 0.5
	// curtailedConfidence is the highest confidence of a page if one of its steps ran out of time.
	curtailedConfidence = 0.3
)

// dpiPerLetterHeight is the resolution, in dots per inch, at which most letters are one pixel high: those of type of about 12 points.
const dpiPerLetterHeight = 11

// minUnreadConfidence is the minimum confidence at which a part that the layout analysis left out counts as writing.
const minUnreadConfidence = 0.6

// Choosing among models.
const (
	// sureReading is the confidence of a first reading, weighted by the length of words, that makes a second model unnecessary.
	// It was found on 20 books that are not among the shared pages; see the notes of the models.
	sureReading = 0.88
	// earlyPrintLead is the minimum lead in confidence with which the language's own model is preferred to the early-print model,
	// because it is as confident of an s that should be a long s as of a correct one.
	earlyPrintLead = 0.03
	// maxForeignLetters is the share of a first reading's letters that the early-print model may be unable to write. A page with
	// more is in a language that the model was not trained on, and would lose these letters. Of the 119 pages of both sets, three
	// have more: editions with much Greek.
	maxForeignLetters = 0.02
	// minSampleLines is the minimum number of lines that decide, maxSampleLines how many are read; a page with fewer than maxSampleLines has no sample.
	minSampleLines, maxSampleLines = 2, 6
	// minSampleText is the minimum number of characters that decide. Two lines have fewer in narrow columns and in large type.
	minSampleText = 60
	// sureSample is the confidence of the language's own model that makes other models unnecessary for the sample.
	sureSample = 0.85
	// sampleLead is the minimum lead of the early-print model with which it reads the page alone. On the printed pages of both sets the
	// text stays the same; a sample of 200 characters cost more than it saved.
	sampleLead = 0.08
	// sureLine is the minimum confidence at which a line of at least minSureLine characters suffices as the sample.
	sureLine    = 0.93
	minSureLine = 30
	// inDoubt is the calibrated confidence below which a page is read at another size too, and not searched for missed ink: on
	// such a page, ink that was missed cannot be distinguished from ink that cannot be read.
	inDoubt = 0.8
	// resizedLead is the minimum lead in confidence with which the reading at another size is kept; smaller differences are noise.
	resizedLead = 0.03
	// smallerFactor and largerFactor are the other sizes. Of 0.7, 0.85, 1.3, 1.5 and a binarized page, tried on the shared pages,
	// 0.7 corrected most words for each that it spoilt, if the letters were large enough.
	smallerFactor, largerFactor = 0.7, 1.3
	// minLargeLine is the minimum median height of lines, in pixels, for letters that are large enough to be read smaller.
	minLargeLine = 36
)

// Finding Greek on a page in Latin letters. Of the shared pages, those of the collection ajax-en-grc have Greek.
const (
	// maxDoubtfulWord is the confidence below which a word may be in a script that the model does not read.
	maxDoubtfulWord = 0.6
	// minDoubtfulLetters is the minimum number of letters in doubtful words of a line that is probed with the Greek model.
	minDoubtfulLetters = 5
	// maxProbedLines is the largest number of lines that are probed. If the most doubtful line has no Greek word, no other line
	// is probed.
	maxProbedLines = 3
	// sureWord is the minimum confidence at which a word is taken to be in the script that it was read in.
	sureWord = 0.85
	// strangeLineShare: if at most one line in so many has a word that is neither known nor sure, only these lines are read again. One of
	// the four pages that are read again has .23 of its lines; the others have .66 to .86, and lose text if they are read line by line.
	strangeLineShare = 3
	// minGreekConfidence is the minimum confidence at which a word in Greek letters is Greek. The model reads Latin words too, as
	// Greek letters of the same shape, but with less confidence.
	minGreekConfidence = 0.7
	// sameWord is the share of the wider of two boxes that both share if they are those of one word.
	sameWord = 0.7
	// minGreekWords is the minimum number of such words on a page with Greek.
	minGreekWords = 3
	// minGreekLetters is the length of the shortest word that counts, doubtful or Greek.
	minGreekLetters = 3
	// 1/lineMargin of a line's height is the margin that is read around the line, and minLineMargin its minimum size in pixels.
	lineMargin, minLineMargin = 4, 4
)

// Dropping scraps that were read out of woodcuts, stains and edges. Measured on the printed shared pages.
const (
	// maxScrapConfidence and minWordLetters: a line below this confidence with fewer letters and digits a word is a scrap.
	maxScrapConfidence = 0.6
	minWordLetters     = 2.0
	// minYearLetters is the minimum number of letters of a year in Roman numerals, which is not a scrap, and otherYearLetters the minimum
	// number of numerals for each other letter. The one of both sets that was dropped, M. DC. XVI., has seven for one that is misread.
	minYearLetters, otherYearLetters = 5, 5
	// maxFaintConfidence and minFaintLetters: the same for slightly longer words, on a page read with a confidence of at least wellRead.
	maxFaintConfidence = 0.35
	minFaintLetters    = 3.0
	wellRead           = 0.65
	// maxGarbleConfidence is the largest confidence at which any line of such a page is a scrap: stamps, ornaments and pictures.
	maxGarbleConfidence = 0.2
	// A row of accents has at least minAccents words, of which one in signShare is a sign alone, and less than maxAccentConfidence. On the
	// six pages with Greek of both sets these are ten lines, and no other.
	minAccents, signShare = 4, 6
	maxAccentConfidence   = 0.85
	// minReadable is the confidence of a page below which nothing is dropped: there, writing looks like scraps.
	minReadable = 0.5
	// maxScrapShare is the share of scraps among a block's lines at which the whole block is dropped.
	maxScrapShare = 0.7
)

// Finding ink outside the boxes of all words. Heights and gaps are in units of the height of the letters that were read, about that of a
// small x. Measured on the shared catalogues, and on printed shared pages from whose readings every sixth line was taken.
const (
	// minMissedHeight and maxMissedHeight bound the height of components that may be letters or figures.
	minMissedHeight, maxMissedHeight = 0.7, 3.0
	// maxLetterGap is the widest gap between letters of one patch.
	maxLetterGap = 2
	// minPatchLetters is the minimum number of letters in a patch. A single one is mostly a speck, a rule or an ornament.
	minPatchLetters = 2
	// maxStrays is the largest number of other components in a patch for each letter. It admits the dots and broken strokes of
	// print, but not the hatching of a woodcut.
	maxStrays = 2
	// maxWordGap is the largest gap at which a word belongs to the patch: letters of one word.
	maxWordGap = 0.5
	// maxDashGap is the largest distance of a dash from a patch.
	maxDashGap = 3
	// maxPatches is how many patches of a page are read. A page of a catalogue has two for each row.
	maxPatches = 100
	// minTriedPatches is the number of patches that are read in any case. More are read only while at least 1/triesAHit of them
	// are writing.
	minTriedPatches, triesAHit = 6, 3
	// minPatchConfidence is the minimum confidence at which a patch counts as writing.
	minPatchConfidence = 0.75
	// minPatchShare and maxPatchShare bound the letters and digits that are read for each component that may be one.
	minPatchShare, maxPatchShare = 0.5, 2.0
	// bandHeight is the height in pixels of the bands in which boxes are looked up. It affects speed only.
	bandHeight = 64
)

// Handwriting.
const (
	// minPrintConfidence is the minimum confidence of the model for print at which the part of a page of handwriting that looks like
	// print is print. Two of the 47 pages of handwriting in both sets have such a part; it reaches 0.30 and 0.59 there.
	minPrintConfidence = 0.7
	// minStripsAnEngine is how many lines each of several engines reads at least: loading one takes as long as reading three.
	minStripsAnEngine = 4
	// maxEngines bounds the engines that read lines of one page at the same time.
	maxEngines = 4
)

// Finding the upright position. Measured on the shared pages.
const (
	// maxTurnedConfidence is the calibrated confidence below which a page may lie on its side or upside down. maxTurnedHand is the
	// same where handwriting was found beside print: upside down, its lines seem to have half of their characters right.
	maxTurnedConfidence, maxTurnedHand = 0.5, 0.7
	// minTurnLead is how much more confident the middle of a printed page must be read in another position, and minUpright how
	// confident.
	minTurnLead, minUpright = 0.2, 0.7
	// minUprightText is the minimum number of characters that are read in the upright position, as a share of the most in any.
	minUprightText = 0.5
	// uprightHand is the confidence of the handwriting model at which a page certainly stands upright, and minHandTurnLead
	// how much more confident it must be in another position. On the shared pages it is 0.02 to 0.40 more confident of the
	// upright one.
	uprightHand, minHandTurnLead = 0.33, 0.03
)

// The recognizer's confidence becomes the share of correct characters by a logistic curve for print; impl/ocr/hand has the one for
// handwriting. curveBase and earlyPrintBonus were fitted to the printed shared pages for the lowest mean absolute error, 0.049;
// predicting each collection from the others gives 0.053. curveSlope and missedWeight are the best of a coarse grid. Further
// terms, such as the share of words in the lexicon or a slope for each model, made the left-out collections worse.
const (
	curveBase, curveSlope = -1.18, 1.6
	// earlyPrintBonus is added for the early-print model, whose words are correct more often than its confidence suggests.
	earlyPrintBonus = 1.82
	// missedWeight is the weight of the share of the ink that became text. It counts more, the less confident the reading is: a
	// page with little text of low confidence is handwriting, or has no text at all.
	missedWeight = 0.6
	// minInkShare keeps the logarithm of that share finite.
	minInkShare = 0.05
	// minCurveConfidence keeps the curve away from 0 and 1.
	minCurveConfidence = 0.02
)

// The final confidence of words: the weights of their evidence, in the order of evidence.go, in a logistic regression on the share of
// their characters that are correct. "uncial-accuracy --fit" prints them; README.md has the commands and the figures.
var (
	printWeights = Evidence{
		-1.869, 0.102, 0.823, -0.257, 0.285, -1.132, -0.258, 0.813, 0.304, 0.323, -0.300, 0.932, -0.768, 0.359, -0.311,
	}
	handWeights = Evidence{
		-0.535, 0.026, 2.037, 1.175, 0.917, 0.465, -0.522, 0, 0, 0, 0, 0, 0, 0, 0, 0.649, 0.266, -0.767, -0.498,
	}
)

// The evidence of words, and the doubts of a page.
const (
	// minShare keeps log-odds finite.
	minShare = 0.005
	// sureOwn is the log-odds of the recognizer's confidence (.88) at which the curve bends.
	sureOwn = 2
	// lastUsualLetter is the last letter of the Latin alphabets of modern languages (up to Latin Extended-A). Signs after it are those of
	// medieval abbreviations.
	lastUsualLetter = '\u017f'
	// minWrong is added to a share of wrong characters, so that its logarithm stays finite and very small shares hardly differ.
	minWrong = 0.003
	// longWord is the minimum number of letters of a long word.
	longWord = 4
	// sureRepeats is how often a page must have a word at least for it to count as repeated in full.
	sureRepeats = 3
	// fewWords is the largest number of long words whose share in the word lists says little.
	fewWords = 4.0
	// placeMargin is by how many pixels the middle of a word in another reading may lie outside of the word.
	placeMargin = 4
	// minEstimated is the minimum number of characters of a page whose confidence is estimated from its words alone, and minReadShare
	// the minimum number of characters for each letter-shaped component.
	minEstimated, minReadShare = 40, 0.5
	// minUnreadLetters is the minimum number of letters outside of words that are listed as not read: fewer are specks.
	minUnreadLetters = 4
	// maxCellLength is the largest number of characters in the shorter of two lines that are cells of one row.
	maxCellLength = 20
	// minCells and minTableShare are the minimum number of cells of a table, and the minimum share of the page's characters in them. Of
	// the second set three have .74 to .87, which are tables, and all others at most .51.
	minCells, minTableShare = 12, 0.6
	// orderShare is the share of characters in the right order in such tables: .44 to .62 on the three pages.
	orderShare = 0.55
)

// minPixelsAnEngine is the size in pixels of what each of several engines reads at least of a printed page: loading one takes as long as
// reading a small part of a page.
const minPixelsAnEngine = 700_000

// maxPixelsOfEngines bounds the pixels of all engines that share an image, because each has copies of its own: together they need about as much
// memory as one engine does for the largest image.
const maxPixelsOfEngines = 100_000_000

// Reading doubtful lines again for the vote.
const (
	// sureVote is the confidence that all words of a line must have to make a vote unnecessary. Below it are 789 of the 1,259 lines of print of the second set.
	sureVote = 0.95
	// voteShare is how many readings of single lines there are for each line that was read before, one by the network for handwriting counted
	// like the others: with it, the pages that cost most take twice the processor time. A page of few lines has minVotes readings.
	voteShare, minVotes = 1.5, 10
	// handProbe is how many lines the network for handwriting reads before it is decided whether it reads the others too, and minHandTrust
	// the least trust with which it does. Fraktur, Greek and blurred typescripts have less.
	handProbe, minHandTrust = 8, 0.3
	// bandFoot is where the letters of a line of print stand, in heights of the box of its words from its upper edge, bandUp and bandDown what
	// the network sees above and below, in the same unit.
	bandFoot, bandUp, bandDown = 0.78, 0.9, 0.35
)

// minAlternative is the lowest estimated share of correct characters at which another reading of a word is returned.
const minAlternative = 0.05

// Memory.
const (
	// modelMemory is how many bytes loaded models may take: those of five languages with the early-print model and the Greek one, which
	// take 9 MB on average.
	modelMemory = 80_000_000
	// engineMemory is what a loaded model that has read a page keeps beside the content of its file: 4.6 to 8 MB for models of 1 to 6 MB.
	engineMemory = 6_000_000
	// minLargePage is the minimum size, in pixels, of pages after which memory is returned to the system at once. Otherwise an idle
	// worker would keep it.
	minLargePage = 16_000_000
	// maxSide is the largest side in pixels at which an image is read as it is. Tesseract counts in 16 bits, adds margins, and aborts
	// on overflow: at 32,760, not at 32,700.
	maxSide = 32_000
)

// networkShift is by how much the log-odds of the network for handwriting exceed those of Tesseract's confidences on the same
// lines. Both decide together what is handwriting, so one is converted to the scale of the other. Measured on the French pages that
// both read.
const networkShift = 2.0

// Print that may be handwriting after all. doubtfulPrint, unsurePrint, likelyHandwriting and handwritingLead are estimates of the share of
// characters that are right.
const (
	// doubtfulPrint is the estimate below which print may be handwriting. Of the second set, seven pages were read as print below it, and had a
	// higher estimate as handwriting. For five of these, at .83 and more, handwriting had far fewer errors (CER .65 to .05 and .74 to .10,
	// for example); not for the two below likelyHandwriting.
	doubtfulPrint = 0.6
	// unsurePrint is the same for a page without a line in which print is read with a confidence of surePrintLine, which shows print
	// beside handwriting. A carefully drawn hand of the second set was read as print at .70, its best line with .76 (CER .245, as handwriting .020).
	unsurePrint, surePrintLine = 0.85, 0.85
	// likelyHandwriting is the lowest estimate of the reading as handwriting, handwritingLead its minimum lead.
	likelyHandwriting, handwritingLead = 0.75, 0.15
)

// Print that its preparation spoilt, or that was taken for handwriting.
const (
	// doubtfulHandwriting is the estimate of the share of characters that are right below which a page of handwriting may be print. All
	// 50 pages of handwriting in both sets are above .67.
	doubtfulHandwriting = 0.6
	// knownLead is by how much the share of known words must be larger in the page as it is. That share counts the letters of words of
	// minKnownLetters and more. It was .17 in a blurred typescript that was read as handwriting, and is .35 to .88 in the 50 pages.
	knownLead, minKnownLetters = 0.1, 4
)

// Finding the language of a page.
const (
	// fewLines is the number of lines that are read first to find the language, and manyLines the most: twice as many each time.
	fewLines, manyLines = 6, 24
	// sureLanguage is the evidence of guess.Of that makes further lines unnecessary: about three words that no other language has.
	sureLanguage = 8.0
	// sureScript is the minimum confidence at which a sample is in Latin letters, and scriptLead the minimum lead of another script.
	sureScript, scriptLead = 0.6, 0.15
)

// Ditto marks. Sizes are in units of the height of most letters. Set on a typed list of the second set.
const (
	// minDittoSize and maxDittoSize bound the width and the height of a mark.
	minDittoSize, maxDittoSize = 0.5, 0.8
	// minDittoRise is how high above the feet of other words a mark ends at least: bullets end lower.
	minDittoRise = 0.35
	// dittoGap is the minimum distance of a mark from other words of its line: the number of a footnote is nearer to its text.
	dittoGap = 2
	// longestDittoMark is the largest number of characters that is read out of a mark.
	longestDittoMark = 2
	// minDittoMarks is the minimum number of marks in a column.
	minDittoMarks = 3
)

// Pictures, initials and music. Heights are in units of that of most letters.
const (
	// initialGap is the largest distance of the text from an initial to its left, and linesBeside the minimum number of lines there.
	initialGap, linesBeside = 2, 2
	// maxScrapLetters is the number of letters of the longest scrap that is read out of an initial. Longer words that are sure are text.
	maxScrapLetters = 3
	// sureInitial is the minimum confidence at which a word with the letter of an initial is taken, wordsWithInitial the number of words that
	// are read with it, and capitalHeight the height of a capital in half heights of most letters.
	sureInitial, wordsWithInitial, capitalHeight = 0.6, 3, 3
	// staffMargin is how far notes reach beyond the lines of their staff, in units of its height.
	staffMargin = 0.3
	// sureInPicture is the minimum confidence of a sure word in a picture. With at least maxSureLetters letters in such words, or words
	// that cover at least the share maxCovered of its box, the picture is a frame around text.
	sureInPicture, maxSureLetters, maxCovered = 0.7, 12, 0.2
)
