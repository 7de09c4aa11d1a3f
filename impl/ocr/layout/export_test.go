package layout

import "uncial/impl/ocr/neural"

// NewFinderOf returns a finder that takes its maps from a function instead of a network.
func NewFinderOf(maps func(ink []float32, w, h int) neural.Maps) *Finder { return &Finder{maps} }
