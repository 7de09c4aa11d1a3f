package client

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"

	"uncial/impl/ocr"
)

// source is one image as it was named on the command line: a file, or a http, https or data: URL.
type source string

func (s source) isURL() bool {
	for _, scheme := range []string{"http://", "https://", "data:"} {
		if len(s) >= len(scheme) && strings.EqualFold(string(s[:len(scheme)]), scheme) {
			return true
		}
	}
	return false
}

// String is the source as messages name it.
func (s source) String() string {
	if head, _, inline := strings.Cut(string(s), ","); inline && s.isURL() && strings.EqualFold(head[:5], "data:") {
		return head + ",..."
	}
	return string(s)
}

// imageURL is the URL to send: that of a URL itself, or a data: URL with what the file holds.
func (s source) imageURL() (string, error) {
	if s.isURL() {
		return string(s), nil
	}
	image, err := s.read()
	if err != nil {
		return "", err
	}
	var inline strings.Builder // of some 28 MB, so it is not put together from copies
	inline.Grow(len("data:application/octet-stream;base64,") + base64.StdEncoding.EncodedLen(len(image)))
	inline.WriteString("data:" + mediaType(image) + ";base64,")
	encoder := base64.NewEncoder(base64.StdEncoding, &inline)
	_, _ = encoder.Write(image)
	_ = encoder.Close()
	return inline.String(), nil
}

// read reads the file. Its errors say what is wrong without the file's name.
func (s source) read() ([]byte, error) {
	file, err := os.Open(string(s))
	if err != nil {
		return nil, plain(err)
	}
	defer func() { _ = file.Close() }()
	var image bytes.Buffer
	if about, err := file.Stat(); err == nil {
		if about.IsDir() {
			return nil, errors.New("is a directory; name the images in it")
		}
		image.Grow(int(min(about.Size(), ocr.MaxBytes)) + bytes.MinRead)
	}
	_, err = image.ReadFrom(io.LimitReader(file, ocr.MaxBytes+1))
	switch {
	case err != nil:
		return nil, plain(err)
	case image.Len() > ocr.MaxBytes:
		return nil, fmt.Errorf("the file has more than %d MiB; at most %[1]d MiB is accepted", ocr.MaxBytes>>20)
	case image.Len() == 0:
		return nil, errors.New("the file is empty")
	}
	return image.Bytes(), nil
}

// plain takes operation and path off an error of the file system.
func plain(err error) error {
	var path *fs.PathError
	var link *os.LinkError
	switch {
	case errors.As(err, &path):
		return path.Err
	case errors.As(err, &link):
		return link.Err
	}
	return err
}

// mediaType is what the content looks like.
func mediaType(image []byte) string {
	if head := string(image[:min(4, len(image))]); head == "II*\x00" || head == "MM\x00*" || head == "II+\x00" || head == "MM\x00+" {
		return "image/tiff"
	}
	media, _, _ := strings.Cut(http.DetectContentType(image), ";")
	return media
}

// stem is the name of a file or URL without its directory and extension.
func (s source) stem() string {
	base := filepath.Base(string(s))
	if s.isURL() {
		base = urlName(string(s))
	}
	base = strings.TrimLeft(base, ".")
	if stem := strings.TrimSuffix(base, filepath.Ext(base)); stem != "" {
		return stem
	}
	return "image"
}

// urlName is the last part of a URL's path that says something, with letters, digits and "._-" only.
func urlName(raw string) string {
	u, err := url.Parse(raw)
	if err != nil || u.Opaque != "" {
		return "image"
	}
	last := path.Base(strings.TrimSuffix(u.Path, "/info.json")) // of IIIF: the image's identifier stands before it
	if last == "/" {
		return "image"
	}
	name := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '.', r == '_', r == '-':
			return r
		}
		return '_'
	}, last)
	return name[:min(len(name), 100)]
}
