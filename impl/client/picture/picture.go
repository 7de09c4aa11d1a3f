// Package picture prepares images: it finds out what a file is, makes a copy within the limits of the service if the file is
// too large for it or JPEG 2000 (copy.go), and shows pages and parts of them in reports (show.go). Sizes come from headers
// (tiff.go); only vips decodes files that may be large. Start with Inspect and Copy.
package picture

import (
	"bytes"
	"errors"
	"image"
	_ "image/jpeg" // for image.DecodeConfig
	_ "image/png"
	"io"
	"os"

	_ "golang.org/x/image/bmp"
	_ "golang.org/x/image/webp"

	"uncial/impl/client/durable"
	"uncial/impl/volume"
	"uncial/internal/contract/imagefile"
)

// Kind is the kind of a file, by its first bytes.
type Kind string

// The kinds of files that are told apart.
const (
	Supported Kind = "image"     // one of the formats of the service
	JPEG2000  Kind = "JPEG 2000" // needs a copy
	PDF       Kind = "PDF"
	JSON      Kind = "JSON"
	Other     Kind = "other" // nothing that can be read
)

// Info is the content of an image file's header.
type Info struct {
	Kind Kind
	// Format of a file of the kind Supported.
	Format imagefile.Format
	bytes  int64
	// Frames are the pages of a Supported file, as stored, before its orientation is applied. Empty if the header cannot be read.
	Frames []Frame
}

// Frame is one page of an image file.
type Frame struct {
	volume.Size
	// Index counts the images of a TIFF from 0, including those that are not pages, such as previews.
	Index int
}

// headBytes are enough for every magic number, and for the white space before JSON.
const headBytes = 512

// Inspect reads the header of a file, whatever its size. Errors: those of the file system, without the path; an empty file; a
// folder.
func Inspect(path string) (*Info, error) {
	about, err := os.Stat(path) // before it is opened: opening a named pipe waits for a writer
	switch {
	case err != nil:
		return nil, durable.WithoutPath(err)
	case about.IsDir():
		return nil, errors.New("is a folder; name a file in it")
	case !about.Mode().IsRegular():
		return nil, errors.New("is not a regular file; use - to read standard input")
	case about.Size() == 0:
		return nil, errors.New("the file is empty")
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, durable.WithoutPath(err)
	}
	defer func() { _ = file.Close() }()
	head := make([]byte, headBytes)
	n, err := io.ReadFull(file, head)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, durable.WithoutPath(err)
	}
	info := &Info{bytes: about.Size(), Kind: kindOf(head[:n])}
	if info.Kind == Supported {
		info.Format, _ = imagefile.Identify(head[:n])
		info.Frames = frames(file, info)
	}
	return info, nil
}

// kindOf tells a file by its first bytes.
func kindOf(head []byte) Kind {
	if _, err := imagefile.Identify(head); err == nil {
		return Supported
	}
	start := bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf")), " \t\r\n")
	switch {
	case bytes.HasPrefix(head, []byte("\x00\x00\x00\x0cjP  ")), bytes.HasPrefix(head, []byte("\xff\x4f\xff\x51")):
		return JPEG2000
	case bytes.HasPrefix(head, []byte("%PDF-")):
		return PDF
	case bytes.HasPrefix(start, []byte("{")):
		return JSON
	}
	return Other
}

// frames returns the pages that the header declares, nil if it cannot be read: the service then says what is wrong.
func frames(file *os.File, info *Info) []Frame {
	if info.Format == imagefile.TIFF {
		return tiffFrames(file)
	}
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return nil
	}
	config, _, err := image.DecodeConfig(file)
	if err != nil {
		return nil
	}
	return []Frame{{Size: volume.Size{Width: config.Width, Height: config.Height}}}
}

// NeedsCopy reports whether the service would refuse the file as it is.
func (i *Info) NeedsCopy() bool {
	if i.Kind == JPEG2000 {
		return true
	}
	sizes := make([]imagefile.Size, len(i.Frames))
	for k, f := range i.Frames {
		sizes[k] = imagefile.Size(f.Size)
	}
	return i.Kind == Supported && (i.bytes > imagefile.MaxBytes || len(sizes) > 0 && imagefile.CheckPages(i.Format, sizes) != nil)
}
