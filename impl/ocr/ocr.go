// Package ocr says what a recognizer is: something that turns the bytes of an image into a document. The pool of
// sandboxed workers (workerpool) is one, a pool behind HTTP (remote) another.
package ocr

import (
	"context"
	"errors"

	"uncial/internal/contract/imagefile"
	"uncial/internal/document"
)

// Recognizer reads images. Implementations are safe for concurrent use.
type Recognizer interface {
	// Recognize reads every page of one image file. When ctx ends it returns within a second with ctx's error and
	// leaves nothing running. Errors: *ImageError, ErrBusy, ErrTimeout, ctx's; anything else is internal.
	Recognize(ctx context.Context, req Request) (*document.Document, error)
	// Languages are the BCP 47 tags that can be read, sorted.
	Languages(ctx context.Context) ([]string, error)
}

// Request is one image to read.
type Request struct {
	Image    []byte `json:"-"`                 // the file's bytes, in any of the supported formats
	Language string `json:"language"`          // one of the tags that Languages returns
	Enhance  bool   `json:"enhance,omitempty"` // run the enhancement after the reading
}

// Load is how much a Recognizer has to do. Those that know have a method Load() Load.
type Load struct {
	Workers int `json:"workers"` // wanted
	Ready   int `json:"ready"`   // that live and can read
	Busy    int `json:"busy"`    // that read
	Idle    int `json:"idle"`    // that wait for an image
	Queued  int `json:"queued"`  // images that wait for a worker
	Queue   int `json:"queue"`   // images that may wait
}

// Limits of an image, checked before its pixels are decoded.
const (
	MaxBytes  = imagefile.MaxBytes
	MaxPixels = imagefile.MaxPixels
	MaxSide   = imagefile.MaxSide
	MaxPages  = imagefile.MaxPages
)

// ErrBusy says that the queue is full: try again later.
var ErrBusy = errors.New("the queue is full")

// ErrTimeout says that the image took longer to read than is allowed.
var ErrTimeout = errors.New("the image took too long to read")

// ImageError says that the fault lies in the image. Reason is for the caller's eyes: what is wrong and what would be
// right, without an image's name.
type ImageError struct{ Reason string }

func (e *ImageError) Error() string { return e.Reason }
