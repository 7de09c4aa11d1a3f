package correct

// Limits of the vote. impl/ocr/reading/experiments.md has the figures.
const (
	// minVote is the minimum probability at which a candidate replaces the words that were read: nearly as many characters are
	// corrected as with 0.45, and a sixth fewer are spoilt.
	minVote = 0.55
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
var voteWeights = Evidence{-1.195, 0.132, 1.150, 0.620, 0.116, 0.245, -0.604, -0.931, 0.509, 2.010, 0.219, 0.645, -0.131, 0.072}

// networkWeights are the weights for corrections by the network for print alone.
var networkWeights = Evidence{0.094, 0, 0, 0, 0.094, 0.259, 0.381, -0.654, 0, 0.831, 0.530, -0.173, 0.029, -0.065}

// Limits of the repair of the long s, measured on the same pages.
const (
	// minLongSWords is the minimum number of words with a long s on a page that is set with it.
	minLongSWords = 10
	// minRepairedLetters is the length of the shortest word that is repaired. Shorter ones too often become another word.
	minRepairedLetters = 4
	// maxSpellings is the number of words of the list that a word is compared with. More than one or two are ambiguous anyway.
	maxSpellings = 8
)
