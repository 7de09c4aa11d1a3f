package neural

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
)

// Language is a character n-gram model (character model): it gives the probability of each character after the characters
// before it. The model for first readings was built from transcriptions that keep the spelling of their time, so it prefers
// historical spellings to modern ones. A Language is immutable.
//
// It uses interpolated Witten-Bell smoothing: a character that was not seen in a context gets the weight of new characters in
// that context, times its probability in the context without its first character.
//
// A file has the magic bytes, the length of a JSON header as 4 bytes, the header (alphabet, number of nodes of each level), and
// for each level the nodes in order of their context: 2 bytes for the character, 1 byte for its probability, 1 byte for the
// weight of new characters, and 4 bytes for the index of the first child in the level below. All numbers are little-endian.
// Character 0 is the edge of a line, character i is alphabet[i-1].
type Language struct {
	order    int
	alphabet []string
	symbols  map[string]uint16 // by character
	levels   []level           // levels[k] has the n-grams of k+1 characters; those of the last level have no children
	unseen   float64           // log probability of a character that is in no text
}

type level struct {
	symbol      []uint16
	probability []uint8 // log probability, in units of -logUnit
	fallback    []uint8 // logarithm of the weight of new characters after it, in the same units
	first       []uint32
}

const (
	languageMagic = "uncial-ngram-1\n\x00"
	logUnit       = 1.0 / 16 // of a natural logarithm: 255 units are a probability of 1e-7
	maxOrder      = 8
	maxNodes      = 4 << 20 // of a level
	nodeSize      = 8
)

// errLanguage is wrapped by every error about a file that is damaged, or not a character model of this version.
var errLanguage = errors.New("not a usable character model")

// LoadLanguage reads a character model from the content of its file. It does not keep data.
func LoadLanguage(data []byte) (*Language, error) {
	l, err := loadLanguage(data)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errLanguage, err)
	}
	return l, nil
}

// loadLanguage is LoadLanguage without errLanguage in its errors. It checks sizes before it allocates memory for them.
func loadLanguage(data []byte) (*Language, error) {
	if len(data) < len(languageMagic)+4 || string(data[:len(languageMagic)]) != languageMagic {
		return nil, fmt.Errorf("it does not begin with %q", languageMagic)
	}
	data = data[len(languageMagic):]
	length := binary.LittleEndian.Uint32(data)
	data = data[4:]
	if uint64(length) > uint64(len(data)) || length > maxHeader {
		return nil, errors.New("its header is longer than the file or 1 MiB")
	}
	var header struct {
		Alphabet []string `json:"alphabet"`
		Nodes    []int    `json:"nodes"`
	}
	if err := json.Unmarshal(data[:length], &header); err != nil {
		return nil, errors.New("its header is not JSON")
	}
	data = data[length:]
	if n := len(header.Nodes); n < 1 || n > maxOrder || len(header.Alphabet) == 0 || len(header.Alphabet) >= maxClasses {
		return nil, fmt.Errorf("it has %d levels and %d characters; expected 1 to %d and 1 to %d", n, len(header.Alphabet), maxOrder, maxClasses-1)
	}
	l := &Language{order: len(header.Nodes), alphabet: header.Alphabet, unseen: -math.Log(float64(4 * len(header.Alphabet)))}
	l.symbols = make(map[string]uint16, len(l.alphabet))
	for i, c := range l.alphabet {
		l.symbols[c] = uint16(i + 1) // #nosec G115 -- fewer than maxClasses
	}
	for k, n := range header.Nodes {
		if n < 1 || n > maxNodes || n*nodeSize > len(data) {
			return nil, fmt.Errorf("level %d has %d nodes, more than the file holds", k, n)
		}
		level, err := loadLevel(data[:n*nodeSize], header.Nodes[k:], len(header.Alphabet))
		if err != nil {
			return nil, fmt.Errorf("level %d: %w", k, err)
		}
		l.levels, data = append(l.levels, level), data[n*nodeSize:]
	}
	if len(data) != 0 {
		return nil, fmt.Errorf("%d bytes follow its last level", len(data))
	}
	return l, nil
}

// loadLevel reads the nodes of a level. below has the number of its nodes, followed by the numbers of those in the levels
// below.
func loadLevel(data []byte, below []int, characters int) (level, error) {
	n := below[0]
	l := level{make([]uint16, n), make([]uint8, n), make([]uint8, n), make([]uint32, n+1)}
	children := 0
	if len(below) > 1 {
		children = below[1]
	}
	l.first[n] = uint32(children)
	for i := range n {
		node := data[i*nodeSize:]
		l.symbol[i], l.probability[i], l.fallback[i] = binary.LittleEndian.Uint16(node), node[2], node[3]
		l.first[i] = binary.LittleEndian.Uint32(node[4:])
		if int(l.symbol[i]) > characters || int(l.first[i]) > children || i > 0 && l.first[i] < l.first[i-1] {
			return l, fmt.Errorf("node %d is out of order", i)
		}
	}
	return l, nil
}

// context is the position after a text: nodes[k] is the node of its last k characters, in level k-1. Because it keeps all of
// them, looking up the next character takes one search in each level.
type context struct {
	nodes [maxOrder]int32
	n     int // the length of the longest n-gram that was found
}

// begin returns the context at the edge of a line.
func (l *Language) begin() context {
	_, c := l.after(context{}, 0)
	return c
}

// after returns the log probability of a character in a context, and the context after the character. The longest n-gram that
// the model has determines the probability; each longer context, in which the character was not seen, contributes its weight of
// new characters.
func (l *Language) after(c context, symbol uint16) (float64, context) {
	var next context
	logp, fallback, found := 0.0, 0.0, false
	for k := c.n; k >= 0; k-- {
		child := l.child(c, k, symbol)
		if child >= 0 {
			if !found {
				found = true
				logp = fallback - logUnit*float64(l.levels[k].probability[child])
			}
			if k+1 < l.order {
				next.nodes[k+1] = child
				next.n = max(next.n, k+1)
			}
			continue
		}
		if found {
			next.n = 0 // the file has a longer n-gram but not its suffix, because of pruning
		} else if k > 0 {
			fallback -= logUnit * float64(l.levels[k-1].fallback[c.nodes[k]])
		}
	}
	if !found {
		logp = fallback + l.unseen
	}
	return logp, next
}

// child returns the node of the last k characters of a context followed by one more character, or -1 if there is none.
func (l *Language) child(c context, k int, symbol uint16) int32 {
	level := &l.levels[k]
	low, high := 0, len(level.symbol)
	if k > 0 {
		parent := &l.levels[k-1]
		low, high = int(parent.first[c.nodes[k]]), int(parent.first[c.nodes[k]+1])
	}
	end := high
	for low < high {
		middle := (low + high) / 2
		if level.symbol[middle] < symbol {
			low = middle + 1
		} else {
			high = middle
		}
	}
	if low < end && level.symbol[low] == symbol {
		return int32(low)
	}
	return -1
}
