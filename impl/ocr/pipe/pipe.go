// Package pipe is the protocol between the service and its sandboxed workers. The service writes requests to a worker's
// standard input and reads from its standard output: one hello at the start, then one answer for each request.
//
// Every message is a frame: the length of the header (big-endian uint32), the header in JSON, the length of the payload
// (big-endian uint32), and the payload, which is the image of a request, or the strips or images of an answer. Decoding is
// strict and bounded on both sides, because a worker that a hostile image has taken over may write anything. After an error,
// close the pipe.
//
// The messages are in this file, the frames in frame.go, and the checks on documents in document.go. This package does not
// start processes; package workerpool does. Start with Conn.
package pipe

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"uncial/impl/ocr"
	"uncial/impl/ocr/timing"
	"uncial/internal/document"
	"uncial/internal/fair"
	"uncial/internal/strictjson"
)

// Protocol is the version of this protocol. It must be the same on both sides; increase it with every change of a message.
const Protocol = 6

// Environment variables that the service sets for a worker.
const (
	// ProtocolEnv holds Protocol. If it is unset, the worker was started by hand.
	ProtocolEnv = "UNCIAL_WORKER_PROTOCOL"
	// ModelsEnv lists folders of models (*.traineddata, *.uhm), separated by os.PathListSeparator. If several have a model of the
	// same name, the first one is used.
	ModelsEnv = "UNCIAL_MODELS"
)

// ExitModels is the exit status of a worker that cannot use a model. Its standard error says which one and why.
const ExitModels = 3

// Limits of a frame, in bytes unless stated otherwise.
const (
	maxHello    = 1 << 20  // header of a hello
	maxRequest  = 8 << 20  // header of a request; without lines it has about 200 bytes
	maxLines    = 20_000   // lines of a request
	maxStrips   = 64 << 20 // payload of an answer with strips: 1.4 million columns, three times those of a dense page
	maxAnswer   = 16 << 20 // header of an answer: a book of 10 pages has about 2 MiB
	maxElements = 500_000  // objects and arrays in a header; with maxCommas it bounds the memory that decoding allocates
	maxCommas   = 5 * maxElements
	maxImage    = ocr.MaxBytes // payload of a request
	maxReason   = 1 << 10      // message of an error that is shown to the caller
	maxMessage  = 16 << 10     // message of any other error
	maxStepName = 32           // name of a step
	maxStepTime = int64(24 * time.Hour / time.Microsecond)
)

// Hello is a worker's first message, sent as soon as the worker can read images.
type Hello struct {
	Version     string             `json:"version"`         // of the engine, such as "tesseract 5.5.0"; for the log only
	Protocol    int                `json:"protocol"`        // Protocol
	Languages   []string           `json:"languages"`       // BCP 47 tags that the worker can read, sorted, never empty
	Models      []string           `json:"models"`          // names of the models that were found, sorted, without ".traineddata"
	Handwriting []HandwritingModel `json:"hands,omitempty"` // handwriting models that were found, sorted by name; the shipped one is not among them
}

// HandwritingModel describes a handwriting model that a worker found in the folders of --models.
type HandwritingModel struct {
	Name      string   `json:"name"`
	Version   string   `json:"version"`
	Languages []string `json:"languages"` // BCP 47 tags that it was trained for
	Digest    string   `json:"digest"`    // SHA-256 of its weights, in hexadecimal digits
}

// Request asks a worker to read one image, which is the payload of the frame.
type Request struct {
	ID       uint64 `json:"id"`
	Language string `json:"language"` // one of Hello.Languages
	Enhance  bool   `json:"enhance,omitempty"`
	Preview  bool   `json:"preview,omitempty"` // fill in document.Page.Preview
	Picture  bool   `json:"picture,omitempty"` // fill in document.Page.Picture
	Deadline int64  `json:"deadline"`          // milliseconds left, at least 1; the worker is killed soon after
	// Threads is the number of cores that the worker may use: its own and those of idle workers. 0 counts as 1.
	Threads int `json:"threads,omitempty"`
	// Cut requests the images of lines instead of a document.
	Cut *Cut `json:"cut,omitempty"`
}

// Cut names lines of an image's first page.
type Cut struct {
	// Width and Height are the size of the page on which the lines were measured, or 0 if it is the size of the image. The
	// image may be a smaller or larger copy of that page.
	Width  float64 `json:"width,omitempty"`
	Height float64 `json:"height,omitempty"`
	Lines  []Band  `json:"lines"`
}

// Band is the position of a line on a page: its baseline from left to right as alternating x and y, the x at which it begins
// and ends, and how far its letters reach above and below the baseline.
type Band struct {
	Baseline []float64 `json:"baseline"`
	X0       float64   `json:"x0"`
	X1       float64   `json:"x1"`
	Up       float64   `json:"up"`
	Down     float64   `json:"down"`
}

