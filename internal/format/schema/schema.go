// Package schema holds the published XML schemas of ALTO 4.4 and PAGE-XML 2019-07-15, unchanged, with the part of XLink that ALTO
// refers to. README.md names their sources and licences. Nothing is validated here: see formattest and the contract suite.
package schema

import "embed"

// Files are the schemas, and a catalogue for xmllint.
//
//go:embed *.xsd catalog.xml
var Files embed.FS
