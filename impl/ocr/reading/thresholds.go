package reading

// The thresholds of this package, except those in the other files thresholds_*.go. Confidences are 0..1, and are the
// recognizer's own, before calibration, unless a comment says otherwise. README.md describes the pages: the first set has 40
// printed and 15 handwritten pages, the second set 64 pages.

// Preparing the sheet. Tuned on the printed pages of the first set, at their own and smaller sizes.
const (
	// minSkew is the minimum skew, in degrees, at which a page is levelled. Tesseract can follow a smaller skew, and rotating
	// blurs the page: pages with less than 0.8 degrees did not gain.
	minSkew = 0.8
	// minLevelHeight is the minimum height of letters, in pixels of the image that will be read, on a page with a small skew: the
	// blur from rotating it harms smaller letters.
	minLevelHeight = 14
	// maxCurledSlope is the largest angle in degrees that may be the slope of curved lines: it is 9.1 on the pages of both sets
	// with their columns moved ("waves").
	maxCurledSlope = 10.0
	// slantMargin is the margin around the ink of an image that was taken at an angle, in heights of letters. maxSlantGrowth is
	// the maximum ratio of the size of the rotated image to its own: it is at most 2.1 for pages in the usual shapes.
	slantMargin, maxSlantGrowth = 4, 2.2
	// maxSlantError is the maximum error of imaging.Slant in degrees.
	maxSlantError = 1.5
	// baselineStep is the maximum distance between the points of a curved baseline, in heights of letters.
	baselineStep = 8
	// maxSmallHeight is the maximum height of letters in pixels at which a page is enlarged. Of 19 pages with such letters, 16
	// were read better, and the CER of none rose by more than 0.006. Pages with slightly larger letters do not gain.
	maxSmallHeight = 11
	// enlargedHeight is the height in pixels to which letters are enlarged: that of a small x of 12-point type at 170 dots per
	// inch.
	enlargedHeight = 15.0
	// maxEnlargement is the maximum factor. Letters that are too small even then cannot be read at any size.
	maxEnlargement = 3.0
	// maxEnlargedPixels is the maximum number of pixels of the enlarged image, which bounds its memory to 50 MB.
	maxEnlargedPixels = 50_000_000
	// Letters break into fragments if a page at half its size has at most 1/minFragments as many letters, and these are
	// at least minFragmentGrowth times as high as at full size, and at least minWholeHeight pixels high at half size. If they are
	// more than maxWholeGrowth times as high at a quarter, they are not letters.
	minFragments, minFragmentGrowth, minWholeHeight, maxWholeGrowth = 2.4, 1.3, 12, 1.5
	// wholeHeight is the height in pixels to which such letters are reduced.
	wholeHeight = 20.0
)

// Deciding that ink is a texture instead of writing. None of the 119 pages of both sets counts as a texture.
const (
	// minTexturePixels is the minimum size of a page that is examined: 500 x 500 pixels.
	minTexturePixels = 250_000
	// minTextureSpots is the minimum number of spots of a pattern or of noise.
	minTextureSpots = 2_000
	// If at least sameSizeShare of the spots have one of the sameSizes most common sizes, to the pixel, they are a pattern. On the
	// 119 pages, the share is at most 0.47.
	sameSizes     = 4
	sameSizeShare = 0.9
	// maxIllegibleHeight is the maximum height in pixels of letters that are illegible among specks, however much they are
	// enlarged.
	maxIllegibleHeight = 8
	// maxTextureLetters is the maximum number of spots of legible size in a texture. On 3 megapixels, noise with 50 % ink has
	// 32, and noise with 10 % ink has 9.
	maxTextureLetters = 35
	// pixelsPerSpeck is the maximum number of pixels of the page per spot in noise. On a dusty page it is thousands.
	pixelsPerSpeck = 60
	// textureInk is the minimum share of ink in a texture with few letters. The boldest print has a third.
	textureInk = 0.45
	// A picture of dots takes at most maxHalftone of the page, with halftoneMargin pixels around it. At most one in
	// spotsPerOutlier of the spots is beyond each of its sides. At least minCaption letters are outside it.
	maxHalftone, halftoneMargin, spotsPerOutlier, minCaption = 0.85, 6, 50, 6
	// maxNoiseOrder is the maximum imaging.Order of noise. The Order of noise of squares of 1 to 12 pixels is at most 1.19. That
	// of the 119 pages and their middles, also at half the size and rotated by 7 degrees, is at least 1.35 (loose handwriting).
	maxNoiseOrder = 1.22
)

