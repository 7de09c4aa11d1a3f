// Package folder reads a folder of fixtures: texts, ALTO, PAGE-XML and recorded answers that a client team wants the mock to
// answer with. It checks every file against the contract when it is loaded, so that the mock never answers with something
// that the real service could not have sent.
//
// manifest.go is the list of the folder, folder.go finds the fixture of an image, recorded.go and text.go read the files;
// package pagefile reads ALTO and PAGE-XML. Package recorder fills such a folder, and package mock answers from it.
//
// Start with Load and Folder.Find.
package folder

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"

	"uncial/gen"
	"uncial/internal/document"
	tags "uncial/internal/language"
	"uncial/internal/language/guess"
	"uncial/internal/pagefile"
)

// Options say what the mock supports.
type Options struct {
	// Languages are the tags that requests can ask for.
	Languages []string
	// ReservedHost is the host whose images are scenarios of the mock.
	ReservedHost string
	// LayOut makes a page of a text; see LayOut.
	LayOut LayOut
}

// LayOut makes a page of a text that has no boxes. With marked, words of the form read~right~rule are misread, and with
// enhance they are corrected. The error says why the text does not fit on a page.
type LayOut func(text string, marked, enhance bool) (document.Page, []document.Edit, error)

// Folder is a loaded folder. It is immutable. A nil folder has no fixtures.
type Folder struct {
	exact    map[string][]*Fixture // by address, or by digest
	patterns []*Fixture            // in the order of the manifest
}

// Fixture is the mock's answer for an image.
type Fixture struct {
	language           string         // "" for any
	found              string         // the language of the text; und if it has none
	pattern            *regexp.Regexp // nil unless the address is one
	verbatim, enhanced *document.Document
	recorded           map[request]*Answer
}

// request identifies one of the recorded answers of a fixture.
type request struct {
	format  gen.Format
	enhance bool
}

// Load reads a folder. The error names the file and what is wrong with it; all files are checked, and the first errors are
// reported together.
func Load(dir string, o Options) (*Folder, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", dir, cause(err))
	}
	defer func() { _ = root.Close() }()
	m, err := ReadManifest(root)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf(`%s has no %s, the list of its fixtures: {"fixtures": [{"url": "...", "file": "..."}]}; 'uncial-mock record' writes one`, dir, ManifestName)
	}
	if err != nil {
		return nil, err
	}
	l := &loader{Options: o, root: root, files: map[string][]byte{}}
	f := &Folder{exact: map[string][]*Fixture{}}
	var problems []error
	for i, e := range m.Fixtures {
		if err := l.add(f, e); err != nil {
			problems = append(problems, fmt.Errorf("%s: fixture %d: %w", ManifestName, i+1, err))
		}
		if len(problems) == maxProblems {
			break
		}
	}
	return f, errors.Join(problems...)
}

// maxProblems is the maximum number of wrong fixtures in one error.
const maxProblems = 10

// loader reads the files of a folder, each once.
type loader struct {
	Options
	root  *os.Root
	files map[string][]byte
	size  int
}

// read returns the content of a file, which several fixtures may share. All files together are bounded by maxFolder.
func (l *loader) read(name string) ([]byte, error) {
	if source, known := l.files[name]; known {
		return source, nil
	}
	source, err := readFile(l.root, name)
	if err != nil {
		return nil, err
	}
	if l.size += len(source); l.size > maxFolder {
		return nil, fmt.Errorf("%s: the files of the folder are larger than %d MiB together", name, maxFolder>>20)
	}
	l.files[name] = source
	return source, nil
}

// add checks an entry of the list, reads its files and makes it a fixture. Two fixtures for one image in one language are an
// error, because only one of them could ever answer.
func (l *loader) add(f *Folder, e Entry) error {
	if err := l.checkEntry(e); err != nil {
		return err
	}
	fixture := &Fixture{language: e.Language}
	var err error
	if e.File != "" {
		err = l.readDocument(fixture, e.File)
	} else {
		err = l.readAnswers(fixture, e)
	}
	if err != nil {
		return err
	}
	selector := cmp.Or(e.URL, strings.ToLower(e.SHA256))
	if strings.Contains(e.URL, "*") {
		fixture.pattern = patternOf(e.URL)
		f.patterns = append(f.patterns, fixture)
		return nil
	}
	if slices.ContainsFunc(f.exact[selector], func(x *Fixture) bool { return x.language == e.Language }) {
		return fmt.Errorf("there is another fixture for %s in the same language", selector)
	}
	f.exact[selector] = append(f.exact[selector], fixture)
	return nil
}

var (
	digestForm = regexp.MustCompile(`^[0-9A-Fa-f]{64}$`)
	urlForm    = regexp.MustCompile(`^(?:\*|https?://)`)
)

