package client

import (
	"errors"
	"os"
	"sync"

	"golang.org/x/sys/unix"
)

// roomSize is the space on the disk that is reserved for each page while it is read, in bytes: a large answer and its files.
const roomSize = 8 << 20

// room is disk space that is reserved for the answer to one page: an answer that is charged but cannot be stored would be lost.
type room struct {
	path string // "" if there is nothing to free
	once sync.Once
}

// reserve reserves disk space for the answer to a page, in addition to the space of other pages that are being read. It
// reserves nothing without a journal, because nothing is stored then, and on file systems that cannot reserve space.
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
