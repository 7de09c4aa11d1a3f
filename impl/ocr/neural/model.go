// Package neural reads single lines of text with a network of our own: convolutions, the maximum of each column,
// bidirectional LSTM layers, and connectionist temporal classification (CTC).
//
// A Model is loaded from one flat file and can be shared. A Recognizer reads one line at a time with it; a Language tells the
// search which characters follow each other. The arithmetic is C with vector extensions, compiled for several instruction
// sets and chosen at run time; every set gives the same text.
//
// This package does not find lines (package layout) and does not decide which lines it reads (package reading). The README of
// models/own describes the models that ship, and what they were trained on.
//
// Start reading at Recognizer.Read; network.go has the layers, kernels.h the arithmetic, beam.go the search.
package neural

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"strconv"
	"unicode/utf8"

	"golang.org/x/sys/unix"
)

// Format is the version of the file format, the first thing in a model's metadata.
const Format = "uncial-lines-1"

const (
	maxFile    = 64 << 20 // bytes of a model
	maxHeader  = 1 << 20  // bytes of its header
	maxClasses = 4096     // characters it may know, and the blank
	maxWidth   = 1024     // channels of a layer
	maxLayers  = 8        // of LSTM
)

// ErrModel is joined to every error about a file that is not a model of this version, or is damaged.
var ErrModel = errors.New("not a usable line model")

// Info describes a model, as its file does. Reports and `uncial models` can name it by Version and Digest.
type Info struct {
	Version  string // of the model
	Licence  string // SPDX expression
	Digest   string // SHA-256 of the weights, in hexadecimal digits
	Height   int    // pixels that a line's image has from top to bottom
	Alphabet []string
}

// convolution is a layer of 3x3 or 5x5 taps, followed by a rectifier. In training its weights are standardised; the file has
// them as they are used.
type convolution struct {
	in, out, side int
	weight, bias  []float32 // weight[out][in][side][side]
}

// direction is one half of an LSTM layer. Its matrices are transposed, so that the kernels read the gates of one input in a row.
// The gates are in the order input, forget, cell, output, as in PyTorch.
type direction struct {
	in, hidden  int
	input       []float32 // [in][4 hidden]
	recurrent   []float32 // [hidden][4 hidden]
	bias        []float32 // [4 hidden]
	inputOffset []int32
}

// Model is a network's weights. It is immutable.
type Model struct {
	info   Info
	convs  []convolution
	layers [][2]direction // forwards, backwards
	out    struct {
		in, classes, stride int
		weight, bias        []float32 // weight[in][stride], bias[stride]
		offset              []int32
	}
}

// Info returns the description of the model.
func (m *Model) Info() Info { return m.info }

// Open loads a model from a file. The error says in one sentence what is wrong with it.
func Open(path string) (*Model, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // only read: a failure to close loses nothing
	stat, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if stat.Size() < 8 || stat.Size() > maxFile {
		return nil, fmt.Errorf("%w: %s has %d bytes, which no model has", ErrModel, path, stat.Size())
	}
	data, err := unix.Mmap(int(f.Fd()), 0, int(stat.Size()), unix.PROT_READ, unix.MAP_PRIVATE)
	if err != nil {
		return nil, fmt.Errorf("map %s: %w", path, err)
	}
	defer unix.Munmap(data) //nolint:errcheck // nothing can be done about it, and nothing is lost
	m, err := Load(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return m, nil
}

// Load takes a model from the content of its file: the length of the header as 8 bytes, little-endian; a JSON header in the
// form of safetensors; the weights. data is not kept.
func Load(data []byte) (*Model, error) {
	m, err := load(data)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrModel, err)
	}
	return m, nil
}

type tensorHeader struct {
	Dtype   string `json:"dtype"`
	Shape   []int  `json:"shape"`
	Offsets [2]int `json:"data_offsets"`
}

// file is a model's file: the tensors by name, and the bytes that they lie in. Readers of tensors go on after an error and
// return nil, so that build needs to check only once.
type file struct {
	tensors map[string]tensorHeader
	data    []byte
	err     error // the first that was met
}

