// Package ocr defines the interface Recognizer, which turns the bytes of an image into a document, and the limits and errors
// that all implementations share. It does not recognize anything itself.
//
// There are two implementations: workerpool (sandboxed processes on this machine) and remote (such a pool behind HTTP). To
// follow one image through the code, start with workerpool.Pool.Recognize, then worker.Run, then package reading.
package ocr

import (
	"context"
	"errors"

	"uncial/internal/contract/imagefile"
	"uncial/internal/document"
)

// Recognizer reads images. Implementations are safe for concurrent use.
type Recognizer interface {
	// Recognize reads every page of one image file. When ctx ends, it returns ctx's error within a second and leaves
	// nothing running. Errors: *ImageError, ErrBusy, ErrUnavailable, ErrTimeout, ctx's error; any other error is internal.
	Recognize(ctx context.Context, req Request) (*document.Document, error)
	// Languages returns the BCP 47 tags that can be read, sorted. Errors: ErrUnavailable, ctx's error; any other error is
	// internal.
	Languages(ctx context.Context) ([]string, error)
}

// Request is one image to read.
type Request struct {
	Image    []byte `json:"-"`                 // the content of the file, in any supported format
	Language string `json:"language"`          // one of the tags that Languages returns
	Enhance  bool   `json:"enhance,omitempty"` // correct the text after reading it
	Preview  bool   `json:"preview,omitempty"` // fill in Page.Preview
	Picture  bool   `json:"picture,omitempty"` // fill in Page.Picture
}

// Load is the amount of work a Recognizer has at one moment. Recognizers that know it have a method Load() Load.
type Load struct {
	Workers int `json:"workers"` // configured
	Ready   int `json:"ready"`   // running and able to read
	Busy    int `json:"busy"`    // reading an image
	Idle    int `json:"idle"`    // waiting for an image
	Queued  int `json:"queued"`  // images waiting for a worker
	Queue   int `json:"queue"`   // capacity: images that may wait
}

// Limits of an image. They are checked against its header, before any pixel is decoded.
const (
	MaxBytes  = imagefile.MaxBytes
	MaxPixels = imagefile.MaxPixels
	MaxSide   = imagefile.MaxSide
	MaxPages  = imagefile.MaxPages
)

// ErrBusy means that the queue is full. The same request may succeed a little later.
var ErrBusy = errors.New("the queue is full")

// ErrUnavailable means that no engine could be reached, so none has the image. The same request may succeed once an engine
// runs.
var ErrUnavailable = errors.New("no engine can be reached")

// ErrTimeout means that reading the image took longer than allowed.
var ErrTimeout = errors.New("reading the image took too long")

// ImageError means that the image cannot be read as it is. Reason is shown to the caller: it says what is wrong and what
// would be right, and does not repeat the name or URL of the image.
type ImageError struct{ Reason string }

func (e *ImageError) Error() string { return e.Reason }