// Shares of the time for a page, so that a step that takes too long leaves time for the others.
const (
	// stepShare is the maximum share of the remaining time that an optional step may take.
	stepShare = 0.7
	// firstReadingShare is the maximum share for the first reading of print, without which there is no answer. The rest is
	// needed to turn that reading into an answer.
	firstReadingShare = 0.85
	// pageShare is the maximum share of the remaining time that a page may take if other pages of the file follow. With equal
	// shares, a dense page between blank ones would be curtailed.
	pageShare = 0.5
	// curtailedConfidence is the maximum confidence of a page if one of its steps ran out of time.
	curtailedConfidence = 0.3
)

// dpiPerLetterHeight is the resolution, in dots per inch, per pixel of the height of most letters, for type of about 12 points.
const dpiPerLetterHeight = 11

// minUnreadConfidence is the minimum confidence in a part that the layout analysis left out at which it counts as writing.
const minUnreadConfidence = 0.6

// Choosing among models.
const (
	// sureReading is the minimum confidence of a first reading, weighted by the length of words, that makes a second model
	// unnecessary. Tuned on 20 books that are not in either set; see impl/ocr/models/own/README.md.
	sureReading = 0.88
	// The language's own model is preferred to the early-print model only if its confidence is higher by more than
	// earlyPrintLead, because it is as confident of an s that should be a long s as of a correct one.
	earlyPrintLead = 0.03
	// maxForeignLetters is the maximum share of letters that the early-print model cannot write in a first reading. A page with
	// more is in a language that the model was not trained on, and would lose these letters. Of the 119 pages of both sets,
	// three have more: editions with much Greek.
	maxForeignLetters = 0.02
	// minSampleLines is the minimum number of lines of a sample, and maxSampleLines the maximum. A page with fewer than
	// maxSampleLines lines has no sample.
	minSampleLines, maxSampleLines = 2, 6
	// minSampleText is the minimum number of characters of a sample. In narrow columns and in large type, two lines have fewer.
	minSampleText = 60
	// sureSample is the minimum confidence of the language's own model that makes other models unnecessary for the sample.
	sureSample = 0.85
	// sampleLead is the minimum lead of the early-print model at which it reads the page alone. On the printed pages of both
	// sets, this does not change the text; with samples of 200 characters, sampling cost more than it saved.
	sampleLead = 0.08
	// sureLine is the minimum confidence at which a line of at least minSureLine characters is enough for a sample.
	sureLine    = 0.93
	minSureLine = 30
	// inDoubt is the calibrated confidence below which a page is also read at another size, and is not searched for missed ink:
	// on such a page, missed ink cannot be distinguished from illegible ink.
	inDoubt = 0.8
	// resizedLead is the minimum lead in confidence at which the reading at another size is kept; smaller differences are
	// noise.
	resizedLead = 0.03
	// smallerFactor and largerFactor are the factors of the other sizes. Of 0.7, 0.85, 1.3, 1.5 and a binarized page, all tried
	// on the first set, 0.7 corrected the most words for each word that it broke, if the letters were large enough.
	smallerFactor, largerFactor = 0.7, 1.3
	// minLargeLine is the minimum median height of lines, in pixels, at which the page is read at the smaller size.
	minLargeLine = 36
)

