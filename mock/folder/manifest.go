package folder

import (
	"errors"
	"fmt"
	"io"
	"os"

	"uncial/internal/strictjson"
)

// ManifestName is the file in a folder that lists its fixtures.
const ManifestName = "fixtures.json"

// Manifest is the content of fixtures.json.
type Manifest struct {
	Fixtures []Entry `json:"fixtures"`
}

// Entry is one fixture: which images it is for, and either a file or recorded answers.
type Entry struct {
	// URL is the address of an image, or a pattern in which * stands for any characters. Either URL or SHA256 is set.
	URL string `json:"url,omitempty"`
	// SHA256 is the digest of an inline image, in hexadecimal digits.
	SHA256 string `json:"sha256,omitempty"`
	// Language is the tag that a request must ask for. Empty: any; required with Answers.
	Language string `json:"language,omitempty"`
	// File is a text (.txt), or ALTO or PAGE-XML (.xml), in the folder.
	File string `json:"file,omitempty"`
	// Answers are what a service answered.
	Answers []RecordedAnswer `json:"answers,omitempty"`
}

// RecordedAnswer is the body of an answer, and the request that it belongs to.
type RecordedAnswer struct {
	Format  string `json:"format"`
	Enhance bool   `json:"enhance"`
	File    string `json:"file"` // in the folder
}

// Limits of a folder. They keep a wrong path from filling the memory.
const (
	maxFixtures = 10_000
	maxFile     = 64 << 20  // bytes, of one file
	maxFolder   = 512 << 20 // bytes, of all files
)

// ReadManifest reads the list of a folder. If there is none, the error wraps fs.ErrNotExist.
func ReadManifest(root *os.Root) (m Manifest, err error) {
	source, err := readFile(root, ManifestName)
	if err != nil {
		return m, err
	}
	if err := strictjson.Settings(source, &m); err != nil {
		return m, fmt.Errorf(`%s: expected {"fixtures": [{"url": "...", "file": "..."}, ...]}: %w`, ManifestName, err)
	}
	if len(m.Fixtures) > maxFixtures {
		return m, fmt.Errorf("%s: has %d fixtures; at most %d are allowed", ManifestName, len(m.Fixtures), maxFixtures)
	}
	return m, nil
}

// readFile reads a file of the folder. A path that leads out of the folder is an error, and so is a pipe, which could block.
func readFile(root *os.Root, name string) ([]byte, error) {
	if info, err := root.Stat(name); err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s: not a regular file", name)
	}
	file, err := root.Open(name)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, cause(err))
	}
	defer func() { _ = file.Close() }() // it was only read
	source, err := io.ReadAll(io.LimitReader(file, maxFile+1))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, cause(err))
	}
	if len(source) > maxFile {
		return nil, fmt.Errorf("%s: is larger than %d MiB", name, maxFile>>20)
	}
	return source, nil
}

// cause returns an error of the file system without the operation and the path, which the message already has.
func cause(err error) error {
	if e, ok := errors.AsType[*os.PathError](err); ok {
		return e.Err
	}
	return err
}
