package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
)

// legal matches the names of files that licences require to be distributed with the programs.
var legal = regexp.MustCompile(`(?i)^(licen[cs]e|copying|notice|patents|authors|unlicense|copyright)([.-].*)?$`)

// writeNotices writes the legal files of all modules and of Go. A module without any is an error: it must not be shipped.
func writeNotices(w io.Writer, b build) error {
	p := &printer{w: w}
	p.printf("Third-party software in Uncial\n\nThe programs are linked with the modules below, in the versions named.\n")
	p.libraries(b.native)
	goroot, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return err
	}
	if err := p.module("Go "+b.goVersion, strings.TrimSpace(string(goroot))); err != nil {
		return err
	}
	for _, m := range b.modules {
		dir, err := download(m.Path + "@" + m.Version)
		if err != nil {
			return err
		}
		if err := p.module(m.Path+" "+m.Version, dir); err != nil {
			return err
		}
	}
	return p.err
}

// download returns the folder of a module in the module cache.
func download(module string) (string, error) {
	cmd := exec.Command("go", "mod", "download", "-json", module) //nolint:gosec // a module of our own programs
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOOS="+runtime.GOOS)
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("go mod download %s: %w", module, err)
	}
	var found struct{ Dir string }
	if err := json.Unmarshal(out, &found); err != nil {
		return "", fmt.Errorf("go mod download %s: %w", module, err)
	}
	return found.Dir, nil
}

// printer remembers the first error of writing.
type printer struct {
	w   io.Writer
	err error
}

func (p *printer) printf(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.w, format, args...)
	}
}

// libraries lists the packages of native libraries, which are not distributed with the programs.
func (p *printer) libraries(list []native) {
	if len(list) == 0 {
		return
	}
	p.printf("\nuncial-worker also loads libraries of the system, which are not part of the archives and packages. On Debian and in the image of the\n" +
		"engine, the file listed after each library contains its licences. uncial-worker was built with:\n\n")
	for _, n := range list {
		p.printf("%s %s: %s\n", n.name, n.version, n.copyright())
	}
}

// module prints the legal files at the top of a folder.
func (p *printer) module(title, dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	p.printf("\n%s\n%s\n", strings.Repeat("=", 100), title)
	found := 0
	for _, e := range entries {
		if e.IsDir() || !legal.MatchString(e.Name()) {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return err
		}
		p.printf("\n--- %s\n\n%s\n", e.Name(), strings.TrimSpace(string(text)))
		found++
	}
	if found == 0 {
		return fmt.Errorf("%s has no licence file in %s", title, dir)
	}
	return nil
}
