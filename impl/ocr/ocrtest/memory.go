package ocrtest

import "runtime"

// Allocated returns the number of bytes that the process allocated on Go's heap while f ran, including those that were freed.
// It counts all goroutines, so a test that uses it must not run in parallel. It does not count memory of C libraries.
func Allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}
