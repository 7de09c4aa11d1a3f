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

// Text is a text for counting, with line breaks between its lines. Each line counts Weight times; Weight must be at least 1.
type Text struct {
	Lines  io.Reader
	Weight int
}

// Counting determines which n-grams of the texts a character model keeps.
type Counting struct {
	// Order is the length of the longest n-grams, at most 8.
	Order int
	// MinGain is the minimum by which an n-gram of three characters or more must change the log likelihood of all texts.
	// Those with less are left out, unless longer n-grams that are kept begin with them.
	MinGain float64
}

// CountLanguage counts the character n-grams of texts and returns the content of the file of a Language. A character that is
// not in the alphabet divides a line into two.
func CountLanguage(texts []Text, alphabet []string, o Counting) ([]byte, error) {
	if o.Order < 1 || o.Order > maxOrder || len(alphabet) == 0 || len(alphabet) >= maxClasses {
		return nil, fmt.Errorf("the order must be 1 to %d, and the alphabet must have 1 to %d characters", maxOrder, maxClasses-1)
	}
	c := counter{order: o.Order, counts: make([]map[string]int, o.Order), unseen: 1 / float64(4*len(alphabet)), probabilities: map[string]float64{}}
	for k := range c.counts {
		c.counts[k] = map[string]int{}
	}
	ids := map[string]uint16{}
	for i, a := range alphabet {
		ids[a] = uint16(i + 1)
	}
	for _, t := range texts {
		if t.Weight < 1 {
			return nil, fmt.Errorf("invalid weight %d of a text; it must be at least 1", t.Weight)
		}
		all, err := io.ReadAll(t.Lines)
		if err != nil {
			return nil, err
		}
		for line := range strings.Lines(string(all)) {
			c.line(strings.TrimRight(line, "\n"), ids, t.Weight)
		}
	}
	if len(c.counts[0]) == 0 {
		return nil, errors.New("no line has a character of the alphabet")
	}
	return c.file(alphabet, o.MinGain)
}

// counter counts n-grams by their length.
type counter struct {
	order         int
	counts        []map[string]int   // counts[k] has the n-grams of k+1 characters; a key has 2 bytes for each character
	unseen        float64            // the probability of a character that is in no text
	probabilities map[string]float64 // of the last character of each n-gram, given the others
}

const prunedFrom = 3 // minimum characters of an n-gram that may be left out; there are few shorter ones

// line counts each n-gram of a line the given number of times. The edges of the line are character 0.
func (c *counter) line(text string, ids map[string]uint16, times int) {
	key := []byte{0, 0}
	flush := func() {
		key = append(key, 0, 0)
		for end := 4; end <= len(key) && len(key) > 4; end += 2 {
			for k := 1; k <= c.order && 2*k <= end; k++ {
				c.counts[k-1][string(key[end-2*k:end])] += times
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

// file returns the content of the character model's file.
func (c *counter) file(alphabet []string, minGain float64) ([]byte, error) {
	levels := make([][]node, c.order)
	for k := range levels {
		levels[k] = c.level(k)
	}
	levels = c.pruned(levels, minGain)
	sizes := make([]int, len(levels))
	for k := range levels {
		sizes[k] = len(levels[k])
		if k > 0 {
			c.setFallbacks(levels[k-1], levels[k])
		}
	}
	header, err := json.Marshal(map[string]any{"alphabet": alphabet, "nodes": sizes})
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	out.WriteString(languageMagic)
	out.Write(binary.LittleEndian.AppendUint32(nil, uint32(len(header))))
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

// pruned returns the levels without the n-grams that change the likelihood of the texts too little, and without empty levels.
// It keeps the beginnings of all n-grams that it keeps, because in the file, nodes are children of those of the level above.
func (c *counter) pruned(levels [][]node, minGain float64) [][]node {
	needed := map[string]bool{}
	for k := len(levels) - 1; k >= 0; k-- {
		begun := map[string]bool{}
		levels[k] = slices.DeleteFunc(levels[k], func(n node) bool {
			gain := float64(c.counts[k][n.key]) * math.Abs(math.Log(n.probability/c.shorter(n.key)))
			drop := k+1 >= prunedFrom && gain < minGain && !needed[n.key]
			if !drop {
				begun[n.key[:2*k]] = true
			}
			return drop
		})
		needed = begun
	}
	for len(levels[len(levels)-1]) == 0 {
		levels = levels[:len(levels)-1]
	}
	return levels
}

// shorter returns the probability of the last character of an n-gram, given the others except the first.
func (c *counter) shorter(key string) float64 {
	if p, ok := c.probabilities[key[2:]]; ok {
		return p
	}
	return c.unseen
}

// units returns a probability in the form of the file: its negative logarithm in units of logUnit.
func units(p float64) byte {
	return byte(min(math.Round(-math.Log(max(p, minProbability))/logUnit), 255))
}

// level returns the n-grams of k+1 characters, sorted, and records their probabilities.
func (c *counter) level(k int) []node {
	total, kinds := map[string]int{}, map[string]int{}
	for key, n := range c.counts[k] {
		context := key[:2*k]
		total[context] += n
		kinds[context]++
	}
	var all []node
	for key, n := range c.counts[k] {
		context := key[:2*k]
		p := (float64(n) + float64(kinds[context])*c.shorter(key)) / float64(total[context]+kinds[context])
		c.probabilities[key] = p
		all = append(all, node{key: key, probability: p, fallback: 1})
	}
	slices.SortFunc(all, func(a, b node) int { return cmp.Compare(a.key, b.key) })
	return all
}

// setFallbacks sets the fallback of each context: the weight of the characters that it has not seen, so that its probabilities
// add up to 1.
func (c *counter) setFallbacks(contexts, kept []node) {
	seen, below := map[string]float64{}, map[string]float64{}
	for _, n := range kept {
		context := n.key[:len(n.key)-2]
		seen[context] += n.probability
		below[context] += c.shorter(n.key)
	}
	const minRest = 1e-6 // minimum of what is left of the probabilities, so that no division is by 0
	for i := range contexts {
		key := contexts[i].key
		contexts[i].fallback = min(max(1-seen[key], minRest)/max(1-below[key], minRest), 1)
	}
}