// Finding Greek on a page in Latin letters. In the first set, the pages of the collection ajax-en-grc have Greek.
const (
	// maxDoubtfulWord is the maximum confidence in a word that may be in a script that the model does not read.
	maxDoubtfulWord = 0.6
	// minDoubtfulLetters is the minimum number of letters in doubtful words in a line that is probed with the Greek model.
	minDoubtfulLetters = 5
	// maxProbedLines is the maximum number of lines that are probed. If the most doubtful line has no Greek word, the others
	// are not probed.
	maxProbedLines = 3
	// sureWord is the minimum confidence at which a word is certainly in the script in which it was read.
	sureWord = 0.85
	// If at most 1/strangeLineDivisor of the lines have a word that is neither listed nor sure, only these lines are read again.
	// On the four pages that are read again, the share is 0.23 on one, and 0.66 to 0.86 on the others, which lose text if they are
	// read line by line.
	strangeLineDivisor = 3
	// minGreekConfidence is the minimum confidence at which a word in Greek letters is Greek. The Greek model also reads Latin
	// words as Greek letters of the same shape, but with less confidence.
	minGreekConfidence = 0.7
	// sameWord is the minimum horizontal overlap of two boxes of the same word, as a share of the wider one.
	sameWord = 0.7
	// minGreekWords is the minimum number of Greek words on a page with Greek.
	minGreekWords = 3
	// minGreekLetters is the minimum number of letters of a word that counts as doubtful or as Greek.
	minGreekLetters = 3
	// The margin that is read around a line is 1/lineMargin of its height, but at least minLineMargin pixels.
	lineMargin, minLineMargin = 4, 4
)

// Finding ink outside the boxes of all words. Heights and gaps are in units of the height of the letters that were read, about
// that of a small x. Tuned on the catalogues of the first set, and on its other printed pages with every sixth line removed
// from their readings.
const (
	// minMissedHeight and maxMissedHeight bound the height of components that may be letters or digits. Away from all lines, the
	// unit of the lower bound is the median height of the letters in the line with the smallest type, among those with
	// minSizeLetters letters or more, but at least half of the usual height.
	minMissedHeight, maxMissedHeight, minSizeLetters = 0.7, 3.0, 8
	// maxClaimed is the maximum height of a dropped line, in heights of the letters of the page. A higher one is a column of
	// letters or digits.
	maxClaimed = 6
	// maxLetterGap is the maximum gap between letters of one patch.
	maxLetterGap = 2
	// minPatchLetters is the minimum number of letters in a patch. A single one may be a speck, a rule or an ornament; it is read
	// only on the baseline of a line, or off it by at most maxOffBaseline of its height.
	minPatchLetters, maxOffBaseline = 2, 0.2
	// minDigitGap is the minimum blank between digits of narrow columns of a table, in heights of a digit. Beside a digit narrower
	// than maxNarrowDigit, such as 1, it is up to 0.5 within a number, and at least minNarrowGap between two numbers.
	minDigitGap, maxNarrowDigit, minNarrowGap = 0.4, 0.4, 0.6
	// minNumberGap and minNumberPitch are the minimum excess over the usual blank and pitch between the digits of different
	// numbers, in heights of a digit: a word space is 0.3. The usual spacing is the usualBlank and the usualPitch quantile, if
	// there are minSpacings. minDigitHeight is the minimum height of a digit, as a share of its number's; old-style ones have
	// 0.45.
	minNumberGap, minNumberPitch, usualBlank, usualPitch, minSpacings, minDigitHeight = 0.2, 0.1, 0.1, 0.3, 10, 0.4
	// minOtherItems is the minimum number of other items above and below the number of an item of a list, minItemConfidence the
	// minimum confidence of the network for print in it, and maxItemOff its maximum distance from the baseline.
	minOtherItems, minItemConfidence, maxItemOff = 2, 0.9, 0.5
	// minAloneConfidence is the minimum confidence of each reading of a capital or digit that is alone in its row.
	minAloneConfidence = 0.95
	// A comma that the network adds to a word has at least minMarkInk pixels of ink for each square of
	// the height of letters: within markReach of the last letter, from markRise above to markDescent below the baseline. The last
	// letter is at least minMarkedLetter high. If it ends more than maxMarkedDescent below the baseline, a comma may touch it.
	minMarkInk, markReach, markRise, markDescent, minMarkedLetter, maxMarkedDescent = 0.02, 2.5, 0.35, 0.5, 0.6, 0.15
	// minCellGap is the minimum distance of a digit from the row of a table to which it belongs, in heights of the digit.
	minCellGap = 1
	// maxShortPatch is the maximum number of letters in a patch with only one as high as a capital, such as a date or a price.
	// Many small components are more likely a stain.
	maxShortPatch = 8
	// maxStrays is the maximum number of other components per letter in a patch. It admits the dots and broken strokes of
	// print, but not the hatching of a woodcut.
	maxStrays = 2
	// maxWordGap is the maximum gap between a patch and a word that was cut off from it.
	maxWordGap = 0.5
	// maxDashGap is the maximum distance of a dash from its patch.
	maxDashGap = 3
	// maxPatches is the maximum number of patches of a page that are read. A page of a catalogue has two in each row.
	maxPatches = 100
	// minTriedPatches is the number of patches that are always read. More are read only while at least 1/maxTriesPerHit of those
	// so far are writing.
	minTriedPatches, maxTriesPerHit = 6, 3
	// minPatchConfidence is the minimum confidence at which a patch counts as writing.
	minPatchConfidence = 0.75
	// minDroppedConfidence is the minimum confidence of the network for print in a line that was dropped as false text, and
	// minDoubledConfidence that in a letter that the model of the page reads twice.
	minDroppedConfidence, minDoubledConfidence = 0.9, 0.9
	// minPatchShare and maxPatchShare bound the number of letters and digits that are read per component that may be one.
	minPatchShare, maxPatchShare = 0.5, 2.0
	// sliceHeight is the height in pixels of the slices in which boxes are looked up. It affects speed only.
	sliceHeight = 64
)

