package neural

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
)

// CountLanguage counts the n-grams of up to order characters, at most 8, in lines of text and returns the file of a Language.
// A character that the alphabet lacks ends a line and begins another. n-grams of four characters and more that occur only
// once are left out: they help little, and would be most of the file.
func CountLanguage(lines io.Reader, alphabet []string, order int) ([]byte, error) {
	if order < 1 || order > maxOrder || len(alphabet) == 0 || len(alphabet) >= maxClasses {
		return nil, fmt.Errorf("an order of 1 to %d and an alphabet of at most %d characters can be counted", maxOrder, maxClasses-1)
	}
	text, err := io.ReadAll(lines)
	if err != nil {
		return nil, err
	}
	c := counter{order: order, counts: make([]map[string]int, order)}
	for k := range c.counts {
		c.counts[k] = map[string]int{}
	}
	ids := map[string]uint16{}
	for i, a := range alphabet {
		ids[a] = uint16(i + 1)
	}
	for line := range strings.Lines(string(text)) {
		c.line(strings.TrimRight(line, "\n"), ids)
	}
	if len(c.counts[0]) == 0 {
		return nil, errors.New("the lines have no character of the alphabet")
	}
	return c.file(alphabet)
}

// counter holds the counts of n-grams by their length.
type counter struct {
	order  int
	counts []map[string]int // by length less one; a key has 2 bytes for each character
}

const rareFrom, rareCount = 4, 1 // n-grams of rareFrom characters and more are left out if they occur at most rareCount times

// line counts the n-grams of a line; its edges are character 0.
func (c *counter) line(text string, ids map[string]uint16) {
	key := []byte{0, 0}
	flush := func() {
		key = append(key, 0, 0)
		for end := 4; end <= len(key) && len(key) > 4; end += 2 {
			for k := 1; k <= c.order && 2*k <= end; k++ {
				c.counts[k-1][string(key[end-2*k:end])]++
			}
		}
		key = append(key[:0], 0, 0)
	}
	for _, r := range text {
		id, ok := ids[string(r)]
		if !ok {
			flush()
			continue
		}
		key = binary.BigEndian.AppendUint16(key, id)
	}
	flush()
}

// node is an n-gram that is kept.
type node struct {
	key         string
	probability float64
	fallback    float64
}

// file writes the levels.
func (c *counter) file(alphabet []string) ([]byte, error) {
	probabilities := map[string]float64{}
	levels := make([][]node, c.order)
	for k := range c.order {
		kept := c.level(k, probabilities, 1/float64(4*len(alphabet)))
		if len(kept) == 0 {
			levels = levels[:k]
			break
		}
		levels[k] = kept
	}
	sizes := make([]int, len(levels))
	for k := range levels {
		sizes[k] = len(levels[k])
		if k > 0 {
			weigh(levels[k-1], levels[k], probabilities, 1/float64(4*len(alphabet)))
		}
	}
	header, err := json.Marshal(map[string]any{"alphabet": alphabet, "nodes": sizes})
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	out.WriteString(languageMagic)
	binary.Write(&out, binary.LittleEndian, uint32(len(header))) //nolint:errcheck // a bytes.Buffer takes everything
	out.Write(header)
	for k, level := range levels {
		first := 0
		for _, n := range level {
			if k+1 < len(levels) {
				for first < len(levels[k+1]) && levels[k+1][first].key < n.key {
					first++
				}
			}
			out.Write(binary.LittleEndian.AppendUint16(nil, binary.BigEndian.Uint16([]byte(n.key[len(n.key)-2:]))))
			out.Write([]byte{units(n.probability), units(n.fallback)})
			out.Write(binary.LittleEndian.AppendUint32(nil, uint32(first)))
		}
	}
	return out.Bytes(), nil
}

// units is a probability as the file has it.
func units(p float64) byte { return byte(min(math.Round(-math.Log(max(p, 1e-9))/logUnit), 255)) }

// level is the kept n-grams of k+1 characters in order, with their probabilities; it adds these, and those of n-grams that
// are not kept too, to the map.
func (c *counter) level(k int, probabilities map[string]float64, unseen float64) []node {
	total, kinds := map[string]int{}, map[string]int{}
	for key, n := range c.counts[k] {
		context := key[:2*k]
		total[context] += n
		kinds[context]++
	}
	var kept []node
	for key, n := range c.counts[k] {
		context := key[:2*k]
		shorter, ok := probabilities[key[min(2, len(key)):]]
		if k == 0 || !ok {
			shorter = unseen
		}
		p := (float64(n) + float64(kinds[context])*shorter) / float64(total[context]+kinds[context])
		probabilities[key] = p
		if k+1 < rareFrom || n > rareCount {
			kept = append(kept, node{key: key, probability: p, fallback: 1})
		}
	}
	slices.SortFunc(kept, func(a, b node) int { return cmp.Compare(a.key, b.key) })
	return kept
}

// weigh gives each context the weight of the characters that it lacks, so that its probabilities add up to 1.
func weigh(contexts, kept []node, probabilities map[string]float64, unseen float64) {
	seen, below := map[string]float64{}, map[string]float64{}
	for _, n := range kept {
		context := n.key[:len(n.key)-2]
		shorter, ok := probabilities[n.key[2:]]
		if !ok {
			shorter = unseen
		}
		seen[context] += n.probability
		below[context] += shorter
	}
	for i := range contexts {
		key := contexts[i].key
		contexts[i].fallback = min(max(1-seen[key], 1e-6)/max(1-below[key], 1e-6), 1)
	}
}
