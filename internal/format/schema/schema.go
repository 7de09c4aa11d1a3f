// Package schema holds the published XML schemas of ALTO 4.4, PAGE-XML 2019-07-15 and METS 1.12.1, unchanged, with the part of
// XLink that ALTO and METS refer to. README.md names their sources and licences. It does not validate anything; formattest and
// the contract suite do.
package schema

import "embed"

// Files are the schemas, and a catalogue for xmllint.
//
//go:embed *.xsd catalog.xml
var Files embed.FS