// Large type. Tuned on the front pages of two newspapers, which are in neither set: of ten titles in blackletter, Tesseract
// reads two. No page of either set has a row that is taken for large type.
const (
	// smallDivisor: components lower than 1/smallDivisor of the height sought do not count.
	smallDivisor = 4
	// largeMargin is the margin below the baseline, or below descenders, as a share of the height of a row.
	largeMargin = 0.3
	// maxLargeShare is the maximum number of letters and digits that are read per component: large letters often touch.
	maxLargeShare = 4.0
)

var (
	// largeTypes are the sizes of large type, in heights of the letters that were read. The largest comes first, so that its
	// capitals are not left out.
	largeTypes = []int{8, 3}
	// patchWidths are the factors by which missed ink and large type are made wider for the network, which reads heavy display
	// type better when it is wider.
	patchWidths = []float64{1, 1.3}
)

// When a part of a handwritten page is print, and how many engines read its lines.
const (
	// minPrintConfidence is the minimum confidence of the print model at which a part of a handwritten page that looks like print
	// is print. Two handwritten pages of the sets have such a part; the confidence is 0.30 and 0.59 there.
	minPrintConfidence = 0.7
	// minStripsPerEngine is the minimum number of lines for each of several engines: loading an engine takes as long as reading
	// three lines.
	minStripsPerEngine = 4
	// maxEngines is the maximum number of engines that read lines of one page at the same time.
	maxEngines = 4
)

// Finding the upright orientation. Tuned on the first set.
const (
	// maxTurnedConfidence is the calibrated confidence below which a page may lie on its side or upside down. maxTurnedHandwriting
	// replaces it if handwriting was found beside print: upside down, lines of handwriting seem to have half of their
	// characters right.
	maxTurnedConfidence, maxTurnedHandwriting = 0.5, 0.7
	// minTurnLead is the minimum lead in confidence, and minUpright the minimum confidence, with which the middle of a printed
	// page must be read in another orientation.
	minTurnLead, minUpright = 0.2, 0.7
	// minUprightText is the minimum number of characters that are read in the upright orientation, as a share of the largest
	// number in any orientation.
	minUprightText = 0.5
	// fewLetters is the maximum number of letters of a page that is read whole to find its orientation, and turnMargin the margin
	// around its ink, in pixels.
	fewLetters, turnMargin = 800, 20
	// uprightHandwriting is the minimum confidence of the handwriting model at which a page is certainly upright, and
	// minHandwritingTurnLead the minimum lead in confidence that another orientation must have. On the first set, the model is
	// 0.02 to 0.40 more confident of the upright orientation.
	uprightHandwriting, minHandwritingTurnLead = 0.33, 0.03
)

