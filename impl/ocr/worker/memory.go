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

// memory is the memory of a worker. live is the number of bytes of Go's heap that were in use when it was last returned to the
// system: the models, and buffers that stay.
type memory struct{ live uint64 }

// release returns the memory of a large page to the system. It is called after the answer has been sent, so that the caller
// does not wait for it.
func (m *memory) release() {
	if objects, free := sizeOfHeap(); objects+free > m.live+maxKeptGo {
		debug.FreeOSMemory()
		m.live, _ = sizeOfHeap()
	}
	tesseract.ReleaseMemory(maxKeptC)
}

// sizeOfHeap returns the number of bytes of Go's heap that are or were in use since the last collection, and of those that are
// free.
func sizeOfHeap() (objects, free uint64) {
	sizes := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}, {Name: "/memory/classes/heap/free:bytes"}}
	metrics.Read(sizes)
	return sizes[0].Value.Uint64(), sizes[1].Value.Uint64()
}
