package client

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"uncial/impl/client/durable"
	"uncial/impl/client/journal"
	"uncial/impl/client/report"
)

// protect returns a *failure if the run would replace a file of the output folder that this program did not write. The events
// belong in the journal before anything is written: after them, it lists the files of all runs.
func (p *plan) protect() (events []journal.Event, err error) {
	j := p.store.Journal
	switch {
	case p.cmd.Out == "":
		return nil, nil
	case j == nil: // a dry run into a new folder
		return nil, p.checkFiles(func(string) bool { return false })
	case j.ListsFiles():
		return nil, p.checkFiles(j.IsOwn)
	case j.HasAnswers():
		events, err = p.adoptFiles()
	default:
		err = p.checkFiles(j.IsOwn)
	}
	return append(events, journal.Event{Kind: journal.Write}), err
}

// checkFiles returns a *failure if a file that the run may write exists and is not the program's own.
func (p *plan) checkFiles(isOwn func(file string) bool) error {
	var foreign []string
	for _, file := range p.files() {
		if isOwn(file) {
			continue
		}
		path := filepath.Join(p.cmd.Out, file)
		if _, err := os.Lstat(path); err == nil {
			foreign = append(foreign, path)
		}
	}
	if len(foreign) == 0 {
		return nil
	}
	others, them := "", "it"
	switch n := len(foreign) - 1; {
	case n == 1:
		others, them = " and 1 other file", "them"
	case n > 1:
		others, them = fmt.Sprintf(" and %d other files", n), "them"
	}
	return usage("--out: %q%s would be overwritten, but uncial extract did not write %s; move %[3]s, or choose another folder", foreign[0], others, them)
}

// files returns the names of all files that the run may write to the output folder.
func (p *plan) files() (all []string) {
	formats := p.cmd.formats()
	for _, one := range p.pages {
		for _, form := range formats {
			all = append(all, one.Files[form])
		}
	}
	for _, kind := range p.cmd.Volume {
		all = append(all, writerOf(kind).Files(&p.volume)...)
	}
	return all
}

// adoptFiles returns the events for a folder of earlier runs whose journal does not list their files: every file with an
// extension of this program counts as its own.
func (p *plan) adoptFiles() (events []journal.Event, err error) {
	entries, err := os.ReadDir(p.cmd.Out)
	if err != nil {
		return nil, usage("--out: cannot read %q: %v", p.cmd.Out, durable.WithoutPath(err))
	}
	for _, entry := range entries {
		isOwn := strings.HasSuffix(entry.Name(), ".mets.xml")
		for _, extension := range extensions {
			isOwn = isOwn || strings.HasSuffix(entry.Name(), extension)
		}
		if isOwn && entry.Type().IsRegular() {
			events = append(events, journal.Event{Kind: journal.Write, File: entry.Name()})
		}
	}
	return events, nil
}

// isOutput reports whether the journal of the output folder lists the file.
func (p *plan) isOutput(path string) bool {
	if p.store.Journal == nil {
		return false
	}
	out, outErr := filepath.Abs(p.cmd.Out)
	absolute, err := filepath.Abs(path)
	if outErr != nil || err != nil {
		return false
	}
	name, err := filepath.Rel(out, absolute)
	return err == nil && p.store.IsOwn(filepath.ToSlash(name))
}

// checkReport checks, before any page is read, that the report replaces nothing but a report, and that its folder exists. A dry
// run does without the folder, which may be that of --out.
func (c *ExtractCmd) checkReport() error {
	if c.Report == "" {
		return nil
	}
	if !report.MayReplace(c.Report) {
		return usage("--report: %q would be overwritten, but is not a report of uncial extract; move it, or choose another name", c.Report)
	}
	if c.DryRun {
		return nil
	}
	if about, err := os.Stat(filepath.Dir(c.Report)); err != nil || !about.IsDir() {
		return usage("--report: there is no folder %q", filepath.Dir(c.Report))
	}
	return nil
}
