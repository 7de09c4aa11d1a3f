// Package tesseract is a thin binding of Tesseract's C API (capi.h, version 5) and of the little of Leptonica that
// goes with it: models, images in, words with boxes and confidences out. It is the only package that uses cgo.
//
// One Engine holds one loaded model and serves one goroutine at a time. Different engines may work at once, but
// Tesseract keeps some variables for the whole process: set the same ones on all engines. Recognition runs on the
// calling thread alone, whatever the number of cores and of OMP_THREAD_LIMIT.
//
// Both libraries expect the "C" locale, which a Go program has unless other C code changes it. They and the codecs below
// them are kept from writing to standard error, together with all other C code of the process.
package tesseract

/*
#cgo pkg-config: tesseract lept
#cgo CFLAGS: -O2
#cgo LDFLAGS: -lgomp
#include <stdlib.h>
#include "binding.h"
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

// The page segmentation modes that are asked for. What an engine has before SetMode is one uniform block (6).
const (
	Auto       Mode = C.PSM_AUTO        // 3: columns, blocks and lines are found
	SingleLine Mode = C.PSM_SINGLE_LINE // 7: one line
	RawLine    Mode = C.PSM_RAW_LINE    // 13: one line, without anything specific to Tesseract
)

var (
	// ErrModel says that a model is absent, damaged, or not for the LSTM recognizer.
	ErrModel = errors.New("the model cannot be loaded")
	// ErrRecognition says that Tesseract gave up on an image.
	ErrRecognition = errors.New("the image cannot be recognized")
	// ErrClosed says that the engine was closed.
	ErrClosed = errors.New("the engine is closed")
)

// Config says which model an engine loads.
type Config struct {
	// Model is the name of the traineddata file without its extension. In a directory it may be several names joined
	// by "+", which are tried together on every word.
	Model string
	// Dir is the directory of the traineddata files. Not used when Data is given.
	Dir string
	// Data is the content of one traineddata file. It is copied, and may be changed afterwards.
	Data []byte
	// Variables are set while the model is loaded, so that they may be those that count only then.
	Variables map[string]string
}

// Engine is one loaded model. It serves one goroutine at a time.
type Engine struct {
	api   *C.TessBaseAPI // nil once closed
	stop  *C.int32_t     // other than 0 when the running recognition is to end
	model string
	// origin is the upper left corner of the image's bounds; Tesseract counts from (0, 0).
	origin image.Point
}

var quiet = sync.OnceFunc(func() { C.uncial_quiet() })

// Version is the version of Tesseract, such as "5.3.0".
func Version() string { return C.GoString(C.TessVersion()) }

// LeptonicaVersion is the version of Leptonica, such as "leptonica-1.82.0".
func LeptonicaVersion() string {
	v := C.getLeptonicaVersion()
	defer C.lept_free(unsafe.Pointer(v))
	return C.GoString(v)
}

// Open loads a model, which takes 20-300 ms. The error is ErrModel where the model is at fault. Close the engine.
func Open(cfg Config) (*Engine, error) {
	quiet()
	if cfg.Data == nil {
		for name := range strings.SplitSeq(cfg.Model, "+") {
			if _, err := os.Stat(filepath.Join(cfg.Dir, name+".traineddata")); err != nil {
				return nil, fmt.Errorf("%w: %s: %w", ErrModel, name, err)
			}
		}
	} else if len(cfg.Data) == 0 {
		return nil, fmt.Errorf("%w: %s: it is empty", ErrModel, cfg.Model)
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

// load initializes the API. The model comes from memory where Data is given.
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
		return fmt.Errorf("%w: %s: it is damaged or not for the LSTM recognizer of Tesseract %s", ErrModel, cfg.Model, Version())
	}
	for name := range cfg.Variables {
		if !e.hasVariable(name) {
			return fmt.Errorf("tesseract has no variable %q", name)
		}
	}
	return nil
}

func (e *Engine) hasVariable(name string) bool {
	n := C.CString(name)
	defer C.free(unsafe.Pointer(n))
	var i, b C.int
	var d C.double
	return C.TessBaseAPIGetIntVariable(e.api, n, &i) != 0 || C.TessBaseAPIGetBoolVariable(e.api, n, &b) != 0 ||
		C.TessBaseAPIGetDoubleVariable(e.api, n, &d) != 0 || C.TessBaseAPIGetStringVariable(e.api, n) != nil
}

// cVariables is the variables as two arrays of C strings, which free gives back.
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

// Close frees the model and the image. It may be called again.
func (e *Engine) Close() {
	if e.api == nil {
		return
	}
	C.TessBaseAPIDelete(e.api)
	C.free(unsafe.Pointer(e.stop))
	e.api, e.stop = nil, nil
}

// Model is the name that the engine was opened with.
func (e *Engine) Model() string { return e.model }

// SetMode sets how the page is cut into lines. The default is one uniform block.
func (e *Engine) SetMode(mode Mode) {
	if e.api != nil {
		C.TessBaseAPISetPageSegMode(e.api, C.TessPageSegMode(mode))
	}
}

// SetVariable sets one of Tesseract's variables ("tesseract --print-parameters" lists them); it stays set until the
// engine is closed.
func (e *Engine) SetVariable(name, value string) error {
	if e.api == nil {
		return ErrClosed
	}
	n, v := C.CString(name), C.CString(value)
	defer C.free(unsafe.Pointer(n))
	defer C.free(unsafe.Pointer(v))
	if C.TessBaseAPISetVariable(e.api, n, v) == 0 {
		return fmt.Errorf("tesseract has no variable %q that can be set to %q", name, value)
	}
	return nil
}

// Recognize reads the image. When ctx ends it returns ctx's error at the next
// line of text; the analysis of the layout that comes first (under a second for most pages) cannot be interrupted.
// Other errors: ErrRecognition, ErrClosed.
func (e *Engine) Recognize(ctx context.Context) error {
	if e.api == nil {
		return ErrClosed
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
	failed := C.uncial_recognize(e.api, e.stop)
	if !release() {
		<-done // it holds the pointer
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if failed != 0 {
		return ErrRecognition
	}
	return nil
}

// Clear frees the image and what was recognized, and keeps the model.
func (e *Engine) Clear() {
	if e.api != nil {
		C.TessBaseAPIClear(e.api)
	}
}
