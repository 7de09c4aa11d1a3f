package recorder

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"syscall"

	"uncial/mock/folder"
)

// writeError means that a file cannot be written. Further answers would be paid for and lost.
type writeError struct {
	name string
	err  error
}

// Error names the file that was to be written, not the temporary one next to it.
func (e *writeError) Error() string {
	if errors.Is(e.err, syscall.ENOSPC) || errors.Is(e.err, syscall.EDQUOT) {
		return fmt.Sprintf("cannot write %s: the disk is full", e.name)
	}
	if path, ok := errors.AsType[*os.PathError](e.err); ok {
		return fmt.Sprintf("cannot write %s: %v", e.name, path.Err)
	}
	return fmt.Sprintf("cannot write %s: %v", e.name, e.err)
}

func (e *writeError) Unwrap() error { return e.err }

// writeFile writes a file completely or not at all.
func writeFile(root *os.Root, name string, content []byte) (err error) {
	part := "." + name + ".part"
	file, err := root.OpenFile(part, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o666)
	if err != nil {
		return &writeError{name, err}
	}
	_, err = file.Write(content)
	if err = errors.Join(err, file.Close()); err == nil {
		err = root.Rename(part, name)
	}
	if err != nil {
		_ = root.Remove(part) // the first error is more useful
		return &writeError{name, err}
	}
	return nil
}

// writeManifest writes the list of the folder, indented for people.
func writeManifest(root *os.Root, m folder.Manifest) error {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(m); err != nil {
		return err
	}
	return writeFile(root, folder.ManifestName, text.Bytes())
}
