package correct

// Limits of the vote. impl/ocr/reading/experiments.md has the figures.
const (
	// minVote is the minimum probability at which a candidate replaces the words that were read: most of the characters that 0.45
	// would correct are corrected, and a quarter fewer are spoilt.
	minVote = 0.55
	// sureUnlisted is the minimum log-odds of the network for print in words that are not listed, and that replace listed ones.
	sureUnlisted = 1
	// sureSpacing is the minimum log-odds of words whose quotation marks and spaces the network for print does not change.
	sureSpacing = 2
	// minAccentConfidence is the minimum confidence of a word that is not listed and keeps the accents of its capitals.
	minAccentConfidence = 0.8
	// maxAdded (characters) and maxAddedShare (share of the words that it replaces) bound how much longer a candidate may be; the
	// larger of the two limits counts. maxDropped and maxDroppedShare do the same for shorter candidates.
	maxAdded, maxAddedShare     = 6, 1.0
	maxDropped, maxDroppedShare = 4, 0.5
	// maxLikelier bounds the influence of the character model for or against a candidate, in natural logarithms.
	maxLikelier = 15
	// minShare keeps log-odds finite.
	minShare = 0.01
)

// minConfirmed is the minimum that Confirm records, as log-odds, for a word that the network for print reads the same.
const minConfirmed = 0.1

// The trust in the network for print; see NetworkTrust.
const (
	// sureWord is the minimum confidence, and minTrustLetters the minimum length, of a word of print that is compared for
	// NetworkTrust.
	sureWord, minTrustLetters = 0.9, 3
	// usualTrust is the trust before any word is compared. It counts as much as usualTrustWords words, because on most pages the
	// network reads most of the sure words the same.
	usualTrust, usualTrustWords = 0.6, 4
)

// voteWeights are the weights of the evidence, in a logistic regression on whether the page has fewer wrong characters with a
// candidate. "uncial-accuracy --fit-vote" prints them.
var voteWeights = Evidence{-1.502, -0.027, 0.655, 0.199, 0.087, 0.357, -0.197, -0.258, 1.296, 1.374, 0.223, 0.286, -0.382, -0.001}

// networkWeights are the weights for corrections by the network for print alone, which has one reading for each line. Most of
// them are right.
var networkWeights = Evidence{0.605, 0, 0, 0, 0.041, 0.506, 0, -1.072, 0, 0, 0.397, 0.520, 0.003, 0}

// cellGap is the width of the blank between the cells of a table, in heights of the words beside it, and minColumn the minimum
// number of other numbers in the column of a number.
const cellGap, minColumn = 2.0, 2

// Limits of the repair of the long s, measured on the same pages.
const (
	// minLongSWords is the minimum number of words with a long s on a page that is set with it.
	minLongSWords = 10
	// minRepairedLetters is the length of the shortest word that is repaired. Shorter ones too often become another word.
	minRepairedLetters = 4
	// maxSpellings is the number of words of the list that a word is compared with. More than one or two are ambiguous anyway.
	maxSpellings = 8
)
