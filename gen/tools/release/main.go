// Command release writes what accompanies a release: the licences of everything that is linked into the programs, and their bill of
// materials (CycloneDX). It reads the list of modules from the programs themselves. It is a module of its own, so that what it
// needs stays out of the product. `make release` and `make deb` call it:
//
//	release notices PROGRAM... > THIRD_PARTY_NOTICES
//	release sbom VERSION PROGRAM... > sbom.cdx.json
package main

import (
	"debug/buildinfo"
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"slices"
	"strings"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	switch {
	case len(args) >= 2 && args[0] == "notices":
		b, err := read(args[1:])
		if err != nil {
			return err
		}
		return writeNotices(os.Stdout, b)
	case len(args) >= 3 && args[0] == "sbom":
		b, err := read(args[2:])
		if err != nil {
			return err
		}
		return writeSBOM(os.Stdout, args[1], b)
	}
	return errors.New("usage: release notices PROGRAM..., or release sbom VERSION PROGRAM...")
}

// build is what some programs are linked from.
type build struct {
	goVersion string
	modules   []debug.Module // sorted, each version once
}

// read reads the modules of programs. Modules that were replaced by others are listed as what replaced them.
func read(programs []string) (b build, err error) {
	for _, path := range programs {
		info, err := buildinfo.ReadFile(path)
		if err != nil {
			return b, fmt.Errorf("%s: %w", path, err)
		}
		b.goVersion = info.GoVersion
		for _, m := range info.Deps {
			if m.Replace != nil {
				m = m.Replace
			}
			b.modules = append(b.modules, debug.Module{Path: m.Path, Version: m.Version, Sum: m.Sum})
		}
	}
	slices.SortFunc(b.modules, func(a, c debug.Module) int {
		return strings.Compare(a.Path+"@"+a.Version, c.Path+"@"+c.Version)
	})
	b.modules = slices.Compact(b.modules)
	return b, nil
}
