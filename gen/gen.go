// Package gen is the contract in Go: the types, the strict server, the client and the embedded document, all
// generated from openapi.yaml at the top of the module. Nothing in here but this file is written by hand.
package gen

//go:generate go tool -modfile=tools/go.mod oapi-codegen -config oapi-codegen.yaml ../openapi.yaml
