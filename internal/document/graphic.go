package document

// Graphic is a region of a page that is not text.
type Graphic struct {
	Box  Box         `json:"box"`
	Kind GraphicKind `json:"kind"`
}

// GraphicKind says what a Graphic shows.
type GraphicKind string

// A recognizer reports no other kinds. Each is a region without text in ALTO, PAGE-XML and hOCR.
const (
	// Illustration is a woodcut, an engraving, a photograph or a large ornament.
	Illustration GraphicKind = "illustration"
	// Music is a staff with its notes. Text between staves is not part of it.
	Music GraphicKind = "music"
)

// MaxGraphics is the maximum number of graphics on a page, more than a page of music has staves.
const MaxGraphics = 100

// IsKnown reports whether the kind is one of this package.
func (k GraphicKind) IsKnown() bool { return k == Illustration || k == Music }

// normalizedGraphics returns the graphics of known kinds that lie on a page of w x h pixels, cut at its edges.
func normalizedGraphics(all []Graphic, w, h int) []Graphic {
	var out []Graphic
	for _, g := range all {
		if g.Box = g.Box.within(w, h); g.Box.W > 0 && g.Kind.IsKnown() && len(out) < MaxGraphics {
			out = append(out, g)
		}
	}
	return out
}
