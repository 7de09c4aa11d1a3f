// Package tesseract is a thin binding of Tesseract's C API (capi.h, version 5) and of the few functions of Leptonica that are
// needed with it: images in, words with boxes and confidences out. It neither chooses models or modes nor filters the results;
// package reading does. Start with Open, Engine.Recognize and Engine.Blocks.
//
// An Engine (engine.go) has one loaded model, and must not be used by several goroutines at once. Several engines may work at
// the same time, but some of Tesseract's variables are global to the process, so set the same variables on all engines.
// Recognition runs only on the calling thread, whatever the number of cores and OMP_THREAD_LIMIT; RecognizeTogether
// (together.go) reads one image with several engines. Results are in result.go, image files in leptonica.go.
//
// The package replaces a few functions of Tesseract with faster ones, or with ones that need less memory, without changing the
// text: lineimage.c (images of lines), network.c, layers_amd64.c and products_amd64.c (the network), legacy.c (the older
// recognizer). part.c divides the lines of an image among engines, and words.c iterates over the words that they have read.
//
// Both libraries require the "C" locale, which a Go program has unless other C code changes it. The package prevents all C code
// of the process, including codecs, from writing to standard error.
package tesseract

/*
#cgo pkg-config: tesseract lept
#cgo CFLAGS: -O2
#cgo LDFLAGS: -lgomp
#include <stdlib.h>
#include "binding.h"
#include "part.h"
*/
import "C"

import (
	"context"
	"errors"
	"fmt"
	"image"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"unsafe"
)

// Mode is a page segmentation mode of Tesseract.
type Mode int

// The page segmentation modes that are used. Before SetMode, an engine has mode 6, one uniform block.
const (
	Auto         Mode = C.PSM_AUTO          // 3: find columns, blocks and lines
	SingleColumn Mode = C.PSM_SINGLE_COLUMN // 4: find blocks and lines in one column
	SingleBlock  Mode = C.PSM_SINGLE_BLOCK  // 6: find lines across the whole image
	SingleLine   Mode = C.PSM_SINGLE_LINE   // 7: the image is one line
	RawLine      Mode = C.PSM_RAW_LINE      // 13: the image is one line; skip the corrections made for printed lines
)

var (
	// errModel means that a model is missing, damaged, or not for the LSTM recognizer.
	errModel = errors.New("the model cannot be loaded")
	// ErrRecognition means that Tesseract abandoned an image, for example because memory ran out.
	ErrRecognition = errors.New("the image cannot be recognized")
	// errClosed means that the engine was closed.
	errClosed = errors.New("the engine is closed")
)

// paragraphsFromText is the name of Tesseract's variable for a search for paragraphs in the recognized text. This search takes
// time in proportion to the square of the number of words: more than ten minutes for 33,000 words. Without it, Tesseract finds
// paragraphs by the positions of the lines. Results have no paragraphs.
const paragraphsFromText = "paragraph_text_based"

// Config determines which model an engine loads, and how.
type Config struct {
	// Model is the name of the traineddata file without its extension. With Dir, it may be several names joined by "+"; then
	// all of these models are tried on every word.
	Model string
	// Dir is the folder of the traineddata files. It is ignored if Data is set.
	Dir string
	// Data is the content of one traineddata file. Tesseract copies it.
	Data []byte
	// Variables are set while the model is loaded; some have an effect only then.
	Variables map[string]string
}

// Engine has one loaded model. It must not be used by several goroutines at once.
type Engine struct {
	api   *C.TessBaseAPI // nil once closed
	stop  *C.int32_t     // set to 1 to end the running recognition; in C memory, because C keeps the pointer
	model string
	// origin is the upper left corner of the image's bounds, which is (0, 0) for Tesseract.
	origin image.Point
}

// quiet silences the C code of the process, once.
var quiet = sync.OnceFunc(func() { C.uncial_quiet() })

// Version returns the version of Tesseract, such as "5.3.0".
func Version() string { return C.GoString(C.TessVersion()) }

// LeptonicaVersion returns the version of Leptonica, such as "leptonica-1.82.0".
func LeptonicaVersion() string {
	v := C.getLeptonicaVersion()
	defer C.lept_free(unsafe.Pointer(v))
	return C.GoString(v)
}

// Open loads a model, which takes 20-300 ms. The caller must Close the engine, because its memory is invisible to the garbage
// collector.
func Open(cfg Config) (*Engine, error) {
	quiet()
	if cfg.Data == nil {
		for name := range strings.SplitSeq(cfg.Model, "+") {
			if _, err := os.Stat(filepath.Join(cfg.Dir, name+".traineddata")); err != nil {
				return nil, fmt.Errorf("%w: %s: %w", errModel, name, err)
			}
		}
	} else if len(cfg.Data) == 0 {
		return nil, fmt.Errorf("%w: %s: the model is empty", errModel, cfg.Model)
	}
	e := &Engine{
		api:   C.TessBaseAPICreate(),
		stop:  (*C.int32_t)(C.calloc(1, C.size_t(unsafe.Sizeof(C.int32_t(0))))),
		model: cfg.Model,
	}
	if err := e.load(cfg); err != nil {
		e.Close()
		return nil, err
	}
	return e, nil
}

