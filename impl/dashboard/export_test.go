package dashboard

import (
	"maps"
	"slices"
)

// Routes returns all routes in the order of their paths.
func (d *Dashboard) Routes() []Route {
	return slices.SortedFunc(maps.Values(d.routes), func(a, b Route) int {
		return slices.Compare([]string{a.Path, a.Method}, []string{b.Path, b.Method})
	})
}