// checkEntry checks what does not need the files.
func (l *loader) checkEntry(e Entry) error {
	switch {
	case (e.URL == "") == (e.SHA256 == ""):
		return errors.New(`must have either "url" or "sha256"`)
	case e.URL != "" && !urlForm.MatchString(e.URL):
		return fmt.Errorf(`"url" must begin with http://, https:// or *, not %q`, e.URL)
	case e.URL != "" && patternOf("http*://"+l.ReservedHost+"*").MatchString(e.URL):
		return fmt.Errorf(`"url": the images of %s are scenarios of the mock`, l.ReservedHost)
	case e.SHA256 != "" && !digestForm.MatchString(e.SHA256):
		return fmt.Errorf(`"sha256" must be 64 hexadecimal digits, not %q`, e.SHA256)
	case (e.File == "") == (len(e.Answers) == 0):
		return errors.New(`must have either "file" or "answers"`)
	case e.Language == "" && len(e.Answers) > 0:
		return errors.New(`"language" is required with "answers"`)
	case e.Language != "" && !slices.Contains(l.Languages, e.Language):
		return fmt.Errorf(`"language": %q is not supported; choose one of %s`, e.Language, strings.Join(l.Languages, ", "))
	}
	return nil
}

// patternOf returns the expression for a pattern in which * stands for any characters.
func patternOf(pattern string) *regexp.Regexp {
	parts := strings.Split(pattern, "*")
	for i := range parts {
		parts[i] = regexp.QuoteMeta(parts[i])
	}
	return regexp.MustCompile("^(?s:" + strings.Join(parts, ".*") + ")$")
}

// readDocument reads a text, ALTO or PAGE-XML.
func (l *loader) readDocument(f *Fixture, name string) error {
	source, err := l.read(name)
	if err != nil {
		return err
	}
	switch strings.ToLower(path.Ext(name)) {
	case ".txt":
		if f.verbatim, err = l.layOut(string(source), true, false); err == nil {
			f.enhanced, err = l.layOut(string(source), true, true)
		}
	case ".xml":
		var pages []document.Page
		if pages, err = pagefile.Read(source); err == nil {
			f.verbatim = documentOf(pages, nil, false)
			f.enhanced = documentOf(pages, nil, true)
		}
	default:
		err = errors.New("must end in .txt (text) or .xml (ALTO or PAGE-XML)")
	}
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if f.found = guess.Of(f.verbatim.Text(), l.Languages).Tag; f.found == "" {
		f.found = tags.Default
	}
	if f.verbatim.Text() == "" {
		f.found = tags.Undetermined
	}
	return nil
}

// documentOf is the document of pages. Its language is that of each request.
func documentOf(pages []document.Page, edits []document.Edit, enhanced bool) *document.Document {
	doc := &document.Document{Pages: pages, Edits: edits, Enhanced: enhanced}
	var blocks []document.Block
	for _, p := range pages {
		blocks = append(blocks, p.Blocks...)
	}
	doc.Confidence = document.CorrectShare(blocks)
	return doc
}

// Find returns the fixture of an image in a language, or nil. image is the content of an inline image, nil for an address. An
// address in the manifest takes precedence over patterns, an earlier pattern over later ones, and a fixture for the language
// over one for any.
func (f *Folder) Find(imageURL string, image []byte, language string) *Fixture {
	if f == nil {
		return nil
	}
	selector := imageURL
	if image != nil {
		sum := sha256.Sum256(image)
		selector = hex.EncodeToString(sum[:])
	}
	isOpen := language == tags.Undetermined // a fixture in any language matches, and says which language was found
	var other *Fixture
	for _, x := range f.exact[selector] {
		switch {
		case x.language == language || isOpen:
			return x
		case x.language == "":
			other = x
		}
	}
	if other != nil || image != nil {
		return other
	}
	for _, x := range f.patterns {
		if (x.language == "" || x.language == language || isOpen) && x.pattern.MatchString(imageURL) {
			return x
		}
	}
	return nil
}

// IsExact reports whether the manifest names the image itself instead of a pattern.
func (f *Fixture) IsExact() bool { return f.pattern == nil }

// Document returns the reading of the image, in the language of the request or, if that is und, of the manifest or else of the
// text. It is shared, and must not be changed.
func (f *Fixture) Document(language string, enhance bool) *document.Document {
	doc := f.verbatim
	if enhance {
		doc = f.enhanced
	}
	inLanguage := *doc
	if language == tags.Undetermined {
		language = cmp.Or(f.language, f.found)
	}
	inLanguage.Language = language
	return &inLanguage
}