// A logistic curve converts the recognizer's confidence in print to the expected share of correct characters; impl/ocr/hand has
// the curve for handwriting. curveBase and earlyPrintBonus were fitted on the printed pages of the first set for the lowest
// mean absolute error, 0.049; predicting each collection from the others gives 0.053. curveSlope and missedWeight are the best
// of a coarse grid. Further terms, such as the share of listed words or a slope for each model, made the predictions of
// left-out collections worse.
const (
	curveBase, curveSlope = -1.18, 1.6
	// earlyPrintBonus is added for the early-print model, whose words are correct more often than its confidence suggests.
	earlyPrintBonus = 1.82
	// missedWeight is the weight of the share of the ink that became text. It counts more if the reading is less confident: a
	// page with little text of low confidence is handwriting, or has no text at all.
	missedWeight = 0.6
	// minInkShare keeps the logarithm of that share finite.
	minInkShare = 0.05
	// minCurveConfidence and 1-minCurveConfidence bound the argument of the curve, whose logarithm is infinite at 0 and 1.
	minCurveConfidence = 0.02
)

// The final confidence of words: the weights of their evidence, in the order of evidence.go, in a logistic regression on
// whether they are right. "uncial-accuracy --fit" prints them; README.md has the commands and the figures.
var (
	printWeights = Evidence{
		-1.078, 0.228, 0.443, 0.250, -0.756, -0.624, -0.125, 0.494, -0.521, 0.935, -0.038, 0.329, -0.750, 0.439, -0.469, 0.461, -0.510, -0.290, -0.043,
	}
	handwritingWeights = Evidence{
		-1.748, 0.134, 1.928, 1.307, 0.208, 0.806, -0.349, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0.785, 0.834, -0.284, -0.557, 0.261,
	}
)

// The evidence of words, and the doubts of a page.
const (
	// minShare keeps log-odds finite.
	minShare = 0.005
	// sureOwn is the log-odds of the recognizer's confidence at which the curve bends. It corresponds to a confidence of 0.88.
	sureOwn = 2
	// lastUsualLetter is the last letter of the Latin alphabets of modern languages (the end of Latin Extended-A). Later signs
	// are those of medieval abbreviations.
	lastUsualLetter = '\u017f'
	// minWrong is added to a share of wrong characters, so that its logarithm stays finite and very small shares hardly differ.
	minWrong = 0.003
	// longWord is the minimum number of letters of a long word.
	longWord = 4
	// sureRepeats is the number of repetitions of a word above which more do not count.
	sureRepeats = 3
	// priorWords is a pseudo-count: that many long words, half of them listed, are added to those of a page, because the share of
	// listed words among a few words says little.
	priorWords = 4.0
	// Print is gibberish if the mean log-odds of the recognizer's own confidence in the words of the page is below gibberishOwn,
	// and the share of listed words among the long ones below gibberishListed. On the 29 pages with print of the second set, the
	// mean is at least 1.26, and two pages have a share below 0.5 (0.36 and 0.43). On their mirror images, the mean is at most
	// 0.72, and the share at most 0.34, except on a page with seven long words. On the 40 pages of the first set, mean and share
	// are at least 1.02 and 0.52, and on their mirror images at most 0.68 and 0.58 (on two of them, more than 0.5).
	gibberishOwn, gibberishListed = 1, 0.5
	// minGibberishWords is the minimum number of long words that prove gibberish.
	minGibberishWords = 8
	// maxGibberish is the maximum share of the characters of gibberish that counts as correct.
	maxGibberish = 0.35
	// placeMargin is the maximum distance, in pixels, of the centre of a word in another reading from the box of the same word.
	placeMargin = 4
	// minEstimated is the minimum number of characters on a page whose confidence is estimated only from its words, and
	// minReadShare the minimum number of characters per letter-shaped component on such a page.
	minEstimated, minReadShare = 40, 0.5
	// minUnreadLetters is the minimum number of letters in ink that is reported as unread. Fewer are usually specks.
	minUnreadLetters = 4
	// maxCellLength is the maximum number of characters in the shorter of two lines that are cells of one row.
	maxCellLength = 20
	// minCells is the minimum number of cells in a table, and minTableShare the minimum share of the page's characters in them. On
	// the second set, the share is 0.74 to 0.87 on the three tables, and at most 0.5 on all other pages.
	minCells, minTableShare = 12, 0.6
	// orderShare is the expected share of characters in the right order in a table. It is 0.44 to 0.62 on the three tables.
	orderShare = 0.55
)

