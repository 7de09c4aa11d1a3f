// Package report says how well the pages of a volume were read: which were not, and where the others are weak, worst first. It
// is written as JSON for programs and as HTML, with pictures, for people who proofread. Start with New.
package report

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"uncial/gen"
	"uncial/impl/volume"
)

// Report is the report about a volume.
type Report struct {
	Title   string    `json:"title"`
	Created time.Time `json:"created"`
	// Summary is the last line that the command prints.
	Summary string `json:"summary"`
	// States counts the pages in each state.
	States map[volume.State]int `json:"states"`
	// Pages are ordered: those that were not read, then the others by confidence, lowest first.
	Pages []Page `json:"pages"`
}

// Page is a page in the report.
type Page struct {
	Position int          `json:"position"`
	Label    string       `json:"label"`
	Source   string       `json:"source"`
	State    volume.State `json:"state"`
	Reason   string       `json:"reason,omitempty"`
	// Confidence is nil unless the page has text.
	Confidence *float64 `json:"confidence,omitempty"`
	Language   string   `json:"language,omitempty"`
	Files      []string `json:"files,omitempty"`
	// Weak are the places to check first, worst first, with boxes in pixels of the upright page.
	Weak []gen.WeakPlace `json:"weak,omitempty"`

	page *volume.Page
}

// New gathers the report about a volume; summary becomes Report.Summary. It fails if the stored answer to a page is damaged,
// and names the page.
func New(v *volume.Volume, summary string, now time.Time) (*Report, error) {
	r := &Report{Title: v.Title, Created: now.UTC().Truncate(time.Second), Summary: summary, States: map[volume.State]int{}}
	for _, from := range v.Pages {
		p := Page{Position: from.Position, Label: from.Label, Source: from.Source, State: from.State, Reason: from.Reason, page: from}
		r.States[p.State]++
		if p.State.IsRead() {
			answer, err := from.Answer()
			if err != nil {
				return nil, fmt.Errorf("%s: %w", from.Source, err)
			}
			if p.State == volume.Read {
				p.Confidence = &answer.Confidence
			}
			if answer.Language != nil {
				p.Language = *answer.Language
			}
			if answer.Weak != nil {
				p.Weak = *answer.Weak
			}
			p.Files = slices.Sorted(maps.Values(from.Files))
		}
		r.Pages = append(r.Pages, p)
	}
	slices.SortStableFunc(r.Pages, func(a, b Page) int { return cmp.Compare(a.rank(), b.rank()) })
	return r, nil
}

// rank orders pages: those that were not read first, then by confidence. Empty pages come last: most show nothing.
func (p *Page) rank() float64 {
	switch {
	case p.Confidence != nil:
		return *p.Confidence
	case p.State == volume.Empty:
		return 2
	}
	return -1
}

// WriteJSON writes the report as indented JSON with a line feed at the end. Errors: those of to.
func (r *Report) WriteJSON(to io.Writer) error {
	encoder := json.NewEncoder(to)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(r)
}

const (
	// htmlTitle is in the title of each HTML report.
	htmlTitle = ": reading report</title>"
	// beginning is the length of the part of a report that tells it from other files, in bytes. It has the title of the volume.
	beginning = 64 << 10
)

// jsonKeys are the first keys of each JSON report, in their order.
var jsonKeys = []string{"title", "created", "summary", "states"}

// MayReplace reports whether a report may be written to path: there is no file, or a report of an earlier run.
func MayReplace(path string) bool {
	file, err := os.Open(filepath.Clean(path))
	if err != nil {
		return errors.Is(err, fs.ErrNotExist)
	}
	defer func() { _ = file.Close() }()
	begin, err := io.ReadAll(io.LimitReader(file, beginning))
	return err == nil && (bytes.Contains(begin, []byte(htmlTitle)) || isJSON(begin))
}

// isJSON reports whether a file that begins like this is a JSON report.
func isJSON(begin []byte) bool {
	tokens := json.NewDecoder(bytes.NewReader(begin))
	if start, err := tokens.Token(); err != nil || start != json.Delim('{') {
		return false
	}
	for _, key := range jsonKeys {
		if got, err := tokens.Token(); err != nil || got != key {
			return false
		}
		if value, err := tokens.Token(); err != nil || (key == "states") != (value == json.Delim('{')) {
			return false
		}
	}
	return true
}
