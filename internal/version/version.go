// Package version says which build this is, for `--version`, metrics and the documents that the service writes. The version of
// the contract is in openapi.yaml.
package version

// Version is set by the linker to the VERSION of the Makefile, such as "1.1.0", or the tag or commit by default. It is "dev" in
// tests and after a plain `go build`.
var Version = "dev"
