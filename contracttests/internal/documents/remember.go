package documents

import (
	"crypto/sha256"
	"sync"
)

// maxRemembered is how many results each memory keeps before it forgets all of them.
const maxRemembered = 1 << 10

// memory keeps results of documents: the same page is asked for many times, and reading its document takes longer than all other checks.
// Results are shared, so nobody may change them.
type memory[R any] struct {
	mu      sync.Mutex
	results map[[sha256.Size]byte]R
}

// of is the result for a document in a format. Two callers may find it at the same time.
func (m *memory[R]) of(format, document string, find func() R) R {
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
