package iiif

// ErrNotIIIF is errNotIIIF.
var ErrNotIIIF = errNotIIIF
