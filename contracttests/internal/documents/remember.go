package documents

import (
	"crypto/sha256"
	"sync"
)

// maxRemembered is the maximum number of results in a memory, which then forgets all of them.
const maxRemembered = 1 << 10

// memory keeps results of documents: the same page is asked for many times, and reading its document takes longer than all
// other checks. Results are shared, so nobody may change them.
type memory[R any] struct {
	mu      sync.Mutex
	results map[[sha256.Size]byte]R
}

// get returns the result for a document in a format, and calls find if it is not remembered. Two callers may call find for the
// same document.
func (m *memory[R]) get(format, document string, find func() R) R {
	id := sha256.Sum256([]byte(format + "\x00" + document))
	m.mu.Lock()
	result, known := m.results[id]
	m.mu.Unlock()
	if known {
		return result
	}
	result = find()
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.results == nil || len(m.results) >= maxRemembered {
		m.results = map[[sha256.Size]byte]R{}
	}
	m.results[id] = result
	return result
}
