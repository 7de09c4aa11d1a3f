package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// native is a Debian package with a library that a program loads, or that is in an image.
type native struct {
	name, version, arch string
	licences            []string // those that its copyright file names for any part of its source; sorted
	text                string   // of that file
}

// copyright returns the path of the package's licences where it is installed.
func (n native) copyright() string { return "/usr/share/doc/" + n.name + "/copyright" }

var (
	// formal matches the first line of a copyright file in Debian's machine-readable format.
	formal = regexp.MustCompile(`(?i)^Format(-Specification)?:`)
	// licenceField matches a field of that format. Licences that apply together or by choice stand in one field.
	licenceField = regexp.MustCompile(`(?m)^License:[ \t]*(\S.*)$`)
	// common matches references to Debian's texts of common licences, which other copyright files have.
	common = regexp.MustCompile(`/usr/share/common-licenses/([A-Za-z]+(?:-[0-9.]*[0-9])?)`)
)

// readNative reads a folder that impl/deploy/release/libraries.sh wrote.
func readNative(folder string) (list []native, err error) {
	table, err := os.ReadFile(filepath.Join(folder, "packages.tsv")) //nolint:gosec // the folder of a flag
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(string(table)) {
		fields := strings.Split(strings.TrimSpace(line), "\t")
		if len(fields) != 3 {
			return nil, fmt.Errorf("packages.tsv: expected name, version and architecture in %q", line)
		}
		n := native{name: fields[0], version: fields[1], arch: fields[2]}
		text, err := os.ReadFile(filepath.Join(folder, n.name+".copyright")) //nolint:gosec // names from the table in that folder
		if err != nil {
			return nil, err
		}
		n.text, n.licences = string(text), licences(string(text))
		list = append(list, n)
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("%s has no packages", folder)
	}
	return list, nil
}

// licences returns the names in a copyright file, nil if it names none.
func licences(text string) (names []string) {
	pattern := common
	if formal.MatchString(text) {
		pattern = licenceField
	}
	for _, match := range pattern.FindAllStringSubmatch(text, -1) {
		names = append(names, strings.TrimSpace(match[1]))
	}
	slices.Sort(names)
	return slices.Compact(names)
}
