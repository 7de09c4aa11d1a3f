// Package models finds Tesseract's models (*.traineddata files) and handwriting models (*.uhm, see package neural), and
// determines which languages Tesseract's models read; handwriting models declare theirs. It knows the names of Debian's packs
// (catalogue.go), accepts other models in any folder, and adds the shipped ones (package own). It does not load models: package
// reading chooses those for a page, and packages tesseract and neural load them.
//
// A folder may have a file named languages.txt that assigns languages to its models: each line has the name of a model and the
// BCP 47 tags that it reads, separated by spaces; "#" begins a comment. For such a tag, this model is preferred to those of the
// catalogue. A model in neither list can only be used by its name.
//
// Start with Find.
package models

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/text/language"

	"uncial/impl/ocr/lexicon"
	"uncial/impl/ocr/models/own"
)

const (
	// The files that are looked for in a folder of models.
	extension            = ".traineddata"
	handwritingExtension = ".uhm"
	languagesFile        = "languages.txt"
)

// Model is one traineddata file.
type Model struct {
	Name string // of the file, without its extension
	Dir  string // of the file; empty if Data is set
	Data []byte // content of a shipped model; nil for a file
}

// HandwritingModel is a *.uhm file.
type HandwritingModel struct {
	Name string // of the file, without its extension
	Path string
}

// Set holds the models that were found. It is immutable, and safe for concurrent use.
type Set struct {
	models      map[string]Model
	tags        map[string][]string // tag -> names of installed models, best first
	handwriting []HandwritingModel
}

// Dirs returns those folders that exist and in which Tesseract's packs are usually installed: TESSDATA_PREFIX if it is set, and
// Debian's folder.
func Dirs() []string {
	var dirs []string
	for _, dir := range []string{os.Getenv("TESSDATA_PREFIX"), "/usr/share/tesseract-ocr/5/tessdata"} {
		if info, err := os.Stat(dir); dir != "" && err == nil && info.IsDir() && !slices.Contains(dirs, dir) { //nolint:gosec // the operator chose the folder
			dirs = append(dirs, dir)
		}
	}
	return dirs
}

// Find looks for models in the folders and in their subfolders named "script". If several models have the same name, the first
// one is used. The shipped models come last, so that a folder can replace them. If a folder cannot be read or a languages.txt
// is invalid, the error names it.
func Find(dirs ...string) (*Set, error) {
	s := &Set{models: map[string]Model{}, tags: map[string][]string{}}
	mapped := map[string][]string{} // tag -> names, from languages.txt
	for _, dir := range dirs {
		if err := s.addFolder(dir, mapped); err != nil {
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

// CheckFolder checks the models of a folder as Find and Set.Check do. A folder without any models is an error too.
func CheckFolder(dir string) error {
	s := &Set{models: map[string]Model{}}
	if err := s.addFolder(dir, map[string][]string{}); err != nil {
		return err
	}
	if len(s.models)+len(s.handwriting) == 0 {
		return fmt.Errorf("%s has no *%s and no *%s", dir, extension, handwritingExtension)
	}
	return s.Check()
}

// addFolder adds the models of a folder and of its subfolder "script", and its languages.txt to a map from tags to the names of
// models.
func (s *Set) addFolder(dir string, mapped map[string][]string) error {
	if err := s.scan(dir); err != nil {
		return err
	}
	if err := s.scan(filepath.Join(dir, "script")); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return readMapping(dir, mapped)
}

// validName matches names that every file system allows and that Tesseract takes for a single model ("+" would join two).
var validName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.-]*$`)

// scan adds the models of one folder, without subfolders.
func (s *Set) scan(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		stem, isPrint := strings.CutSuffix(entry.Name(), extension)
		stem, isHandwriting := strings.CutSuffix(stem, handwritingExtension)
		if !isPrint && !isHandwriting || entry.IsDir() {
			continue
		}
		if !validName.MatchString(stem) {
			return fmt.Errorf("%s: invalid model name; use letters, digits, \"_\", \".\" and \"-\"", filepath.Join(dir, entry.Name()))
		}
		if isHandwriting {
			s.addHandwriting(HandwritingModel{Name: stem, Path: filepath.Join(dir, entry.Name())})
		} else {
			s.add(Model{Name: stem, Dir: dir})
		}
	}
	return nil
}

// add adds a model unless there already is one of that name.
func (s *Set) add(m Model) {
	if _, ok := s.models[m.Name]; !ok {
		s.models[m.Name] = m
	}
}

// addHandwriting adds a handwriting model unless there already is one of that name.
func (s *Set) addHandwriting(h HandwritingModel) {
	if !slices.ContainsFunc(s.handwriting, func(known HandwritingModel) bool { return known.Name == h.Name }) {
		s.handwriting = append(s.handwriting, h)
	}
}

// offer appends the installed ones among the named models to the models of a tag.
func (s *Set) offer(tag string, names []string) {
	for _, n := range names {
		if _, ok := s.models[n]; ok && !slices.Contains(s.tags[tag], n) {
			s.tags[tag] = append(s.tags[tag], n)
		}
	}
}

// readMapping adds the lines of the folder's languages.txt, if there is one, to a map from tags to the names of models.
func readMapping(dir string, into map[string][]string) error {
	path := filepath.Join(dir, languagesFile)
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
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
			return fmt.Errorf("%s, line %d: expected the name of a model and at least one tag, as in \"my_model en\"", path, n)
		}
		if _, err := os.Stat(filepath.Join(dir, fields[0]+extension)); err != nil {
			return fmt.Errorf("%s, line %d: the folder has no file %s%s", path, n, fields[0], extension)
		}
		for _, field := range fields[1:] {
			tag, err := language.Parse(field)
			if err != nil || tag == language.Und {
				return fmt.Errorf("%s, line %d: invalid language tag %q; expected a BCP 47 tag such as \"de-Latf\"", path, n, field)
			}
			into[tag.String()] = append(into[tag.String()], fields[0])
		}
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// Check reads the headers of all traineddata files. The error names a file that cannot be read, is damaged or was cut short.
func (s *Set) Check() error {
	for _, name := range s.Names() {
		m := s.models[name]
		if m.Data != nil {
			continue
		}
		path := filepath.Join(m.Dir, name+extension)
		if err := checkHeader(path); err != nil {
			return fmt.Errorf("%s: %w; install it again or remove it", path, err)
		}
	}
	return nil
}

// checkHeader checks that the components of a traineddata file are inside it.
func checkHeader(path string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	info, err := file.Stat()
	if err != nil {
		return err
	}
	header := make([]byte, min(info.Size(), lexicon.HeaderSize))
	if _, err := io.ReadFull(file, header); err != nil {
		return err
	}
	_, err = lexicon.Offsets(header, info.Size())
	return err
}

// Languages returns the tags that installed models read, sorted.
func (s *Set) Languages() []string { return slices.Sorted(maps.Keys(s.tags)) }

// For returns the names of the installed models that read a tag, best first. It returns nil if the tag is not one of Languages.
func (s *Set) For(tag string) []string { return slices.Clone(s.tags[tag]) }

// Names returns the names of all models found, sorted.
func (s *Set) Names() []string { return slices.Sorted(maps.Keys(s.models)) }

// HandwritingModels returns the handwriting models that were found, in the order of the folders. The shipped handwriting model
// is not among them.
func (s *Set) HandwritingModels() []HandwritingModel { return slices.Clone(s.handwriting) }

// Model returns the model of that name, and whether it was found.
func (s *Set) Model(name string) (Model, bool) {
	m, ok := s.models[name]
	return m, ok
}
