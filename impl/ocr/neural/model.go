// Package neural runs two networks of our own. One reads single lines of text: convolutions, the maximum of each column,
// bidirectional LSTM layers, and connectionist temporal classification (CTC). The other looks at a whole page and says for each point
// whether a baseline passes there.
//
// A Model is loaded from one flat file and can be shared. A Recognizer reads one line at a time with it; a Language tells the
// search which characters follow each other. The arithmetic is C with vector extensions, compiled for several instruction
// sets and chosen at run time; every set gives the same text.
//
// This package does not make lines of what the second network says (package layout) and does not decide which lines are read
// (package reading). The README of models/own describes the models that ship, and what they were trained on.
//
// Start with Recognizer.Read and Finder.Maps; network.go and finder.go have the layers, kernels.h the arithmetic, beam.go the
// search, file.go the form of the files.
package neural

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/sys/unix"
)

// format is the version of the format of line models, the first thing in their metadata.
const format = "uncial-lines-1"

const (
	maxClasses = 4096 // characters it may know, and the blank
	maxWidth   = 1024 // channels of a layer
	maxLayers  = 8    // of LSTM
)

// Info describes a model, as its file does. Reports and `uncial models` can name it by Version and Digest.
type Info struct {
	Version   string   // of the model
	Licence   string   // SPDX expression
	Languages []string // BCP 47 tags that it was trained for; none if the file does not say
	Digest    string   // SHA-256 of the weights, in hexadecimal digits
	Height    int      // pixels that a line's image has from top to bottom
	Alphabet  []string
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

// Load takes a model from the content of its file. data is not kept.
func Load(data []byte) (*Model, error) {
	m, err := load(data)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrModel, err)
	}
	return m, nil
}

// load reads a model from the bytes of its file. Errors: a file of another format, and sizes that do not agree.
func load(data []byte) (*Model, error) {
	f, err := openFile(data, format)
	if err != nil {
		return nil, err
	}
	m := &Model{}
	if err := m.describe(f); err != nil {
		return nil, err
	}
	m.build(f)
	return m, f.err
}

// describe reads the model's description from the header of its file. Errors say which entry this program cannot work with.
func (m *Model) describe(f *file) error {
	height, err := strconv.Atoi(f.meta["height"])
	if err != nil || height != lineHeight {
		return fmt.Errorf("its lines are %q pixels high; this program cuts lines of %d", f.meta["height"], lineHeight)
	}
	m.info = Info{
		Version: f.meta["version"], Licence: f.meta["licence"], Languages: strings.Fields(f.meta["languages"]), Digest: f.meta["sha256"], Height: height,
	}
	if err := json.Unmarshal([]byte(f.meta["alphabet"]), &m.info.Alphabet); err != nil {
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