// Answer holds a document, strips or an error, never more than one.
type Answer struct {
	ID       uint64             `json:"id"` // of the request
	Document *document.Document `json:"document,omitempty"`
	Strips   *Strips            `json:"strips,omitempty"` // only for a request with Cut
	Error    *Error             `json:"error,omitempty"`
	// Images are the lengths of the document's images in the payload, in the order of the function images; nil if there are
	// none.
	Images []int `json:"images,omitempty"`
	// Steps are the durations of the steps of the reading.
	Steps []timing.Step `json:"steps,omitempty"`
}

// Strips are the images of lines, StripHeight pixels high.
type Strips struct {
	// Widths are the strips' widths in pixels, in the order of Cut.Lines; 0 for a line that could not be cut.
	Widths []int `json:"widths"`
	// Ink is the payload of the frame: StripHeight rows of bytes for each strip, from 0 for paper to 255 for ink.
	Ink []byte `json:"-"`
}

// StripHeight is the height of a strip, and MaxColumns the maximum width of all strips of an answer together, in pixels.
const (
	StripHeight = 48
	MaxColumns  = maxStrips / StripHeight
)

// Kind says what caused an error.
type Kind string

// The kinds of errors.
const (
	InvalidImage Kind = "image"    // the image; Message is shown to the caller
	TimedOut     Kind = "timeout"  // the deadline
	Internal     Kind = "internal" // the program; Message is for the log
)

// Error says why an image could not be read. The worker can read the next image.
type Error struct {
	Kind    Kind   `json:"kind"`
	Message string `json:"message"` // never empty; one line if Kind is InvalidImage. SendAnswer shortens it
}

// Conn is one end of a pipe. One goroutine may send while another receives; any other concurrent use is an error.
type Conn struct {
	r *bufio.Reader
	w io.Writer
}

// New returns the end of a pipe that reads from r and writes to w. The caller closes both.
func New(r io.Reader, w io.Writer) *Conn {
	return &Conn{r: bufio.NewReaderSize(r, 64<<10), w: w}
}

// SendHello sends the worker's first message.
func (c *Conn) SendHello(h Hello) error {
	if err := h.check(); err != nil {
		return err
	}
	return c.send(h, maxHello, nil)
}

// ReceiveHello reads the worker's first message. The error is io.EOF if the worker exited without one.
func (c *Conn) ReceiveHello() (Hello, error) {
	var h Hello
	if _, err := c.receive(&h, maxHello, 0, nil); err != nil {
		return Hello{}, err
	}
	return h, h.check()
}

// SendRequest sends a request and its image to a worker. If it fails, the worker may have received a part of them.
func (c *Conn) SendRequest(r Request, image []byte) error {
	if err := r.check(image); err != nil {
		return err
	}
	return c.send(r, maxRequest, image)
}

// ReceiveRequest reads the next request and its image. The error is io.EOF once the service has closed the pipe.
func (c *Conn) ReceiveRequest() (Request, []byte, error) {
	var r Request
	image, err := c.receive(&r, maxRequest, maxImage, nil)
	if err != nil {
		return Request{}, nil, err
	}
	return r, image, r.check(image)
}

// SendAnswer answers a request. A document that is too large, or invalid by the rules of package document, is refused
// before anything is sent, so that the worker can still answer with an Error.
func (c *Conn) SendAnswer(a Answer) error {
	if a.Error != nil {
		a.Error = &Error{Kind: a.Error.Kind, Message: printable(a.Error.Kind, a.Error.Message)}
	}
	if err := a.check(); err != nil {
		return err
	}
	if a.Strips != nil {
		return c.send(a, maxAnswer, a.Strips.Ink)
	}
	images := a.takeImages()
	return c.send(a, maxAnswer, images)
}

// ReceiveAnswer reads the answer to the last request. Its images count in the reservation, which may be nil. The error is
// io.EOF if the worker exited instead. It is fair.ErrFull if the reservation has no memory left for the images; only then can
// the pipe be used again.
func (c *Conn) ReceiveAnswer(to Request, reservation *fair.Reservation) (Answer, error) {
	limit := maxImages(to)
	if to.Cut != nil {
		limit = maxStrips
	}
	var a Answer
	payload, err := c.receive(&a, maxAnswer, limit, reservation)
	if err != nil {
		return Answer{}, err
	}
	switch {
	case a.ID != to.ID:
		return a, fmt.Errorf("pipe: the answer is to request %d instead of %d", a.ID, to.ID)
	case a.Strips != nil:
		a.Strips.Ink = payload
	default:
		if err := a.placeImages(payload); err != nil {
			return a, err
		}
	}
	if err := a.check(); err != nil {
		return a, err
	}
	return a, a.checkAsked(to)
}

// AnswerLimit returns the maximum size in bytes of the JSON document that answers a request, with images in base64.
func AnswerLimit(to Request) int {
	return maxAnswer + (maxImages(to)/3+ocr.MaxPages*imagesPerPage)*4
}

