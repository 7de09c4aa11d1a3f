package pipe

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"uncial/internal/fair"
	"uncial/internal/strictjson"
)

// send writes one frame: header as JSON of at most limit bytes, then the payload. If either is too large, it returns an error
// and writes nothing.
func (c *Conn) send(header any, limit int, payload []byte) error {
	text, err := json.Marshal(header)
	if err != nil {
		return fmt.Errorf("pipe: encode: %w", err)
	}
	if err := checkHeader(text, limit); err != nil {
		return err
	}
	if len(payload) > maxStrips {
		return fmt.Errorf("pipe: payload has %d bytes; at most %d are allowed", len(payload), maxStrips)
	}
	head := make([]byte, 0, 4+len(text)+4)
	head = binary.BigEndian.AppendUint32(head, uint32(len(text)))
	head = append(head, text...)
	head = binary.BigEndian.AppendUint32(head, uint32(len(payload)))
	for _, part := range [][]byte{head, payload} {
		if len(part) == 0 {
			continue // an empty write to a closed pipe would be an error
		}
		if _, err := c.w.Write(part); err != nil {
			return fmt.Errorf("pipe: write: %w", err)
		}
	}
	return nil
}

// receive reads one frame, decodes its header from JSON, and returns the payload, whose memory counts in the reservation. A
// frame does not name its message, so the caller passes the limits of the message that it expects. The error is io.EOF if the
// pipe ends between two frames. It is fair.ErrFull if the reservation has no memory left; then the frame has been skipped.
func (c *Conn) receive(header any, maxHeader, maxPayload int, reservation *fair.Reservation) ([]byte, error) {
	if _, err := c.r.Peek(1); err != nil {
		if errors.Is(err, io.EOF) {
			return nil, io.EOF
		}
		return nil, fmt.Errorf("pipe: read: %w", err)
	}
	text, err := readPart(c.r, maxHeader, nil)
	if err != nil {
		return nil, fmt.Errorf("pipe: header: %w", err)
	}
	if err := checkHeader(text, maxHeader); err != nil {
		return nil, err
	}
	if err := strictjson.Object(text, header); err != nil {
		return nil, fmt.Errorf("pipe: header: %w", err)
	}
	payload, err := readPart(c.r, maxPayload, reservation)
	if err != nil {
		return nil, fmt.Errorf("pipe: payload: %w", err)
	}
	return payload, nil
}

// readPart reads a length, and then as many bytes. Its memory grows with the bytes that arrive, not with the announced length.
// If the reservation has no memory left, it skips the rest of the part and returns fair.ErrFull.
func readPart(r *bufio.Reader, limit int, reservation *fair.Reservation) ([]byte, error) {
	var prefix [4]byte
	if _, err := io.ReadFull(r, prefix[:]); err != nil {
		return nil, noEOF(err)
	}
	n := int64(binary.BigEndian.Uint32(prefix[:]))
	if n > int64(limit) {
		return nil, fmt.Errorf("%d bytes; at most %d are allowed", n, limit)
	}
	part := []byte{}
	for left := int(n); left > 0; left = int(n) - len(part) {
		grown, ok := reservation.Extend(part, 1, int(n))
		if !ok {
			reservation.Shrink(cap(part))
			if _, err := io.CopyN(io.Discard, r, int64(left)); err != nil {
				return nil, noEOF(err)
			}
			return nil, fair.ErrFull
		}
		part = grown[:cap(grown)]
		if _, err := io.ReadFull(r, part[len(grown):]); err != nil {
			return nil, noEOF(err)
		}
	}
	return part, nil
}

// noEOF replaces io.EOF within a frame by io.ErrUnexpectedEOF: io.EOF means that the pipe ended between two frames.
func noEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// checkHeader checks the encoding and the size of a header and the number of its elements, because a short text such as
// "[{},{},..." can decode into many times the memory that it occupies.
func checkHeader(text []byte, limit int) error {
	if len(text) > limit {
		return fmt.Errorf("pipe: header has %d bytes; at most %d are allowed", len(text), limit)
	}
	elements, commas := bytes.Count(text, []byte("{"))+bytes.Count(text, []byte("[")), bytes.Count(text, []byte(","))
	if elements > maxElements || commas > maxCommas {
		return fmt.Errorf("pipe: header has %d elements and %d commas; at most %d and %d are allowed", elements, commas, maxElements, maxCommas)
	}
	// The decoder would silently replace bytes that are not UTF-8.
	if !utf8.Valid(text) {
		return errors.New("pipe: header is not UTF-8")
	}
	return nil
}
