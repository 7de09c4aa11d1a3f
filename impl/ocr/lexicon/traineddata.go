package lexicon

import (
	"encoding/binary"
	"errors"
	"math/bits"
	"strconv"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// The components of a traineddata file that make up its word list, by their index (Tesseract 4 and 5, enum TessdataType).
const (
	wordDAWG   = 19 // "lstm-word-dawg"
	unicharset = 21 // "lstm-unicharset"
)

// maxComponents is the maximum number of components of a traineddata file. Tesseract 5 has 24.
const maxComponents = 64

// errNoComponent means that a traineddata file is valid but does not have the component.
var errNoComponent = errors.New("the model lacks a component")

// HeaderSize is the size of the longest header that Offsets reads.
const HeaderSize = 4 + 8*maxComponents // bytes

// Offsets returns the offset of each component of a traineddata file, -1 for one that it does not have. It needs the beginning
// of the file (HeaderSize bytes, or all of a shorter file) and the size of the whole file. The file has the number of
// components, their offsets, and the components, each of which ends at the next greater offset. It returns an error if
// the header is damaged, or if the file is too short for it.
func Offsets(header []byte, size int64) ([]int64, error) {
	if len(header) < 4 {
		return nil, errors.New("the traineddata file is shorter than four bytes")
	}
	n := int(binary.LittleEndian.Uint32(header))
	if n <= 0 || n > maxComponents || len(header) < 4+8*n {
		return nil, errors.New("not a little-endian traineddata file")
	}
	offsets := make([]int64, n)
	for i := range offsets {
		offsets[i] = int64(binary.LittleEndian.Uint64(header[4+8*i:])) // #nosec G115 -- signed there
		if offsets[i] > size {
			return nil, errors.New("a component of the traineddata file is outside the file")
		}
	}
	return offsets, nil
}

// component returns one component of a traineddata file, without copying it.
func component(data []byte, index int) ([]byte, error) {
	offsets, err := Offsets(data, int64(len(data)))
	if err != nil {
		return nil, err
	}
	if index >= len(offsets) || offsets[index] < 0 {
		return nil, errNoComponent
	}
	start, end := offsets[index], int64(len(data))
	for _, o := range offsets {
		if o > start {
			end = min(end, o)
		}
	}
	return data[start:end], nil
}

// parseUnicharset returns the characters of each id. The component is text: the number of ids, then one line for each id, which
// begins with its characters; "NULL" stands for a space.
func parseUnicharset(data []byte) ([]string, error) {
	lines := strings.Split(string(data), "\n")
	n, err := strconv.Atoi(strings.TrimSpace(lines[0]))
	if err != nil || n < 1 || n >= len(lines) {
		return nil, errors.New("not a character set")
	}
	letters := make([]string, n)
	for i := range letters {
		letters[i], _, _ = strings.Cut(lines[i+1], " ")
		if letters[i] == "NULL" {
			letters[i] = " "
		}
	}
	return letters, nil
}

// Alphabet is the set of characters that a model can output.
type Alphabet map[rune]bool

// ReadAlphabet returns the alphabet in the content of a traineddata file, in composed form (NFC) like recognized text.
func ReadAlphabet(traineddata []byte) (Alphabet, error) {
	set, err := component(traineddata, unicharset)
	if err != nil {
		return nil, err
	}
	letters, err := parseUnicharset(set)
	if err != nil {
		return nil, err
	}
	a := Alphabet{}
	for _, l := range letters {
		for _, r := range norm.NFC.String(l) {
			a[r] = true
		}
	}
	return a, nil
}

// The format of a word graph, as Tesseract's SquishedDawg writes it.
const (
	dawgMagic  = 42
	dawgHeader = 2 + 4 + 4 // bytes: magic number, size of the character set, number of edges
	flagBits   = 3
	flagLast   = 1 // the node's last edge
	flagEnd    = 4 // a word may end here
)

// parseDAWG parses a word graph: the header, and then the edges in 64 bits each. From the low bits up, an edge has the letter,
// three flags, and the edge at which the next node begins. A node consists of the edges from there to the next one with
// flagLast; the root begins at edge 0. parseDAWG checks that every edge leads into the graph, so that following edges cannot
// panic.
func parseDAWG(data []byte) (*graph, error) {
	if len(data) < dawgHeader || binary.LittleEndian.Uint16(data) != dawgMagic {
		return nil, errors.New("not a word graph")
	}
	letters := binary.LittleEndian.Uint32(data[2:])
	n := binary.LittleEndian.Uint32(data[6:])
	if letters == 0 || letters > maxLetters || uint64(len(data)-dawgHeader) < 8*uint64(n) {
		return nil, errors.New("damaged word graph")
	}
	letterBits := bits.Len32(letters) // the same as ceil(log2(letters + 1))
	g := &graph{next: make([]uint32, n), label: make([]uint16, n)}
	for i := range g.next {
		e := binary.LittleEndian.Uint64(data[dawgHeader+8*i:])
		flags := e >> letterBits & (1<<flagBits - 1)
		next := e >> (letterBits + flagBits)
		if next >= uint64(n) {
			return nil, errors.New("damaged word graph: an edge leads out of it")
		}
		g.next[i] = uint32(next)                                        // #nosec G115 -- less than n
		g.label[i] = uint16(e&(1<<letterBits-1)) << 2                   // #nosec G115 -- letterBits is at most 14
		g.label[i] |= uint16(flags&flagLast) | uint16(flags&flagEnd)>>1 // #nosec G115 -- three bits
	}
	return g, nil
}
