// Command release writes what accompanies a release: the licences of everything that is linked into the programs, and their
// bill of materials (CycloneDX). It reads the list of modules from the programs themselves, and that of native libraries from
// the folder that impl/deploy/release/libraries.sh writes. It is a module of its own, so that what it needs stays out of the
// product. It also rewrites container images so that their bytes do not depend on when they were built. `make release` and
// `make deb` call it:
//
//	release notices [-native FOLDER] PROGRAM... > THIRD_PARTY_NOTICES
//	release sbom [-native FOLDER] VERSION PROGRAM... > sbom.cdx.json
//	release images FOLDER > images.tar    (FOLDER: what `docker save` writes, unpacked)
package main

import (
	"debug/buildinfo"
	"errors"
	"flag"
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

var errUsage = errors.New("usage: release notices [-native FOLDER] PROGRAM..., release sbom [-native FOLDER] VERSION PROGRAM..., or release images FOLDER")

// run carries out one command and writes its result to standard output.
func run(args []string) error {
	if len(args) == 0 {
		return errUsage
	}
	flags := flag.NewFlagSet(args[0], flag.ContinueOnError)
	folder := flags.String("native", "", "folder with the packages of native libraries")
	if err := flags.Parse(args[1:]); err != nil {
		return err
	}
	rest := flags.Args()
	switch {
	case args[0] == "notices" && len(rest) > 0:
		b, err := read(*folder, rest)
		if err != nil {
			return err
		}
		return writeNotices(os.Stdout, b)
	case args[0] == "sbom" && len(rest) > 1:
		b, err := read(*folder, rest[1:])
		if err != nil {
			return err
		}
		return writeSBOM(os.Stdout, rest[0], b)
	case args[0] == "images" && len(rest) == 1:
		work, err := os.MkdirTemp("", "release-images-")
		if err != nil {
			return err
		}
		defer func() { _ = os.RemoveAll(work) }()
		return repack(os.Stdout, rest[0], work, sourceDate())
	}
	return errUsage
}

// build is what some programs are linked from.
type build struct {
	goVersion string
	modules   []debug.Module // sorted, each version once
	native    []native       // sorted by name; nil without native libraries
}

// read reads the modules of programs, and the native libraries from a folder, unless its name is empty. A module that
// was replaced by another one is listed as its replacement.
func read(folder string, programs []string) (b build, err error) {
	if folder != "" {
		if b.native, err = readNative(folder); err != nil {
			return b, err
		}
	}
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
