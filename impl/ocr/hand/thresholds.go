package hand

// Shares of joined letters are shares of the spots of ink of a letter's size that are wider than a letter of print can be.
// The thresholds that separate handwriting from print were set while looking at the first set (impl/ocr/reading/README.md):
// 15 handwritten pages (8 of them French) and 40 printed ones.

// Thresholds of the shape of spots.
const (
	// joinedWidth is the minimum ratio of width to height at which a spot counts as joined letters.
	joinedWidth = 1.6
	// alikeSizes is the largest ratio between sizes that count as equal.
	alikeSizes = 1.22
	// If at least lyingShare of the spots have one width, they are letters of print lying on its side, whose width is the height
	// of small letters. slightLyingShare is enough where the share of tall spots is below fewTall, because letters of print are
	// hardly ever wide.
	lyingShare, slightLyingShare, fewTall = 0.42, 0.28, 0.03
)

// Thresholds for detecting a handwritten page.
const (
	// suspicious is the minimum share of joined letters at which a page may be handwritten. Print has less, except woodcuts and
	// bleeding typescripts; handwriting has more than 0.1.
	suspicious = 0.08
	// foreignSuspicious is the same where the text is not French, in which wide spots are more often blots and ornaments.
	foreignSuspicious = 0.15
	// samples is how many lines both models read to decide.
	samples = 6
	// minEvidence is the minimum sum of the share of joined letters and the lead in confidence of the handwriting model.
	minEvidence = 0.2
	// minConfident is the mean confidence of the handwriting model below which the lines are not upright writing: a printed
	// page on its side has joined letters too.
	minConfident = 0.16
	// surelyPrint is the minimum confidence of the print model in a line at which the page has print on it.
	surelyPrint = 0.75
)

// Thresholds of print on a handwritten page.
const (
	// printLineSpots is the minimum number of spots in a line that may be print (a letterhead, the heading of a table), and
	// printLineShare the minimum share of joined letters at which it is handwriting. One in printLineMargin of its height is left
	// around such a line when it is read.
	printLineSpots, printLineShare, printLineMargin = 12, 0.1, 4
	// regionSpots is the minimum number of spots in a printed part of a page, and regionShare, 1 in regionShare, the minimum share
	// of the page's spots. A smaller part is a letterhead or a stamp, which is judged line by line.
	regionSpots, regionShare = 3 * printLineSpots, 5
	// coreSide and coreEdge are the shares of a line's height, 1 in so many, by which the box in which its spots are counted is
	// longer at each end, for letters that reach beyond it, and lower at each edge, for those of neighbouring lines.
	coreSide, coreEdge = 4, 6
)

