package client

import (
	"errors"
	"os"
	"sync"

	"golang.org/x/sys/unix"
)

// roomSize is the space on the disk that is reserved for each page while it is read, in bytes: a large answer and its files.
const roomSize = 8 << 20

// room is disk space that is reserved for the answer to one page: an answer that was charged and cannot be stored would be lost.
type room struct {
	path string // "" if there is nothing to free
	once sync.Once
}

// reserve takes space for the answer to a page, in addition to that for the other pages that are being read. Without a journal nothing is
// stored, and file systems that cannot reserve space keep none.
func (r *run) reserve() (*room, error) {
	if r.store.Journal == nil {
		return &room{}, nil
	}
	r.storing.Lock()
	defer r.storing.Unlock()
	file, err := os.CreateTemp(r.store.temporary, "room-")
	if err != nil {
		return nil, err
	}
	for err = unix.EINTR; errors.Is(err, unix.EINTR); { // tmpfs ends the call when the runtime of Go sends a signal
		err = unix.Fallocate(int(file.Fd()), 0, 0, roomSize)
	}
	if errors.Is(err, unix.EOPNOTSUPP) || errors.Is(err, unix.ENOSYS) {
		err = nil
	}
	held := &room{path: file.Name()}
	if err = errors.Join(err, file.Close()); err != nil {
		held.free()
		return nil, err
	}
	return held, nil
}

// free gives the space up. It may be called again.
func (h *room) free() {
	h.once.Do(func() {
		if h.path != "" {
			_ = os.Remove(h.path)
		}
	})
}