// minPixelsPerEngine is the minimum number of pixels of a printed page for each of several engines: loading an engine takes as
// long as reading a small part of a page.
const minPixelsPerEngine = 700_000

// maxPixelsOfEngines is the maximum sum of pixels in all engines that share an image, because each has its own copies of it.
// With this limit, they need about as much memory as one engine for the largest image.
const maxPixelsOfEngines = 100_000_000

// Reading lines of print with the network, and doubtful lines again for the vote.
const (
	// With enhance, lines with a word below sureVote are read again for the vote.
	sureVote = 0.95
	// voteShare is the maximum number of readings of single lines by Tesseract per line that was read before. A page of few lines
	// may have minVotes readings. With it and with networkVoteShare, the 40 printed pages of the first set take 1.8 times the
	// processor time.
	voteShare, minVotes = 1.3, 10
	// networkVoteShare bounds, because of the processor time, how much of a page the network for print reads at each width for
	// the vote, in lines per line of the page. On a page of few lines it may read minNetworkLines.
	networkVoteShare, minNetworkLines = 0.5, 4
	// networkProbe is the number of lines that the network for print reads to decide whether it reads the other lines too, and
	// minNetworkTrust the minimum trust (correct.NetworkTrust) at which it does. Greek has less.
	networkProbe, minNetworkTrust = 8, 0.3
	// A line that runs up or down the page has at least minVerticalCharacters characters, and is at least minVerticalShape
	// times as high as wide. A shorter one may be a number or an initial.
	minVerticalCharacters, minVerticalShape = 3, 2
	// A column of letters or digits, which is no such line, has at least minStackRows rows, the highest at most maxStackRatio
	// times as high as the lowest, and more than half of them at least minStackGap of their height below the row before.
	minStackRows, minStackGap, maxStackRatio = 3, 0.5, 2
	// doubtfulStrip is the confidence of the network for print below which it reads a line again along the line that our own line
	// finder found. About one line in six is below it; more would hardly lower the number of errors.
	doubtfulStrip = 0.97
	// wholeShare is the minimum share of a line's words on the found line along which it is read again, and otherShare the share
	// of the words of another line there that prevents it. Those words would be read twice.
	wholeShare, otherShare = 0.8, 0.2
	// bandFoot is the distance of a line's baseline from the upper edge of the box of its words, in heights of that box. bandUp
	// and bandDown are the distances above and below the baseline that the network gets, in the same unit.
	bandFoot, bandUp, bandDown = 0.78, 0.9, 0.35
	// maxTaller is the maximum factor by which a band is made taller than the boxes of its words if other lines of the page have
	// taller letters. minDown and maxDown bound the distance below the baseline, as shares of the distance above it. bandMargin is
	// the factor by which both distances are then enlarged: of 1, 1.1 and 1.25, tried on 15 pages of the second set, 1.1 gave the
	// fewest errors.
	maxTaller, minDown, maxDown, bandMargin = 1.3, 0.35, 0.6, 1.1
)

// networkWidths are the multiples of a line's width at which the network for print reads it for the vote.
var networkWidths = []float64{1, 0.93, 1.07}

// minAlternative is the minimum confidence of another reading of a word that is returned.
const minAlternative = 0.05

// Limits of memory: of loaded models, of large pages, and of the sides of an image.
const (
	// modelMemory is the maximum number of bytes that loaded models may take: enough for those of five languages, the
	// early-print model and the Greek model, which take 9 MB on average.
	modelMemory = 80_000_000
	// engineMemory is the approximate number of bytes that a loaded model needs in addition to the size of its file, once it
	// has read a page: 4.6 to 8 MB for models of 1 to 6 MB.
	engineMemory = 6_000_000
	// minLargePage is the minimum size, in pixels, of a page after which memory is returned to the system immediately.
	// Otherwise an idle worker would keep it.
	minLargePage = 16_000_000
	// maxSide is the maximum side, in pixels, of an image that is read at its own size. Tesseract's coordinates have 16 bits;
	// it adds margins, and aborts on overflow: at 32,760, but not at 32,700.
	maxSide = 32_000
)