// DecodeDocument decodes the JSON document that answers a request, with the checks of ReceiveAnswer. Package remote uses it for
// the answers of an engine.
func DecodeDocument(text []byte, to Request) (*document.Document, error) {
	if err := checkHeader(text, AnswerLimit(to)); err != nil {
		return nil, err
	}
	var d document.Document
	if err := strictjson.Object(text, &d); err != nil {
		return nil, fmt.Errorf("pipe: document: %w", err)
	}
	if err := checkDocument(&d); err != nil {
		return &d, err
	}
	return &d, checkAsked(&d, to)
}

// check returns an error if the service cannot work with the worker that sent the hello.
func (h *Hello) check() error {
	switch {
	case h.Protocol != Protocol:
		return fmt.Errorf("pipe: the worker has protocol %d, the service %d; install both from the same build", h.Protocol, Protocol)
	case len(h.Languages) == 0:
		return errors.New("pipe: the worker cannot read any language: no models were found; install language packs, such as Debian's tesseract-ocr-eng")
	case slices.Contains(h.Languages, ""):
		return errors.New("pipe: hello.languages has an empty tag")
	}
	return nil
}

// check returns an error if a request or its image is invalid. Both sides call it, so that a bug in the service does not cost a
// worker.
func (r *Request) check(image []byte) error {
	switch {
	case r.Language == "":
		return errors.New("pipe: request.language is empty")
	case r.Deadline < 1:
		return errors.New("pipe: request.deadline is less than 1 ms")
	case r.Threads < 0:
		return errors.New("pipe: request.threads is negative")
	case len(image) == 0:
		return errors.New("pipe: the request has no image")
	case len(image) > maxImage:
		return fmt.Errorf("pipe: the image has %d bytes; at most %d are allowed", len(image), maxImage)
	case r.Cut != nil && (len(r.Cut.Lines) == 0 || len(r.Cut.Lines) > maxLines):
		return fmt.Errorf("pipe: request.cut has %d lines; expected 1 to %d", len(r.Cut.Lines), maxLines)
	}
	return nil
}

// count returns the number of results in the answer: document, strips and error.
func (a *Answer) count() int {
	n := 0
	for _, has := range []bool{a.Document != nil, a.Strips != nil, a.Error != nil} {
		if has {
			n++
		}
	}
	return n
}

// check checks that the widths fit the payload.
func (s *Strips) check() error {
	columns := 0
	for _, w := range s.Widths {
		if w < 0 || w > MaxColumns {
			return fmt.Errorf("pipe: a strip is %d pixels wide; expected 0 to %d", w, MaxColumns)
		}
		if columns += w; columns > MaxColumns {
			break
		}
	}
	if columns*StripHeight != len(s.Ink) {
		return fmt.Errorf("pipe: strips of %d columns have %d bytes; expected %d for each column", columns, len(s.Ink), StripHeight)
	}
	return nil
}

// checkSteps checks the steps that a worker reports. Their names become the names of spans.
func (a *Answer) checkSteps() error {
	if len(a.Steps) > timing.MaxSteps {
		return fmt.Errorf("pipe: answer.steps has %d items; at most %d are allowed", len(a.Steps), timing.MaxSteps)
	}
	for _, s := range a.Steps {
		if s.Name == "" || len(s.Name) > maxStepName || strings.Trim(s.Name, "abcdefghijklmnopqrstuvwxyz-") != "" {
			return fmt.Errorf("pipe: answer.steps has an invalid name %.40q", s.Name)
		}
		if s.Start < 0 || s.Length < 0 || s.Start > maxStepTime || s.Length > maxStepTime {
			return errors.New("pipe: answer.steps has an invalid time")
		}
	}
	return nil
}

// check returns an error if an answer is invalid. The worker may have read hostile images, so the service does not trust any
// field: all that a compromised worker can do is send a wrong text.
func (a *Answer) check() error {
	if err := a.checkSteps(); err != nil {
		return err
	}
	switch {
	case a.count() != 1:
		return errors.New("pipe: expected a document, strips or an error in the answer")
	case a.Document != nil:
		return checkDocument(a.Document)
	case a.Strips != nil:
		return a.Strips.check()
	case !slices.Contains([]Kind{InvalidImage, TimedOut, Internal}, a.Error.Kind):
		return fmt.Errorf("pipe: error.kind is %.20q; expected image, timeout or internal", a.Error.Kind)
	case a.Error.Message == "" || a.Error.Message != printable(a.Error.Kind, a.Error.Message):
		return errors.New("pipe: error.message is empty, too long, or has unprintable characters")
	}
	return nil
}

// printable returns the message without unprintable characters, shortened to its limit, and on one line if it will be shown to
// the caller.
func printable(kind Kind, message string) string {
	message = strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' || unicode.IsPrint(r) && r != utf8.RuneError {
			return r
		}
		return -1
	}, message)
	limit := maxMessage
	if kind == InvalidImage {
		limit = maxReason
	}
	for len(message) > limit {
		_, size := utf8.DecodeLastRuneInString(message)
		message = message[:len(message)-size]
	}
	if kind == InvalidImage {
		message = strings.Join(strings.Fields(message), " ")
	}
	return message
}
