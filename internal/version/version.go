// Package version says which build this is.
package version

// Version is the build's version; the linker sets it.
var Version = "dev"
