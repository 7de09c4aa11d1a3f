package proofread

import "time"

// What the model is shown and how much it may change. The limits guard against text that the model invents; proofread_test.go and
// believe_test.go show what they refuse.
const (
	// maxShownConfidence is the confidence, 0..1, below which a word is shown to the model as doubtful. It cannot change others.
	maxShownConfidence = 0.9
	// maxShownWords is the number of words of a page that are shown as doubtful, the least confident ones. More than 300 is a
	// page that was hardly read, where a model would write its own text.
	maxShownWords = 300
	// maxChangedShare is the share of the shown words that may change, and fewChanges the number that always may. An answer that
	// changes more was not read off the page and is dropped as a whole.
	maxChangedShare, fewChanges = 0.6, 3.0
	// maxShapeErrors is the share, one in so many letters, of a word that may differ. One letter always may.
	maxShapeErrors = 3
)

// What one request may cost.
const (
	// maxImageBytes is the size of the largest image that is sent along; larger ones are left out of the request.
	maxImageBytes = 8 << 20
	// maxAnswerTokens is the bound that the request asks for; maxAnswerBytes is enforced if the server ignores it.
	maxAnswerTokens, maxAnswerBytes = 8192, 1 << 20
	// maxRetries is the number of times that the client repeats a request that failed.
	maxRetries = 1
	// defaultTimeout bounds the wait for one page.
	defaultTimeout = 30 * time.Second
	// maxTimeShare is the share of the caller's remaining time that all pages together may take. The rest is for answering
	// with the offline reading when the model stalls.
	maxTimeShare = 0.75
)
