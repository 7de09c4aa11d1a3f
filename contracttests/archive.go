package contracttests

import (
	"errors"
	"fmt"
	"os"
	"time"

	"uncial/contracttests/internal/har"
	"uncial/contracttests/internal/model"
	"uncial/internal/version"
)

// archive writes the exchanges of a run to Target.HAR. A nil archive writes nothing.
type archive struct{ writer *har.Writer }

// newArchive returns the archive that the target requests, or nil, and the target that fills it.
func newArchive(t Target) (*archive, Target) {
	if t.HAR == nil {
		return nil, t
	}
	a := &archive{har.NewWriter(t.HAR, "uncial-contract", version.Version)}
	secrets := t.Secrets()
	return a, t.Watched(func(x *model.Exchange, err error) {
		e := har.Exchange{
			Started: x.Sent, Took: time.Since(x.Sent), Method: x.Request.Method, URL: x.URL(),
			RequestHeader: x.SentHeader(), RequestBody: x.Request.Body,
			Status: x.Status, AnswerHeader: x.Header, AnswerBody: x.Body, Secrets: secrets,
		}
		if err != nil {
			e.Comment = err.Error()
		}
		a.writer.Add(e)
	})
}

// begin starts the group of a case.
func (a *archive) begin(name string) {
	if a != nil {
		a.writer.Page(name, time.Now())
	}
}

// close ends the archive. It returns a problem of the run, or "".
func (a *archive) close() string {
	if a == nil {
		return ""
	}
	if err := a.writer.Close(); err != nil {
		if file, ok := errors.AsType[*os.PathError](err); ok {
			err = file.Err // without its name, which may be a temporary one
		}
		return fmt.Sprintf("the HTTP archive cannot be written: %v", err)
	}
	return ""
}
