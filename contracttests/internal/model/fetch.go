package model

import (
	"maps"
	"slices"
)

// fetchReasons are the reasons of the contract for which an image cannot be fetched, and whether the same request may succeed
// later. Later versions may add others.
var fetchReasons = map[string]bool{
	"invalid-url": false, "refused-address": false, "no-address": false, "unreachable": true, "tls": false, "timeout": true, "incomplete": true, "redirect": false,
	"not-found": false, "forbidden": false, "busy": true, "server-error": true, "bad-answer": false, "not-an-image": false, "too-large": false,
}

// FetchReasons are the names of the reasons, sorted.
func FetchReasons() []string { return slices.Sorted(maps.Keys(fetchReasons)) }

// IsRetryable reports whether the same request may succeed later, and whether the contract has the reason.
func IsRetryable(reason string) (retryable, known bool) {
	retryable, known = fetchReasons[reason]
	return retryable, known
}
