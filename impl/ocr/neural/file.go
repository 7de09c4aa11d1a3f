package neural

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
)

const (
	maxFile   = 64 << 20 // bytes of a model
	maxHeader = 1 << 20  // bytes of its header
)

// ErrModel is wrapped by every error about a file that is damaged, or not a model of this version.
var ErrModel = errors.New("not a usable model")

// tensorHeader describes a tensor in the header of a safetensors file. Offsets are the offset of its first byte and the one
// after its last byte, relative to the end of the header.
type tensorHeader struct {
	Dtype   string `json:"dtype"`
	Shape   []int  `json:"shape"`
	Offsets [2]int `json:"data_offsets"`
}

// file is the file of a model: the length of the header as 8 bytes, little-endian; a JSON header in the format of safetensors,
// with the metadata and the tensors by name; and the bytes of the tensors. err keeps the first error, so that a model needs to
// check for errors only once.
type file struct {
	meta    map[string]string
	tensors map[string]tensorHeader
	data    []byte
	used    int   // bytes of the tensors that were read
	err     error // the first error
}

// openFile reads the header, and checks that the file has the given format and that its weights have the digest in the header.
func openFile(data []byte, format string) (*file, error) {
	if len(data) < 8 || len(data) > maxFile {
		return nil, fmt.Errorf("it has %d bytes; expected 8 to %d", len(data), maxFile)
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
	if err := json.Unmarshal(header["__metadata__"], &f.meta); err != nil {
		return nil, errors.New("it has no metadata")
	}
	delete(header, "__metadata__")
	if f.meta["format"] != format {
		return nil, fmt.Errorf("its format is %q; this program reads %q", f.meta["format"], format)
	}
	end := 0 // of the tensors
	for name, raw := range header {
		var t tensorHeader
		if err := json.Unmarshal(raw, &t); err != nil {
			return nil, fmt.Errorf("the entry of tensor %q is malformed", name)
		}
		f.tensors[name], end = t, max(end, t.Offsets[1])
	}
	if end > len(f.data) {
		return nil, fmt.Errorf("it is cut short: it has %d bytes of weights instead of %d", len(f.data), end)
	}
	if sum := sha256.Sum256(f.data); f.meta["sha256"] != hex.EncodeToString(sum[:]) {
		return nil, errors.New("its weights are damaged: their digest differs from the one in its header")
	}
	return f, nil
}

// fail remembers the first error.
func (f *file) fail(format string, args ...any) {
	if f.err == nil {
		f.err = fmt.Errorf(format, args...)
	}
}

// tensor returns the values of a tensor. Each of sizes points to the expected size of a dimension, or to 0, which tensor
// replaces with the size in the file. No dimension may exceed maxSize. tensor checks the shape, the bytes and the values; if it
// fails, it returns nil and records the error.
func (f *file) tensor(name string, maxSize int, sizes ...*int) []float32 {
	return f.appendTensor(nil, name, maxSize, sizes...)
}

// appendTensor is tensor, but appends the values to a slice. If it fails, it returns the slice unchanged.
func (f *file) appendTensor(values []float32, name string, maxSize int, sizes ...*int) []float32 {
	t, ok := f.tensors[name]
	if !ok || len(t.Shape) != len(sizes) {
		f.fail("tensor %q is missing or does not have %d dimensions", name, len(sizes))
		return values
	}
	n := 1
	for i, size := range sizes {
		if *size == 0 {
			*size = t.Shape[i]
		}
		if t.Shape[i] != *size || *size < 1 || *size > maxSize {
			f.fail("dimension %d of tensor %q is %d", i, name, t.Shape[i])
			return values
		}
		n *= *size
	}
	from, to := t.Offsets[0], t.Offsets[1]
	wide := map[string]int{"F16": 2, "F32": 4}[t.Dtype]
	if wide == 0 || from < 0 || to < from || to > len(f.data) || to-from != n*wide {
		f.fail("tensor %q has type %q and bytes %d to %d, which does not fit its shape", name, t.Dtype, from, to)
		return values
	}
	delete(f.tensors, name)
	f.used += to - from
	before := len(values)
	values = append(make([]float32, 0, before+n), values...)[:before+n] // slices.Grow always clears what it adds; fresh memory is clear
	if raw, added := f.data[from:to], values[before:]; wide == 2 {
		widen(raw, added)
	} else {
		for i := range added {
			added[i] = math.Float32frombits(binary.LittleEndian.Uint32(raw[4*i:]))
		}
	}
	if largestOf(values[before:]) > math.Float32bits(maxWeight) {
		f.fail("tensor %q has a weight that is not a number or too large", name)
		return values[:before]
	}
	return values
}

// complete records an error if the file has tensors that were not read, which a newer network may need, or if tensors share
// bytes or leave some out.
func (f *file) complete() {
	if len(f.tensors) > 0 {
		f.fail("tensor %q is unknown to this program", slices.Min(slices.Collect(maps.Keys(f.tensors))))
	}
	if f.used != len(f.data) {
		f.fail("its tensors have %d bytes; the file has %d", f.used, len(f.data))
	}
}

// maxWeight is the maximum absolute value of a weight: far above any that training produces.
const maxWeight = 1e4
