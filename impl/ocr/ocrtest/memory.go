package ocrtest

import "runtime"

// Allocated returns how many bytes the whole process allocated while f ran, so a test that asks must not run in parallel.
func Allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}
