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
	"regexp"
	"strings"

	"uncial/impl/ocr"
)

// source is one image as given on the command line: a file, or an http, https or data: URL. The service fetches URLs; this
// package reads only files.
type source string

// isURL reports whether the source begins with a scheme that the service accepts. Anything else, such as C:\scan.jpg or
// ftp://host/scan.jpg, is taken for a file name.
func (s source) isURL() bool {
	for _, scheme := range []string{"http://", "https://", "data:"} {
		if len(s) >= len(scheme) && strings.EqualFold(string(s[:len(scheme)]), scheme) {
			return true
		}
	}
	return false
}

// String returns the source as messages name it: without the content of a data: URL.
func (s source) String() string {
	if head, _, inline := strings.Cut(string(s), ","); inline && s.isURL() && strings.EqualFold(head[:5], "data:") {
		return head + ",..."
	}
	return string(s)
}

// imageURL returns the URL to send: a URL unchanged, or a data: URL with the content of the file. Errors do not name the
// file.
func (s source) imageURL() (string, error) {
	if s.isURL() {
		return string(s), nil
	}
	image, err := s.read()
	if err != nil {
		return "", err
	}
	var inline strings.Builder // grown once, because it may reach 28 MB
	inline.Grow(len("data:application/octet-stream;base64,") + base64.StdEncoding.EncodedLen(len(image)))
	inline.WriteString("data:" + mediaType(image) + ";base64,")
	encoder := base64.NewEncoder(base64.StdEncoding, &inline)
	_, _ = encoder.Write(image)
	_ = encoder.Close()
	return inline.String(), nil
}

// read reads the file, up to the size limit of the service. Its errors do not contain the file name, because the caller
// adds it.
func (s source) read() ([]byte, error) {
	file, err := os.Open(string(s))
	if err != nil {
		return nil, withoutPath(err)
	}
	defer func() { _ = file.Close() }()
	var image bytes.Buffer
	if about, err := file.Stat(); err == nil {
		if about.IsDir() {
			return nil, errors.New("is a directory; give the files in it")
		}
		image.Grow(int(min(about.Size(), ocr.MaxBytes)) + bytes.MinRead)
	}
	_, err = image.ReadFrom(io.LimitReader(file, ocr.MaxBytes+1))
	switch {
	case err != nil:
		return nil, withoutPath(err)
	case image.Len() > ocr.MaxBytes:
		return nil, fmt.Errorf("the file is larger than %d MiB, the limit of the service", ocr.MaxBytes>>20)
	case image.Len() == 0:
		return nil, errors.New("the file is empty")
	}
	return image.Bytes(), nil
}

// withoutPath removes the operation and the path from an error of the file system: the messages of this package name the
// file as the user wrote it.
func withoutPath(err error) error {
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

// mediaType returns the media type that the first bytes indicate. net/http does not detect TIFF: its version is 42 ("*") in
// TIFF 6.0 and 43 ("+") in BigTIFF.
func mediaType(image []byte) string {
	if head := string(image[:min(4, len(image))]); head == "II*\x00" || head == "MM\x00*" || head == "II+\x00" || head == "MM\x00+" {
		return "image/tiff"
	}
	media, _, _ := strings.Cut(http.DetectContentType(image), ";")
	return media
}

// stem returns the name of a file or URL without directory and extension, for the name of the output file.
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

// iiifImage matches the path of a IIIF image (Image API 2 and 3, section 4): region, size, rotation, quality and format.
var iiifImage = regexp.MustCompile(`/(?:full|square|(?:pct:)?[0-9.,]+)/[^/]+/!?[0-9.]+/(?:default|native|color|gray|bitonal)\.[a-z0-9]+$`)

// iiifHost returns the host of a IIIF image, "" for any other source.
func (s source) iiifHost() string {
	if !s.isURL() {
		return ""
	}
	u, err := url.Parse(string(s))
	if err != nil || !strings.HasSuffix(u.Path, "/info.json") && !iiifImage.MatchString(u.Path) {
		return ""
	}
	return strings.ToLower(u.Host)
}

// urlName returns the last meaningful segment of a URL's path, at most 100 characters: letters, digits and "._-" only, so
// that it is a valid file name everywhere.
func urlName(raw string) string {
	u, err := url.Parse(raw)
	if err != nil || u.Opaque != "" {
		return "image"
	}
	last := path.Base(strings.TrimSuffix(u.Path, "/info.json")) // IIIF: the segment before it is the identifier of the image
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
