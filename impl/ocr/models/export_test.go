package models

import (
	"maps"
	"slices"
)

// Tags returns all tags of the catalogue, sorted, whether or not a model is installed.
func Tags() []string { return slices.Sorted(maps.Keys(catalogue)) }

// Names returns the models of the catalogue that read a tag, best first; nil for an unknown tag.
func Names(tag string) []string { return slices.Clone(catalogue[tag]) }
