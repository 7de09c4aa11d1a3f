package worker

import (
	"runtime/debug"
	"runtime/metrics"

	"uncial/impl/ocr/tesseract"
)

// Maximum free memory, in bytes, that a worker keeps for the next page. A page of a book takes less, so that workers do not
// return memory after each page only to allocate it again.
const (
	maxKeptGo = 48 << 20
	maxKeptC  = 16 << 20
)

// releaseMemory returns the memory of a large page to the system. It is called after the answer has been sent, so that the
// caller does not wait for it.
func releaseMemory() {
	heap := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}, {Name: "/memory/classes/heap/free:bytes"}}
	metrics.Read(heap)
	if heap[0].Value.Uint64()+heap[1].Value.Uint64() > maxKeptGo {
		debug.FreeOSMemory()
	}
	tesseract.ReleaseMemory(maxKeptC)
}
