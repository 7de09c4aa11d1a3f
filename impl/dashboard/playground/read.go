package playground

import (
	"bufio"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"os"
	"strings"

	"uncial/impl/dashboard"
	"uncial/impl/ledger"
	"uncial/internal/contract"
	"uncial/internal/contract/imagefile"
	"uncial/internal/edge"
	"uncial/internal/text"
	"uncial/internal/tryit"
)

// read sends the image of the form to the API and redirects to the reading. If the API refuses the image, the form shows the
// reason.
func (p *playground) read(c *dashboard.Call) error {
	if !c.Account.Suspended.IsZero() {
		return &dashboard.Problem{
			Status: http.StatusForbidden, Title: "The account is suspended",
			Text: "The playground is off while the account is suspended. Contact the people who run this service.",
		}
	}
	parts, err := c.R.MultipartReader()
	if err != nil {
		return &dashboard.Problem{Status: http.StatusBadRequest, Title: "The form cannot be read", Text: "Go back and send the form again."}
	}
	// The image goes from the connection to the API without being held here; the API bounds its memory.
	body, write := io.Pipe()
	form, done := &sent{}, make(chan struct{})
	go func() {
		defer close(done)
		write.CloseWithError(form.copy(&lastingWriter{w: write}, parts))
	}()
	reading, refusal, err := tryit.Extract(p.o.API, p.call(c, body))
	_ = body.Close() // the API may not have wanted the whole image
	<-done
	if form.err != nil { // net/http cancels a request whose body is too slow, but the visitor still waits for the answer
		c.R = c.R.WithContext(context.WithoutCancel(c.R.Context()))
	}
	switch {
	case err != nil:
		return err
	case reading != nil:
		return c.Redirect(path+"/"+p.readings.Add(owner(c), reading), "")
	}
	return p.refuse(c, form, refusal)
}

// call is the request to the API, as the account under the meter of its playground.
func (p *playground) call(c *dashboard.Call, body io.Reader) *http.Request {
	ctx := edge.WithPrincipal(c.R.Context(), edge.Principal{
		AccountID: c.Account.ID, Plan: c.Account.Plan, MeterID: ledger.PlaygroundMeter(c.Account.ID),
	})
	call, _ := http.NewRequestWithContext(ctx, http.MethodPost, tryit.ExtractPath, body) // the path is valid
	call.ContentLength = -1                                                              // unknown; the API would take 0 for the length, by which it sizes its buffers
	call.Header.Set("Content-Type", "application/json")
	call.Header.Set("X-Request-Id", edge.RequestID(c.W))
	call.RemoteAddr = c.R.RemoteAddr
	return call
}

// refuse shows the form with what the API says is wrong.
func (p *playground) refuse(c *dashboard.Call, form *sent, refusal *tryit.Answer) error {
	status, problem := refusal.Status, refusal.Explain()
	var said struct {
		RemainingPoints int64
		LimitedBy       contract.Limit
	}
	if err := json.Unmarshal(refusal.Body, &said); err != nil || problem == "" {
		return fmt.Errorf("the API returned %d without an error", status)
	}
	if said.LimitedBy == contract.LimitedByKey { // the playground has a cap, and no key
		problem = fmt.Sprintf("Only %s points are left under the playground's monthly cap. Raise the cap or wait for the reset.", text.Number(said.RemainingPoints))
	}
	if form.err != nil {
		status, problem = http.StatusBadRequest, tryit.Sentence(form.err.Error())
	}
	if wait := refusal.Header().Get("Retry-After"); wait != "" {
		c.W.Header().Set("Retry-After", wait)
	}
	return p.render(c, status, tryit.Form{
		Problem: problem + " Nothing was charged.", ImageURL: form.imageURL, Language: form.language, Enhance: form.enhance,
	}, nil)
}

// sent is the form that a browser has sent.
type sent struct {
	imageURL, language string
	enhance            bool
	err                error // what is wrong with the form itself
}

