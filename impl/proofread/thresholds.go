package proofread

import "time"

// What the model is shown and how much it may change. These limits guard against text that the model invents; proofread_test.go
// and believe_test.go show what they refuse.
const (
	// maxShownShare is the share of correct characters, 0..1, below which a word is shown to the model as doubtful. The model
	// cannot change other words.
	maxShownShare = 0.9
	// maxShownWords is the maximum number of words of a page that are shown as doubtful. If a page has more, only the least
	// confident ones are shown: such a page was hardly read, and the model would write its own text.
	maxShownWords = 300
	// maxChangedShare is the maximum share of the shown words that an answer may change; it may always change fewChanges words.
	// An answer that changes more is not a correction of the page and is dropped as a whole.
	maxChangedShare, fewChanges = 0.6, 3.0
	// maxShapeErrors limits how much of a word may differ: at most one letter in maxShapeErrors, and one letter in shorter
	// words.
	maxShapeErrors = 3
)

// What one request may cost.
const (
	// maxImageBytes is the size of the largest image that is sent with a page. A larger one is left out of the request.
	maxImageBytes = 8 << 20
	// maxAnswerTokens is the maximum length of an answer that the request asks for; maxAnswerBytes is the limit that the client
	// enforces, because a server may ignore the request.
	maxAnswerTokens, maxAnswerBytes = 8192, 1 << 20
	// maxRetries is the number of times that the client repeats a failed request.
	maxRetries = 1
	// defaultTimeout is the maximum wait for one page if the configuration sets none.
	defaultTimeout = 30 * time.Second
	// maxTimeShare is the maximum share of the caller's remaining time that all pages together may take. The rest is left to
	// answer with the offline reading if the model stalls.
	maxTimeShare = 0.75
)
