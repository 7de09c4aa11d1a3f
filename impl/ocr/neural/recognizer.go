package neural

import (
	"image"
	"math"
	"slices"

	"uncial/internal/document"
	transcript "uncial/internal/text"
)

// Word is one word of a line, with its characters in order.
type Word struct {
	Text       string          // of its characters, without entities
	Box        image.Rectangle // in pixels of the line's image
	Confidence float64         // geometric mean of its characters' probabilities, 0 to 1; not calibrated
	Characters []Character
	Signals    *document.Signals // nil without a character model
}

// Character is one character of a word.
type Character struct {
	Text string
	Prob float64 // the network's probability, 0 to 1
	X    int     // column of the line's image where its probability is highest

	class, step int
}

// Recognizer reads lines with a model. It must not be used by several goroutines at once; a worker that reads with several
// threads has one for each.
type Recognizer struct {
	net   *network
	guide guide
	ink   []float32
}

// NewRecognizer returns a recognizer with the fastest kernels of this processor. The character model decides between readings
// that the network finds about equally likely. If it is nil, the recognizer reads each step of the line separately.
func NewRecognizer(m *Model, l *Language) *Recognizer {
	return newRecognizer(m, l, available()[0])
}

func newRecognizer(m *Model, l *Language, k kernels) *Recognizer {
	return &Recognizer{net: newNetwork(m, k), guide: newGuide(m, l, languageWeight)}
}

// newGuide returns the guide of a search with character model l, which may be nil.
func newGuide(m *Model, l *Language, weight float64) guide {
	g := guide{language: l, weight: weight, width: beamWidth, space: int32(slices.Index(m.info.Alphabet, " ")) + 1}
	if l != nil {
		g.symbols = make([]uint16, len(m.info.Alphabet)+1)
		for i, c := range m.info.Alphabet {
			g.symbols[i+1] = uint16(len(l.alphabet) + 1) // a symbol that the character model has never seen
			if symbol, ok := l.symbols[c]; ok {
				g.symbols[i+1] = symbol
			}
		}
	}
	return g
}

// maxLineWidth is the maximum width of a line's image in pixels. At a height of 48 pixels, such a line has about 1,000
// characters.
const maxLineWidth = 16_000

// Read reads the image of one line: dark ink on light paper, 48 pixels high, at most maxLineWidth wide. It returns nil if the
// image has another height or is wider, or if nothing is written on it. The words are in order, and their boxes do not overlap.
func (r *Recognizer) Read(line *image.Gray) []Word {
	rows, steps := r.score(line)
	return r.words(r.guide, rows, steps, line)
}

// score returns the scores of a line. If the line has the wrong size, it returns 0 steps.
func (r *Recognizer) score(line *image.Gray) (rows []float32, steps int) {
	size := line.Rect.Size()
	if size.Y != lineHeight || size.X < 1 || size.X > maxLineWidth {
		return nil, 0
	}
	r.ink = inkOf(line, r.ink)
	return r.net.scores(r.ink, size.X)
}

// words returns the words of a line with these scores.
func (r *Recognizer) words(g guide, rows []float32, steps int, line *image.Gray) []Word {
	if steps == 0 {
		return nil
	}
	found := r.net.best(rows, steps)
	if len(found) == 0 || g.language == nil {
		columns := columnInk(r.ink, line.Rect.Dx())
		return words(withSpaces(found, columns), r.ink, columns)
	}
	return r.placed(r.net.search(g, rows, steps), rows, steps, line)
}

// placed returns the words of texts[0], which must be the likeliest text, with boxes and signals. r.ink must be the ink of the
// line.
func (r *Recognizer) placed(texts []text, rows []float32, steps int, line *image.Gray) []Word {
	out := words(r.net.align(texts[0].classes, rows, steps), r.ink, columnInk(r.ink, line.Rect.Dx()))
	r.addSignals(out, rows, steps)
	r.net.addOthers(out, texts)
	return out
}