// load initializes the API, from memory if Data is set. It checks that the variables exist, because Tesseract ignores unknown
// ones here.
func (e *Engine) load(cfg Config) error {
	names, values, free := cVariables(cfg.Variables)
	defer free()
	model := C.CString(cfg.Model)
	defer C.free(unsafe.Pointer(model))
	const mode = C.OEM_LSTM_ONLY
	var failed C.int
	if cfg.Data != nil {
		failed = C.TessBaseAPIInit5(e.api, (*C.char)(unsafe.Pointer(unsafe.SliceData(cfg.Data))), C.int(len(cfg.Data)), model,
			mode, nil, 0, names, values, C.size_t(len(cfg.Variables)), C.FALSE)
	} else {
		dir := C.CString(cfg.Dir)
		defer C.free(unsafe.Pointer(dir))
		failed = C.TessBaseAPIInit4(e.api, dir, model, mode, nil, 0, names, values, C.size_t(len(cfg.Variables)), C.FALSE)
	}
	if failed != 0 {
		return fmt.Errorf("%w: %s: the model is damaged or not for the LSTM recognizer of Tesseract %s", errModel, cfg.Model, Version())
	}
	for name := range cfg.Variables {
		if !e.hasVariable(name) {
			return fmt.Errorf("tesseract has no variable %q", name)
		}
	}
	return e.SetVariable(paragraphsFromText, "0")
}

// hasVariable reports whether this version of Tesseract has a variable.
func (e *Engine) hasVariable(name string) bool {
	n := C.CString(name)
	defer C.free(unsafe.Pointer(n))
	var i, b C.int
	var d C.double
	return C.TessBaseAPIGetIntVariable(e.api, n, &i) != 0 || C.TessBaseAPIGetBoolVariable(e.api, n, &b) != 0 ||
		C.TessBaseAPIGetDoubleVariable(e.api, n, &d) != 0 || C.TessBaseAPIGetStringVariable(e.api, n) != nil
}

// cVariables converts the variables to two arrays of C strings, sorted by name. The caller must call free.
func cVariables(variables map[string]string) (names, values **C.char, free func()) {
	n := len(variables)
	size := C.size_t(unsafe.Sizeof((*C.char)(nil)))
	names, values = (**C.char)(C.calloc(C.size_t(n), size)), (**C.char)(C.calloc(C.size_t(n), size))
	ns, vs := unsafe.Slice(names, n), unsafe.Slice(values, n)
	for i, name := range slices.Sorted(maps.Keys(variables)) {
		ns[i], vs[i] = C.CString(name), C.CString(variables[name])
	}
	return names, values, func() {
		for i := range n {
			C.free(unsafe.Pointer(ns[i]))
			C.free(unsafe.Pointer(vs[i]))
		}
		C.free(unsafe.Pointer(names))
		C.free(unsafe.Pointer(values))
	}
}

// Close frees the model and the image. It may be called more than once.
func (e *Engine) Close() {
	if e.api == nil {
		return
	}
	C.TessBaseAPIDelete(e.api)
	C.free(unsafe.Pointer(e.stop))
	e.api, e.stop = nil, nil
}

// Model returns the name with which the engine was opened.
func (e *Engine) Model() string { return e.model }

// SetMode sets the page segmentation mode for the following recognitions.
func (e *Engine) SetMode(mode Mode) {
	if e.api != nil {
		C.TessBaseAPISetPageSegMode(e.api, C.TessPageSegMode(mode))
	}
}

// SetVariable sets a variable of Tesseract until the engine is closed. "tesseract --print-parameters" lists them.
func (e *Engine) SetVariable(name, value string) error {
	if e.api == nil {
		return errClosed
	}
	n, v := C.CString(name), C.CString(value)
	defer C.free(unsafe.Pointer(n))
	defer C.free(unsafe.Pointer(v))
	if C.TessBaseAPISetVariable(e.api, n, v) == 0 {
		return fmt.Errorf("tesseract cannot set variable %q to %q", name, value)
	}
	return nil
}

// Recognize reads the image. When ctx ends, it returns ctx's error at the next line of text; the layout analysis before that
// (under a second for most pages) cannot be interrupted. Other errors are ErrRecognition, and an error if the engine is closed.
func (e *Engine) Recognize(ctx context.Context) error { return e.recognize(ctx, nil) }

// recognize reads a part of the lines, or all lines if part is nil.
func (e *Engine) recognize(ctx context.Context, part *C.struct_uncial_part) error {
	if e.api == nil {
		return errClosed
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	stop := (*int32)(unsafe.Pointer(e.stop))
	atomic.StoreInt32(stop, 0)
	done := make(chan struct{})
	release := context.AfterFunc(ctx, func() {
		defer close(done)
		atomic.StoreInt32(stop, 1)
	})
	failed := C.uncial_recognize(e.api, e.stop, part)
	if !release() {
		<-done // wait until the callback no longer uses the pointer
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if failed != 0 {
		return ErrRecognition
	}
	return nil
}

// Clear frees the image and its results, and keeps the model.
func (e *Engine) Clear() {
	if e.api != nil {
		C.TessBaseAPIClear(e.api)
	}
}

// ReleaseMemory returns the free memory of the C libraries to the system if it is more than threshold bytes.
func ReleaseMemory(threshold int) { C.uncial_release(C.size_t(threshold)) }
