package accuracy

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"unicode"
)

// TrueLine is a line of the ground truth with its place on the page.
type TrueLine struct {
	Text    string  `json:"text"`
	Polygon Polygon `json:"polygon"`
}

// Lines returns the true lines of pages by page id, from the folder's lines.json. Pages whose lines are not known have no
// entry.
func (f *Folder) Lines() (map[string][]TrueLine, error) {
	const name = "lines.json"
	data, err := f.root.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("places of lines: %w", err)
	}
	var pages map[string]struct {
		Lines []TrueLine `json:"lines"`
	}
	if err := json.Unmarshal(data, &pages); err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Join(f.root.Name(), name), err)
	}
	out := map[string][]TrueLine{}
	for id, p := range pages {
		out[id] = p.Lines
	}
	return out, nil
}

// LineScore tells how well the lines of a page were found. It counts characters of true lines, without spaces.
type LineScore struct {
	// Characters is the sum of the four others.
	Characters int `json:"characters"`
	// OneToOne counts those in lines that were found as they are: true and found line are each other's best match, and the area
	// that both share is at least half of the area that they cover together.
	OneToOne int `json:"oneToOne"`
	// Merged counts those in lines that share a found line with another true line: most of both lies in it.
	Merged int `json:"merged"`
	// Split counts those in lines that two or more found lines together cover for the most part.
	Split int `json:"split"`
	// Missed counts those in all other lines.
	Missed int `json:"missed"`
	// True and Found are the numbers of lines.
	True  int `json:"true"`
	Found int `json:"found"`
}

// majority is the minimum share of an area that counts as most of it.
const majority = 0.5

// CompareLines scores the lines found on a page against the true ones. Both have their places in pixels of the same image.
func CompareLines(truth []TrueLine, found []Polygon) LineScore {
	t := newOverlaps(truth, found)
	score := LineScore{True: len(truth), Found: len(found)}
	for i, line := range truth {
		n := 0
		for _, r := range line.Text {
			if !unicode.IsSpace(r) {
				n++
			}
		}
		score.Characters += n
		switch {
		case t.isMatched(i):
			score.OneToOne += n
		case t.isMerged(i):
			score.Merged += n
		case t.isSplit(i):
			score.Split += n
		default:
			score.Missed += n
		}
	}
	return score
}

// Plus returns the score of two pages, or sets of pages, together.
func (s LineScore) Plus(o LineScore) LineScore {
	return LineScore{
		s.Characters + o.Characters, s.OneToOne + o.OneToOne, s.Merged + o.Merged, s.Split + o.Split, s.Missed + o.Missed,
		s.True + o.True, s.Found + o.Found,
	}
}

// overlaps are the areas that true and found lines share.
type overlaps struct {
	truth, found []int   // the areas of the lines
	shared       [][]int // by true line, then found line
}

// newOverlaps measures each pair of a true and a found line.
func newOverlaps(truth []TrueLine, found []Polygon) overlaps {
	t := overlaps{shared: make([][]int, len(truth))}
	spans := make([]spans, len(found))
	for j, f := range found {
		spans[j] = f.spans()
		t.found = append(t.found, spans[j].area())
	}
	for i, line := range truth {
		s := line.Polygon.spans()
		t.truth = append(t.truth, s.area())
		t.shared[i] = make([]int, len(found))
		for j := range found {
			t.shared[i][j] = s.shared(spans[j])
		}
	}
	return t
}

// likeness is the area that both lines share, as a share of the area that they cover together.
func (t overlaps) likeness(i, j int) float64 {
	return float64(t.shared[i][j]) / float64(max(t.truth[i]+t.found[j]-t.shared[i][j], 1))
}

// isMatched reports whether true line i and some found line are each other's best match, with a likeness of at least majority.
func (t overlaps) isMatched(i int) bool {
	best := -1
	for j := range t.found {
		if best < 0 || t.likeness(i, j) > t.likeness(i, best) {
			best = j
		}
	}
	if best < 0 || t.likeness(i, best) < majority {
		return false
	}
	for k := range t.truth {
		if t.likeness(k, best) > t.likeness(i, best) {
			return false
		}
	}
	return true
}

// holds reports whether found line j contains most of true line i.
func (t overlaps) holds(j, i int) bool {
	return float64(t.shared[i][j]) >= majority*float64(max(t.truth[i], 1))
}

// isMerged reports whether a found line contains most of true line i and most of another one.
func (t overlaps) isMerged(i int) bool {
	for j := range t.found {
		for k := range t.truth {
			if k != i && t.holds(j, i) && t.holds(j, k) {
				return true
			}
		}
	}
	return false
}

// isSplit reports whether line i of the ground truth was found as several lines that together cover most of it.
func (t overlaps) isSplit(i int) bool {
	parts, covered := 0, 0
	for j, area := range t.found {
		if shared := t.shared[i][j]; shared > 0 && float64(shared) >= majority*float64(area) {
			parts++
			covered += shared
		}
	}
	return parts > 1 && float64(covered) >= majority*float64(t.truth[i])
}
