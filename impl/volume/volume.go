// Package volume has the plain types of a volume: many pages that are read one by one and belong together, such as a folder of
// images, a PDF or a IIIF manifest. Package client fills them; package write turns a volume whose pages are read into one file.
// How pages are found, sent and remembered is in the packages below client.
//
// Start with Volume and Page.
package volume

import (
	"context"
	"io"
	"time"

	"uncial/gen"
	"uncial/internal/document"
)

// Volume is all pages of one run, in the order in which they were given.
type Volume struct {
	// Title names the volume: the label of the manifest, else the name of the first directory or file. Never empty.
	Title string
	// Manifest is the URL of the IIIF manifest that all pages come from, "" if there is none or more than one.
	Manifest string
	Pages    []*Page
}

// State is the state of a page.
type State string

// The states of a page. Failed, Empty and Absent differ: a failed page may be read later, an empty page was read and has no
// text, and an absent page has no image.
const (
	Waiting State = "waiting" // not read yet
	Read    State = "read"    // read, with text
	Empty   State = "empty"   // read, without text
	Failed  State = "failed"  // has an image that could not be read
	Absent  State = "absent"  // has no image: the file is missing, or its server says 404 or 410
	// Unknown is a page that was sent, perhaps charged, and whose answer was lost too long ago to be asked for again.
	Unknown State = "unknown"
)

// IsRead reports whether the page has an answer.
func (s State) IsRead() bool { return s == Read || s == Empty }

// Page is one image of a volume. A TIFF of several pages is one Page, whose document has several pages.
type Page struct {
	// Position counts from 1 in the volume.
	Position int
	// Name is the name of the page's files without extension, unique in the volume without regard to case.
	Name string
	// Label is the page's name for people, such as "f. 12r"; by default the name of the file.
	Label string
	// Source says where the image comes from, for messages: a path, a path with "#page=3", or a URL.
	Source string
	// Canvas is the IIIF canvas that the page fills. Zero unless the page comes from a manifest, and if the canvas consists of several
	// images.
	Canvas Canvas
	// Master is the size of the original image, and Sent that of the copy that was read, both upright. Zero if they are
	// unknown; Sent equals Master if no copy was made.
	Master, Sent Size

	State State
	// Reason says why the page is Failed, Absent or Unknown, else "".
	Reason string
	// ReadAt is when the answer came.
	ReadAt time.Time
	// Files are the names of the page's files in the output directory, by format: "alto", "page", "text" and so on.
	Files map[gen.Format]string

	// Answer loads the answer of the service. Its boxes are in pixels of the upright master; its document, PAGE-XML, still has those
	// of the copy that was sent. Only for pages that are read.
	Answer func() (*gen.Extraction, error)
	// Document loads the document with all boxes in pixels of the upright master. Only for pages that are read.
	Document func() (*document.Document, error)
	// Image loads page n (from 0) of the document as an upright image, whose longer side has at most maxSide pixels; 0 means no
	// limit. It has the same extent as the document's page, perhaps at another scale, and a format that a PDF can hold.
	Image func(ctx context.Context, n, maxSide int) (*Image, error)
}

// Canvas is the abstract page of a IIIF manifest, onto which annotations are put.
type Canvas struct {
	ID            string // "" if the manifest has none
	Width, Height int    // of the canvas, which need not be that of the image
	// IsPartial means that the image shows an unknown part of the canvas. The other fields are then empty.
	IsPartial bool
}

// Size is in pixels.
type Size struct{ Width, Height int }

// Image is an encoded image.
type Image struct {
	Media string // "image/jpeg" or "image/png"
	Data  []byte
	Size
	// IsOriginal reports whether Data is the file as it was given, untouched.
	IsOriginal bool
}

// Save writes a file of the output directory. The file is whole or absent: it appears under its name only after write has
// returned nil and everything is on the disk.
type Save func(name string, write func(io.Writer) error) error

// Writer makes files for a whole volume.
type Writer struct {
	// Name is the value of --volume.
	Name string
	// About describes the files, for the help.
	About string
	// Formats are those whose files the writer refers to; the client writes them for each page first.
	Formats []gen.Format
	// Check says before anything is sent why the files cannot be written for this volume. Nil if they always can.
	Check func(v *Volume) error
	// Write is called once all pages have been tried. Pages that are not read have neither answer nor document: the file
	// tells them apart from empty ones.
	Write func(ctx context.Context, v *Volume, save Save) error
}
