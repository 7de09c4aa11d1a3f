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

// extensions of the files that hold a format.
var extensions = map[gen.Format]string{
	gen.Text: ".txt",
	gen.JSON: ".json",
	gen.Hocr: ".hocr",
	gen.Alto: ".alto.xml",
	gen.Page: ".page.xml",
	gen.Tsv:  ".tsv",
}

// fileNames gives each source a file name of its own, by the order of the sources: "page.txt", then "page-2.txt".
// Names that differ only in case count as the same, since some file systems think so.
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

// render is what is written for one answer: the whole of it as one line of JSON with the image's name, the plain text,
// or the document.
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
			return nil, fmt.Errorf("the service sent no document in the format %s", format)
		}
		content = *answer.Document
	}
	if content != "" && !strings.HasSuffix(content, "\n") {
		content += "\n"
	}
	return []byte(content), nil
}

func jsonLine(v any) ([]byte, error) {
	var line bytes.Buffer
	encoder := json.NewEncoder(&line)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(v)
	return line.Bytes(), err
}

// writeFile writes a file so that it is there whole or not at all: under another name first, then renamed.
func writeFile(dir, name string, content []byte) (err error) {
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

// writeError says that something could not be written, and above all why.
func writeError(name string, err error) error {
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		return fmt.Errorf("%s could not be written: the disk is full", name)
	}
	return fmt.Errorf("%s could not be written: %w", name, plain(err))
}
