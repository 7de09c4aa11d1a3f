//go:build race

package sandbox

// isRaceBuild reports whether this program, and so its shim, has the race detector.
const isRaceBuild = true
