//go:build !race

package sandbox

const isRaceBuild = false