func load(data []byte) (*Model, error) {
	if len(data) < 8 || len(data) > maxFile {
		return nil, fmt.Errorf("it has %d bytes", len(data))
	}
	length := binary.LittleEndian.Uint64(data)
	if length > maxHeader || length > uint64(len(data)-8) {
		return nil, errors.New("its header is longer than the file or 1 MiB")
	}
	var header map[string]json.RawMessage
	if err := json.Unmarshal(data[8:8+length], &header); err != nil {
		return nil, errors.New("its header is not JSON")
	}
	f := &file{tensors: map[string]tensorHeader{}, data: data[8+length:]}
	m := &Model{}
	if err := m.describe(header["__metadata__"], f.data); err != nil {
		return nil, err
	}
	delete(header, "__metadata__")
	for name, raw := range header {
		var t tensorHeader
		if err := json.Unmarshal(raw, &t); err != nil {
			return nil, fmt.Errorf("the entry of tensor %q is malformed", name)
		}
		f.tensors[name] = t
	}
	m.build(f)
	return m, f.err
}

// describe reads the metadata and holds the weights against their digest.
func (m *Model) describe(raw json.RawMessage, weights []byte) error {
	var meta map[string]string
	if err := json.Unmarshal(raw, &meta); err != nil {
		return errors.New("it has no metadata")
	}
	if meta["format"] != Format {
		return fmt.Errorf("its format is %q; this program reads %q", meta["format"], Format)
	}
	height, err := strconv.Atoi(meta["height"])
	if err != nil || height != lineHeight {
		return fmt.Errorf("its lines are %q pixels high; this program cuts lines of %d", meta["height"], lineHeight)
	}
	sum := sha256.Sum256(weights)
	m.info = Info{Version: meta["version"], Licence: meta["licence"], Digest: hex.EncodeToString(sum[:]), Height: height}
	if meta["sha256"] != m.info.Digest {
		return errors.New("its weights are damaged: they do not have the digest that its header states")
	}
	if err := json.Unmarshal([]byte(meta["alphabet"]), &m.info.Alphabet); err != nil {
		return errors.New("its alphabet is not a JSON array")
	}
	if n := len(m.info.Alphabet); n == 0 || n >= maxClasses {
		return fmt.Errorf("its alphabet has %d characters", n)
	}
	for _, c := range m.info.Alphabet {
		if utf8.RuneCountInString(c) != 1 || !utf8.ValidString(c) {
			return fmt.Errorf("its alphabet has the entry %q, which is not one character", c)
		}
	}
	return nil
}

// fail remembers the first error.
func (f *file) fail(format string, args ...any) {
	if f.err == nil {
		f.err = fmt.Errorf(format, args...)
	}
}

// tensor returns the values of a tensor. Each of sizes is the size of a dimension, or 0 for one that the file decides, which
// is then set; no dimension exceeds most. Shape, bytes and values are checked before anything is computed with them.
func (f *file) tensor(name string, most int, sizes ...*int) []float32 {
	t, ok := f.tensors[name]
	if !ok || len(t.Shape) != len(sizes) {
		f.fail("tensor %q is missing or has not %d dimensions", name, len(sizes))
		return nil
	}
	n := 1
	for i, size := range sizes {
		if *size == 0 {
			*size = t.Shape[i]
		}
		if t.Shape[i] != *size || *size < 1 || *size > most {
			f.fail("dimension %d of tensor %q is %d", i, name, t.Shape[i])
			return nil
		}
		n *= *size
	}
	from, to := t.Offsets[0], t.Offsets[1]
	wide := map[string]int{"F16": 2, "F32": 4}[t.Dtype]
	if wide == 0 || from < 0 || to < from || to > len(f.data) || to-from != n*wide {
		f.fail("tensor %q is of type %q and lies at %d to %d, which does not fit its shape", name, t.Dtype, from, to)
		return nil
	}
	raw, values := f.data[from:to], make([]float32, n)
	for i := range values {
		if wide == 2 {
			values[i] = half(binary.LittleEndian.Uint16(raw[2*i:]))
		} else {
			values[i] = math.Float32frombits(binary.LittleEndian.Uint32(raw[4*i:]))
		}
		if v := values[i]; !(v >= -maxWeight && v <= maxWeight) { // NaN is neither
			f.fail("tensor %q has a weight that is not a number of a sensible size", name)
			return nil
		}
	}
	return values
}

// maxWeight is far beyond any weight that training gives, and far from what sums could overflow by.
const maxWeight = 1e4

// half is the value of a floating-point number of 16 bits (IEEE 754 binary16).
func half(bits uint16) float32 {
	sign, exponent, fraction := uint32(bits>>15)<<31, uint32(bits>>10)&31, uint32(bits)&1023
	switch exponent {
	case 0: // subnormal: a multiple of 2^-24
		v := float32(fraction) / (1 << 24)
		return math.Float32frombits(math.Float32bits(v) | sign)
	case 31:
		return float32(math.NaN()) // infinite or not a number: no weight
	}
	return math.Float32frombits(sign | (exponent+112)<<23 | fraction<<13)
}
