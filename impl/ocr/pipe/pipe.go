// Package pipe is what the service and its sandboxed workers say to each other. The service writes requests to the
// worker's standard input and reads from its standard output: one hello at the start, then one answer for each request.
//
// Everything is a frame: the length of a header as a big-endian uint32, the header in JSON, the length of a payload as a
// big-endian uint32, the payload. Only requests have a payload, the image. Decoding is strict and bounded on both
// sides, for a worker that a hostile image took over may write anything. After an error the pipe is of no more use.
package pipe

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"uncial/impl/ocr"
	"uncial/internal/document"
)

// Protocol is the number of this protocol. Both sides must speak the same.
const Protocol = 1

// What the service tells a worker through its environment.
const (
	// ProtocolEnv holds Protocol. A worker that finds it unset was started by hand.
	ProtocolEnv = "UNCIAL_WORKER_PROTOCOL"
	// ModelsEnv holds the directories that hold *.traineddata files, separated by os.PathListSeparator. Where the same
	// name stands in several, the first counts.
	ModelsEnv = "UNCIAL_MODELS"
)

// Bounds of a frame.
const (
	MaxHello    = 1 << 20      // bytes of a hello's header
	MaxRequest  = 64 << 10     // bytes of a request's header
	MaxAnswer   = 64 << 20     // bytes of an answer's header
	MaxElements = 4 << 20      // objects, arrays and commas in an answer's header: bounds what decoding it allocates
	MaxImage    = ocr.MaxBytes // bytes of a request's payload
	MaxReason   = 1 << 10      // bytes of an error's message that is for the caller's eyes
	MaxMessage  = 16 << 10     // bytes of any other
)

// Hello is the first thing that a worker says, once it can read.
type Hello struct {
	Version   string   `json:"version"`   // of the engine, such as "tesseract 5.5.0"; for the log
	Protocol  int      `json:"protocol"`  // Protocol
	Languages []string `json:"languages"` // BCP 47 tags that can be read, sorted, never empty
	Models    []string `json:"models"`    // names of the models found, sorted, without ".traineddata"
}

// Request asks for one image to be read. The image is the frame's payload.
type Request struct {
	ID       uint64 `json:"id"`
	Language string `json:"language"` // one of Hello's
	Enhance  bool   `json:"enhance,omitempty"`
	Deadline int64  `json:"deadline"` // milliseconds left, at least 1; at 0 the worker is killed
	// Threads is how many cores the worker may use, its own and those of workers that are idle; 0 counts as 1.
	Threads int `json:"threads,omitempty"`
}

// Answer is a document or an error, never both.
type Answer struct {
	ID       uint64             `json:"id"` // of the request
	Document *document.Document `json:"document,omitempty"`
	Error    *Error             `json:"error,omitempty"`
}

// Kind says whose fault an error is.
type Kind string

// The kinds of errors.
const (
	ImageFault   Kind = "image"    // the image's: Message is for the caller's eyes
	TimeoutFault Kind = "timeout"  // the worker gave up at the deadline
	Internal     Kind = "internal" // ours: Message is for the log
)

// Error is why an image could not be read. The worker stays fit for the next.
type Error struct {
	Kind    Kind   `json:"kind"`
	Message string `json:"message"` // never empty; ImageFault: one line. SendAnswer shortens it where needed
}

// Conn is one end of a pipe. It is not safe for concurrent use, but one goroutine may send while another receives.
type Conn struct {
	r *bufio.Reader
	w io.Writer
}

// New is the end of a pipe that reads from r and writes to w.
func New(r io.Reader, w io.Writer) *Conn {
	return &Conn{r: bufio.NewReaderSize(r, 64<<10), w: w}
}

// SendHello is the worker's first word.
func (c *Conn) SendHello(h Hello) error {
	if err := h.check(); err != nil {
		return err
	}
	return c.send(h, MaxHello, nil)
}

