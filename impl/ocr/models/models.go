// Package models finds the traineddata files of Tesseract and says which languages they read. It knows the packs of
// Debian by name, takes further ones from any directory, and ships two of the project's own (package own).
//
// A directory may hold a file named languages.txt that gives its models a language: on each line the name of a model
// and the tags (BCP 47) that it reads, separated by blanks; "#" begins a comment. Such a model comes before those of
// the catalogue. A model that neither knows is found by its name only.
package models

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/text/language"

	"uncial/impl/ocr/models/own"
)

const (
	extension = ".traineddata"
	mapping   = "languages.txt"
)

// Model is one traineddata file.
type Model struct {
	Name string // of the file, without its extension
	Dir  string // that holds the file; empty where Data is set
	Data []byte // of a model that ships with the program; nil where it is a file
}

// Set is the models that were found. It does not change, and is safe for concurrent use.
type Set struct {
	models map[string]Model
	tags   map[string][]string // tag -> names of installed models, the best first
}

// Dirs are the directories in which Tesseract's packs are commonly installed, those only that exist: TESSDATA_PREFIX,
// if it is set, and that of Debian.
func Dirs() []string {
	var dirs []string
	for _, dir := range []string{os.Getenv("TESSDATA_PREFIX"), "/usr/share/tesseract-ocr/5/tessdata"} {
		if info, err := os.Stat(dir); dir != "" && err == nil && info.IsDir() && !slices.Contains(dirs, dir) { //nolint:gosec // a directory of the operator's choice
			dirs = append(dirs, dir)
		}
	}
	return dirs
}

// Find looks for *.traineddata in the directories and in their subdirectories named script. Where the same name stands
// in several the first counts; the program's own models come last, so that a directory can replace them. A directory
// that cannot be read and a languages.txt with a fault are errors, which name them.
func Find(dirs ...string) (*Set, error) {
	s := &Set{models: map[string]Model{}, tags: map[string][]string{}}
	mapped := map[string][]string{} // tag -> names, from languages.txt
	for _, dir := range dirs {
		if err := s.scan(dir); err != nil {
			return nil, err
		}
		if err := s.scan(filepath.Join(dir, "script")); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		if err := readMapping(dir, mapped); err != nil {
			return nil, err
		}
	}
	for name, data := range own.Models() {
		s.add(Model{Name: name, Data: data})
	}
	for _, source := range []map[string][]string{mapped, catalogue} {
		for tag, names := range source {
			s.offer(tag, names)
		}
	}
	return s, nil
}

// name is what Tesseract takes for the name of one model and any file system for that of a file.
var name = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.-]*$`)

func (s *Set) scan(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("models: %w", err)
	}
	for _, entry := range entries {
		stem, ok := strings.CutSuffix(entry.Name(), extension)
		if !ok || entry.IsDir() {
			continue
		}
		if !name.MatchString(stem) {
			return fmt.Errorf("models: %s: the name of a model is letters, digits, _, . and -", filepath.Join(dir, entry.Name()))
		}
		s.add(Model{Name: stem, Dir: dir})
	}
	return nil
}

func (s *Set) add(m Model) {
	if _, ok := s.models[m.Name]; !ok {
		s.models[m.Name] = m
	}
}

// offer lets a tag be read by those of the models that are installed, after the ones it has.
func (s *Set) offer(tag string, names []string) {
	for _, n := range names {
		if _, ok := s.models[n]; ok && !slices.Contains(s.tags[tag], n) {
			s.tags[tag] = append(s.tags[tag], n)
		}
	}
}

// readMapping adds what the directory's languages.txt says, if it has one.
func readMapping(dir string, into map[string][]string) error {
	path := filepath.Join(dir, mapping)
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("models: %w", err)
	}
	defer func() { _ = file.Close() }()
	lines := bufio.NewScanner(file)
	for n := 1; lines.Scan(); n++ {
		text, _, _ := strings.Cut(lines.Text(), "#")
		fields := strings.Fields(text)
		if len(fields) == 0 {
			continue
		}
		if len(fields) == 1 {
			return fmt.Errorf("models: %s, line %d: want the name of a model and at least one tag, as in \"my_model en\"", path, n)
		}
		if _, err := os.Stat(filepath.Join(dir, fields[0]+extension)); err != nil {
			return fmt.Errorf("models: %s, line %d: the directory holds no %s%s", path, n, fields[0], extension)
		}
		for _, field := range fields[1:] {
			tag, err := language.Parse(field)
			if err != nil || tag == language.Und {
				return fmt.Errorf("models: %s, line %d: %q is not a BCP 47 tag, such as \"de-Latf\"", path, n, field)
			}
			into[tag.String()] = append(into[tag.String()], fields[0])
		}
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("models: %s: %w", path, err)
	}
	return nil
}

// Languages are the tags that an installed model reads, sorted.
func (s *Set) Languages() []string { return slices.Sorted(maps.Keys(s.tags)) }

// For are the names of the installed models that read a tag of Languages, the best first; nil for any other tag.
func (s *Set) For(tag string) []string { return slices.Clone(s.tags[tag]) }

// Names are those of all models found, sorted.
func (s *Set) Names() []string { return slices.Sorted(maps.Keys(s.models)) }

// Model is the model of that name, and whether it was found.
func (s *Set) Model(name string) (Model, bool) {
	m, ok := s.models[name]
	return m, ok
}
