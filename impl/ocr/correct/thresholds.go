package correct

// Limits of the vote, measured on the 40 printed pages of 10 collections that impl/ocr/reading/README.md describes. On 66 rendered
// pages of clean text in six languages they changed no word that was read correctly.
const (
	// knownBonus is added for a candidate that a word list has, in votes; a vote is a confidence of 0..1.
	knownBonus = 0.6
	// minLead is how many more votes a candidate must have than the words that were read.
	minLead = 0.5
	// maxChangedLetters is the share of a word's letters that may change. A candidate with more changes is another word.
	maxChangedLetters = 0.4
	// minSharedWidth is how much of the wider of two stretches of a line they must share, as a fraction, to be the same words.
	minSharedWidth = 0.6
	// minVoteConfidence is the confidence of a reading, 0..1, below which no word list helps it.
	minVoteConfidence = 0.2
	// minPartLetters is the number of letters of the shorter part when one word is split into two.
	minPartLetters = 2
	// maxMovedLetters is the number of letters that may change where words are joined or split.
	maxMovedLetters = 1
)

// Limits of the repair of the long s, measured on the same pages.
const (
	// minLongSWords is the number of words with a long s from which on a page counts as set with it.
	minLongSWords = 10
	// minRepairedLetters is the length of the shortest word that is repaired. Shorter ones too often become another word.
	minRepairedLetters = 4
	// maxSpellings is the number of words in the list that a word is compared with. More than one or two are ambiguous anyway.
	maxSpellings = 8
)
