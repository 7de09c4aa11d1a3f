//go:build race

package sandbox

// isRaceBuild reports whether this program, and therefore its shim, has the race detector.
const isRaceBuild = true
