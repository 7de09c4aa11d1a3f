// Package contract holds what both servers, the mock and the real service, promise beyond the text of openapi.yaml: the
// price of an extraction, the plans, the rate-limit window, the lifetime of stored replies, the
// arithmetic of months, the mapping from a recognized document to an answer, and every error that a client can see.
//
// A rule belongs here when a client would notice that the two servers differ in it. Storage, recognition and HTTP do
// not: internal/edge turns an Error into a response, and mock and impl keep the state. The contract suite
// (contracttests) deliberately has its own copy of these rules, because a test must not share code with what it tests.
//
// Start with error.go for the text of an error and plan.go for the plans. Plans have no price of their own: Price, below, is
// what an extraction costs. The package imagefile below has the limits of an image.
package contract

import "time"

// Price of one extraction, in points. openapi.yaml fixes it: pointsUsed of every answer is this constant.
const Price = 10

// ReplyLifetime is how long the answer to a request with an Idempotency-Key is kept for replay.
const ReplyLifetime = 24 * time.Hour

// BusyRetryAfter is the Retry-After of a server whose queue is full: about as long as a full queue takes to move on.
const BusyRetryAfter = 5 * time.Second