// inkOf returns the amount of ink of each pixel, 0 to 1, in buffer, which it replaces if it is too small.
func inkOf(line *image.Gray, buffer []float32) []float32 {
	levels := inkLevels(line)
	w, h := line.Rect.Dx(), line.Rect.Dy()
	buffer = grow(buffer, w*h)
	for y := range h {
		for x, v := range line.Pix[y*line.Stride : y*line.Stride+w] {
			buffer[y*w+x] = float32(float64(levels[v]) / 255)
		}
	}
	return buffer
}

// Ink returns the amount of ink of each pixel of a line, row after row, from 0 for paper to 255, in the same way as Read
// computes it. Training uses lines in this form.
func Ink(line *image.Gray) []byte {
	levels := inkLevels(line)
	w, h := line.Rect.Dx(), line.Rect.Dy()
	out := make([]byte, 0, w*h)
	for y := range h {
		for _, v := range line.Pix[y*line.Stride : y*line.Stride+w] {
			out = append(out, levels[v])
		}
	}
	return out
}

// inkLevels returns the amount of ink for each grey, relative to the contrast of the line: the grey of the paper is the upper
// quartile of its pixels, and the grey of the ink that of the darkest 1.5 %.
func inkLevels(line *image.Gray) (levels [256]uint8) {
	const paperShare, inkShare, minContrast = 0.75, 0.015, 30
	w, h := line.Rect.Dx(), line.Rect.Dy()
	var counts [256]int
	for y := range h {
		for _, v := range line.Pix[y*line.Stride : y*line.Stride+w] {
			counts[v]++
		}
	}
	paper, dark := quantile(&counts, w*h, paperShare), quantile(&counts, w*h, inkShare)
	factor := 255 / max(paper-dark, minContrast)
	for v := range levels {
		levels[v] = uint8(min(max((paper-float64(v))*factor, 0), 255))
	}
	return levels
}

// quantile returns the quantile of n pixels, of which counts has the number of each grey, interpolated between neighbouring
// ranks.
func quantile(counts *[256]int, n int, share float64) float64 {
	at := float64(n-1) * share
	value := func(rank int) int {
		seen := 0
		for v, c := range counts {
			if seen += c; seen > rank {
				return v
			}
		}
		return 255
	}
	low := value(int(at))
	high := value(min(int(at)+1, n-1))
	return float64(low) + float64(high-low)*(at-math.Floor(at))
}

// best returns the likeliest class of each step, without repeats and blanks (the best path of CTC).
func (n *network) best(rows []float32, steps int) []Character {
	var out []Character
	before, run := 0, float32(0)
	for t := range steps {
		row := rows[t*n.out.stride : t*n.out.stride+n.out.classes]
		class := 0
		for i, v := range row {
			if v > row[class] {
				class = i
			}
		}
		switch {
		case class == 0:
		case class != before:
			out = append(out, Character{})
			run = float32(math.Inf(-1))
			fallthrough
		default:
			if row[class] > run { // the step at which the network is surest
				run = row[class]
				out[len(out)-1] = n.character(row, class, t)
			}
		}
		before = class
	}
	return out
}

// character returns the character of a class at a step.
func (n *network) character(row []float32, class, t int) Character {
	return Character{Text: n.info.Alphabet[class-1], Prob: math.Exp(float64(row[class])), X: t*step + step/2 - margin, class: class, step: t}
}

// words divides characters into words at spaces. The step at which the network is surest of a letter is on the letter, but that
// of a space is only near the space. So the boundary of two words is at the widest gap in the ink between their outer
// characters. columns is the result of columnInk.
func words(all []Character, ink, columns []float32) []Word {
	width := len(columns)
	var out []Word
	from := 0 // the first column of the word
	for len(all) > 0 && from < width {
		n := slices.IndexFunc(all, func(c Character) bool { return c.Text == " " })
		if n == 0 {
			all = all[1:]
			continue
		}
		word, rest := all, []Character(nil)
		if n > 0 {
			word, rest = all[:n], all[n+1:]
		}
		to, next := width, width
		if len(rest) > 0 {
			to, next = gap(columns, word[len(word)-1].X, rest[0].X)
			to = max(to, from+1)
			next = max(next, to)
		}
		out = append(out, newWord(word, ink, columns, from, to, width))
		all, from = rest, next
	}
	return out
}

