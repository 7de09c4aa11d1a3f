package correct

// Limits of the vote. impl/ocr/reading/experiments.md has the figures.
const (
	// minVote is the minimum probability at which a candidate replaces the words that were read.
	minVote = 0.45
	// maxAdded (characters) and maxAddedShare (share of the words that it replaces) bound how much longer a candidate may be; the larger
	// of the two limits counts. maxDropped and maxDroppedShare do the same for shorter candidates.
	maxAdded, maxAddedShare     = 4, 0.7
	maxDropped, maxDroppedShare = 2, 0.4
	// maxLikelier bounds what the language says for or against a candidate, in natural logarithms.
	maxLikelier = 15
	// minShare keeps log-odds finite.
	minShare = 0.01
)

// How far the network for handwriting is trusted with print.
const (
	// sureWord is the minimum confidence, and minTrustLetters the minimum length, of a word of print that is compared for HandTrust.
	sureWord, minTrustLetters = 0.9, 3
	// usualTrust is the trust before any word was compared, which counts as much as usualTrustWords words.
	usualTrust, usualTrustWords = 0.2, 4
)

// voteWeights are the weights of the evidence, in a logistic regression on whether the page has fewer wrong characters with a candidate.
// "uncial-accuracy --fit-vote" prints them.
var voteWeights = Evidence{-0.992, -0.214, 1.114, 1.330, 0.098, 0.215, -0.625, -0.441, 0.918, 2.230, 0.692}

// Limits of the repair of the long s, measured on the same pages.
const (
	// minLongSWords is the minimum number of words with a long s on a page that is set with it.
	minLongSWords = 10
	// minRepairedLetters is the length of the shortest word that is repaired. Shorter ones too often become another word.
	minRepairedLetters = 4
	// maxSpellings is the number of words of the list that a word is compared with. More than one or two are ambiguous anyway.
	maxSpellings = 8
)
