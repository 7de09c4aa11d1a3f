package decode

import "io"

// unpacker decompresses PackBits (TIFF 6.0, section 9).
type unpacker struct {
	src []byte
	// run is the number of bytes left in the current run, which repeats src[0] or copies from src.
	run    int
	repeat bool
}

// Read implements io.Reader. If the data ends before p is full, the error is io.ErrUnexpectedEOF, never io.EOF: callers know
// how many bytes they need.
func (u *unpacker) Read(p []byte) (n int, err error) {
	for n < len(p) {
		if u.run == 0 {
			if len(u.src) < 2 {
				return n, io.ErrUnexpectedEOF
			}
			head := int(int8(u.src[0]))
			u.src = u.src[1:]
			// A head of -128 is skipped.
			switch {
			case head >= 0:
				u.run, u.repeat = head+1, false
			case head > -128:
				u.run, u.repeat = 1-head, true
			}
			continue
		}
		k := min(u.run, len(p)-n)
		if u.repeat {
			for i := range k {
				p[n+i] = u.src[0]
			}
		} else {
			if k = copy(p[n:n+k], u.src); k == 0 {
				return n, io.ErrUnexpectedEOF
			}
			u.src = u.src[k:]
		}
		n, u.run = n+k, u.run-k
		if u.run == 0 && u.repeat {
			u.src = u.src[1:]
		}
	}
	return n, nil
}
