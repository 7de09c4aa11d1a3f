// Package neural runs our networks, which are of two kinds. One kind reads single lines of text, with convolutions, max pooling
// over each column, bidirectional LSTM layers, and connectionist temporal classification (CTC). The other predicts for each
// point of a page whether a baseline passes there.
//
// A Model is loaded from one file and can be shared. A Recognizer reads one line at a time with it; a Language (a character
// model) tells the search which characters are likely to follow each other. The arithmetic is C with vector extensions,
// compiled for several instruction sets and chosen at run time. All sets compute identical bits.
//
// This package does not trace lines on the maps of the second network (package layout does) and does not decide which lines are
// read (package reading does). The README of models/own describes the shipped models and their training data.
//
// Start with Recognizer.Read and Finder.Maps; network.go and finder.go have the layers, kernels.h the arithmetic, beam.go the
// search, file.go the file format, and weights.go the conversion of weights for the kernels.
package neural

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/sys/unix"
)

// format is the value of "format" in the metadata of line models.
const format = "uncial-lines-1"

const (
	maxClasses = 4096 // characters of the alphabet, and the blank
	maxWidth   = 1024 // channels of a layer
	maxLayers  = 8    // of LSTM

	maxDescription = 1000 // bytes of the version and the languages together, which workers send to the service
)

// Info is the description of a model in its file. Version and Digest identify the model in documents and reports.
type Info struct {
	Version   string   // of the model
	Languages []string // BCP 47 tags that it was trained for; none if the file does not say
	Digest    string   // SHA-256 of the weights, in hexadecimal digits
	Alphabet  []string // the characters that the model reads; class i is Alphabet[i-1]
}

// convolution is a layer of 3x3 or 5x5 taps, followed by a ReLU. Training standardizes the weights; the file has the
// standardized ones.
type convolution struct {
	in, out, side int
	weight, bias  []float32 // weight[out][in][side][side]
}

// layer is a bidirectional LSTM layer. Its matrices are transposed, so that the gates of one input are adjacent for the
// kernels. The gates of each direction are in the order of PyTorch: input, forget, cell, output. Those of the backward
// direction follow those of the forward direction.
type layer struct {
	hidden    int
	input     matrix
	bias      []float32 // [8 hidden]
	recurrent [2]pairs  // forwards and backwards, in the order of the kernels
}

// matrix is a transposed matrix in stripes: each pair of columns has a row of data.
type matrix struct {
	pairs
	in, stride int // columns of the matrix, and distance between the rows of its products
}

// Model holds the weights of a network that reads lines. It is immutable.
type Model struct {
	info   Info
	convs  []convolution
	layers []layer
	out    struct {
		matrix
		classes int
		bias    []float32
	}
}

// Info returns the model's description.
func (m *Model) Info() Info { return m.info }

// Open loads a model from a file. If the file is not a usable model, the error wraps ErrModel and says in one sentence what is
// wrong with it.
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
		return nil, fmt.Errorf("%w: %s has %d bytes, too few or too many for a model", ErrModel, path, stat.Size())
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

// Load reads a model from the content of its file. It does not keep data. The error wraps ErrModel.
func Load(data []byte) (*Model, error) {
	m, err := load(data)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrModel, err)
	}
	return m, nil
}

// load is Load without ErrModel in its errors.
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
	f.complete()
	return m, f.err
}

// describe reads the model's description from the header of its file. It returns an error if an entry is invalid.
func (m *Model) describe(f *file) error {
	height, err := strconv.Atoi(f.meta["height"])
	if err != nil || height != lineHeight {
		return fmt.Errorf("its lines are %q pixels high; this program reads lines of %d pixels", f.meta["height"], lineHeight)
	}
	m.info = Info{
		Version: f.meta["version"], Languages: strings.Fields(f.meta["languages"]), Digest: f.meta["sha256"],
	}
	if n := len(f.meta["version"] + f.meta["languages"]); n > maxDescription {
		return fmt.Errorf("its version and languages have %d bytes; expected at most %d", n, maxDescription)
	}
	if err := json.Unmarshal([]byte(f.meta["alphabet"]), &m.info.Alphabet); err != nil {
		return errors.New("its alphabet is not a JSON array")
	}
	if n := len(m.info.Alphabet); n == 0 || n >= maxClasses {
		return fmt.Errorf("its alphabet has %d characters; expected 1 to %d", n, maxClasses-1)
	}
	for i, c := range m.info.Alphabet {
		if slices.Contains(m.info.Alphabet[:i], c) {
			return fmt.Errorf("its alphabet has %q twice", c)
		}
		if utf8.RuneCountInString(c) != 1 || !utf8.ValidString(c) {
			return fmt.Errorf("its alphabet has the entry %q, which is not one character", c)
		}
	}
	return nil
}
