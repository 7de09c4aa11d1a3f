package models

import (
	"maps"
	"slices"
)

// Tags are all tags of the catalogue, sorted, whether a model is installed or not.
func Tags() []string { return slices.Sorted(maps.Keys(catalogue)) }

// Names are the models of the catalogue that read a tag, the best first; nil for a tag that it does not hold.
func Names(tag string) []string { return slices.Clone(catalogue[tag]) }
