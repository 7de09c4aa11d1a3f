package hand

// A share of joined letters is the share of the letter-sized spots of ink that are wider than a letter of print can be. The
// thresholds that separate handwriting from print were tuned on the first set (impl/ocr/reading/README.md): 15 handwritten
// pages (8 of them French) and 40 printed ones.

// Thresholds of the shape of spots.
const (
	// joinedWidth is the minimum ratio of width to height at which a spot counts as joined letters.
	joinedWidth = 1.6
	// alikeSizes is the maximum ratio between two sizes that count as equal.
	alikeSizes = 1.22
	// If at least minLyingShare of the spots have about the same width, the page is print lying on its side: that width is the
	// height of its small letters. minSlightLyingShare is enough if the share of tall spots is below maxTallShare, because upright
	// letters of print are hardly ever wide.
	minLyingShare, minSlightLyingShare, maxTallShare = 0.42, 0.28, 0.03
)

// Thresholds for detecting a handwritten page.
const (
	// minJoinedShare is the minimum share of joined letters at which a page may be handwritten. Print has a smaller share, except
	// woodcuts and typescripts with smudged ink; handwriting has more than 0.1.
	minJoinedShare = 0.08
	// minJoinedShareForeign replaces minJoinedShare if the text is not French: then wide spots are more often blots and ornaments.
	minJoinedShareForeign = 0.15
	// samples is the number of lines that are read to decide what a page is.
	samples = 6
	// minEvidence is the minimum sum of the share of joined letters and the lead in confidence of the handwriting model, which
	// must not be negative: the smudged letters of typescripts are joined too. The lead is at least 0.1 on the handwritten
	// pages of both sets, and at most -0.1 on three such typescripts.
	minEvidence = 0.2
	// minConfident is the minimum mean confidence of the handwriting model in upright handwriting. Less means, for example, a
	// printed page on its side, which has joined letters too.
	minConfident = 0.16
	// surelyPrint is the minimum confidence of the print model in a line that is print.
	surelyPrint = 0.75
)

// Thresholds of print on a handwritten page.
const (
	// printLineSpots is the minimum number of spots in a line that may be print, such as a letterhead or the heading of a
	// table. printLineShare is the minimum share of joined letters at which the line is handwriting. The image in which it is
	// read has a margin of its height divided by printLineMargin.
	printLineSpots, printLineShare, printLineMargin = 12, 0.1, 4
	// regionSpots is the minimum number of spots in a printed part of a page, and 1/regionDivisor the minimum share of the page's
	// spots. A smaller part is a letterhead or a stamp, which is judged line by line.
	regionSpots, regionDivisor = 3 * printLineSpots, 5
	// The box in which a line's spots are counted is extended by 1/ownBoxSide of the line's height at each end, for letters that
	// reach beyond the line, and trimmed by 1/ownBoxEdge of it at top and bottom, to exclude neighbouring lines.
	ownBoxSide, ownBoxEdge = 4, 6
)

// Thresholds of handwriting on a printed page.
const (
	// certainPrint is the minimum confidence at which handwriting cannot replace a word of print.
	certainPrint = 0.75
	// knownLetters is the minimum number of letters of a listed word that handwriting cannot replace either, however doubtful
	// the word, in a line that is mostly certain.
	knownLetters = 7
	// knownShare is the minimum share of a line's letters in certain, listed words of at least wordLetters letters at which the
	// line is print, on a page whose letters touch everywhere. It was tuned on a page of Gothic print of the second set, whose CER
	// fell from 0.168 to 0.053.
	knownShare, wordLetters = 0.2, 3
	// openSpots is the minimum number of open spots (spots that no certain word of print covers) at which handwriting is
	// searched for, and minOpenShare the minimum share of joined letters among them.
	openSpots, minOpenShare = 10, 0.08
	// If more than 1/manySpots of all spots are open, they cannot all be letters that the print model missed: then lineShare of
	// joined letters is enough.
	manySpots = 5
	// partSpots is the minimum number of spots in a part of a line, partShare the minimum share of joined letters in a part
	// beside print, and lineShare that in a whole line.
	partSpots, partShare, lineShare = 2, 0.2, 0.04
	// minHandwriting is the minimum confidence in a part that is writing, and minWeight the minimum product of its characters and
	// its confidence above minHandwriting. Ornaments are read as a few letters, none of them confidently.
	minHandwriting, minWeight = 0.4, 1.4
	// minRight is the minimum number of characters that are likely to be right in a line on a page that is known to have
	// handwriting. Flourishes have one or two.
	minRight = 2.5
	// joinedLine is the minimum share of joined letters, among at least joinedSpots spots, at which a line that was read as
	// print may be handwriting. If a page has someLines such lines, alsoJoined is enough for others.
	joinedLine, joinedSpots = 0.35, 4
	alsoJoined, someLines   = 0.25, 3
	// A line is clear if it has at least clearCharacters characters, at least clearRight of them are likely to be right
	// (clearLead more than in the print there), and the mean posterior of its words is at least clearTexts. Tuned on a title
	// page of the second set, which has five clear notes. On the 27 printed pages of the second set, no line is clear.
	clearCharacters, clearRight, clearLead, clearTexts = 6, 0.75, 0.5, 0.5
	// handwritingGain is the minimum by which the confidence of a part, plus its share of joined letters, must exceed the
	// confidence of the print.
	handwritingGain = 0.1
	// foreignJoined is the minimum share of joined letters, in a line and among all open spots, at which handwriting is
	// searched for on pages that are not known to be French.
	foreignJoined = 0.45
	// openLetters is the minimum share of joined letters among the open letter-shaped spots at which French handwriting is
	// searched for whatever the language tag. In typescripts, up to 0.19 of the open spots are joined letters.
	openLetters = 0.2
	// mostlyPaper is the quantile of the greys in a printed word's box that counts as its paper. The word is painted over with
	// that grey.
	mostlyPaper = 0.75
)

