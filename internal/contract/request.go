package contract

import (
	"crypto/sha256"
	"encoding/json"

	"uncial/gen"
	"uncial/internal/language"
)

// Request is an extraction request with its defaults filled in.
type Request struct {
	ImageURL string
	Language string // one of the tags that the server supports
	Enhance  bool
	Format   gen.Format
}

// NewRequest fills in the defaults of the contract (language en, no enhancement, format json) and matches the language
// to the tags that the server supports. The error, for the client, is about the field "language".
func NewRequest(body *gen.ExtractionRequest, supported []string) (Request, error) {
	r := Request{
		ImageURL: body.ImageURL,
		Enhance:  valueOr(body.Enhance, false),
		Format:   valueOr(body.Format, gen.JSON),
	}
	var err error
	r.Language, err = language.Match(valueOr(body.Language, language.Default), supported)
	return r, err
}

// valueOr returns the value of an optional field, or its default.
func valueOr[T any](value *T, otherwise T) T {
	if value == nil {
		return otherwise
	}
	return *value
}

// Fingerprint is equal for requests that ask for the same, whether defaults are spelled out or not. It decides whether
// a request with a known Idempotency-Key is a repeat. Databases store it: its form must not change.
func (r Request) Fingerprint() [sha256.Size]byte {
	asked, _ := json.Marshal([]any{r.ImageURL, r.Language, r.Enhance, r.Format}) // strings and a bool cannot fail
	return sha256.Sum256(asked)
}
