// Package volume has the plain types of a volume: pages that belong together and are read one by one, such as a folder of
// images, a PDF or a IIIF manifest. Package client fills them, and package write turns a volume whose pages have been read into
// one file. How pages are found, sent and remembered is in the packages below client.
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

// Volume is the pages of one run, in the order in which they were given.
type Volume struct {
	// Title is the label of the manifest or, without one, the name of the first folder or file. It is never empty.
	Title string
	// Manifest is the URL of the IIIF manifest that all pages come from; "" if there is none or more than one.
	Manifest string
	Pages    []*Page
}

// State is the state of a page.
type State string

// The states of a page.
const (
	Waiting State = "waiting" // not tried yet
	Read    State = "read"    // read, with text
	Empty   State = "empty"   // read, without text
	Failed  State = "failed"  // has an image that could not be read, and that may be read later
	Absent  State = "absent"  // has no image: the file is missing, or its server says 404 or 410
	// Unknown means that the page was sent and perhaps charged, but its answer was lost, and is now too old to be requested
	// again.
	Unknown State = "unknown"
)

// IsRead reports whether the page was read and thus has an answer, with or without text.
func (s State) IsRead() bool { return s == Read || s == Empty }

// Page is one image of a volume. A TIFF of several pages is one Page, whose document has several pages.
type Page struct {
	// Position is the number of the page in the volume, from 1.
	Position int
	// Name is the name of the page's files without extension. It is unique in the volume, even if case is ignored.
	Name string
	// Label is the page's name for people, such as "f. 12r"; without one, the name of the file.
	Label string
	// Source is where the image comes from: a path, a path with "#page=3", or a URL. Messages name it.
	Source string
	// Canvas is the IIIF canvas that the page fills. It is zero if the page does not come from a manifest, or if its canvas
	// consists of several images.
	Canvas Canvas
	// Master is the size of the original image, and Sent that of the copy that was read, both upright; zero if unknown. If no
	// copy was made, Sent equals Master.
	Master, Sent Size

	State State
	// Reason says why the page is Failed, Absent or Unknown; "" otherwise.
	Reason string
	// ReadAt is when the answer arrived; zero if the page is not read.
	ReadAt time.Time
	// Files are the names of the page's files in the output folder, by format: "alto", "page", "text" and so on.
	Files map[gen.Format]string

	// Answer loads the answer of the service. Its boxes are in pixels of the upright master, but those in its PAGE-XML document
	// are still in pixels of the copy that was sent. Only for pages that are read.
	Answer func() (*gen.Extraction, error)
	// Document loads the document with all boxes in pixels of the upright master. Only for pages that are read.
	Document func() (*document.Document, error)
	// Image loads page n (from 0) of the document as an upright image, in a format that a PDF can hold. Its longer side has at
	// most maxSide pixels; 0 means no limit. It shows exactly the document's page, perhaps at another scale.
	Image func(ctx context.Context, n, maxSide int) (*Image, error)
}

// Canvas is the abstract page of a IIIF manifest, onto which annotations are put.
type Canvas struct {
	ID            string // "" if the manifest has none
	Width, Height int    // in the canvas's own units, which need not be pixels of the image
	// IsPartial means that the image shows an unknown part of the canvas. The other fields are then zero.
	IsPartial bool
}

// Size is the size of an image in pixels.
type Size struct{ Width, Height int }

// Image is an encoded image.
type Image struct {
	Media string // "image/jpeg" or "image/png"
	Data  []byte
	Size
	// IsOriginal means that Data is the unchanged file as it was given.
	IsOriginal bool
}

// Save writes a file of the output folder. The file is either complete or absent: it appears under its name only after write
// has returned nil and everything is on disk.
type Save func(name string, write func(io.Writer) error) error

// Writer makes files for a whole volume.
type Writer struct {
	// Name is the value of --volume.
	Name string
	// About describes the files, for the help.
	About string
	// Formats are the formats of pages to whose files the volume's file refers. The client writes those files before it calls
	// Write.
	Formats []gen.Format
	// Check returns an error that says why the files cannot be written for this volume. It is called before anything is sent;
	// nil if the files can always be written.
	Check func(v *Volume) error
	// Files returns the names of the files that Write saves if all pages are read.
	Files func(v *Volume) []string
	// Write writes the files. It is called once all pages have been tried. Pages that could not be read have neither an answer
	// nor a document; where the format allows it, the file distinguishes them from empty pages.
	Write func(ctx context.Context, v *Volume, save Save) error
}
