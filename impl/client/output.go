package client

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"uncial/gen"
)

// extensions are the file name extensions of the formats. Those of ALTO and PAGE are doubled because both are XML.
var extensions = map[gen.Format]string{
	gen.Text: ".txt",
	gen.JSON: ".json",
	gen.Hocr: ".hocr",
	gen.Alto: ".alto.xml",
	gen.Page: ".page.xml",
	gen.Tsv:  ".tsv",
}

// fileNames returns a unique file name for each source, numbered in the order of the sources: "page.txt", "page-2.txt".
// Names that differ only in case count as equal, as they do on some file systems.
func fileNames(sources []source, extension string) []string {
	taken := map[string]bool{}
	names := make([]string, len(sources))
	for i, s := range sources {
		stem := s.stem()
		name := stem + extension
		for n := 2; taken[strings.ToLower(name)]; n++ {
			name = fmt.Sprintf("%s-%d%s", stem, n, extension)
		}
		taken[strings.ToLower(name)] = true
		names[i] = name
	}
	return names
}

// render returns the bytes to write for one response: for JSON the whole response on one line with the name of its image,
// for text the text, and for the other formats the document. The result ends with a newline unless it is empty.
func render(image source, answer *gen.Extraction, format gen.Format, asJSON bool) ([]byte, error) {
	if asJSON || format == gen.JSON {
		return jsonLine(struct {
			Image string `json:"image"`
			*gen.Extraction
		}{image.String(), answer})
	}
	content := answer.Text
	if format != gen.Text {
		if answer.Document == nil {
			return nil, fmt.Errorf("the response has no document in the format %s", format)
		}
		content = *answer.Document
	}
	if content != "" && !strings.HasSuffix(content, "\n") {
		content += "\n"
	}
	return []byte(content), nil
}

// jsonLine encodes v on one line. HTML characters stay readable: the output is not for web pages.
func jsonLine(v any) ([]byte, error) {
	var line bytes.Buffer
	encoder := json.NewEncoder(&line)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(v)
	return line.Bytes(), err
}

// writeFile writes a file completely or not at all: it writes to a temporary name in the same directory and renames it.
func writeFile(dir, name string, content []byte) (err error) {
	// The random name lets two runs write into one directory.
	part := filepath.Join(dir, "."+rand.Text()+".part")
	file, err := os.OpenFile(part, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666) //nolint:gosec // the umask decides
	if err != nil {
		return writeError(name, err)
	}
	defer func() {
		if err != nil {
			_ = os.Remove(part)
		}
	}()
	_, err = file.Write(content)
	if err = errors.Join(err, file.Close()); err != nil {
		return writeError(name, err)
	}
	if err = os.Rename(part, filepath.Join(dir, name)); err != nil {
		return writeError(name, err)
	}
	return nil
}

// writeError says what could not be written and why. name is the file or "the result". A full disk and an exceeded quota
// have one message, because the remedy is the same.
func writeError(name string, err error) error {
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		return fmt.Errorf("cannot write %s: the disk is full", name)
	}
	return fmt.Errorf("cannot write %s: %w", name, withoutPath(err))
}
