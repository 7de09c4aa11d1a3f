package main

import (
	"io"
	"net/url"
	"os"
	"strconv"
	"time"

	cdx "github.com/CycloneDX/cyclonedx-go"
)

// writeSBOM writes modules and native libraries as CycloneDX (JSON). The time is that of SOURCE_DATE_EPOCH, and there is no
// serial number, so that the same programs give the same bytes.
func writeSBOM(w io.Writer, version string, b build) error {
	product := cdx.Component{
		BOMRef: "uncial", Type: cdx.ComponentTypeApplication, Name: "uncial", Version: version,
		Licenses: &cdx.Licenses{{License: &cdx.License{ID: "Apache-2.0"}}, {License: &cdx.License{ID: "CC-BY-SA-4.0"}}},
	}
	components := []cdx.Component{library("pkg:golang/std@"+b.goVersion, "std", b.goVersion)}
	uses := []string{components[0].BOMRef}
	for _, m := range b.modules {
		c := library("pkg:golang/"+m.Path+"@"+m.Version, m.Path, m.Version)
		c.Properties = &[]cdx.Property{{Name: "go:sum", Value: m.Sum}}
		components, uses = append(components, c), append(uses, c.BOMRef)
	}
	for _, n := range b.native {
		c := library("pkg:deb/debian/"+n.name+"@"+url.QueryEscape(n.version)+"?arch="+n.arch+"&distro=debian-12", n.name, n.version)
		c.Licenses = n.choices()
		components, uses = append(components, c), append(uses, c.BOMRef)
	}
	bom := cdx.NewBOM()
	bom.Metadata = &cdx.Metadata{Timestamp: sourceDate().Format(time.RFC3339), Component: &product}
	bom.Components = &components
	bom.Dependencies = &[]cdx.Dependency{{Ref: product.BOMRef, Dependencies: &uses}}
	return cdx.NewBOMEncoder(w, cdx.BOMFileFormatJSON).SetPretty(true).SetEscapeHTML(false).Encode(bom)
}

// sourceDate returns the time in SOURCE_DATE_EPOCH, in Unix seconds, and 1970 without one.
func sourceDate() time.Time {
	seconds, err := strconv.ParseInt(os.Getenv("SOURCE_DATE_EPOCH"), 10, 64)
	if err != nil {
		seconds = 0
	}
	return time.Unix(seconds, 0).UTC()
}

func library(purl, name, version string) cdx.Component {
	return cdx.Component{BOMRef: purl, Type: cdx.ComponentTypeLibrary, Name: name, Version: version, PackageURL: purl}
}

// choices returns the licences by name, or the text of the copyright file if it names none.
func (n native) choices() *cdx.Licenses {
	var choices cdx.Licenses
	for _, name := range n.licences {
		choices = append(choices, cdx.LicenseChoice{License: &cdx.License{Name: name}})
	}
	if choices == nil {
		choices = cdx.Licenses{{License: &cdx.License{Name: n.copyright(), Text: &cdx.AttachedText{ContentType: "text/plain", Content: n.text}}}}
	}
	return &choices
}