// ReceiveHello reads the worker's first word. It is io.EOF where the worker ended without a word.
func (c *Conn) ReceiveHello() (Hello, error) {
	var h Hello
	if _, err := c.receive(&h, MaxHello, 0); err != nil {
		return Hello{}, err
	}
	return h, h.check()
}

// SendRequest sends an image to be read.
func (c *Conn) SendRequest(r Request, image []byte) error {
	if err := r.check(image); err != nil {
		return err
	}
	return c.send(r, MaxRequest, image)
}

// ReceiveRequest reads the next request and its image. It is io.EOF once the service closed the pipe.
func (c *Conn) ReceiveRequest() (Request, []byte, error) {
	var r Request
	image, err := c.receive(&r, MaxRequest, MaxImage)
	if err != nil {
		return Request{}, nil, err
	}
	return r, image, r.check(image)
}

// SendAnswer answers a request. A document that breaks the promises of package document, or is too large, is refused
// before anything is sent, so that the worker can still answer with an Error.
func (c *Conn) SendAnswer(a Answer) error {
	if a.Error != nil {
		a.Error = &Error{Kind: a.Error.Kind, Message: fit(a.Error.Kind, a.Error.Message)}
	}
	if err := a.check(); err != nil {
		return err
	}
	return c.send(a, MaxAnswer, nil)
}

// ReceiveAnswer reads the next answer. It is io.EOF where the worker ended instead.
func (c *Conn) ReceiveAnswer() (Answer, error) {
	var a Answer
	if _, err := c.receive(&a, MaxAnswer, 0); err != nil {
		return Answer{}, err
	}
	return a, a.check()
}

// DecodeDocument reads the JSON form of a document as strictly as an answer is read.
func DecodeDocument(text []byte) (*document.Document, error) {
	if err := checkHeader(text, MaxAnswer); err != nil {
		return nil, err
	}
	var d document.Document
	if err := decode(text, &d); err != nil {
		return nil, fmt.Errorf("pipe: document: %w", err)
	}
	return &d, checkDocument(&d)
}

func (h *Hello) check() error {
	switch {
	case h.Protocol != Protocol:
		return fmt.Errorf("pipe: the worker speaks protocol %d, the service %d; they must be of one build", h.Protocol, Protocol)
	case len(h.Languages) == 0:
		return errors.New("pipe: the worker can read no language: no models were found; install language packs, such as Debian's tesseract-ocr-eng")
	case slices.Contains(h.Languages, ""):
		return errors.New("pipe: hello.languages holds an empty tag")
	}
	return nil
}

func (r *Request) check(image []byte) error {
	switch {
	case r.Language == "":
		return errors.New("pipe: request.language is empty")
	case r.Deadline < 1:
		return errors.New("pipe: request.deadline must be at least 1 ms")
	case r.Threads < 0:
		return errors.New("pipe: request.threads must not be negative")
	case len(image) == 0:
		return errors.New("pipe: the request has no image")
	}
	return nil
}

func (a *Answer) check() error {
	switch {
	case (a.Document == nil) == (a.Error == nil):
		return errors.New("pipe: an answer holds either a document or an error")
	case a.Document != nil:
		return checkDocument(a.Document)
	case !slices.Contains([]Kind{ImageFault, TimeoutFault, Internal}, a.Error.Kind):
		return fmt.Errorf("pipe: error.kind is %.20q; want image, timeout or internal", a.Error.Kind)
	case a.Error.Message == "" || a.Error.Message != fit(a.Error.Kind, a.Error.Message):
		return errors.New("pipe: error.message is empty, too long or not fit for reading")
	}
	return nil
}

// fit is the message with what is unreadable left out, within its bound.
func fit(kind Kind, message string) string {
	message = strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' || unicode.IsPrint(r) && r != utf8.RuneError {
			return r
		}
		return -1
	}, message)
	limit := MaxMessage
	if kind == ImageFault {
		limit = MaxReason
	}
	for len(message) > limit {
		_, size := utf8.DecodeLastRuneInString(message)
		message = message[:len(message)-size]
	}
	if kind == ImageFault {
		message = strings.Join(strings.Fields(message), " ")
	}
	return message
}