// networkShift is the difference between the log-odds of the network for handwriting and those of Tesseract's confidences on
// the same lines. Both confidences serve to decide what is handwriting, so one is converted to the scale of the other. Measured
// on the French pages, which both read.
const networkShift = 2.0

// Print that the preparation spoilt, or that was taken for handwriting.
const (
	// networkLead is the minimum lead of the network for print over the handwriting model, in log-odds, at which the lines are
	// print. The network is sure of handwriting too, and its confidence is on a scale that is higher by networkShift: on the
	// handwritten pages of both sets that are in doubt, its lead is at most 0.7. On two typescripts on rough paper, it is 2.5 and
	// 3.2.
	networkLead = 1.6
	// doubtfulHandwriting is the estimated share of correct characters below which a handwritten page may be print. On all 50
	// handwritten pages of both sets, it is above 0.67.
	doubtfulHandwriting = 0.6
	// doubtfulLines is the estimated share of correct characters below which a page of print is read again along the lines of
	// our own line finder. That reading is kept if its expected share of correct characters is at least sureFoundLines, its
	// expected number of them at least minFoundText of that of the reading before, its share of listed words at least
	// minFoundListed, and the letters in such words no fewer than before. On 33 pages of print,
	// the expected share is at least 0.96, that of listed words at least 0.53, and their letters at least as many as before; on
	// the pages of the second set when they are turned or mirrored, the shares are at most 0.86 and 0.05; on a page of
	// advertisements, where the finder merges lines, the letters are 0.73 of those before. The expected shares are those of
	// hand.ExpectedAccuracy, which was fitted to handwriting and is too high for print.
	doubtfulLines, sureFoundLines, minFoundText, minFoundListed = 0.9, 0.92, 0.5, 0.3
	// minUmlauts is the minimum number of umlauts on a German page whose tildes are umlauts, and umlautLead that for each tilde.
	minUmlauts, umlautLead = 5, 3
	// minLostShare is the minimum share of letters that were not read at which the page is read again along the found lines,
	// however sure the rest was read.
	minLostShare = 0.15
	// foundLead is the minimum ratio of the letters in listed words to those of the reading before if fewer characters are
	// expected to be correct. It is 1.02 and 1.03 for two newspapers that were read better before.
	foundLead = 1.05
	// badlyRead is the confidence of the network in a found line below which the lines of the first reading there may be better.
	badlyRead = 0.7
	// maxFoundWritten is the maximum number of words in lines of handwriting, as a share of all words. On a typescript without
	// handwriting, a few words that had been read wrongly looked like it.
	maxFoundWritten = 0.1
	// knownLead is the minimum lead of print that is read without preparation in the share of listed words. That share counts the
	// letters of words of at least minKnownLetters letters. It was 0.17 for a blurred typescript that was read as handwriting, and
	// is 0.35 to 0.88 for the 50 pages.
	knownLead, minKnownLetters = 0.1, 4
)

// Finding the language of a page.
const (
	// fewLines is the number of lines that are read first to detect the language, and manyLines the maximum. The number doubles
	// each time.
	fewLines, manyLines = 6, 24
	// sureLanguage is the minimum evidence of guess.Of that makes further lines unnecessary: about three words that no other
	// language has.
	sureLanguage = 8.0
	// foreignLead is the minimum guess.Guess.Foreign of a page in a language without a model. 120 characters of text without
	// rare accents reach it in 87 to 99 % of the samples from novels in Swedish, Polish, Hungarian, Czech, Romanian and
	// Norwegian, and in at most 0.2 % of those from novels in English, French, German and Italian. A page with a tag of a script
	// is in a language that the network has learnt if such a language leads by as much.
	foreignLead = 2.0
	// frakturLead is the minimum lead of the model for early print on a page in Fraktur. On seven such pages of both sets it leads
	// by 0.08 to 0.2; on the other German pages, by 0.002 or less.
	frakturLead = 0.04
	// sureScript is the minimum confidence at which a sample is certainly in Latin letters, and scriptLead the minimum lead of
	// another script, which must have at least minScriptLetters letters, about three words: Tesseract read two Greek ones,
	// confidently, in faint handwriting.
	sureScript, scriptLead, minScriptLetters = 0.6, 0.15, 15
)
