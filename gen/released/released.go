// Package released holds the contract of the last release, 1.0.0. Tests compare openapi.yaml with it: a release may only add.
// `make release` checks that too; after a release, copy openapi.yaml here.
package released

import _ "embed" // for the document

// Document is the released contract, byte for byte.
//
//go:embed openapi.yaml
var Document []byte