// Thresholds for detecting French. Most were tuned on the 15 handwritten pages of the first set.
const (
	// wellRead is the minimum confidence in a printed page that was read well. Fewer than minFilledWords new words on such a
	// page are more often initials and ornaments than handwriting. Both were tuned on only one incunable of the first set and a
	// synthetic form.
	wellRead, minFilledWords = 0.93, 6
	// minWords is the minimum number of words that can identify a language.
	minWords = 20
	// clearlyFrench is the minimum lead of the share of common French words over that of any other language at which a page not
	// tagged French is French. possiblyFrench is the minimum lead on a page tagged French. The lead is 0.14 to 0.44 on the
	// eight French pages and at most 0.091 on the seven English and medieval ones.
	clearlyFrench, possiblyFrench = 0.08, 0.1
	// minTall is the minimum share of letters with an ascender or a descender. In French it is a quarter; a wavy line, which is
	// read as words of m, n, u and i, has hardly any.
	minTall = 0.1
	// samplingError, divided by the square root of the number of words, is added to clearlyFrench, because few words may differ by
	// chance.
	samplingError = 0.4
)

// The curve that turns the recognizer's confidence into the expected share of correct characters, and limits that are applied
// to the result.
const (
	// curveBase and curveSlope were fitted on the 37 handwritten and mixed pages of the second set. The network's own
	// probabilities are close to the truth: the curve only undoes their conversion to the scale of Tesseract's confidences.
	curveBase, curveSlope = 2.0, 1.0
	// minLikely and 1-minLikely bound the argument of the curve, whose logarithm is infinite at 0 and 1.
	minLikely = 0.02
	// noiseLine is the minimum expected share of correct characters in a line of a handwritten page; other lines are dropped as
	// noise. For a line of fewer than shortLine characters whose words have a mean posterior below scatteredTexts, the minimum
	// is shortNoise. Tuned on the handwritten pages of the second set except three tables; there, two correct words are
	// dropped. Enhancement does not change lines of fewer than shortLine characters.
	noiseLine, shortNoise, shortLine, scatteredTexts = 0.4, 0.65, 12, 0.5
	// A line of fewer than tinyLine characters is dropped, whatever its confidence, if the mean posterior of its words is below
	// scatteredTiny. Of the 19 lines of that length on those pages, 3 are correct, and none of these is dropped.
	tinyLine, scatteredTiny = 3, 0.6
	// surePrinted is the minimum confidence of the network for print in a word of a short line, such as a page number, that is not
	// noise because of its length.
	surePrinted = 0.98
	// minCharacters is the number of characters that a page needs for its confidence to be trusted fully. With fewer, the
	// confidence is reduced in proportion.
	minCharacters = 40
)

// triedLines is the number of lines on which the handwriting models compete: enough that a few unusual lines do not decide, and
// few enough to take a fraction of the page's time.
const triedLines = 8

// Faint writing beside, above or below the lines of a page.
const (
	// minFaintShare is the minimum share of the page in a part without lines that may hold faint writing. minFaintLines is the
	// minimum number of sampled lines that are legible there once it is darkened: more than legibleLine of their characters are
	// probably right.
	minFaintShare, minFaintLines, legibleLine = 0.2, 3, 0.5
	// minStrength and maxStrength bound the ratio of the lines' contrast to that of a part. Below it, the part is not faint;
	// above it, it has only grain.
	minStrength, maxStrength = 1.7, 10
)
