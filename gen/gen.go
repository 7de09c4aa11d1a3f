// Package gen is openapi.yaml in Go: the types, the router and strict handlers, the client and the embedded contract, all
// generated from openapi.yaml at the top of the module by make generate. In this folder, only this file, the settings of the
// generator (oapi-codegen.yaml) and the template of the strict handlers (strict-interface.tmpl) are written by hand.
package gen

import _ "embed"

//go:generate cp ../openapi.yaml openapi.yaml
//go:generate go tool -modfile=tools/go.mod oapi-codegen -config oapi-codegen.yaml ../openapi.yaml

// Document is the contract, openapi.yaml, byte for byte: go:embed cannot reach the original above this folder.
//
//go:embed openapi.yaml
var Document []byte