// Thresholds of handwriting on a printed page.
const (
	// certainPrint is the minimum confidence at which a word of print stays as it was read.
	certainPrint = 0.75
	// knownLetters is the minimum number of letters with which a word of the word list stays too, however doubtful, in a line that is mostly
	// certain.
	knownLetters = 7
	// knownShare is the share of the letters of a line, in certain words of at least wordLetters that the word list has, at which the
	// line is print on a page whose letters touch everywhere. It was set on a page of Gothic print of the second set (CER .168 to .053).
	knownShare, wordLetters = 0.2, 3
	// openSpots is how many spots of ink print must leave open for handwriting to be searched for, and openShare the share of
	// joined letters among them.
	openSpots, openShare = 10, 0.08
	// manySpots is the share of all spots, 1 in manySpots, above which open ones cannot be letters that print missed: then
	// lineShare of joined letters is enough.
	manySpots = 5
	// partSpots is the minimum number of spots in a part of a line, partShare the minimum share of joined letters in a part beside
	// print, and lineShare that in a whole line.
	partSpots, partShare, lineShare = 2, 0.2, 0.04
	// minHand is the confidence below which a part is not writing, and minWeight the minimum product of its characters and
	// its confidence above minHand. Ornaments are read as a few letters, none of them confidently.
	minHand, minWeight = 0.4, 1.4
	// minRight is the minimum number of characters likely to be right in a line, where handwriting is known to be on the page:
	// flourishes have one or two.
	minRight = 2.5
	// joinedLine is the minimum share of joined letters, among at least joinedSpots, at which a line read as print may be handwriting
	// all the same. Where someLines lines of a page are, alsoJoined is enough for others.
	joinedLine, joinedSpots = 0.35, 4
	alsoJoined, someLines   = 0.25, 3
	// A line is clear if it has at least clearCharacters characters, at least clearRight of them are likely to be right (clearLead more than in
	// the print there), and the texts with its words make up at least clearTexts of the likely texts. Set on a title page of the second set,
	// four of whose notes are clear.
	// On the 27 printed pages among them nothing that stands apart is.
	clearCharacters, clearRight, clearLead, clearTexts = 6, 0.75, 0.5, 0.6
	// handGain is how much more confident than print a part must be, its share of joined letters included.
	handGain = 0.1
	// foreignJoined is the minimum share of joined letters, in a line and in everything that print leaves open, at which handwriting
	// is searched for on pages that are not known to be French.
	foreignJoined = 0.45
	// openLetters is the minimum share of joined letters among the open spots of a letter's shape at which French handwriting is
	// searched for whatever the language tag. In typescripts, up to 0.19 of the open spots are joined letters.
	openLetters = 0.2
	// mostlyPaper is the quantile of the greys in a printed word's box that counts as its paper. The word is painted over with that grey.
	mostlyPaper = 0.75
)

// Thresholds of the language. Most were measured on the 15 handwritten pages among the 55.
const (
	// wellRead is the minimum confidence of print that was read well. Fewer than minFilledWords new words on such a page are more often
	// initials and ornaments than handwriting. Both were set on one incunable of the first set and on a drawn form, so they need more pages.
	wellRead, minFilledWords = 0.93, 6
	// minWords is the minimum number of words that identify a language.
	minWords = 20
	// clearlyFrench is how far the share of common French words must exceed that of any other language for a page to be
	// French whatever its tag says, and possiblyFrench how far if it is tagged French. The difference is 0.14 to 0.44 on the
	// eight French pages and at most 0.091 on the seven English and medieval ones.
	clearlyFrench, possiblyFrench = 0.08, 0.1
	// minTall is the minimum share of letters that reach above or below the small ones. In French it is a quarter; a wavy line,
	// which is read as words of m, n, u and i, has hardly any.
	minTall = 0.1
	// chance, divided by the square root of the number of words, is added to clearlyFrench, because few words may differ by chance.
	chance = 0.4
)

// The curve that turns the recognizer's confidence into the share of characters that are right, of a page and of a word.
const (
	// curveBase and curveSlope were set on the 37 handwritten and mixed pages of the second set. The network's own
	// probabilities are close to the truth: the curve undoes the conversion to the scale of Tesseract's confidences.
	curveBase, curveSlope = 2.0, 1.0
	// minLikely keeps the curve away from 0 and 1.
	minLikely = 0.02
	// noiseLine is the likely share of right characters below which a line of a handwritten page is left out. shortNoise is the same for
	// a line of fewer than shortLine characters whose words appear in less than scatteredTexts of the likely
	// texts. Set on the handwritten pages of the second set, without three tables; two correct words are left out there. Enhancement
	// changes no line of fewer than shortLine characters.
	noiseLine, shortNoise, shortLine, scatteredTexts = 0.4, 0.65, 12, 0.5
	// tinyLine is the number of characters below which a line is left out whatever its confidence, if the texts with its words have a share
	// of less than scatteredTiny. Of the 19 such lines of those pages, 3 have the text of a line in the ground truth; none of these is left out.
	tinyLine, scatteredTiny = 3, 0.6
	// minCharacters is how many characters a page needs for the curve to be trusted fully.
	minCharacters = 40
)

// triedLines is how many lines the models of handwriting compete on: enough that a few odd lines do not decide, and a fraction of a page's time.
const triedLines = 8