// Errors of the form itself.
var (
	errNoImage  = errors.New("choose an image, or enter its address")
	errTooLarge = fmt.Errorf("the file is too large; an image may be at most %d MiB", imagefile.MaxBytes>>20)
	errTooSlow  = errors.New("the image arrived too slowly; try again with a better connection or a smaller image")
	errCutOff   = errors.New("the form did not arrive completely; send it again")
)

// asFormError returns the error that the visitor sees if a form cannot be read to its end.
func asFormError(err error) error {
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		return errTooLarge
	case errors.Is(err, os.ErrDeadlineExceeded):
		return errTooSlow
	}
	return errCutOff
}

// maxField bounds a field that is not the image, in bytes: an address has at most 8,192.
const maxField = 16 << 10

// copy reads the form and writes the request for the API. The image is the first field of the form, and so of the request.
func (s *sent) copy(w io.Writer, parts *multipart.Reader) (err error) {
	defer func() { s.err = err }()
	hasImage := false
	for {
		part, err := parts.NextPart()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return asFormError(err)
		}
		if part.FormName() == "image" && !hasImage {
			if hasImage, err = writeImage(w, part); err != nil {
				return err
			}
			continue
		}
		if err := s.set(part); err != nil {
			return err
		}
	}
	return s.finish(w, hasImage)
}

// set keeps the value of a field.
func (s *sent) set(part *multipart.Part) error {
	value, err := io.ReadAll(io.LimitReader(part, maxField))
	if err != nil {
		return asFormError(err)
	}
	switch text := strings.TrimSpace(string(value)); part.FormName() {
	case "imageUrl":
		s.imageURL = text
	case "language":
		s.language = text
	case "enhance":
		s.enhance = text == "true"
	}
	return nil
}

// writeImage writes the beginning of a request with the image as a data URL. It reports false, and writes nothing, if the
// browser sent no file.
func writeImage(w io.Writer, part io.Reader) (bool, error) {
	image := bufio.NewReader(part)
	head, err := image.Peek(16) // the longest magic number has 12 bytes
	if len(head) == 0 {
		return false, nil
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return false, asFormError(err)
	}
	if _, err := fmt.Fprintf(w, `{"imageUrl":"data:%s;base64,`, imagefile.MediaType(head)); err != nil {
		return true, err
	}
	encoder := base64.NewEncoder(base64.StdEncoding, w)
	switch n, err := io.Copy(encoder, io.LimitReader(image, imagefile.MaxBytes+1)); {
	case err != nil:
		return true, asFormError(err)
	case n > imagefile.MaxBytes:
		return true, errTooLarge
	}
	if err := encoder.Close(); err != nil {
		return true, err
	}
	_, err = io.WriteString(w, `"`)
	return true, err
}

// finish writes what follows the image, or the whole request if the image has an address.
func (s *sent) finish(w io.Writer, hasImage bool) error {
	if hasImage {
		s.imageURL = "" // a chosen file takes precedence
	} else if s.imageURL == "" {
		return errNoImage
	}
	rest, err := json.Marshal(struct {
		ImageURL string `json:"imageUrl,omitempty"`
		Language string `json:"language,omitempty"`
		Enhance  bool   `json:"enhance,omitempty"`
	}{s.imageURL, s.language, s.enhance})
	if err != nil {
		return err
	}
	if hasImage { // continue the object that writeImage began
		rest = append([]byte(","), rest[1:]...)
		if len(rest) == len(",}") {
			rest = rest[1:]
		}
	}
	_, err = w.Write(rest)
	return err
}

// lastingWriter drops what it cannot write, so that the form is read to its end when the API has refused the image early. A
// browser that is still sending would otherwise show a broken connection instead of the answer.
type lastingWriter struct {
	w      io.Writer
	failed bool
}

// Write implements io.Writer.
func (l *lastingWriter) Write(p []byte) (int, error) {
	if !l.failed {
		_, err := l.w.Write(p)
		l.failed = err != nil
	}
	return len(p), nil
}
