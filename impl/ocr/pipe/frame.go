package pipe

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

func (c *Conn) send(header any, limit int, payload []byte) error {
	text, err := json.Marshal(header)
	if err != nil {
		return fmt.Errorf("pipe: encode: %w", err)
	}
	if err := checkHeader(text, limit); err != nil {
		return err
	}
	if len(payload) > MaxImage {
		return fmt.Errorf("pipe: a payload of %d bytes, at most %d are allowed", len(payload), MaxImage)
	}
	head := make([]byte, 0, 4+len(text)+4)
	head = binary.BigEndian.AppendUint32(head, uint32(len(text)))
	head = append(head, text...)
	head = binary.BigEndian.AppendUint32(head, uint32(len(payload)))
	if _, err := c.w.Write(head); err != nil {
		return fmt.Errorf("pipe: write: %w", err)
	}
	if len(payload) == 0 {
		return nil
	}
	if _, err := c.w.Write(payload); err != nil {
		return fmt.Errorf("pipe: write: %w", err)
	}
	return nil
}

// receive reads one frame into header and returns its payload. It is io.EOF where the pipe ends between two frames.
func (c *Conn) receive(header any, maxHeader, maxPayload int) ([]byte, error) {
	if _, err := c.r.Peek(1); err != nil {
		if errors.Is(err, io.EOF) {
			return nil, io.EOF
		}
		return nil, fmt.Errorf("pipe: read: %w", err)
	}
	text, err := readPart(c.r, maxHeader)
	if err != nil {
		return nil, fmt.Errorf("pipe: header: %w", err)
	}
	if err := checkHeader(text, maxHeader); err != nil {
		return nil, err
	}
	if err := decode(text, header); err != nil {
		return nil, fmt.Errorf("pipe: header: %w", err)
	}
	payload, err := readPart(c.r, maxPayload)
	if err != nil {
		return nil, fmt.Errorf("pipe: payload: %w", err)
	}
	return payload, nil
}

// readPart reads a length and as many bytes. Memory grows with what arrives, not with what the length promises.
func readPart(r *bufio.Reader, limit int) ([]byte, error) {
	var prefix [4]byte
	if _, err := io.ReadFull(r, prefix[:]); err != nil {
		return nil, noEOF(err)
	}
	n := int64(binary.BigEndian.Uint32(prefix[:]))
	if n > int64(limit) {
		return nil, fmt.Errorf("%d bytes, at most %d are allowed", n, limit)
	}
	var part bytes.Buffer
	part.Grow(int(min(n, 1<<20)))
	if _, err := io.CopyN(&part, r, n); err != nil {
		return nil, noEOF(err)
	}
	return part.Bytes(), nil
}

// noEOF keeps io.EOF for the end between two frames.
func noEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

func checkHeader(text []byte, limit int) error {
	if len(text) > limit {
		return fmt.Errorf("pipe: a header of %d bytes, at most %d are allowed", len(text), limit)
	}
	elements := bytes.Count(text, []byte("{")) + bytes.Count(text, []byte("[")) + bytes.Count(text, []byte(","))
	if elements > MaxElements {
		return fmt.Errorf("pipe: a header of %d elements, at most %d are allowed", elements, MaxElements)
	}
	return nil
}

// decode reads exactly one JSON value without unknown fields.
func decode(text []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("data after the JSON value")
	}
	return nil
}
