package journal

import (
	"compress/gzip"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strconv"
	"time"

	"uncial/gen"
	"uncial/impl/client/durable"
	"uncial/impl/volume"
)

// maxAnswer bounds a stored answer in bytes, as the client bounds responses.
const maxAnswer = 512 << 20

// Answer is a stored answer.
type Answer struct {
	Source string `json:"source"`
	// Generation identifies the reading of the page; see Page.
	Generation int       `json:"generation,omitempty"`
	ReadAt     time.Time `json:"readAt"`
	// Points are what was charged for it: 0 if the service had the answer stored.
	Points int64 `json:"points"`
	// Master and Sent are the sizes of the original image and of the copy that was read; zero if unknown.
	Master volume.Size     `json:"master,omitzero"`
	Sent   volume.Size     `json:"sent,omitzero"`
	Answer *gen.Extraction `json:"answer"`
}

// PageID identifies a page with everything that its answer depends on: where it is, what it shows, and how it is read. position
// is its place in its source, such as a path below the folder or a canvas, so that a page keeps its id when pages are added
// before it; content is a digest or a URL.
func PageID(position, content string, options ...string) string {
	h := sha256.New()
	for _, part := range append([]string{"page-1", position, content}, options...) {
		_, _ = fmt.Fprintf(h, "%d:%s", len(part), part)
	}
	return base64.RawURLEncoding.EncodeToString(h.Sum(nil)[:18])
}

// Key returns the Idempotency-Key of one reading of a page: the same in every run, so that a request whose answer was lost is
// charged once.
func Key(id string, generation int) string {
	return "uncial-extract-" + id + "-" + strconv.Itoa(generation)
}

// SaveAnswer stores the answer to a page. It is on the disk when SaveAnswer returns nil.
func (j *Journal) SaveAnswer(id string, answer *Answer) error {
	return durable.Write(j.Temporary(), j.answerPath(id), func(to io.Writer) error {
		packed := gzip.NewWriter(to)
		if err := json.NewEncoder(packed).Encode(answer); err != nil {
			return err
		}
		return packed.Close()
	})
}

// ErrDamaged means that a stored answer is incomplete or was changed.
var ErrDamaged = errors.New("the stored answer is damaged")

// LoadAnswer returns the stored answer to a page. Errors: fs.ErrNotExist, ErrDamaged, or those of the file system.
func (j *Journal) LoadAnswer(id string) (answer *Answer, err error) {
	file, err := os.Open(j.answerPath(id))
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	content, err := unpack(file)
	switch path := (*fs.PathError)(nil); {
	case errors.As(err, &path):
		return nil, err
	case err != nil:
		return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
	case json.Unmarshal(content, &answer) != nil || answer == nil || answer.Answer == nil:
		return nil, fmt.Errorf("%w: it is not an answer", ErrDamaged)
	}
	return answer, nil
}

// unpack returns the content of a packed file, to its end: the checksum comes last.
func unpack(file io.Reader) ([]byte, error) {
	packed, err := gzip.NewReader(file)
	if err != nil {
		return nil, err
	}
	return io.ReadAll(io.LimitReader(packed, maxAnswer))
}

// HasAnswers reports whether there is any stored answer.
func (j *Journal) HasAnswers() bool {
	stored, err := os.ReadDir(j.path("answers"))
	return err == nil && len(stored) > 0
}

// answerPath is the file of an answer. An id has only letters, digits, "-" and "_".
func (j *Journal) answerPath(id string) string { return j.path("answers/" + id + ".json.gz") }