// columnInk returns how much more ink than grain each column of an image has.
func columnInk(ink []float32, width int) []float32 {
	// The lightest columns, a share of blankShare, are taken for blank paper. Grain is darker by up to a factor of darker, and
	// never as dark as mostGrain: without blank columns, the lightest ones have strokes.
	const blankShare, darker, mostGrain = 0.05, 1.5, 2.5
	sums := make([]float32, width)
	for i, v := range ink {
		sums[i%width] += v
	}
	grain := min(darker*slices.Sorted(slices.Values(sums))[int(blankShare*float64(width))], mostGrain)
	for x := range sums {
		sums[x] = max(sums[x]-grain, 0)
	}
	return sums
}

// gap returns where the word of a character ends, and where that of the next character begins: in the middle of the widest run
// of columns without strokes between them, up to halfGap from there so that the boxes of words on grainy paper do not touch. If
// there is no such run, halfCut columns on either side of the one with the least ink are between the words.
func gap(columns []float32, left, right int) (end, begin int) {
	const halfGap, halfCut = 4, 2
	left, right = min(max(left, 0), len(columns)-1), min(max(right, 0), len(columns)-1)
	if right <= left {
		return left, left
	}
	if from, to := widestBlank(columns, left, right); to > from {
		middle := (from + to) / 2
		return max(middle-halfGap, from), min(middle+halfGap, to)
	}
	lightest := left
	for x := left; x <= right; x++ {
		if columns[x] < columns[lightest] {
			lightest = x
		}
	}
	return max(lightest-halfCut, left), min(lightest+halfCut, right)
}

// widestBlank returns the widest run of columns without strokes from left to right. The run is empty if all columns have
// strokes.
func widestBlank(columns []float32, left, right int) (from, to int) {
	const paper = 0.6 // maximum ink in a column without a stroke, from grain and the blur of strokes next to it
	start := -1
	for x := left; x <= right; x++ {
		if x < right && columns[x] < paper {
			if start < 0 {
				start = x
			}
			continue
		}
		if start >= 0 && x-start > to-from {
			from, to = start, x
		}
		start = -1
	}
	return from, to
}

// withSpaces returns the characters of a line with a space in each blank that is too wide to be within a word, such as that
// between the cells of a table: the network was not trained on such lines, and often reads no space there.
func withSpaces(all []Character, columns []float32) []Character {
	const widestInWord = 64 // pixels
	var out []Character
	before := Character{Text: " "}
	for _, c := range all {
		if c.Text != " " && before.Text != " " {
			if from, to := widestBlank(columns, max(before.X, 0), min(c.X, len(columns)-1)); to-from > widestInWord {
				out = append(out, Character{Text: " "})
			}
		}
		out, before = append(out, c), c
	}
	return out
}

// newWord returns the word of characters. Its box encloses the ink between the columns from and to, or everything between them
// if there is no ink.
func newWord(characters []Character, ink, columns []float32, from, to, width int) Word {
	const stroke = 0.35 // minimum ink of a pixel that belongs to a stroke
	w := Word{Characters: slices.Clone(characters)}
	sum := 0.0
	for _, c := range characters {
		w.Text += c.Text
		sum += math.Log(max(c.Prob, minProbability))
	}
	w.Text = transcript.WithoutEntities(w.Text)
	w.Confidence = math.Exp(sum / float64(len(characters)))
	for from < to-1 && columns[from] < stroke {
		from++
	}
	for to > from+1 && columns[to-1] < stroke {
		to--
	}
	top, bottom := lineHeight, 0
	for y := range lineHeight {
		for _, v := range ink[y*width+from : y*width+to] {
			if v >= stroke {
				top, bottom = min(top, y), y+1
				break
			}
		}
	}
	if top >= bottom {
		top, bottom = 0, lineHeight
	}
	w.Box = image.Rect(from, top, to, bottom)
	return w
}
